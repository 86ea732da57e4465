"""How does a reader come to what stands behind a number: by mouse, finger, key, without scripts?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.course_factory import make_example
from tests.site.browsing import serve_site, watch_page
from tests.site.conftest import build_apart, write_pages

pytestmark = pytest.mark.browser

LESSON = "lessons/one/"
RECORD = "records/add/nvidia-h200/run-2026-12-01/"
LESSON_TEXT = """\
# Adding vectors

It takes [0.626 ms](claim:add.time["large", "wide"]), and
[2.06×](claim:add.speedup["large"]) more otherwise. The book says [4](given:warps).

/// snippet | add#block
///

/// snippet | add#add-kernel
///
"""
FACTS = """\
[warps]
value = "4"
unit = ""
source = "A book, page 7"
quote = "The multiprocessor has 4 schedulers."
date = "2026-12-01"
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("proofs")
    make_example(root)
    (root / "snippets/quantities.toml").write_text(FACTS)
    write_pages(root, LESSON_TEXT)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    with serve_site(root / "site") as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watch_page(browser.new_context(), address) as page:
        page.goto(address + LESSON)
        yield page


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True
    )
    with watch_page(context, address) as page:
        page.goto(address + LESSON)
        yield page


def find_number(page: Page, claim: int = 0) -> Locator:
    return page.locator(f"#claim-{claim} > .course-claim__text")


def find_proof(page: Page, claim: int = 0) -> Locator:
    return page.locator(f"#claim-{claim} > .course-proof")


def test_a_tap_opens_the_proof_and_its_links_lead_on(phone: Page, address: str) -> None:
    find_number(phone).tap()
    expect(find_proof(phone)).to_be_visible()
    assert phone.url == address + LESSON
    find_proof(phone).get_by_role("link", name="Record", exact=True).tap()
    phone.wait_for_url(f"**/{RECORD}#measurement-time")


def test_a_second_tap_follows_the_number(phone: Page, address: str) -> None:
    find_number(phone).tap()
    find_number(phone).tap()
    phone.wait_for_url(address + RECORD + "#measurement-time")


def test_a_tap_elsewhere_closes_the_proof(phone: Page, address: str) -> None:
    find_number(phone).tap()
    find_number(phone, 1).tap()
    expect(find_proof(phone, 1)).to_be_visible()
    expect(find_proof(phone, 0)).not_to_be_visible()
    phone.locator("h1").tap()
    expect(find_proof(phone, 1)).not_to_be_visible()
    assert phone.url == address + LESSON


