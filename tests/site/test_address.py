"""Our own site as a host publishes it: below a folder, at an address that the build was told.

Only there does the theme load pages into the open one, so what goes on beyond the first page is
looked at here.
"""

from __future__ import annotations

import functools
import gzip
import json
import re
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Page, expect
from selectolax.lexbor import LexborHTMLParser

from tests.site.browsing import QuietHandler, serve_site, watch_page
from tests.site.own_site import ROOT, build_site, list_addresses

pytestmark = pytest.mark.browser

FOLDER = "course/"
HOME = ""
DAY_15 = "lessons/day-15-tiling-traffic/"
DAY_16 = "lessons/day-16-tiled-matmul/"
PROGRAM = "programs/tiled_matmul/"
SPEEDUP = re.compile(r"^1\.3–1\.5×")


class HostHandler(QuietHandler):
    """Answers as hosts of pages do: what is not there gets the site's own page for that."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        own = Path(self.directory) / FOLDER / "404.html"
        if code != 404 or not own.is_file():
            super().send_error(code, message, explain)
            return
        body = own.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder of the site and its address."""
    root = tmp_path_factory.mktemp("host")
    handler = functools.partial(HostHandler, directory=str(root))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    address = f"http://127.0.0.1:{server.server_address[1]}/{FOLDER}"
    build_site(ROOT, root / FOLDER, address=address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield root / FOLDER, address
    server.shutdown()


@pytest.fixture
def page(browser: Browser, site: tuple[Path, str]) -> Iterator[Page]:
    """A page that has not been left since: its window remembers it."""
    _, address = site
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    with watch_page(context, address) as page:
        with page.expect_response("**/sitemap.xml"):
            page.goto(address)
        page.evaluate("window.courseUnloaded = false")
        yield page
        assert page.evaluate("window.courseUnloaded") is False, "the page was loaded anew"


def follow(page: Page, place: str) -> None:
    """Click a link to ``place`` and wait until its page took the place of the open one."""
    before = page.title()
    page.locator(f"a[href$='{place}'] >> visible=true").first.click()
    page.wait_for_url(f"**/{place}")
    expect(page).not_to_have_title(before)


def read_meta(tree: LexborHTMLParser, selector: str) -> str:
    """What the one element of the head says."""
    (node,) = tree.css(f"meta[{selector}]")
    return node.attributes["content"] or ""


def test_every_page_tells_its_address(site: tuple[Path, str]) -> None:
    folder, address = site
    for place in list_addresses():
        if place == "404.html":
            continue
        tree = LexborHTMLParser((folder / place / "index.html").read_text(encoding="utf-8"))
        (canonical,) = tree.css("link[rel=canonical]")
        (told,) = tree.css("meta[property='og:url']")
        assert canonical.attributes["href"] == told.attributes["content"] == f"{address}{place}"


def test_no_two_pages_look_alike_where_they_are_listed(site: tuple[Path, str]) -> None:
    folder, address = site
    titles: dict[str, str] = {}
    told: dict[str, str] = {}
    for place in list_addresses():
        if place == "404.html":
            continue
        tree = LexborHTMLParser((folder / place / "index.html").read_text(encoding="utf-8"))
        title = tree.css("title")[0].text()
        description = read_meta(tree, "name=description")
        assert titles.setdefault(title, place) == place
        assert told.setdefault(description, place) == place
        assert len(description) > 20
        image = read_meta(tree, "property='og:image'")
        assert (folder / image.removeprefix(address)).read_bytes()[:4] == b"\x89PNG"
        assert read_meta(tree, "property='og:image:alt'")
    assert titles["CUDA, measured"] == HOME
    listed = (folder / "llms.txt").read_text(encoding="utf-8")
    entries = re.findall(r"^- \[([^\]]+)\]", listed, re.MULTILINE)
    assert len(entries) == len(set(entries)) == len(titles)
    assert len(re.findall(rf"\]\({re.escape(address)}", listed)) == len(entries) + 1
    data = json.loads((folder / "measurements.json").read_text(encoding="utf-8"))
    assert data["course"] == "CUDA, measured"


def test_the_sitemap_names_every_page_and_no_day_of_a_build(site: tuple[Path, str]) -> None:
    folder, address = site
    text = (folder / "sitemap.xml").read_text(encoding="utf-8")
    places = {f"{address}{place}" for place in list_addresses() if place != "404.html"}
    assert sorted(re.findall("<loc>(.*?)</loc>", text)) == sorted(places)
    assert "lastmod" not in text
    assert gzip.decompress((folder / "sitemap.xml.gz").read_bytes()).decode() == text


def test_an_unknown_address_is_answered_in_the_sites_own_style(
    browser: Browser, site: tuple[Path, str]
) -> None:
    _, address = site
    page = browser.new_page()
    failed: list[str] = []
    page.on("response", lambda r: failed.append(r.url) if r.status >= 400 else None)
    asked = f"{address}lessons/day-99/nowhere/"
    page.goto(asked)
    assert failed == [asked]
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    header = page.locator(".md-header")
    assert header.evaluate("node => getComputedStyle(node).position") == "sticky"
    page.locator("main").get_by_role("link", name="CUDA, measured").last.click()
    expect(page).to_have_url(address)
    page.close()


def test_without_an_address_an_unknown_one_is_still_answered_readably(
    browser: Browser, own_site: Path
) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with serve_site(own_site) as address:
        page.goto(f"{address}404.html")
        assert [url for url in asked if not url.endswith("/favicon.ico")] == [f"{address}404.html"]
        assert "sitemap" not in "".join(p.name for p in own_site.iterdir())
        asked.clear()
        page.goto(f"{address}{DAY_16}", wait_until="networkidle")
        assert [url for url in asked if "sitemap" in url] == []
    page.close()


def test_a_link_loads_no_page_anew_and_says_where_it_led(
    page: Page, site: tuple[Path, str]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    follow(page, DAY_16)
    page.wait_for_load_state("networkidle")
    # A page's Markdown is no translation, whose sitemap the theme would ask for.
    assert [url for url in asked if url.endswith("sitemap.xml")] == []
    assert f"{site[1]}{DAY_16}" in asked
    expect(page).to_have_title(re.compile("Tiled matrix multiplication - "))
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_be_focused()
    expect(
        page.get_by_role("status").filter(has_text="Tiled matrix multiplication -")
    ).to_have_count(1)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page).not_to_have_title(re.compile("Tiled matrix"))


def read_proof(page: Page) -> tuple[str, str]:
    """A measured claim of the page, and what is behind it once all of it is there."""
    claim = page.locator(".course-claim", has_text=SPEEDUP).first
    claim.locator(".course-claim__text").hover()
    proof = claim.locator(".course-proof")
    expect(proof).to_be_visible()
    expect(proof.locator(".course-proof__more")).to_have_count(1)
    return claim.locator(".course-claim__text").inner_text(), proof.inner_text()


def test_a_proof_opens_on_the_second_page(
    page: Page, browser: Browser, site: tuple[Path, str]
) -> None:
    follow(page, DAY_15)
    follow(page, DAY_16)
    text, proof = read_proof(page)
    page.keyboard.press("Escape")
    expect(page.locator(".course-proof:visible")).to_have_count(0)
    alone = browser.new_page(viewport={"width": 1280, "height": 900})
    alone.goto(f"{site[1]}{DAY_16}")
    assert read_proof(alone) == (text, proof)
    alone.close()


def test_a_table_sorts_and_a_kernel_is_copied_on_the_second_page(page: Page) -> None:
    follow(page, DAY_16)
    table = page.locator("table[data-course-sort]").first
    table.scroll_into_view_if_needed()  # Its buttons come with the script that it needs then.
    table.locator(".course-sort").first.click()
    expect(table.locator("th[aria-sort=ascending]")).to_have_count(1)
    copy = page.locator("[data-course-copy='code']").first
    copy.click()
    expect(copy).to_have_text("Copied")
    copied = cast("str", page.evaluate("navigator.clipboard.readText()"))
    assert "__global__" in copied or "constexpr" in copied


def test_a_chart_is_drawn_on_the_second_page(page: Page) -> None:
    follow(page, DAY_15)
    chart = page.locator(".course-chart").first
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".main-svg").first).to_be_visible(timeout=20_000)


