"""Source and machine code beside each other in a real browser, by mouse, by keys and by finger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.parts_factory import make_parts_course
from tests.site.browsing import serve_site, watch_page
from tests.site.conftest import build_apart, write_pages

pytestmark = pytest.mark.browser

TEXT = """\
# Adding

It took [1.25 ms](claim:add.took).

/// snippet | add#block
///

/// snippet | add#add-kernel
///

/// listing | add#add-kernel
    open: true
///
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("listings")
    make_parts_course(root)
    write_pages(root, TEXT)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with serve_site(root / "site") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watch_page(browser.new_context(), address) as page:
        page.goto(address + "lessons/one/")
        page.wait_for_function("window.coursePanes")
        yield page


IS_INSIDE = (
    "node => { const a = node.getBoundingClientRect(), "
    "b = node.closest('pre').getBoundingClientRect(); "
    "return a.top >= b.top && a.top < b.bottom }"
)


def find_line(root: Path, text: str) -> int:
    """The number of the program's one line that holds a text."""
    lines = (root / "snippets/add/add.cu").read_text().split("\n")
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


def read_lit(page: Page, pane: str) -> list[str]:
    """The lines of a pane that are lit, spaces folded."""
    texts = page.locator(f".course-listing__{pane} .course-lit").all_inner_texts()
    return [" ".join(line.split()) for text in texts for line in text.strip("\n").split("\n")]


def find_pane(page: Page, pane: str) -> Locator:
    return page.locator(f".course-listing__{pane}")


def test_a_source_line_lights_its_instructions_and_they_light_it(page: Page, root: Path) -> None:
    number = find_line(root, "addOne(float a, float b)")
    line = find_pane(page, "source").locator(f"[data-line='{number}']")
    expect(line).to_contain_text("return a + b")
    line.hover()
    assert read_lit(page, "sass") == [f"{number} 0110 FADD R9, R4, R3"]
    assert len(read_lit(page, "source")) == 1
    other = find_pane(page, "sass").locator("[data-line]").last
    other.hover()
    (lit,) = read_lit(page, "source")
    assert lit == "}"
    assert read_lit(page, "sass")[-1].endswith("EXIT")


def test_a_line_that_became_no_instruction_lights_nothing(page: Page, root: Path) -> None:
    number = find_line(root, "constexpr bool kBarrier")
    lines = find_pane(page, "source").locator("[data-line]")
    lines.last.hover()
    assert read_lit(page, "source") == ["}"]
    find_pane(page, "source").locator(f"[data-line='{number}']").hover()
    assert read_lit(page, "source") == read_lit(page, "sass") == []


def test_the_arrow_keys_go_through_either_pane(page: Page, root: Path) -> None:
    source, sass = find_pane(page, "source"), find_pane(page, "sass")
    source.focus()
    for text in ("addOne(float a, float b)", "__global__", "int i = blockIdx.x"):
        page.keyboard.press("ArrowDown")
        line = source.locator(f"[data-line='{find_line(root, text)}']")
        expect(line).to_be_focused()
        assert read_lit(page, "source") == [" ".join(line.inner_text().split())]
        assert read_lit(page, "sass")
    page.keyboard.press("End")
    expect(source.locator("[data-line]").last).to_be_focused()
    assert read_lit(page, "sass")[-1].endswith("EXIT")
    page.keyboard.press("ArrowDown")
    expect(source.locator("[data-line]").last).to_be_focused()
    page.keyboard.press("Tab")
    expect(sass).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(sass.locator("[data-line]").first).to_be_focused()
    assert len(read_lit(page, "source")) == 1


@pytest.fixture
def ptx_page(page: Page, address: str) -> Page:
    """The program's page, PTX chosen."""
    page.goto(address + "programs/add/#listing-add-kernel")
    expect(find_pane(page, "sass")).to_be_visible()
    page.wait_for_function("window.coursePanes")
    page.get_by_label("PTX", exact=True).check()
    expect(find_pane(page, "ptx")).to_be_visible()
    return page


