"""Our own pages as they are read: what stays in sight, on a desk and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.browsing import watch_page

pytestmark = pytest.mark.browser

DAY_15 = "lessons/day-15-tiling-traffic/"
LESSONS = (
    DAY_15,
    "lessons/day-16-tiled-matmul/",
    "lessons/day-17-wmma/",
    "lessons/ceilings/",
)
DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
HEADER = 48
"""Pixels at the window's top that the theme's header covers."""

LAND = """() => [...document.querySelectorAll("article :is(h2, h3)[id]")].map((heading) => {
    location.hash = heading.id;
    const root = document.documentElement;
    const isLast = scrollY + innerHeight > root.scrollHeight - 2;
    return [heading.id, heading.getBoundingClientRect().top, isLast, root.scrollHeight];
})"""
"""Where each heading lands, whether the page ends there, and how high the page is then."""

SEE = """text => {
    const proof = text.parentElement.querySelector(":scope > .course-proof");
    const { left, right, top, bottom } = proof.getBoundingClientRect();
    const lines = [...text.getClientRects()];
    const within = document.elementFromPoint((left + right) / 2, top + 4);
    return {
        shown: proof.contains(within),
        height: bottom - top,
        inside: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
        covers: lines.some((l) =>
            l.bottom > top + 1 && l.top < bottom - 1 && l.right > left && l.left < right),
        inSight: lines.every((l) => l.top >= 48 && l.bottom <= innerHeight),
    };
}"""


def find_record(site: Path, program: str) -> str:
    """The address of the newest record of a program with counters."""
    pages = sorted((site / "records" / program).rglob("index.html"))
    with_counters = [page for page in pages if 'id="causes"' in page.read_text()]
    return f"{with_counters[-1].parent.relative_to(site).as_posix()}/"


def come_to_tables(page: Page) -> None:
    """Scroll to a page's first table; its script is fetched by then."""
    page.locator(".course-table__scroll").first.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('[data-course-pinned]')")


@pytest.fixture
def desk(browser: Browser, address: str) -> Iterator[Page]:
    with watch_page(browser.new_context(**DESK), address) as page:
        yield page


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    with watch_page(browser.new_context(**PHONE), address) as page:
        yield page


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_headings_land_below_the_header_and_no_page_changes_its_height(
    request: pytest.FixtureRequest, address: str, size: str
) -> None:
    page: Page = request.getfixturevalue(size)
    for lesson in LESSONS:
        page.goto(address + lesson)
        landed = page.evaluate(LAND)
        assert len(landed) > 5
        for name, top, is_last, _ in landed:
            assert top > HEADER, f"{lesson}#{name}"
            assert is_last or top < HEADER + 24, f"{lesson}#{name}"
        heights = [height for *_, height in landed]
        assert max(heights) - min(heights) < 24, lesson  # What rounding makes of a page of code.


def test_a_row_says_on_a_phone_what_it_is_about(phone: Page, address: str) -> None:
    phone.goto(address + DAY_15)
    come_to_tables(phone)
    box = phone.locator("[data-course-table] .course-table__scroll").first
    box.evaluate("node => node.scrollTo(node.scrollWidth, 0)")
    phone.wait_for_function("document.querySelector('.course-table__scroll--left')")
    places = box.evaluate(
        """node => {
            const left = node.getBoundingClientRect().left;
            const row = node.querySelector("tbody tr");
            return [...row.cells].map((cell) => {
                const box = cell.getBoundingClientRect();
                return [cell.tagName, box.left - left, box.right - left];
            });
        }"""
    )
    (size, kernel, *numbers) = places
    assert [size[0], kernel[0], numbers[0][0]] == ["TH", "TH", "TD"]
    assert size[1] == pytest.approx(0, abs=1)
    assert kernel[1] == pytest.approx(size[2], abs=1)
    assert kernel[2] <= 0.6 * 390
    assert numbers[0][2] < kernel[2]  # It has gone behind them.
    # What is cut at their edge fades there, in the head as well, and nothing else fades.
    fades = box.evaluate(
        """node => [...node.querySelectorAll("tr")].slice(0, 3).map((row) =>
            [...row.cells].map((cell) => getComputedStyle(cell, "::after").backgroundImage)
                .map((image) => image.startsWith("linear-gradient")))"""
    )
    assert [row.index(True) for row in fades] == [1, 1, 1]
    assert all(sum(row) == 1 for row in fades)
    box.evaluate("node => node.scrollTo(0, 0)")
    phone.wait_for_function("!document.querySelector('.course-table__scroll--left')")
    last = box.locator("tbody th").nth(1)
    assert last.evaluate("node => getComputedStyle(node, '::after').content") == "none"


def test_a_table_that_fits_keeps_its_head_below_the_header(desk: Page, address: str) -> None:
    desk.goto(address + DAY_15)
    come_to_tables(desk)
    box = desk.locator("[data-course-table] .course-table__scroll--whole").first
    assert box.evaluate(
        "node => node.scrollHeight === node.clientHeight && !node.hasAttribute('tabindex')"
    )
    box.locator("tbody tr").nth(8).evaluate(
        "row => scrollTo({ top: scrollY + row.getBoundingClientRect().top - 100, behavior: 'instant' })"
    )
    head = box.locator("thead th").first.bounding_box()
    assert head is not None
    assert head["y"] == pytest.approx(HEADER, abs=1)


