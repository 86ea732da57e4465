"""Kernels in a real browser: what is copied, downloaded and opened elsewhere, and what is said."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages.explorer import read_url
from build_tools.source.reader_unit import compose_unit
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts
from tests.site.browsing import serve_site, watch_page
from tests.site.conftest import MKDOCS, build_apart, write_pages

pytestmark = pytest.mark.browser

KERNEL = "add#add-kernel"
LESSON = "lessons/one/"
NAMED = "http://course.localhost/"
"""What the site says its address is: only there does the theme load pages into the open one."""

NASTY = [
    "\t// </script><script>document.title = 'broken'</script> </pre></code> &amp; &lt;",
    "\t// {{ braces }} {% raw %} `ticks` ```",
    "\t// \u202ereversed\u202c \u05e9\u05dc\u05d5\u05dd \u2066isolated\u2069",
    "\t//\ttab\there, and blanks behind   ",
    "\t// " + "x" * 400,
    "",
    "\t \tint spare = 0;  // \u00b5 \u6f22 \U0001f600",
]

LESSON_TEXT = """\
# Adding vectors

/// snippet | add#block
///

- In a list, the kernel:

    /// snippet | add#add-kernel
    ///

/// program | add
///

/// transcript | add
///
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built course whose kernel holds tabs, lines of 400 columns and what HTML trips over."""
    root = tmp_path_factory.mktemp("kernels")
    text = PROGRAM.format(name="add")
    text = text.replace("    int i", "\n".join(NASTY) + "\n    int i")
    make_course(
        root,
        programs={"add": text},
        declarations={"add": DECLARATION},
        transcripts={"add": make_transcripts()},
        checks={"add": CHECK},
    )
    write_pages(root, LESSON_TEXT, f"site_url: {NAMED}\n{MKDOCS}")
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def course(root: Path) -> Course:
    return load_course(root)


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with serve_site(root / "site") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    with watch_page(context, address) as page:
        page.goto(address + LESSON)
        yield page


def find_snippet(page: Page, region: str = KERNEL) -> Locator:
    return page.locator(f"[data-course-region='{region}']")


def find_copy(within: Locator | Page, name: str) -> Locator:
    return within.get_by_role("button", name=f"Copy {name}", exact=True)


def read_copied(page: Page, button: Locator) -> str:
    """What the clipboard holds once the button says that it copied."""
    expect(button).to_have_text("Copied")
    copied: str = page.evaluate("navigator.clipboard.readText()")
    return copied


LINES = "these lines of add-kernel"
"""What the button of the kernel's head copies: without what the kernel needs."""


@pytest.mark.parametrize(("region", "name"), [("block", "block"), ("add-kernel", LINES)])
def test_copy_gives_the_region_to_the_last_byte(
    page: Page, course: Course, region: str, name: str
) -> None:
    text = course.programs["add"].regions[region].text
    assert (text.count("\t") >= 8) == (region == "add-kernel")
    button = find_copy(find_snippet(page, f"add#{region}"), name)
    button.click()
    assert read_copied(page, button) == text
    expect(page.get_by_role("status").last).to_have_text(f"Copied {name}")
    expect(page).to_have_title("Adding vectors - A course")


def test_the_theme_has_no_second_button_on_code_of_a_program(page: Page) -> None:
    expect(page.locator(".course-copy").first).to_be_visible()
    expect(page.locator("[data-clipboard-target]")).to_have_count(0)


@pytest.mark.parametrize(
    ("name", "copied"),
    [
        ("the commands", "nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu\n./add\n"),
        ("the transcript", None),
    ],
)
def test_commands_and_transcripts_are_copied_by_the_same_button(
    page: Page, root: Path, name: str, copied: str | None
) -> None:
    button = find_copy(page, name)
    button.click()
    raw = next((root / "evidence/add/nvidia-h200").glob("run-*.txt")).read_text()
    assert read_copied(page, button) == (copied or raw)
    covered = (
        "own => { const a = own.getBoundingClientRect(); "
        "return [...document.querySelectorAll('pre')].some(pre => { "
        "const b = pre.getBoundingClientRect(); return a.right > b.left && a.left < b.right "
        "&& a.bottom > b.top && a.top < b.bottom }) }"
    )
    assert not button.evaluate(covered)


def test_the_rest_is_folded_and_works_by_keyboard(page: Page, course: Course) -> None:
    program = course.programs["add"]
    snippet = find_snippet(page)
    unit = find_copy(snippet, "add-kernel with what it needs")
    expect(unit).not_to_be_visible()
    snippet.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(unit).to_be_visible()
    page.keyboard.press("Tab")
    expect(unit).to_be_focused()
    page.keyboard.press("Enter")
    both = program.regions["block"].text + program.regions["add-kernel"].text
    assert read_copied(page, unit) == both == compose_unit(program, "add-kernel")
    whole = find_copy(snippet, "add.cu")
    whole.focus()
    page.keyboard.press("Space")
    assert read_copied(page, whole) == program.text
    command = find_copy(snippet, "the build command")
    command.click()
    assert read_copied(page, command) == program.header.build


