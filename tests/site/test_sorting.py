"""Tables are sorted by their headers, stay where they are, and keep their heads in sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.course_factory import (
    CHECK,
    DECLARATION,
    PROGRAM,
    make_course,
    make_example,
    make_transcripts,
)
from tests.site.browsing import serve_site, watch_page
from tests.site.conftest import MKDOCS, PAGE, build_apart, write_pages

pytestmark = pytest.mark.browser

LESSON = "lessons/one/"
COMPARED = """
In the small case it takes [13 µs](claim:add.time["small", "narrow"]).

/// comparison | add
    of: kernel
    against: narrow
///
"""


READ_BOXES = """table => {
    const place = table.getBoundingClientRect();
    return [...table.querySelectorAll("caption, th, td")].map((cell) => {
        const { x, y, width, height } = cell.getBoundingClientRect();
        return [cell.textContent.trim(), x - place.x, y - place.y, width, height];
    });
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("sorting")
    # By their first digits the rates would come in another order than by their size.
    fast = [text.replace("  900.", " 5900.") for text in make_transcripts()]
    make_course(
        root,
        programs={"add": PROGRAM.format(name="add")},
        declarations={"add": DECLARATION},
        transcripts={"add": fast},
        checks={"add": CHECK},
    )
    write_pages(root, PAGE + COMPARED, MKDOCS.replace("features: [", "features: [navigation.top, "))
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    with serve_site(root / "site") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with watch_page(context, address) as page:
        page.goto(address + LESSON)
        page.locator("table[data-course-sort]").first.scroll_into_view_if_needed()
        page.wait_for_function("window.courseTables")
        yield page


def read_column(table: Locator, column: int) -> list[str]:
    found: list[str] = table.evaluate(
        "(table, column) => [...table.tBodies[0].rows].map(r => r.cells[column].textContent.trim())",
        column,
    )
    return found


def test_a_header_sorts_up_and_down_and_back_by_numbers(page: Page) -> None:
    table = page.locator("[data-course-table] table")
    head = table.locator("thead th").nth(3)
    as_printed = read_column(table, 3)
    by_number = sorted(as_printed, key=float)
    assert by_number not in (as_printed, sorted(as_printed))  # neither order would tell
    for state, order in (
        ("ascending", by_number),
        ("descending", by_number[::-1]),
        (None, as_printed),
    ):
        head.get_by_role("button").click()
        assert read_column(table, 3) == order
        assert head.get_attribute("aria-sort") == state


def test_another_header_takes_over(page: Page) -> None:
    table = page.locator("[data-course-table] table")
    heads = table.locator("thead th")
    heads.nth(2).get_by_role("button").click()
    heads.nth(1).get_by_role("button").click()
    assert [h.get_attribute("aria-sort") for h in heads.all()] == [None, "ascending", None, None]
    assert read_column(table, 1) == ["narrow", "narrow", "wide", "wide"]


def test_a_header_is_pressed_by_key_and_named_as_before(page: Page) -> None:
    button = page.locator("[data-course-comparison] thead th").nth(2).get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    head = page.locator("[data-course-comparison] thead th").nth(2)
    assert head.get_attribute("aria-sort") == "descending"
    expect(button).to_have_accessible_name("time (ms)")


def test_claims_are_sorted_by_data_and_what_has_none_is_last(page: Page, address: str) -> None:
    page.goto(address + "claims/")
    table = page.locator(".course-claims table").last
    value = table.locator("thead th").nth(4)
    assert value.inner_text().strip() == "Value"
    for _ in range(2):
        value.get_by_role("button").click()
    # In base units, times in seconds; a statement has no number.
    assert read_column(table, 4) == ["256", "2.055", "0.6255 ms", "12.5 µs", "true"]
    value.get_by_role("button").click()
    assert read_column(table, 4) == ["256", "2.055", "0.6255 ms", "true", "12.5 µs"]


def test_a_table_has_plain_headers_and_the_same_place_without_scripts(
    browser: Browser, address: str
) -> None:
    boxes: list[Any] = []
    for scripted in (True, False):
        context = browser.new_context(java_script_enabled=scripted)
        page = context.new_page()
        for path in (LESSON, "claims/"):
            page.goto(address + path)
            table = page.locator("table[data-course-sort]").last
            table.scroll_into_view_if_needed()
            if scripted:
                page.wait_for_function("window.courseTables")
            assert (table.get_by_role("button").count() > 0) is scripted
            boxes.append(table.evaluate(READ_BOXES))
        context.close()
    with_scripts, without = boxes[:2], boxes[2:]
    assert with_scripts == without


def test_a_wide_and_long_table_keeps_its_head_and_its_first_column(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 300})
    page = context.new_page()
    page.goto(address + "claims/")
    scroll = page.locator(".course-claims .course-table__scroll").last
    scroll.scroll_into_view_if_needed()  # What is out of sight is not laid out.
    page.wait_for_function("document.querySelector('.course-claims .course-table__scroll--right')")
    assert scroll.evaluate("n => n.scrollWidth > n.clientWidth && n.scrollHeight > n.clientHeight")
    head, first = scroll.locator("thead th").first, scroll.locator("tbody th").first
    scroll.evaluate("node => node.scrollTo(0, 0)")
    corner, row = head.bounding_box(), first.bounding_box()
    scroll.evaluate("node => node.scrollTo(node.scrollWidth, 40)")
    moved = first.bounding_box()
    assert head.bounding_box() == corner
    assert row is not None
    assert moved is not None
    assert (moved["x"], moved["y"]) == (row["x"], row["y"] - 40)
    context.close()


