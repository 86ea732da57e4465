"""How much heavier is a lesson than the same page under plain Material? Not by much."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import yaml
from mkdocs.utils.yaml import yaml_load
from selectolax.lexbor import LexborHTMLParser

from tests.benchmarks.plain_site import write_plain
from tests.site.own_site import ROOT, build_site

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