def test_a_program_is_copied_from_its_card_and_from_its_page(
    page: Page, address: str, course: Course
) -> None:
    button = find_copy(page.locator(".course-program"), "add.cu")
    button.click()
    assert read_copied(page, button) == course.programs["add"].text
    page.goto(address + "programs/add/")
    button = find_copy(page.locator(".course-source"), "add.cu")
    button.click()
    assert read_copied(page, button) == course.programs["add"].text


def test_what_is_downloaded_is_what_the_course_holds(page: Page, course: Course) -> None:
    program = course.programs["add"]
    snippet = find_snippet(page)
    snippet.locator("summary").click()
    links = snippet.get_by_role("link", name="Download")
    for number, (name, text) in enumerate(
        [("add-kernel.cu", compose_unit(program, "add-kernel")), ("add.cu", program.text)]
    ):
        with page.expect_download() as started:
            links.nth(number).click()
        assert started.value.suggested_filename == name
        assert Path(started.value.path()).read_bytes() == text.encode()


def test_compiler_explorer_gets_text_compiler_and_flags_and_is_asked_by_the_reader_alone(
    page: Page, course: Course
) -> None:
    program = course.programs["add"]
    link = find_snippet(page).locator("[data-course-explorer]")
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noopener", "_blank")
    held = read_url(link.get_attribute("href") or "")
    assert held == (
        compose_unit(program, "add-kernel"),
        "nvcc130u2",
        "-std=c++17 -O3 -arch=sm_90",
    )
    # What the kernel needs opens with it.
    needed = find_snippet(page, "add#block").locator("[data-course-explorer]")
    expect(needed).to_have_text("Open add-kernel in Compiler Explorer")
    assert read_url(needed.get_attribute("href") or "") == held
    # That nobody else was asked for anything is seen to where the page is watched.
    page.wait_for_load_state("networkidle")
    # All kernels of the program open from its own page.
    page.get_by_role("link", name="Its kernels in Compiler Explorer").click()
    page.wait_for_url("**/programs/add/#compiler-explorer")
    whole = page.locator(".course-program [data-course-explorer]")
    assert read_url(whole.get_attribute("href") or "") == held


def test_after_a_page_is_loaded_into_the_open_one_copying_works(
    browser: Browser, address: str, course: Course
) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=NAMED)
    context.route(
        f"{NAMED}**",
        lambda route: route.continue_(url=route.request.url.replace(NAMED, address)),
    )
    with watch_page(context, NAMED) as page:
        page.goto(NAMED)
        page.wait_for_load_state("networkidle")  # The theme reads which pages there are.
        page.evaluate("window.stays = true")
        page.locator("a[href$='lessons/one/']").first.evaluate("link => link.click()")
        expect(page).to_have_url(NAMED + LESSON)
        button = find_copy(find_snippet(page), LINES)
        button.click()
        assert read_copied(page, button) == course.programs["add"].regions["add-kernel"].text
        assert page.evaluate("window.stays")


def test_without_scripts_there_are_links_and_no_dead_button(
    browser: Browser, address: str, course: Course
) -> None:
    context = browser.new_context(java_script_enabled=False)
    with watch_page(context, address) as page:
        page.goto(address + LESSON)
        snippet = find_snippet(page)
        assert snippet.locator("pre > code").text_content() == (
            course.programs["add"].regions["add-kernel"].text
        )
        snippet.locator("summary").click()
        assert page.locator(".course-copy").count() >= 6
        for button in page.locator(".course-copy").all():
            expect(button).not_to_be_visible()
        with page.expect_download() as started:
            snippet.get_by_role("link", name="Download").first.click()
        assert Path(started.value.path()).read_text(encoding="utf-8") == compose_unit(
            course.programs["add"], "add-kernel"
        )


NO_PERMISSION = """
navigator.clipboard.writeText = navigator.clipboard.write =
    () => Promise.reject(new DOMException("Write permission denied.", "NotAllowedError"));
document.execCommand = () => false;
"""
NO_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });"


def test_where_nothing_may_be_copied_the_text_is_selected_and_it_is_said(
    page: Page, address: str, course: Course
) -> None:
    program = course.programs["add"]
    page.add_init_script(NO_PERMISSION)
    page.goto(address + LESSON)
    snippet = find_snippet(page)
    find_copy(snippet, LINES).click()
    told = "The browser lets nothing be copied here. The text is selected"
    expect(snippet.locator(".course-copy__note")).to_contain_text(told)
    expect(page.get_by_role("status").last).to_contain_text(told)
    selected = page.evaluate("getSelection().toString()")
    assert selected.rstrip("\n") == program.regions["add-kernel"].text.rstrip("\n")
    snippet.locator("summary").click()
    unit = find_copy(snippet, "add-kernel with what it needs")
    unit.click()
    area = snippet.locator("textarea")
    expect(area).to_be_focused()
    assert area.evaluate("node => node.value.slice(node.selectionStart, node.selectionEnd)") == (
        compose_unit(program, "add-kernel")
    )
    # Told once, however often it is tried.
    unit.click()
    expect(snippet.locator("textarea")).to_have_count(1)