def test_a_source_line_lights_its_ptx_and_that_lights_it(ptx_page: Page, root: Path) -> None:
    number = find_line(root, "addOne(float a, float b)")
    line = find_pane(ptx_page, "source").locator(f"[data-line='{number}']")
    line.hover()
    assert read_lit(ptx_page, "ptx") == [f"{number} add.f32 %f3, %f2, %f1;"]
    (lit,) = read_lit(ptx_page, "source")
    assert "return a + b" in lit
    number = find_line(root, "if (kBarrier) __syncthreads()")
    find_pane(ptx_page, "ptx").locator("[data-line]", has_text="bar.sync").hover()
    (lit,) = read_lit(ptx_page, "source")
    assert lit == "if (kBarrier) __syncthreads();"
    assert read_lit(ptx_page, "ptx") == [f"{number} bar.sync 0;"]


def test_the_arrow_keys_go_through_ptx(ptx_page: Page, root: Path) -> None:
    source, ptx = find_pane(ptx_page, "source"), find_pane(ptx_page, "ptx")
    ptx.focus()
    for text in ("__global__ void add", "int i = blockIdx.x", "c[i] = addOne"):
        ptx_page.keyboard.press("ArrowDown")
        number = str(find_line(root, text))
        focused = ptx_page.locator(".course-listing__ptx [data-line]:focus")
        expect(focused).to_have_attribute("data-line", number)
        (lit,) = read_lit(ptx_page, "source")
        assert text in lit
    source.focus()
    ptx_page.keyboard.press("ArrowDown")
    expect(source.locator("[data-line]:focus")).to_contain_text("addOne(float a, float b)")
    (lit,) = read_lit(ptx_page, "ptx")
    assert lit.endswith("add.f32 %f3, %f2, %f1;")


def test_what_is_lit_stays_lit_in_the_other_code(ptx_page: Page, root: Path) -> None:
    number = find_line(root, "addOne(float a, float b)")
    find_pane(ptx_page, "source").locator(f"[data-line='{number}']").hover()
    ptx_page.add_style_tag(content=".course-listing pre { max-height: 5em !important }")
    ptx_page.get_by_label("SASS", exact=True).focus()
    ptx_page.keyboard.press("Space")
    expect(find_pane(ptx_page, "ptx")).not_to_be_visible()
    assert read_lit(ptx_page, "sass") == [f"{number} 0110 FADD R9, R4, R3"]
    lit = ptx_page.locator(".course-listing__sass .course-lit")
    assert lit.evaluate(IS_INSIDE)


def test_only_code_that_is_in_sight_counts(ptx_page: Page, root: Path) -> None:
    number = find_line(root, "addOne(float a, float b)")
    line = find_pane(ptx_page, "source").locator(f"[data-line='{number}']")
    # As if this line had become SASS and no PTX.
    drop = "node => delete node.dataset.line"
    ptx_page.locator(f".course-listing__ptx [data-line='{number}']").evaluate(drop)
    line.hover()
    assert read_lit(ptx_page, "source") == read_lit(ptx_page, "sass") == []
    ptx_page.get_by_label("SASS", exact=True).check()
    line.hover()
    assert len(read_lit(ptx_page, "sass")) == 1


def find_source(page: Page, root: Path, text: str) -> Locator:
    number = find_line(root, text)
    return find_pane(page, "source").locator(f"[data-line='{number}']")


