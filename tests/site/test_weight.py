"""How much heavier is a lesson than the same page under plain Material, and what does it cost to open?"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from mkdocs.utils.yaml import yaml_load
from playwright.sync_api import Browser, Page, expect
from selectolax.lexbor import LexborHTMLParser

from tests.benchmarks.plain_site import write_plain
from tests.site.own_site import ROOT, build_site, list_addresses

LESSONS = sorted(path.stem for path in (ROOT / "docs" / "lessons").glob("*.md"))
MOST = 40_000
"""Bytes, compressed: of the page and of all that it loads at once, but for what draws charts."""
CHARTS = "chart.js"


@pytest.fixture(scope="module")
def plain_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages, by Material alone."""
    root = tmp_path_factory.mktemp("plain")
    write_plain(ROOT, root)
    config = yaml_load((ROOT / "mkdocs.yml").read_text())
    for key in ("nav", "validation", "extra_css", "extra_javascript"):
        config.pop(key, None)
    config["theme"].pop("custom_dir")
    config["plugins"] = ["search"]
    config["markdown_extensions"].remove("build_tools.pages")
    (root / "mkdocs.yml").write_text(yaml.safe_dump(config))
    build_site(root, root / "site", strict=False)
    return root / "site"


def weigh(site: Path, page: str) -> dict[str, int]:
    """Compressed bytes of a page without its charts, and of what it loads at once, by file."""
    tree = LexborHTMLParser((site / page).read_text())
    for chart in tree.css("[data-course-chart]"):
        chart.decompose()
    loaded = {
        node.attributes.get("href") or node.attributes.get("src") or ""
        for node in tree.css("link[rel=stylesheet], script[src]")
    }
    html = tree.html or ""
    files = {"page": html.encode()}
    for address in (address for address in loaded if not address.endswith(CHARTS)):
        files[address] = ((site / page).parent / address).resolve().read_bytes()
    return {name: len(gzip.compress(data, 9)) for name, data in files.items()}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_without_charts_is_little_heavier(
    own_site: Path, plain_site: Path, lesson: str
) -> None:
    page = f"lessons/{lesson}/index.html"
    ours, plain = weigh(own_site, page), weigh(plain_site, page)
    assert len(plain) > 2
    assert sum(ours.values()) - sum(plain.values()) < MOST, (ours, plain)


LAID_OUT = 2500
"""Elements of a page that a phone may lay out to open it; the longest pages hold three times as many."""
LONG = [path for path in list_addresses() if path.startswith(("records/", "lessons/", "claims/"))]


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 412, "height": 823}, is_mobile=True, has_touch=True
    )
    yield context.new_page()
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("path", LONG)
def test_a_phone_lays_out_little_to_open_a_page(phone: Page, address: str, path: str) -> None:
    phone.goto(address + path, wait_until="networkidle")
    laid_out = phone.evaluate(
        """() => [...document.querySelectorAll("body *")]
            .filter((node) => node.checkVisibility({ contentVisibilityAuto: true })).length"""
    )
    assert 100 < laid_out < LAID_OUT


@pytest.mark.browser
def test_a_link_into_what_is_not_laid_out_yet_leads_there(
    phone: Page, address: str, own_site: Path
) -> None:
    path = next(path for path in LONG if path.startswith("records/"))
    tree = LexborHTMLParser((own_site / path / "index.html").read_text())
    anchors = [node.attributes["id"] or "" for node in tree.css("h3[id^=measurement-]")]
    assert len(anchors) > 3
    for anchor in (anchors[-1], anchors[len(anchors) // 2]):
        phone.goto("about:blank")
        phone.goto(f"{address}{path}#{anchor}", wait_until="networkidle")
        heading = phone.locator(f"#{anchor}")
        expect(heading).to_be_in_viewport()
        # What is laid out meanwhile does not move it away.
        phone.wait_for_timeout(500)
        expect(heading).to_be_in_viewport()


@pytest.mark.parametrize("path", ["", *LONG])
def test_no_page_waits_for_a_script_or_changes_its_colours(own_site: Path, path: str) -> None:
    tree = LexborHTMLParser((own_site / path / "index.html").read_text())
    scripts = tree.css("script[src]")
    assert scripts
    assert all({"defer", "async"} & script.attributes.keys() for script in scripts)
    body = tree.css_first("body")
    assert body is not None
    assert body.attributes["data-md-color-primary"] == "custom"
    assert body.attributes["data-md-color-accent"] == "custom"