def test_where_the_clipboard_is_denied_the_older_way_copies(
    browser: Browser, page: Page, address: str, course: Course
) -> None:
    page.evaluate("navigator.clipboard.writeText('as before')")
    context = browser.new_context(permissions=[])
    with watch_page(context, address) as denied:
        denied.goto(address + LESSON)
        asked = "navigator.permissions.query({ name: 'clipboard-write' }).then(it => it.state)"
        assert denied.evaluate(asked) == "denied"
        snippet = find_snippet(denied)
        snippet.locator("summary").click()
        button = find_copy(snippet, "add-kernel with what it needs")
        button.click()
        expect(button).to_have_text("Copied")
        page.bring_to_front()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == compose_unit(course.programs["add"], "add-kernel")


def test_a_page_without_the_newer_clipboard_copies_the_older_way(
    page: Page, address: str, course: Course
) -> None:
    reader = page.context.new_page()
    reader.goto(address)
    page.add_init_script(NO_CLIPBOARD)
    page.goto(address + LESSON)
    assert page.evaluate("navigator.clipboard === undefined")
    page.bring_to_front()
    button = find_copy(find_snippet(page), LINES)
    button.click()
    expect(button).to_have_text("Copied")
    reader.bring_to_front()
    copied = reader.evaluate("navigator.clipboard.readText()")
    assert copied == course.programs["add"].regions["add-kernel"].text


def test_a_file_that_cannot_be_fetched_is_not_copied(page: Page) -> None:
    page.route("**/regions/*.cu", lambda route: route.fulfill(status=404, body="<h1>No</h1>"))
    page.evaluate("navigator.clipboard.writeText('as before')")
    snippet = find_snippet(page)
    snippet.locator("summary").click()
    find_copy(snippet, "add-kernel with what it needs").click()
    expect(snippet.locator(".course-copy__note")).to_have_text(
        "The file could not be fetched. Try its link instead."
    )
    assert page.evaluate("navigator.clipboard.readText()") == "as before"


def test_a_file_that_lies_elsewhere_is_a_link_without_a_button(
    page: Page, address: str, root: Path
) -> None:
    # As a site is that leads to the project's sources: what is fetched there is no program.
    built = (root / "site" / LESSON / "index.html").read_text(encoding="utf-8")
    moved = built.replace('href="../../downloads/', 'href="https://example.org/blob/')
    assert moved != built
    page.route(address + LESSON, lambda route: route.fulfill(body=moved, content_type="text/html"))
    page.goto(address + LESSON)
    snippet = find_snippet(page)
    snippet.locator("summary").click()
    expect(find_copy(snippet, LINES)).to_be_visible()
    expect(find_copy(snippet, "the build command")).to_be_visible()
    expect(snippet.get_by_role("link", name="Download").first).to_be_visible()
    for button in page.locator("[data-course-copy='file']").all():
        expect(button).not_to_be_visible()


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (
            "programs/add/#region-sum-kernel",
            (
                "There is no region sum-kernel here any more. "
                "The regions of this page are: block, add-kernel."
            ),
        ),
        ("programs/add/#L4000", "There is no line 4000 here any more."),
        (
            LESSON + "#snippet-add-sum",
            (
                "There is no snippet add-sum here any more. "
                "The snippets of this page are: block, add-kernel."
            ),
        ),
        (
            "programs/add/#region-%3Cimg%20src=x%20onerror=alert(1)%3E",
            (
                "There is no region <img src=x onerror=alert(1)> here any more. "
                "The regions of this page are: block, add-kernel."
            ),
        ),
    ],
)
def test_a_link_to_what_has_another_name_now_says_so(
    page: Page, address: str, path: str, told: str
) -> None:
    page.goto(address + path)
    said = page.locator(".course-gone")
    expect(said).to_have_text(told)
    expect(said).to_be_in_viewport()
    if said.locator("a").count():
        said.locator("a").last.click()
        expect(page.locator(".course-gone")).to_have_count(0)
        code = page.get_by_text("__global__").first
        expect(code).to_be_in_viewport()


@pytest.mark.parametrize(
    "path", ["programs/add/#region-block", "programs/add/#source", "programs/add/#%E0%A4", "#x"]
)
def test_a_link_that_leads_somewhere_says_nothing(page: Page, address: str, path: str) -> None:
    page.goto(address + path)
    expect(page.locator("h1")).to_be_attached()
    expect(page.locator(".course-gone")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_all_that_is_unfolded_stays_within_the_window(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    for path in (LESSON, "programs/add/"):
        page.goto(address + path)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        for button in page.locator(".course-copy, [data-course-explorer]").all():
            box = button.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width, shlex.quote(button.inner_text())
        scroll, client = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert scroll <= client
