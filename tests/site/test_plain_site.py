"""Does the site hold each page as Markdown, a list of them, and its measurements as data?"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from jsonschema import Draft202012Validator
from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.course import load_course
from build_tools.pages.visible import mark_up
from build_tools.site.head import Card, add_card
from build_tools.site.measurements import collect_measurements
from build_tools.site.plain_html import convert_element, fence_code
from tests.site.conftest import MKDOCS, Build

LINK = re.compile(r"\]\(([^()\s]+)\)")
FENCES = re.compile(r"^ *(`{3,}).*?^ *\1$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def site(course: Path, build: Build) -> Path:
    """A site with a second page that links to the first, and what its programs hold."""
    (course / "docs/lessons/two.md").write_text(
        "---\ndescription: Links of all kinds.\n---\n# Two\n\n"
        "See [one](one.md#wide), [home](../index.md), [styles](../assets/course.css), "
        "[elsewhere](https://example.org/x.md) and `[code](one.md)`.\n"
    )
    done = build(course, "--strict")
    assert done.exit_code == 0, done.output
    return course / "site"


def test_a_page_is_there_as_markdown(site: Path) -> None:
    text = (site / "lessons/one/index.md").read_text()
    assert text.startswith("# Adding vectors\n\nEach block has 256 threads.\n")
    assert "```cuda\nconstexpr int kBlock = 256;\n```" in text
    assert "    ```cuda\n    __global__ void add(" in text, "in a list, at its indent"
    assert "    | case | kernel | time (ms) | GB/s |\n    |---|---|---|---|\n" in text
    assert "## Wide is 2.06× as fast\n" in text
    assert "course-" not in text
    assert "claim:" not in text.partition("## What is behind the numbers")[0]
    assert "\n///" not in text


def test_a_title_with_marks_reads_as_on_the_page(site: Path) -> None:
    text = (site / "records/add/nvidia-h200/run-2026-12-01/index.md").read_text()
    assert text.startswith("# add on NVIDIA H200, 2026-12-01 09:30 UTC\n")


def test_what_is_behind_its_claims_stands_at_its_end(site: Path) -> None:
    table = (
        (site / "lessons/one/index.md").read_text().partition("## What is behind the numbers")[2]
    )
    (row,) = [line for line in table.split("\n") if line.startswith("| 0.626 ms |")]
    text, kind, value, band, source = (cell.strip() for cell in row.strip("|").split("|"))
    assert (text, kind) == ("0.626 ms", "measured")
    assert value.startswith("0.62")
    assert " to " in band
    assert '`add.time["large", "wide"]`, NVIDIA H200, ' in source
    assert source.endswith("evidence/add/nvidia-h200/run-2026-12-01.json")


def test_every_link_between_them_leads_to_a_file(site: Path) -> None:
    followed = 0
    for page in site.rglob("*.md"):
        prose = FENCES.sub("", page.read_text())
        for href in LINK.findall(re.sub(r"`[^`\n]*`", "", prose)):
            bare = unquote(href.partition("#")[0])
            if not bare or ":" in bare:
                continue
            target = posixpath.normpath(posixpath.join(page.parent.as_posix(), bare))
            assert Path(target).is_file(), f"{page.relative_to(site)}: {href}"
            followed += 1
    assert followed > 10


def test_a_link_to_a_line_or_region_keeps_it_and_nothing_promises_a_link_that_is_gone(
    site: Path,
) -> None:
    html = (site / "lessons/one/index.html").read_text()
    assert "Open in Compiler Explorer" in html
    followed = set()
    for page in site.rglob("*.md"):
        text = page.read_text()
        assert "Compiler Explorer" not in re.sub(
            r"\[[^\]]*\]\([^()]*\)|Not in Compiler Explorer", "", text
        )
        for href in LINK.findall(FENCES.sub("", text)):
            bare, _, fragment = href.partition("#")
            if re.fullmatch(r"L\d+|region-.*", fragment):
                target = LexborHTMLParser((page.parent / bare).read_text())
                assert target.css_first(f"[id='{fragment}']") is not None, href
                followed.add(fragment)
    assert len(followed) > 1


def test_links_of_the_prose_lead_to_markdown(site: Path) -> None:
    text = (site / "lessons/two/index.md").read_text()
    assert "[one](../one/index.md#wide)" in text
    assert "[home](../../index.md)" in text
    assert "[styles](../../assets/course.css)" in text
    assert "[elsewhere](https://example.org/x.md)" in text
    assert "`[code](one.md)`" in text


def test_the_list_names_every_page_in_the_order_of_the_navigation(site: Path) -> None:
    text = (site / "llms.txt").read_text()
    assert text.startswith("# A course\n\n")
    assert "](lessons/two/index.md): Links of all kinds.\n" in text
    places = re.findall(r"^- \[[^\]]+\]\(([^()]+)\)", text, re.MULTILINE)
    held = {page.relative_to(site).as_posix() for page in site.rglob("*.md")}
    assert set(places) == held
    assert len(places) == len(set(places))
    assert text.index("## Optional") < text.index("(records/add/")


def test_sections_of_the_navigation_head_the_list(course: Path, build: Build) -> None:
    nav = "nav:\n  - Start: index.md\n  - Lessons:\n      - lessons/one.md\n"
    (course / "mkdocs.yml").write_text(f"site_description: About vectors.\n{nav}{MKDOCS}")
    assert build(course).exit_code == 0
    text = (course / "site/llms.txt").read_text()
    assert "> About vectors.\n" in text
    assert "## Lessons\n\n- [Adding vectors](lessons/one/index.md)" in text
    assert "## Programs\n" in text


def test_pages_without_folders_have_their_markdown_beside_them(course: Path, build: Build) -> None:
    (course / "mkdocs.yml").write_text(f"use_directory_urls: false\n{MKDOCS}")
    done = build(course, "--strict")
    assert done.exit_code == 0, done.output
    site = course / "site"
    assert (site / "lessons/one.md").read_text().startswith("# Adding vectors")
    assert "](../programs/add.md)" in (site / "lessons/one.md").read_text()
    html = (site / "lessons/one.html").read_text()
    assert '<link rel="alternate " type="text/markdown" href="one.md">' in html


def test_a_page_that_another_plugin_fills_says_what_it_shows(course: Path, build: Build) -> None:
    (course / "docs/tags.md").write_text("# Topics\n\n<!-- material/tags -->\n")
    page = course / "docs/lessons/one.md"
    page.write_text(page.read_text().replace("---\n", "---\ntags:\n  - sums\n", 1))
    mkdocs = MKDOCS.replace("  - search\n", "  - search\n  - tags\n")
    (course / "mkdocs.yml").write_text(mkdocs)
    done = build(course, "--strict")
    assert done.exit_code == 0, done.output
    text = (course / "site/tags/index.md").read_text()
    assert text == "# Topics\n\n## sums\n\n- [Adding vectors](../lessons/one/index.md)\n"
    assert ">sums<" in re.sub(r"\s", "", (course / "site/lessons/one/index.html").read_text())


def test_under_construction_is_said_in_markdown_too(course: Path, build: Build) -> None:
    settings = course / "course.toml"
    settings.write_text(settings.read_text() + 'findings = "warn"\n')
    page = course / "docs/lessons/one.md"
    page.write_text(page.read_text().replace("0.626 ms", "0.777 ms"))
    assert build(course).exit_code == 0
    for place in ("lessons/one/index.md", "programs/add/index.md"):
        text = (course / "site" / place).read_text()
        assert text.startswith("> This course is under construction: ")


# --- HTML as Markdown


def convert(html: str) -> str:
    node = LexborHTMLParser(f"<main>{html}</main>").css_first("main")
    assert node is not None
    return convert_element(node, lambda href: f"<{href}>")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a <b>b</b>\n <em>c</em></p>", "a **b** *c*"),
        ("<p>a<br>b</p>", "a b"),
        ("<div>a<p>b</p>c</div>", "a\n\nb\n\nc"),
        ("<h3>a <code>b</code></h3>", "### a `b`"),
        ("<ul><li>a</li><li><p>b</p></li></ul>", "- a\n- b"),
        ("<dl><dt>a</dt><dd>b <code>c`d</code></dd></dl>", "- a: b ``c`d``"),
        ("<a href='x'>a</a>", "[a](<x>)"),
        ("<a href='x'></a>b", "b"),
        (f"<a href='x{'y' * 500}'>a</a>", "a"),
        ("<details><summary>a</summary><p>b</p></details>", "**a**\n\nb"),
        ("<pre><code>a\n  b\n</code></pre>", "```text\na\n  b\n```"),
        ("<svg><text>a</text></svg><script>b</script><button>c</button>d", "d"),
        ("<p>a<bdi class='course-proof'>b</bdi></p>", "a"),
        (
            "<table><caption>c</caption><tr><th>a|b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "c\n\n| a\\|b |  |\n|---|---|\n| 1 | 2 |",
        ),
    ],
)
def test_an_element_as_markdown(html: str, text: str) -> None:
    assert convert(html) == text


def test_a_fence_is_longer_than_what_it_holds() -> None:
    text = "a\n````\nb\n"
    assert fence_code(text) == f"`````\n{text}`````"
    assert convert(f"<pre>{mark_up(text)}</pre>") == f"`````text\n{text}`````"


# --- data


def test_all_measurements_are_there_as_data(course: Path, site: Path) -> None:
    data = json.loads((site / "measurements.json").read_text())
    schema = json.loads((site / "measurements.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(data)
    assert all(
        field["description"] for field in schema["$defs"]["MeasuredValue"]["properties"].values()
    )
    read_back = load_course(course)
    record = read_back.shelves["add"].shown_record
    assert record is not None
    assert len(data["measurements"]) == len(record.record.measurements)
    (row,) = [
        m
        for m in data["measurements"]
        if m["name"] == "time" and m["keys"] == {"case": "large", "kernel": "wide"}
    ]
    assert row["unit"] == "ms"
    assert 0.62 < row["shown"] < 0.63
    assert row["band"][0] < row["median"] < row["band"][1]
    assert len(str(row["median"])) < 10, "no noise of binary division"
    assert row["processes"] == 10
    assert (row["gpu"], row["driver"]) == ("NVIDIA H200", "580.159.03")
    assert row["record"] == record.path
    assert row["is_shown"]


def test_stale_records_are_no_data(course: Path) -> None:
    source = course / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("256", "128"))
    assert collect_measurements(load_course(course)).measurements == ()


# --- heads


def read_meta(html: str) -> dict[str, str]:
    nodes = LexborHTMLParser(html).css("head meta[property], head meta[name]")
    return {
        (n.attributes.get("property") or n.attributes.get("name") or ""): n.attributes["content"]
        or ""
        for n in nodes
    }


def test_a_link_to_a_page_shows_its_title_and_description(site: Path) -> None:
    html = (site / "lessons/two/index.html").read_text()
    meta = read_meta(html)
    assert meta["og:title"] == meta["twitter:title"] == "Two"
    assert meta["og:description"] == meta["twitter:description"] == "Links of all kinds."
    assert meta["og:site_name"] == "A course"
    assert meta["twitter:card"] == "summary"
    assert '<link rel="alternate " type="text/markdown" href="index.md">' in html
    assert "og:url" not in meta
    assert 'rel="canonical"' not in html
    assert not (site / "sitemap.xml").exists(), "its addresses would not be whole"


def test_with_an_address_of_its_own_a_site_has_whole_ones(course: Path, build: Build) -> None:
    (course / "mkdocs.yml").write_text(f"site_url: https://example.org/c/\n{MKDOCS}")
    assert build(course, "--strict").exit_code == 0
    address = "https://example.org/c/lessons/one/"
    html = (course / "site/lessons/one/index.html").read_text()
    assert read_meta(html)["og:url"] == address
    assert f'<link rel="canonical" href="{address}">' in html
    listed = (course / "site/llms.txt").read_text()
    assert f"]({address}index.md)" in listed
    assert "](https://example.org/c/measurements.json)" in listed
    for href in LINK.findall(listed):
        assert href.startswith("https://example.org/c/")
        assert (course / "site" / href.removeprefix("https://example.org/c/")).is_file()
    sitemap = (course / "site/sitemap.xml").read_text()
    assert f"<loc>{address}</loc>" in sitemap
    assert "<loc>https://example.org/c/programs/add/</loc>" in sitemap


CARD = "extra:\n  course_card: {image: assets/card.png, alt: A picture of &}\n"


def test_a_site_with_an_address_has_a_picture_beside_its_links(course: Path, build: Build) -> None:
    (course / "mkdocs.yml").write_text(f"site_url: https://example.org/c/\n{CARD}{MKDOCS}")
    assert build(course, "--strict").exit_code == 0
    for page in ("index.html", "lessons/one/index.html", "programs/add/index.html"):
        meta = read_meta((course / "site" / page).read_text())
        assert meta["og:image"] == "https://example.org/c/assets/card.png"
        assert meta["og:image:alt"] == "A picture of &"
        assert meta["twitter:card"] == "summary_large_image"
    (course / "mkdocs.yml").write_text(f"{CARD}{MKDOCS}")
    assert build(course, "--strict").exit_code == 0
    assert "og:image" not in (course / "site/index.html").read_text(), "it would not be whole"


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("{image: assets/none.png, alt: A picture}", "the site has no assets/none.png"),
        ("{image: assets/card.png}", "it has another form"),
        ("{image: assets/card.png, alt: ' '}", "it has another form"),
        ("assets/card.png", "it has another form"),
    ],
)
def test_a_picture_that_is_not_there_or_not_said_is_a_finding(
    course: Path, build: Build, card: str, said: str
) -> None:
    (course / "mkdocs.yml").write_text(f"extra:\n  course_card: {card}\n{MKDOCS}")
    done = build(course)
    assert done.exit_code == 1
    assert "`extra.course_card`" in done.stderr
    assert said in done.stderr


def test_a_course_has_one_name(course: Path, build: Build) -> None:
    settings = (course / "course.toml").read_text()
    (course / "course.toml").write_text(settings.replace('"A course"', '"Another course"'))
    done = build(course)
    assert done.exit_code == 1
    assert "`site_name` in mkdocs.yml is `A course`" in done.stderr
    (course / "course.toml").write_text(settings.replace('title = "A course"\n', ""))
    assert build(course, "--strict").exit_code == 0
    assert json.loads((course / "site/measurements.json").read_text())["course"] == "A course"


def test_a_program_is_described_by_its_first_sentences(course: Path, build: Build) -> None:
    source = course / "snippets/add/add.cu"
    told = 'Day 1: "add" & <b>more</b>. It adds float4 and float.'
    for path in (source, source.with_name("README.md")):
        text = path.read_text()
        assert "Day 1: add two vectors." in text
        path.write_text(text.replace("Day 1: add two vectors.", told))
    done = build(course, "--strict")
    assert done.exit_code == 0, done.stderr
    html = (course / "site/programs/add/index.html").read_text()
    tree = LexborHTMLParser(html)
    (node,) = tree.css("meta[name=description]")
    shown = node.attributes["content"] or ""
    assert shown.startswith(told)
    assert read_meta(html)["og:description"] == shown
    assert f"](programs/add/index.md): {told}" in (course / "site/llms.txt").read_text()


def test_a_card_is_escaped_and_says_nothing_twice() -> None:
    html = '<html><head><meta property="og:title" content="own"></head><body></body></html>'
    card = Card('A "b"', "<c> &\n d", "S")
    meta = read_meta(add_card(html, card))
    assert meta["og:title"] == "own"
    assert meta["twitter:title"] == 'A "b"'
    assert meta["og:description"] == "<c> & d"
    assert add_card("<p>no head</p>", card) == "<p>no head</p>"


# --- citation


def test_how_to_cite_a_course_is_on_its_site(course: Path, build: Build) -> None:
    (course / "CITATION.cff").write_text("cff-version: 1.2.0\n")
    assert build(course).exit_code == 0
    assert (course / "site/CITATION.cff").read_text() == "cff-version: 1.2.0\n"


@pytest.mark.parametrize("enabled", [True, False])
def test_our_footer_links_to_files_that_are_there(
    course: Path, build: Build, *, enabled: bool
) -> None:
    root = Path(__file__).parents[2]
    own = f"  name: material\n  custom_dir: {root / 'overrides'}\n"
    (course / "mkdocs.yml").write_text(MKDOCS.replace("  name: material\n", own))
    (course / "CITATION.cff").write_text("cff-version: 1.2.0\n")
    assert build(course, COURSE_ENABLED=str(int(enabled))).exit_code == 0
    page = course / "site/lessons/one/index.html"
    links = LexborHTMLParser(page.read_text()).css(".md-copyright a")
    assert len(links) == (3 if enabled else 0)
    assert all((page.parent / (a.attributes["href"] or "")).is_file() for a in links)


def test_our_footer_names_the_sources_where_they_are_known(course: Path, build: Build) -> None:
    root = Path(__file__).parents[2]
    own = f"  name: material\n  custom_dir: {root / 'overrides'}\n"
    repo = 'repo_url: !ENV [REPO_URL, ""]\n'
    assert repo in (root / "mkdocs.yml").read_text()
    (course / "mkdocs.yml").write_text(repo + MKDOCS.replace("  name: material\n", own))
    (course / "CITATION.cff").write_text("cff-version: 1.2.0\n")
    address = "https://code.example.org/course"
    for named in ("", address):
        done = build(course, REPO_URL=named)
        assert done.exit_code == 0, done.output
        html = (course / "site/lessons/one/index.html").read_text()
        links = LexborHTMLParser(html).css(".md-copyright a")
        assert (address in [a.attributes["href"] for a in links]) == bool(named)
        assert ("Sources:" in html) == bool(named)
        # By that mark the theme's script asks the code host.
        assert 'data-md-component="source"' not in html


def test_our_own_citation_has_what_the_format_asks_for() -> None:
    root = Path(__file__).parents[2]
    cited = yaml.safe_load((root / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] in ("software", "dataset")
    assert cited["message"]
    assert cited["title"]
    assert all(set(author) <= {"name", "website", "alias"} for author in cited["authors"])
    known = {"abstract", "authors", "cff-version", "keywords", "license", "message", "title"}
    assert set(cited) <= known | {"type", "version", "date-released", "repository-code", "url"}
    assert f'version = "{cited["version"]}"' in (root / "pyproject.toml").read_text()
    assert "CITATION.cff" in (root / "README.md").read_text()
    assert "CITATION.cff" in (root / "overrides/partials/copyright.html").read_text()
