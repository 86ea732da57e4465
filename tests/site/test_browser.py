"""The built site in a real browser: proofs, a phone's width, no foreign request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from build_tools.claims.course import load_course
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts
from tests.site.browsing import serve_site
from tests.site.conftest import PAGE, build_apart, write_pages

pytestmark = pytest.mark.browser

KERNEL = "add#add-kernel"
LONG = "x" * 400
PAGES = (
    "",
    "lessons/one/",
    "programs/",
    "programs/add/",
    "claims/",
    "records/add/nvidia-h200/run-2026-12-01/",
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built course whose kernel holds tabs, a line of 400 columns and what HTML trips over."""
    root = tmp_path_factory.mktemp("browser")
    text = PROGRAM.format(name="add").replace("void add(", "void addPairs(")
    text = text.replace("    int i", f"\t// </pre> &amp; `{{{{ x }}}}` {LONG}\n\tint i")
    text = text.replace("    if (i", "\n\t \tif (i")
    make_course(
        root,
        programs={"add": text},
        declarations={"add": DECLARATION},
        transcripts={"add": make_transcripts()},
        checks={"add": CHECK},
    )
    write_pages(root, PAGE)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with serve_site(root / "site") as address:
        yield address


def test_selecting_the_code_selects_no_line_number(page: Page, address: str, root: Path) -> None:
    region = load_course(root).programs["add"].regions["add-kernel"]
    page.goto(address + "lessons/one/")
    code = page.locator(f"[data-course-region='{KERNEL}'] pre > code")
    code.evaluate("node => getSelection().selectAllChildren(node)")
    selected = page.evaluate("getSelection().toString()")
    assert selected.rstrip("\n") == region.text.rstrip("\n")


def test_a_claim_tells_on_hover_and_on_focus_what_was_measured(page: Page, address: str) -> None:
    page.goto(address + "lessons/one/")
    claim = page.locator("[data-course-claim='2']")
    proof = claim.locator(".course-proof")
    expect(proof).not_to_be_visible()
    claim.hover()
    expect(proof).to_be_visible()
    expect(proof).to_contain_text("NVIDIA H200")
    page.keyboard.press("Escape")
    expect(proof).not_to_be_visible()
    page.mouse.move(0, 0)
    claim.locator("[aria-describedby]").focus()
    expect(proof).to_be_visible()
    page.keyboard.press("Escape")
    expect(proof).not_to_be_visible()


def test_a_claim_leads_to_its_measurement_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "lessons/one/")
    claim = page.locator("[data-course-claim='2']")
    claim.locator("a[aria-describedby]").hover()
    expect(claim.locator(".course-proof")).to_be_visible()
    claim.locator("a[aria-describedby]").click()
    expect(page).to_have_url(address + "records/add/nvidia-h200/run-2026-12-01/#measurement-time")
    context.close()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("width", [375, 1280])
def test_no_page_is_wider_than_the_window(page: Page, address: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(address + path)
    widths = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert widths[0] <= widths[1]


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_proofs_stay_in_the_window(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(address + "lessons/one/")
    for number in (0, 2, 3):
        claim = page.locator(f"[data-course-claim='{number}']")
        claim.scroll_into_view_if_needed()
        claim.locator("[aria-describedby]").focus()
        proof = claim.locator(".course-proof")
        expect(proof).to_be_visible()
        box = proof.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_of_claims_scrolls_within_itself_on_a_phone(
    browser: Browser, address: str, scheme: Literal["light", "dark"]
) -> None:
    size: ViewportSize = {"width": 375, "height": 700}
    context = browser.new_context(viewport=size, color_scheme=scheme, java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "claims/")
    table = page.locator(".course-claims .course-table__scroll").last
    assert table.evaluate("node => node.scrollWidth > node.clientWidth")
    first = table.locator("tbody th").first
    expect(first).to_have_text("256")
    before = first.bounding_box()
    table.evaluate("node => node.scrollTo(node.scrollWidth, 0)")
    assert first.bounding_box() == before
    # What scrolls by behind the first column does not shine through it.
    assert first.evaluate("node => getComputedStyle(node).backgroundColor") not in (
        "transparent",
        "rgba(0, 0, 0, 0)",
    )
    context.close()


def test_the_report_leads_to_the_claim_and_says_how_old_its_record_is(
    page: Page, address: str
) -> None:
    page.clock.set_fixed_time("2026-12-13T12:00:00Z")
    page.goto(address + "claims/")
    told = page.locator(".course-claims time[data-course-age]").first
    expect(told).to_have_attribute("data-course-age", "12 days ago")
    expect(told).to_have_text("2026-12-01")
    page.goto(address + "lessons/one/")
    foot = page.locator(".course-foot time[data-course-age]").first
    expect(foot).to_have_attribute("data-course-age", "12 days ago")
    assert "12 days ago" in foot.evaluate("node => getComputedStyle(node, '::after').content")
    page.goto(address + "claims/")
    page.locator("a[href$='#claim-2']").click()
    expect(page).to_have_url(address + "lessons/one/#claim-2")
    expect(page.locator("#claim-2")).to_be_in_viewport()


def test_a_program_region_can_be_linked_to(page: Page, address: str) -> None:
    page.goto(address + "lessons/one/")
    page.locator(f"[data-course-region='{KERNEL}'] .course-snippet__lines").click()
    expect(page).to_have_url(address + "programs/add/#region-add-kernel")
    expect(page.locator("#L20")).to_contain_text("__global__")
    expect(page.locator("#L20")).to_be_in_viewport()


def test_a_kernel_is_found_by_its_name(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("[data-md-component='search-query']").click()
    page.keyboard.type("addPairs")
    result = page.locator(".md-search-result__link").first
    expect(result).to_be_visible(timeout=20000)
    found = page.locator(".md-search-result__list").inner_html()
    assert "lessons/one/" in found
    assert "programs/add/" in found
