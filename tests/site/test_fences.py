"""Code that an author fences: it has the course's own button, which covers none of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.course_factory import make_example
from tests.site.browsing import serve_site, watch_page
from tests.site.conftest import MKDOCS, PAGE, build_apart, write_pages

pytestmark = pytest.mark.browser

LESSON = "lessons/one/"
LONG = "__global__ void add(const float *a, const float *b, float *c, int n);"
FENCES = f"""
## Fences

```cpp title="add.cu"
{LONG}
    // "quotes" & <angles>
```

```cpp
{LONG}
// below
```

```bash
course check
```

``` {{ .text .no-copy }}
course check [OPTIONS]
```
"""
READ_HEIGHTS = "nodes => nodes.map(node => node.getBoundingClientRect().height)"
COVERED = """button => {
    const own = button.getBoundingClientRect();
    const code = button.parentElement.querySelector("pre > code");
    const words = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = words.nextNode(); node; node = words.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of node.data.trim() ? range.getClientRects() : []) {
            // Letters are lower than their line.
            const top = box.top + box.height / 5, bottom = box.bottom - box.height / 5;
            const inSight = Math.min(box.right, code.getBoundingClientRect().right);
            if (inSight > own.left && bottom > own.top && top < own.bottom) return node.data;
        }
    }
    return "";
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("fences")
    make_example(root)
    write_pages(root, PAGE + FENCES, MKDOCS.replace("content.code.copy, ", ""))
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    with serve_site(root / "site") as address:
        yield address


@pytest.fixture(params=[(1280, 900), (390, 844)], ids=["desktop", "phone"])
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, height = request.param
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=width < 500, is_mobile=width < 500
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    with watch_page(context, address) as page:
        page.goto(address + LESSON)
        yield page


def list_buttons(page: Page) -> list[Locator]:
    return page.locator(".highlight > .course-copy").all()


def test_each_fence_has_one_button_unless_its_author_says_no(page: Page) -> None:
    expect(page.locator("[data-clipboard-target]")).to_have_count(0)
    names = [button.get_attribute("aria-label") for button in list_buttons(page)]
    assert names == ["Copy add.cu", "Copy this code", "Copy this code"]
    # Those of the course's own blocks stand where they stood.
    expect(page.locator("[data-course-directive] .highlight > .course-copy")).to_have_count(0)
    expect(page.get_by_role("button", name="Copy the commands")).to_have_count(1)


def test_the_button_copies_the_code_to_the_last_character(page: Page) -> None:
    texts = [f'{LONG}\n    // "quotes" & <angles>\n', f"{LONG}\n// below\n", "course check\n"]
    for button, text in zip(list_buttons(page), texts, strict=True):
        button.click()
        expect(button).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == text
    expect(page.get_by_role("status").last).to_have_text("Copied this code")


def test_the_button_looks_like_any_other(page: Page) -> None:
    look = """button => {
        const style = getComputedStyle(button);
        return ["color", "borderColor", "borderRadius", "fontFamily"].map((name) => style[name]);
    }"""
    other = page.get_by_role("button", name="Copy these lines of add-kernel", exact=True)
    expected = other.evaluate(look)
    assert [button.evaluate(look) for button in list_buttons(page)] == [expected] * 3


def test_the_button_covers_no_code_and_moves_nothing(
    page: Page, browser: Browser, address: str
) -> None:
    for button in list_buttons(page):
        button.scroll_into_view_if_needed()
        assert button.evaluate(COVERED) == ""
    size = page.viewport_size
    assert size is not None
    context = browser.new_context(viewport=size)
    bare = context.new_page()
    bare.route("**/kernels.js", lambda route: route.abort())
    bare.goto(address + LESSON)
    heights = [p.locator(".highlight").evaluate_all(READ_HEIGHTS) for p in (page, bare)]
    context.close()
    is_long = page.locator(".highlight").evaluate_all(
        "nodes => nodes.map(node => node.classList.contains('course-fence'))"
    )
    # Only a first line that the button would cover makes room.
    assert is_long.count(True) == (1 if size["width"] < 500 else 0)
    moved = [a != b for a, b in zip(*heights, strict=True)]
    assert moved == is_long


def test_what_may_not_be_copied_is_selected_and_said(page: Page) -> None:
    page.evaluate(
        "Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });"
        "document.execCommand = () => false"
    )
    button = list_buttons(page)[2]
    button.click()
    note = page.locator(".course-copy__note")
    expect(note).to_be_visible()
    assert "The text is selected" in note.inner_text()
    assert page.evaluate("getSelection().toString()").strip() == "course check"


def test_a_site_whose_theme_copies_has_the_themes_button_alone(
    browser: Browser, tmp_path: Path
) -> None:
    make_example(tmp_path)
    write_pages(tmp_path, PAGE + FENCES)
    assert build_apart(tmp_path, "--strict").returncode == 0
    with serve_site(tmp_path / "site") as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(address + LESSON)
        expect(page.locator("[data-clipboard-target]")).to_have_count(3)
        expect(page.locator(".highlight > .course-copy")).to_have_count(0)
        context.close()
