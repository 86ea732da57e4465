"""Can everybody read our own site? axe-core on every page, keyboard, and no motion unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.site.own_site import list_addresses

pytestmark = pytest.mark.browser

LESSON = "lessons/day-16-tiled-matmul/"
Scheme = Literal["light", "dark"]
COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""What a scheme can change."""
KINDS = ("", LESSON, "programs/tiled_matmul/", "claims/")
"""Pages that have between them all that a page can have."""
UNTHEMED = "404.html"
"""What stands alone where the site's address is not known: it follows the browser's scheme."""
ALL = "* { content-visibility: visible !important }"
"""What is not in sight is not drawn; axe-core is to see it all the same."""
COUNT_LINES = """names => names.map((name) => [...name.childNodes]
    .filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return [node.data, range.getClientRects().length];
    }))"""
"""Each word of a name, and over how many lines it goes."""
SHOWN = ".course-proof { position: static !important; display: block !important }"


@pytest.fixture(scope="module", params=get_args(Scheme))
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page in each of the two schemes."""
    context = browser.new_context(
        color_scheme=request.param, viewport={"width": 1280, "height": 900}
    )
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def desktop(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(color_scheme="light", viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Page]:
    """A page as wide as a phone's, in the dark. With a keyboard, since the theme lets code that
    scrolls be focused only where something can hover."""
    context = browser.new_context(color_scheme="dark", viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


def read_scheme(page: Page) -> str | None:
    """The scheme that the theme has put on; none on a page without the theme."""
    scheme: str | None = page.evaluate("document.body.dataset.mdColorScheme")
    return scheme


def open_folds(page: Page) -> None:
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def pass_by_code(page: Page) -> None:
    """Scroll past all code, as a reader does: only what comes near is laid out."""
    page.evaluate(
        """async () => {
            const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
            for (const code of document.querySelectorAll("pre > code")) {
                code.scrollIntoView({ block: "center" });
                await frame();
                await frame();
            }
        }"""
    )


def find_violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core has against a page: the rule, how often, and the first element."""
    page.add_style_tag(content=ALL)
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']} ({len(rule['nodes'])}): {rule['nodes'][0]['html'][:200]} "
        f"{rule['nodes'][0]['failureSummary']}"
        for rule in found
    ]


def test_every_page_of_the_site_is_among_those_looked_at(own_site: Path) -> None:
    built = {p.relative_to(own_site).as_posix() for p in own_site.rglob("*.html")}
    assert {name.removesuffix("index.html") for name in built} == set(list_addresses())


@pytest.mark.parametrize("path", list_addresses())
def test_axe_finds_no_violation(desktop: Page, address: str, path: str) -> None:
    desktop.goto(address + path)
    assert read_scheme(desktop) == ("default" if path != UNTHEMED else None)
    assert find_violations(desktop) == []


@pytest.mark.parametrize("path", list_addresses())
def test_axe_finds_no_violation_on_a_dark_phone_with_all_folds_open(
    phone: Page, address: str, path: str
) -> None:
    phone.goto(address + path)
    assert read_scheme(phone) == ("slate" if path != UNTHEMED else None)
    open_folds(phone)
    pass_by_code(phone)
    assert find_violations(phone) == []


@pytest.mark.parametrize("path", KINDS)
def test_axe_finds_no_violation_in_either_scheme_with_all_folds_open(
    page: Page, address: str, path: str
) -> None:
    """At a desk, where what a phone has no room for stands beside the page."""
    page.goto(address + path)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert read_scheme(page) == ("slate" if dark else "default")
    open_folds(page)
    assert find_violations(page) == []


def test_axe_finds_no_violation_in_what_stands_behind_the_claims(page: Page, address: str) -> None:
    page.goto(address + LESSON)
    page.add_style_tag(content=SHOWN)
    open_folds(page)
    assert page.locator(".course-proof").first.is_visible()
    assert find_violations(page) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_a_name_in_a_table_breaks_between_its_words(
    browser: Browser, address: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(address + "programs/tiling_traffic/")
    lines = page.locator("[data-course-quantities] tbody th > code").evaluate_all(COUNT_LINES)
    words = {word: count for name in lines for word, count in name}
    assert {"naive_", "load_", "bytes"} <= words.keys()
    assert set(words.values()) == {1}
    first = page.locator("[data-course-quantities] tbody td").first
    box = first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width, "the value stands in sight beside its name"
    context.close()


def test_axe_is_heard_when_something_is_wrong(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    page.add_style_tag(content="main p { color: #888; background: #777 }")
    rules = {violation.partition(" ")[0] for violation in find_violations(page)}
    assert rules == {"image-alt", "color-contrast"}
    assert any(v.startswith("color-contrast") for v in find_violations(page, COLOUR_RULES))


def test_every_proof_is_reached_and_left_by_the_keyboard(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address + LESSON)
    wanted = page.evaluate(
        "[...document.querySelectorAll('.course-claim')]"
        ".filter(claim => claim.querySelector('.course-proof')).map(claim => claim.id)"
    )
    assert len(wanted) > 30
    page.evaluate(
        "document.querySelector('h1').tabIndex = -1; document.querySelector('h1').focus()"
    )
    reached: list[str] = []
    entered = 0
    read_focus = """identity => {
        const proof = document.querySelector(`#${identity} > .course-proof`);
        const shown = getComputedStyle(proof).display !== "none";
        return [proof.contains(document.activeElement), shown];
    }"""
    for _ in range(6 * len(wanted) + 600):
        page.keyboard.press("Tab")
        told = page.evaluate(
            """() => {
                const focused = document.activeElement;
                const claim = focused.closest(".course-claim");
                if (!claim) return [focused.closest("article") ? "" : "end", false, false];
                const proof = claim.querySelector(":scope > .course-proof");
                const shown = proof ? getComputedStyle(proof).display !== "none" : false;
                return [claim.id, shown, proof !== null && proof.contains(focused)];
            }"""
        )
        identity, shown, inside = told
        if identity == "end":
            break
        if not identity:
            continue
        assert shown, f"{identity} has the focus and shows no proof"
        assert not inside, f"Tab went into the proof of {identity}, which nobody asked for"
        assert identity not in reached
        reached.append(identity)
        if len(reached) % 10 == 1:
            page.keyboard.press("Enter")
            inside, shown = page.evaluate(read_focus, identity)
            assert shown
            entered += inside
            page.keyboard.press("Escape")
            assert page.evaluate(read_focus, identity) == [False, False]
            assert page.evaluate("document.activeElement.closest('.course-claim').id") == identity
    assert reached == wanted
    assert entered > 3
    context.close()


def test_nothing_moves_for_readers_who_ask_for_that(browser: Browser, address: str) -> None:
    moving = """() => [...document.querySelectorAll("*")].filter((element) => {
        const style = getComputedStyle(element);
        const times = `${style.transitionDuration}, ${style.animationDuration}`.split(", ");
        return times.some((time) => parseFloat(time) > 0) || style.scrollBehavior === "smooth";
    }).length"""
    wishes: tuple[tuple[Literal["no-preference", "reduce"], bool], ...]
    wishes = ("no-preference", False), ("reduce", True)
    for wish, none in wishes:
        context = browser.new_context(reduced_motion=wish)
        page = context.new_page()
        page.goto(address + LESSON)
        assert (page.evaluate(moving) == 0) is none
        context.close()