def test_a_click_keeps_a_line_until_another_frees_it(page: Page, root: Path) -> None:
    told = page.locator(".course-listing__told > span")
    expect(told).to_have_text("A click or Enter keeps a line lit.")
    sum_line = find_source(page, root, "addOne(float a, float b)")
    other, comment = (
        find_source(page, root, text) for text in ("int i = blockIdx.x", "constexpr bool kBarrier")
    )
    number = find_line(root, "addOne(float a, float b)")
    sum_line.hover()
    expect(told).to_have_text(f"Line {number}: 1 place in the SASS.")
    sum_line.click()
    expect(told).to_have_text(f"Line {number}: 1 place in the SASS, kept until it is chosen again.")
    lit = read_lit(page, "sass")
    assert lit == [f"{number} 0110 FADD R9, R4, R3"]
    for line in (other, comment, find_pane(page, "sass").locator("[data-line]").last):
        line.hover()
        assert read_lit(page, "sass") == lit
    page.keyboard.press("Escape")
    assert read_lit(page, "sass") == read_lit(page, "source") == []
    expect(told).to_have_text("A click or Enter keeps a line lit.")
    other.hover()
    assert read_lit(page, "sass") != lit
    # Another line takes its place, and the same one frees it.
    for line in (sum_line, other):
        line.click()
    comment.hover()
    kept = read_lit(page, "source")
    assert kept == [" ".join(other.inner_text().split())]
    other.click()
    sum_line.hover()
    assert read_lit(page, "sass") == lit
    sum_line.click()
    comment.click()  # It has no code to keep.
    assert read_lit(page, "source") == []
    other.hover()
    assert read_lit(page, "source") == kept