def test_a_box_says_at_which_edges_more_follows(phone: Page, address: str) -> None:
    phone.goto(address + DAY_15)
    come_to_tables(phone)
    box = phone.locator("[data-course-table] .course-table__scroll--below").first
    read = "node => [...node.classList].filter((name) => /--(left|right|below)$/.test(name)).length"
    masked = "node => getComputedStyle(node).maskImage !== 'none'"
    table = box.element_handle()
    assert table is not None
    assert table.evaluate(read) == 2  # to the right and below
    assert table.evaluate(masked)
    table.evaluate("node => node.scrollTo(node.scrollWidth, node.scrollHeight)")
    phone.wait_for_function(
        "node => node.classList.contains('course-table__scroll--left')", arg=table
    )
    assert table.evaluate(read) == 1
    assert not table.evaluate(masked)


def test_tables_written_in_markdown_sort_by_their_numbers(desk: Page, address: str) -> None:
    desk.goto(address + "lessons/day-17-wmma/")
    come_to_tables(desk)
    table = desk.locator("table.course-table--written").first
    read = """table => [...table.tBodies[0].rows].map((row) =>
        row.cells[2].querySelector(".course-claim__text").textContent)"""
    as_written = table.evaluate(read)
    assert any("µs" in text for text in as_written)
    assert any("ms" in text for text in as_written)
    seconds = {"ms": 1e-3, "µs": 1e-6}
    table.get_by_role("button", name="time of one launch").click()
    by_size = sorted(
        as_written,
        # A range counts by where it begins.
        key=lambda text: float(re.findall(r"[\d.]+", text)[0]) * seconds[text.split()[-1]],
    )
    assert table.evaluate(read) == by_size != as_written
    assert table.locator("tbody th[scope=row]").count() == len(as_written)


def test_a_table_whose_rows_have_units_of_their_own_keeps_its_order(
    desk: Page, address: str
) -> None:
    desk.goto(address + "lessons/day-17-wmma/")
    come_to_tables(desk)
    assert desk.locator(".course-sort").count() > 0
    rows_of_units = desk.locator("table", has=desk.get_by_text("counted", exact=True))
    assert rows_of_units.count() == 1
    assert rows_of_units.locator(".course-sort").count() == 0
    desk.goto(address + DAY_15)
    come_to_tables(desk)
    counters = desk.locator("[data-course-counters] table").first
    assert counters.locator("tbody th .course-table__unit").count() > 2
    assert counters.locator(".course-sort").count() == 0


def test_a_size_is_broken_on_a_phone_alone_and_between_its_factors(
    desk: Page, phone: Page, address: str, own_site: Path
) -> None:
    record = find_record(own_site, "tiled_matmul")
    for page, lines in ((desk, 1), (phone, 2)):
        page.goto(address + record)
        page.locator(".course-table__scroll").first.scroll_into_view_if_needed()
        size = page.locator("tbody th", has_text="512x512x512").first
        texts = size.evaluate(
            """cell => [...cell.childNodes].filter((node) => node.data).map((node) => {
                const range = document.createRange();
                range.selectNode(node);
                return [node.data, range.getClientRects().length];
            })"""
        )
        assert texts == [["512", 1], ["x512", 1], ["x512", 1]]
        tops = size.evaluate(
            """cell => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return [...range.getClientRects()].map((box) => box.top);
            }"""
        )
        assert len(set(tops)) == lines


