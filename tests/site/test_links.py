from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.site.hrefs import compose_resolver, locate_href
from build_tools.site.links import SiteReader, follow_link


@pytest.fixture
def site(tmp_path: Path) -> SiteReader:
    for path, text in {
        "index.html": "<p id='top'>x",
        "lessons/one/index.html": "<a name='old'></a><h2 id='größe'>x</h2>",
        "programs/add/index.html": "<span id='L12'></span>",
        "downloads/add/add.cu": "int main() {}",
        "flat.html": "<p>",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return SiteReader(tmp_path)


@pytest.mark.parametrize(
    "href",
    [
        "../../programs/add/#L12",
        "../../programs/add/index.html#L12",
        "../../programs/add#L12",
        "../../downloads/add/add.cu",
        "../../flat.html",
        "../..",
        "/flat.html",
        "#old",
        "#gr%C3%B6%C3%9Fe",
        "",
        "https://example.org/x#y",
        "mailto:someone@example.org",
    ],
)
def test_links_that_lead_somewhere(site: SiteReader, href: str) -> None:
    assert follow_link(site, "lessons/one/index.html", href) == ""


@pytest.mark.parametrize(
    ("href", "why"),
    [
        ("/en/flat.html", ""),
        ("/en/lessons/one/#old", ""),
        ("/en/", ""),
        ("/en", ""),
        ("/en/none/", "the site has no none/index.html"),
        ("/de/", ""),  # Another site on the same host.
        ("/english/", ""),
    ],
)
def test_links_from_the_root_of_a_host_that_other_sites_share(
    site: SiteReader, href: str, why: str
) -> None:
    shared = SiteReader(site.folder, "https://example.org/en/")
    assert follow_link(shared, "lessons/one/index.html", href) == why
    assert shared.digest_targets() != site.digest_targets()


@pytest.mark.parametrize(
    ("href", "why"),
    [
        ("../../programs/add/#L13", "programs/add/index.html has no anchor L13"),
        ("../../programs/sub/", "the site has no programs/sub/index.html"),
        ("../../downloads/add/sub.cu", "the site has no downloads/add/sub.cu"),
        ("../../..", "it leaves the site"),
        ("../../../x.html", "it leaves the site"),
        ("#none", "lessons/one/index.html has no anchor none"),
        ("course:program/add", "the generator did not finish this link"),
    ],
)
def test_links_that_lead_nowhere(site: SiteReader, href: str, why: str) -> None:
    assert follow_link(site, "lessons/one/index.html", href) == why


@pytest.mark.parametrize(
    ("href", "source"),
    [
        ("course:program/add", "programs/add.md"),
        (
            "course:record/add/nvidia-h200/run-2026-12-01",
            "records/add/nvidia-h200/run-2026-12-01.md",
        ),
        ("course:download/add/add.cu", "downloads/add/add.cu"),
        (
            "course:transcript/add/nvidia-h200/run-2026-12-01.txt",
            "evidence/add/nvidia-h200/run-2026-12-01.txt",
        ),
        ("course:program/", None),
        ("course:elsewhere/add", None),
    ],
)
def test_a_href_means_a_file(href: str, source: str | None) -> None:
    assert locate_href(href) == source


def test_hrefs_are_relative_to_the_page_and_keep_their_fragment() -> None:
    addresses = {"programs/add.md": "programs/add/", "downloads/add/add.cu": "downloads/add/add.cu"}
    resolve = compose_resolver(addresses, "lessons/one/")
    assert resolve("course:program/add#L12") == "../../programs/add/#L12"
    assert resolve("course:download/add/add.cu") == "../../downloads/add/add.cu"
    assert resolve("course:program/sub#L12") is None
    flat = compose_resolver({"programs/add.md": "programs/add.html"}, "lessons/one.html")
    assert flat("course:program/add") == "../programs/add.html"