def go_home(page: Page) -> None:
    page.locator(".md-header__button.md-logo").click()
    expect(page).to_have_title("CUDA, measured")


def follow_added(page: Page, place: str) -> None:
    """Click a link to ``place`` that is put on the open page."""
    page.evaluate(
        """place => {
            const link = document.createElement("a");
            link.href = place;
            link.textContent = "there";
            link.id = "added-here";
            document.querySelector("article").prepend(link);
        }""",
        place,
    )
    page.locator("#added-here").click()
    page.wait_for_url(f"**/{place}")


def test_a_link_into_a_program_lands_at_its_region_or_tells_that_it_is_gone(page: Page) -> None:
    follow(page, PROGRAM)
    link = page.locator("main a[href*='#region-']").first
    name = (link.get_attribute("href") or "").partition("#")[2]
    go_home(page)
    follow_added(page, f"{PROGRAM}#{name}")
    expect(page.locator(f"[id='{name}']")).to_be_in_viewport()
    go_home(page)
    follow_added(page, f"{PROGRAM}#region-not-there")
    gone = page.locator(".course-gone")
    expect(gone).to_be_in_viewport()
    expect(gone).to_contain_text("There is no region not-there here any more.")
    expect(gone).to_be_focused()


def test_what_was_searched_for_is_marked_on_the_page(page: Page) -> None:
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type("barriers")
    hit = page.locator(f".md-search-result__link[href*='{DAY_16}']").first
    hit.click()
    page.wait_for_url(f"**/{DAY_16}*")
    expect(page.locator("article mark").first).to_have_text(re.compile("barrier", re.IGNORECASE))