def test_a_records_tables_fit_a_desk(browser: Browser, address: str, own_site: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with watch_page(context, address) as page:
        page.goto(address + find_record(own_site, "tiled_matmul"))
        page.add_style_tag(
            content=".course-table__scroll { content-visibility: visible !important }"
        )
        boxes = page.locator(".course-table__scroll >> visible=true")
        assert boxes.count() > 5
        cut = boxes.evaluate_all(
            """nodes => nodes.filter((node) => node.scrollWidth > node.clientWidth)
                .map((node) => node.getAttribute("aria-label"))"""
        )
        assert cut == []


def test_no_option_of_a_command_is_broken(phone: Page, address: str) -> None:
    read = """() => [...document.querySelectorAll(".course-word")]
        .filter((word) => word.checkVisibility())
        .map((word) => [word.textContent, word.offsetHeight / parseFloat(getComputedStyle(word).fontSize)])"""
    for path in (DAY_15, "lessons/day-16-tiled-matmul/"):
        phone.goto(address + path)
        phone.evaluate(
            "() => document.querySelectorAll('.course-take').forEach((fold) => fold.open = true)"
        )
        words = phone.evaluate(read)
        assert {"-arch=sm_90", "--once"} <= {word for word, _ in words}
        assert [word for word, height in words if height > 2.5] == []


def test_no_proof_covers_its_number(browser: Browser, address: str) -> None:
    for options, limit in ((DESK, 0.6 * 900), (PHONE, 0.6 * 844)):
        with watch_page(browser.new_context(**options), address) as page:
            page.goto(address + DAY_15)
            come_to_tables(page)
            numbers = page.locator(".course-claim__text")
            for index in range(0, numbers.count(), 13):
                number = numbers.nth(index)
                page.touchscreen.tap(2, 300) if options is PHONE else page.mouse.move(0, 0)
                number.evaluate(
                    """async (node, part) => {
                        for (let turn = 0; turn < 3; ++turn) {
                            const top = node.getBoundingClientRect().top - part * innerHeight;
                            scrollTo({ behavior: "instant", top: scrollY + top });
                            await new Promise(requestAnimationFrame); // Code near it is laid out.
                        }
                    }""",
                    (1 + index % 8) / 10,
                )
                number.tap() if options is PHONE else number.hover()
                seen = number.evaluate(SEE)
                height = seen.pop("height")
                told = {"shown": True, "inside": True, "covers": False, "inSight": True}
                assert seen == told, index
                assert height <= limit + 1


def test_without_scripts_a_page_has_its_colours_in_the_readers_scheme(
    browser: Browser, address: str
) -> None:
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    read = """selector => {
        const { backgroundColor, color } = getComputedStyle(document.querySelector(selector));
        return [backgroundColor, color];
    }"""
    for scheme in schemes:
        found = []
        for scripted in (True, False):
            context = browser.new_context(java_script_enabled=scripted, color_scheme=scheme)
            page = context.new_page()
            page.goto(address + DAY_15)
            found.append([page.evaluate(read, name) for name in (".md-header", "body")])
            context.close()
        (header, body), (plain_header, plain_body) = found
        assert plain_header[0] == header[0]
        dark = [sum(map(int, re.findall(r"\d+", b)[:3])) < 200 for b in (body[0], plain_body[0])]
        assert dark == [scheme == "dark"] * 2


def test_home_leads_to_the_first_lesson_and_shows_all_within_the_first_screen(
    desk: Page, phone: Page, address: str
) -> None:
    desk.goto(address)
    cards = desk.locator(".course-cards > div")
    boxes = [card.bounding_box() for card in cards.all()]
    assert len(boxes) == 4
    assert all(box is not None and box["y"] + box["height"] < 900 for box in boxes)
    expect(desk.locator(".course-home__proof .course-claim__text")).to_be_in_viewport()
    phone.goto(address)
    expect(phone.locator(".course-cards > div").first).to_be_in_viewport()
    phone.get_by_role("link", name="Start with Day 15").tap()
    phone.wait_for_url(address + DAY_15)


def test_a_chart_is_printed_with_its_numbers(browser: Browser, address: str) -> None:
    seen = "node => node.checkVisibility()"
    for scripted in (True, False):
        context = browser.new_context(java_script_enabled=scripted)
        page = context.new_page()
        page.goto(address + DAY_15)
        number = page.locator(".course-chart__numbers td").first
        assert not number.evaluate(seen)
        page.emulate_media(media="print")
        assert number.evaluate(seen)
        context.close()


def test_a_browser_that_prints_no_folds_is_given_open_ones(desk: Page, address: str) -> None:
    desk.goto(address + DAY_15)
    desk.wait_for_function("window.courseProofs")
    for event, opened in (("beforeprint", True), ("afterprint", False)):
        desk.evaluate("name => dispatchEvent(new Event(name))", event)
        folds = desk.locator(".course-chart__numbers")
        assert (
            folds.evaluate_all("nodes => nodes.map((node) => node.open)")
            == [opened] * folds.count()
        )


def test_no_level_of_a_roofline_is_crossed_out_by_its_roof(desk: Page, address: str) -> None:
    desk.goto(address + DAY_15)
    names = desk.locator(
        ".course-chart__picture--wide:has(.course-chart__roof) .course-chart__level"
    )
    assert names.count() > 3
    crossed = names.evaluate_all(
        """nodes => nodes.filter((node) => {
            const box = node.getBBox();
            return [...node.parentElement.querySelectorAll("path[d].course-chart__roof")]
                .filter((roof) => !roof.hasAttribute("transform"))
                .some((roof) => [...Array(400).keys()].some((step) => {
                    const { x, y } = roof.getPointAtLength(step / 399 * roof.getTotalLength());
                    return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
                }));
        }).map((node) => node.textContent)"""
    )
    assert crossed == []


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_no_command_is_cut(request: pytest.FixtureRequest, address: str, size: str) -> None:
    page: Page = request.getfixturevalue(size)
    page.goto(address + DAY_15)
    cut = page.evaluate(
        """() => {
            for (const fold of document.querySelectorAll(".course-take")) fold.open = true;
            const commands = ".course-command > code, .course-program__commands pre > code";
            return [...document.querySelectorAll(commands)].map((code) =>
                code.scrollWidth > code.clientWidth ? code.textContent : "");
        }"""
    )
    assert len(cut) > 5
    assert set(cut) == {""}