def test_a_tap_without_scripts_follows_the_number(browser: Browser, address: str) -> None:
    context = browser.new_context(has_touch=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(address + LESSON)
    find_number(page).tap()
    page.wait_for_url(address + RECORD + "#measurement-time")
    context.close()


def test_a_mouse_has_seen_the_proof_and_follows_at_once(page: Page, address: str) -> None:
    find_number(page).hover()
    expect(find_proof(page)).to_be_visible()
    find_number(page).click()
    page.wait_for_url(address + RECORD + "#measurement-time")


@pytest.mark.parametrize("height", [900, 420], ids=["below", "above"])
def test_a_mouse_goes_into_the_proof_and_follows_a_line(
    page: Page, address: str, height: int
) -> None:
    page.set_viewport_size({"width": 1280, "height": height})
    number, proof = find_number(page, 1), find_proof(page, 1)
    # At the window's foot the proof stands above its number.
    number.evaluate("(node, atFoot) => node.scrollIntoView(!atFoot)", height == 420)
    number.hover()
    expect(proof).to_be_visible()
    line = proof.get_by_role("link", name="Line").first
    start, aim = number.bounding_box(), line.bounding_box()
    assert start is not None
    assert aim is not None
    page.mouse.move(start["x"] + 4, start["y"] + start["height"] / 2)
    for _ in range(2):  # A proof that goes away when it is come to would do so the second time.
        page.mouse.move(aim["x"] + 4, aim["y"] + aim["height"] / 2, steps=25)
        page.wait_for_timeout(100)
        expect(proof).to_be_visible()
    line.click()
    page.wait_for_url(re.compile(re.escape(address + RECORD) + "#T[0-9]+$"))


def test_escape_closes_a_proof_that_the_mouse_is_in(page: Page) -> None:
    find_number(page).hover()
    find_proof(page).hover()
    expect(find_proof(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(find_proof(page)).not_to_be_visible()
    find_number(page, 1).hover()
    expect(find_proof(page, 1)).to_be_visible()
    expect(find_proof(page)).not_to_be_visible()
    page.mouse.move(0, 0)
    expect(find_proof(page, 1)).not_to_be_visible()


def test_tab_stops_once_a_number_and_enter_goes_into_its_proof(page: Page, address: str) -> None:
    find_number(page).focus()
    expect(find_proof(page)).to_be_visible()
    page.keyboard.press("Tab")
    expect(find_number(page, 1)).to_be_focused()
    expect(find_proof(page, 1)).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(find_number(page)).to_be_focused()
    page.keyboard.press("Enter")
    links = find_proof(page).get_by_role("link")
    expect(links.first).to_be_focused()
    page.keyboard.press("Tab")
    expect(links.nth(1)).to_be_focused()
    assert page.url == address + LESSON
    page.keyboard.press("Enter")
    page.wait_for_url(address + RECORD + "#measurement-time")


def test_escape_leads_from_the_proof_back_to_its_number(page: Page) -> None:
    find_number(page).focus()
    page.keyboard.press("Enter")
    expect(find_proof(page).get_by_role("link").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(find_number(page)).to_be_focused()
    expect(find_proof(page)).not_to_be_visible()
    page.keyboard.press("Tab")
    expect(find_number(page, 1)).to_be_focused()
    expect(find_proof(page, 1)).to_be_visible()


def read_tree(page: Page, selector: str) -> dict[str, Any]:
    """What Chromium tells assistive software of an element: role, name, description and the rest."""
    session = page.context.new_cdp_session(page)
    document = session.send("DOM.getDocument")["root"]["nodeId"]
    found = session.send("DOM.querySelector", {"nodeId": document, "selector": selector})
    nodes = session.send(
        "Accessibility.getPartialAXTree", {"nodeId": found["nodeId"], "fetchRelatives": False}
    )["nodes"]
    told = {
        name: nodes[0].get(name, {}).get("value", "") for name in ("role", "name", "description")
    }
    properties = {p["name"]: p["value"].get("value") for p in nodes[0].get("properties", ())}
    return told | {"expanded": properties.get("expanded"), "ignored": nodes[0]["ignored"]}


def test_a_number_is_described_in_few_words_and_says_whether_its_proof_is_open(page: Page) -> None:
    number = "#claim-0 > .course-claim__text"
    assert read_tree(page, number) == {
        "role": "link",
        "name": "0.626 ms",
        "description": (
            "Measured: 0.6255 ms Next process : 0.6247 to 0.6262 ms, from 10 processes"
        ),
        "expanded": False,
        "ignored": False,
    }
    find_number(page).focus()
    assert read_tree(page, number)["expanded"] is False
    page.keyboard.press("Enter")
    assert read_tree(page, number)["expanded"] is True
    proof = read_tree(page, "#claim-0-proof")
    assert (proof["role"], proof["name"]) == ("group", "Proof of 0.626 ms")
    assert read_tree(page, "#claim-0-proof a")["role"] == "link"
    controls = find_number(page).get_attribute("aria-controls")
    assert controls == find_proof(page).get_attribute("id")
    page.keyboard.press("Escape")
    assert read_tree(page, number)["expanded"] is False
    assert read_tree(page, "#claim-0-proof")["ignored"]


def test_a_number_that_leads_nowhere_is_a_button(page: Page) -> None:
    number = "#claim-2 > .course-claim__text"
    told = read_tree(page, number)
    assert (told["role"], told["name"], told["expanded"]) == ("button", "4", False)
    for key in ("Enter", "Space"):
        find_number(page, 2).focus()
        page.keyboard.press(key)
        assert read_tree(page, number)["expanded"] is True
        expect(find_proof(page, 2)).to_be_visible()
        page.keyboard.press("Escape")
        expect(find_proof(page, 2)).not_to_be_visible()
        assert read_tree(page, number)["expanded"] is False


def test_without_scripts_a_number_is_described_and_promises_nothing(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + LESSON)
    told = read_tree(page, "#claim-0 > .course-claim__text")
    assert (told["role"], told["expanded"]) == ("link", None)
    assert told["description"].startswith("Measured: 0.6255 ms")
    context.close()
