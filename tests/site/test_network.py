"""Does our own site ask anyone else for anything? Every page, with the network cut at its origin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect
from selectolax.lexbor import LexborHTMLParser

from tests.site.browsing import open_browser
from tests.site.own_site import list_addresses

pytestmark = pytest.mark.browser

LOADING = (
    "script[src]",
    "link[href]:not([rel=canonical])",
    "img[src]",
    "iframe[src]",
    "source[src]",
)
"""Elements that make a browser ask, as links do not."""
ELSEWHERE = re.compile(r"(?:https?:)?//", re.IGNORECASE)


@dataclass
class Asked:
    """What a browser asked for, and what went wrong meanwhile."""

    foreign: list[str] = field(default_factory=list)
    fonts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1") as browser:
        yield browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    yield context
    context.close()


def cut_network(context: BrowserContext, address: str) -> Asked:
    """Let requests through to ``address`` alone, and note all others."""
    asked = Asked()
    host = urlsplit(address).netloc

    def decide(route: Route, request: Request) -> None:
        if request.resource_type == "font":
            asked.fonts.append(request.url)
        if urlsplit(request.url).netloc == host:
            route.continue_()
        else:
            asked.foreign.append(request.url)
            route.abort()

    context.route("**/*", decide)
    return asked


def read_to_the_end(page: Page) -> None:
    """Scroll down step by step, as what loads late does so when it comes into view."""
    page.evaluate(
        """async () => {
            for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
                scrollTo(0, top);
                await new Promise((done) => setTimeout(done, 20));
            }
        }"""
    )
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("path", list_addresses())
def test_a_page_asks_nobody_else_and_leaves_no_cookie(
    context: BrowserContext, address: str, path: str
) -> None:
    asked = cut_network(context, address)
    page = context.new_page()
    page.on("pageerror", lambda error: asked.errors.append(str(error)))
    page.on(
        "console",
        lambda message: asked.errors.append(message.text) if message.type == "error" else None,
    )
    page.goto(address + path)
    read_to_the_end(page)
    assert asked == Asked()
    assert context.cookies() == []
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("document.fonts.size") == 0


def test_search_and_the_next_page_need_nobody_else(context: BrowserContext, address: str) -> None:
    asked = cut_network(context, address)
    page = context.new_page()
    page.goto(address)
    page.locator("[data-md-component='search-query']").click()
    page.keyboard.type("tiled")
    found = page.locator(".md-search-result__link").first
    expect(found).to_be_visible(timeout=20000)
    found.click()
    read_to_the_end(page)
    assert page.url != address
    assert asked == Asked()
    assert context.cookies() == []


def test_a_foreign_request_is_noticed(context: BrowserContext, address: str) -> None:
    asked = cut_network(context, address)
    page = context.new_page()
    page.goto(address)
    page.evaluate("new Image().src = 'http://font.example/one.png'")
    page.wait_for_timeout(200)
    assert asked.foreign == ["http://font.example/one.png"]


def test_no_file_of_the_site_names_another_origin_to_load_from(own_site: Path) -> None:
    named = []
    for path in own_site.rglob("*.html"):
        tree = LexborHTMLParser(path.read_text())
        for node in tree.css(", ".join(LOADING)):
            target = node.attributes.get("src") or node.attributes.get("href") or ""
            if ELSEWHERE.match(target):
                named.append((path.name, target))
    for path in own_site.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", path.read_text())
        named += [(path.name, target) for target in found]
    assert named == []