def test_a_caption_wraps_in_what_is_in_sight(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 700})
    page = context.new_page()
    page.goto(address + LESSON)
    scroll = page.locator("[data-course-comparison] .course-table__scroll")
    assert scroll.evaluate("node => node.scrollWidth > node.clientWidth")
    box, caption = scroll.bounding_box(), scroll.locator("caption > span").bounding_box()
    assert box is not None
    assert caption is not None
    assert caption["x"] + caption["width"] <= box["x"] + box["width"]
    context.close()


TABLES = """
| counted | narrow | wide |
|---|---|---|
| share of its time | 92 % | 61 % |
| waiting | 10 warps | 3 warps |
| and for room | 0 | about 4 warps |

| kernel | time | note |
|---|---|---|
| narrow | 0.6 ms | 2 * n |
| wide | 13–14 µs | 0 |
| none | 0 | 3 * n |
"""


def test_rows_of_different_units_are_not_sorted(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("units")
    make_example(root)
    write_pages(root, PAGE + TABLES)
    settings = root / "course.toml"
    settings.write_text(settings.read_text() + 'findings = "warn"\n')
    done = build_apart(root)
    assert done.returncode == 0, done.stderr
    with serve_site(root / "site") as address, watch_page(browser.new_context(), address) as page:
        page.goto(address + LESSON)
        page.locator(".course-table--written").first.scroll_into_view_if_needed()
        page.wait_for_function("window.courseTables")
        mixed, alike = page.locator(".course-table--written").all()
        assert mixed.get_by_role("button").count() == 0
        assert alike.get_by_role("button").count() == 3
        alike.get_by_role("button", name="time").click()
        assert read_column(alike, 0) == ["none", "wide", "narrow"]


def test_the_way_back_to_the_top_covers_no_heads(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 600})
    page.mouse.wheel(0, 900)
    page.wait_for_timeout(200)
    page.mouse.wheel(0, -200)
    top = page.locator(".md-top")
    expect(top).to_be_visible()
    box = top.bounding_box()
    assert box is not None
    assert box["height"] < 60
    assert 500 < box["y"] < 600 - box["height"]