def test_a_finger_keeps_a_line_and_frees_it(browser: Browser, address: str, root: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    with watch_page(context, address) as page:
        page.goto(address + "lessons/one/")
        page.wait_for_function("window.coursePanes")
        line = find_source(page, root, "addOne(float a, float b)")
        line.tap()
        assert len(read_lit(page, "sass")) == 1
        line.tap()
        assert read_lit(page, "sass") == read_lit(page, "source") == []


def test_a_selection_keeps_nothing(page: Page, root: Path) -> None:
    line = find_source(page, root, "addOne(float a, float b)")
    line.dblclick()
    page.keyboard.press("Escape")
    assert page.evaluate("getSelection().toString().trim()")
    line.evaluate("node => node.click()")
    expect(page.locator(".course-listing__told > span")).not_to_contain_text("kept")


def test_keys_keep_a_line_and_go_to_its_code(page: Page, root: Path) -> None:
    find_pane(page, "source").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    kept = read_lit(page, "sass")
    page.keyboard.press("ArrowDown")
    assert read_lit(page, "sass") == kept
    find_pane(page, "sass").focus()
    page.keyboard.press("ArrowDown")
    assert read_lit(page, "sass") == kept
    assert page.evaluate("document.activeElement.classList.contains('course-lit')")
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    assert read_lit(page, "sass") != kept


def test_all_places_of_a_line_are_counted_and_come_into_sight(page: Page, root: Path) -> None:
    page.add_style_tag(content=".course-listing pre { max-height: 5em !important }")
    number = find_line(root, "addOne(float a, float b)")
    # As if the last instruction, too, came from this line.
    page.evaluate(
        "number => ([...document.querySelectorAll('.course-listing__sass [data-line]')].pop()"
        ".dataset.line = number)",
        str(number),
    )
    find_source(page, root, "addOne(float a, float b)").click()
    told = page.locator(".course-listing__told")
    expect(told).to_contain_text(f"Line {number}: 2 places in the SASS, kept")
    first, second = page.locator(".course-listing__sass .course-lit").all()
    assert first.evaluate(IS_INSIDE)
    assert not second.evaluate(IS_INSIDE)
    for turn, place in ((1, first), (2, second), (1, first)):
        told.get_by_role("button", name="Next place").click()
        expect(told).to_contain_text(f"place {turn} of 2 in the SASS")
        assert place.evaluate(IS_INSIDE)
    page.keyboard.press("Escape")
    expect(told.get_by_role("button")).not_to_be_visible()


def test_the_frame_of_a_line_holds_that_line_alone(page: Page) -> None:
    line = find_pane(page, "source").locator("[data-line]").nth(1)
    read = "line => [line.offsetHeight, line.offsetTop]"
    height, top = line.evaluate(read)
    line.evaluate("line => line.toggleAttribute('data-gap')")
    mark = line.evaluate("line => getComputedStyle(line, '::after').content")
    assert mark == '"⋮"'
    framed, moved = line.evaluate(read)
    assert framed == height
    assert moved > top + height / 2


def test_a_folded_listing_is_its_names_alone(page: Page, address: str) -> None:
    note = page.locator(".course-listing > .course-table__note")
    expect(note).to_be_visible()
    page.goto(address + "programs/add/")
    expect(note).not_to_be_visible()
    page.locator(".course-listing summary").click()
    expect(note).to_be_visible()


def test_the_other_pane_scrolls_and_the_page_stays(page: Page) -> None:
    page.add_style_tag(content=".course-listing pre { max-height: 5em !important }")
    before = page.evaluate("window.scrollY")
    last = find_pane(page, "source").locator("[data-line]").last
    last.dispatch_event("mouseover", {"bubbles": True})
    lit = page.locator(".course-listing__sass .course-lit").first
    assert lit.evaluate(IS_INSIDE)
    assert find_pane(page, "sass").evaluate("node => node.scrollTop") > 0
    assert page.evaluate("window.scrollY") == before


@pytest.mark.parametrize(
    ("path", "width", "columns"),
    [
        ("lessons/one/", 390, 1),
        ("lessons/one/", 600, 1),
        ("lessons/one/", 1440, 2),
        ("programs/add/", 1280, 2),
    ],
)
def test_panes_stand_side_by_side_where_there_is_room(
    page: Page, address: str, path: str, width: int, columns: int
) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(address + path)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    left, right = find_pane(page, "source").bounding_box(), find_pane(page, "sass").bounding_box()
    assert left is not None
    assert right is not None
    assert (right["y"] >= left["y"] + left["height"]) == (columns == 1)
    assert (right["x"] >= left["x"] + left["width"]) == (columns == 2)
    assert right["x"] + right["width"] <= width


def test_the_lesson_leads_to_the_ptx(page: Page, address: str) -> None:
    page.locator(".course-listing a", has_text="the program's page").click()
    expect(page).to_have_url(address + "programs/add/#machine-code")
    expect(page.get_by_role("heading", name="Machine code")).to_be_in_viewport()


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_a_kernel_is_one_click_from_its_machine_code(
    page: Page, address: str, size: tuple[int, int]
) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    kernel = page.locator("[data-course-region='add#add-kernel']")
    kernel.get_by_role("link", name="Machine code").click()
    expect(page).to_have_url(address + "programs/add/#listing-add-kernel")
    expect(find_pane(page, "sass")).to_be_visible()
    box = page.locator("#listing-add-kernel").bounding_box()
    assert box is not None
    assert 48 < box["y"] < height / 2  # Below the header.
    name = page.locator(".course-listing__kernel[open] > summary").bounding_box()
    assert name is not None
    assert name["y"] > 48


def test_a_link_within_the_page_opens_the_fold_as_well(page: Page, address: str) -> None:
    page.goto(address + "programs/add/")
    expect(find_pane(page, "sass")).not_to_be_visible()
    page.evaluate("location.hash = 'listing-add-kernel'")
    expect(find_pane(page, "sass")).to_be_visible()


def test_where_no_machine_code_is_recorded_no_link_speaks_of_it(page: Page) -> None:
    page.locator("[data-course-region='add#add-kernel']").wait_for()
    block = page.locator("[data-course-region='add#block']")
    assert block.count() == 1
    assert block.get_by_role("link", name="Machine code").count() == 0


def test_the_programs_page_has_machine_code_and_ptx_to_choose_from(
    browser: Browser, address: str
) -> None:
    # Nothing of it needs a script.
    context = browser.new_context(java_script_enabled=False)
    with watch_page(context, address) as page:
        page.goto(address + "programs/add/")
        expect(page.get_by_role("heading", name="Machine code")).to_be_visible()
        page.locator(".course-listing summary").click()
        sass, ptx = find_pane(page, "sass"), find_pane(page, "ptx")
        expect(sass).to_contain_text("FADD R9, R4, R3")
        expect(ptx).not_to_be_visible()
        page.get_by_label("SASS", exact=True).focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_label("PTX", exact=True)).to_be_checked()
        expect(ptx).to_contain_text(".visible .entry _Z3addPKfS0_Pfi(")
        expect(sass).not_to_be_visible()
