from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from markdown import markdown
from material.plugins.search.plugin import Parser, SearchIndex
from mkdocs.structure.pages import Page
from playwright.sync_api import expect
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from build_tools.claims.course import load_course
from build_tools.claims.memo import Memo
from build_tools.pages import CourseExtension
from build_tools.site.search import PIECE, compose_lean_html
from build_tools.site.search_memory import SearchMemory
from build_tools.site.search_ranking import weigh_sections
from build_tools.source.model import Program
from tests.pages.conftest import swap_source
from tests.site.browsing import open_browser, serve_site
from tests.site.conftest import Build, snapshot

CODE = """\
__global__ void matmulTiled(const float* a) {
\t/* a < b && "c" */
    __shared__ float tile[16][16];

    tile[threadIdx.y][threadIdx.x] = a[0];  // `x` </pre> &amp;
}
"""


def compose_page() -> str:
    code = highlight(CODE, CudaLexer(), HtmlFormatter())
    claim = (
        '<span class="course-claim" data-course-claim="0"><a href="r/" aria-describedby="p">'
        '1.6×</a><bdi class="course-proof" id="p" data-search-exclude="true"><span>measured</span> '
        "<b>1.637</b> secretword</bdi></span>"
    )
    return (
        f'<h1 id="top">Top<a class="headerlink" href="#top">¶</a></h1><p>It is {claim} as fast,'
        f' and <span class="x">kept</span>.</p>{code}<h2 id="next">Next {claim}</h2>'
        f"<ul><li>one {claim}, <code>a <span>b</span></code></li></ul>"
    )


def build_index(html: str) -> str:
    index = SearchIndex(lang=["en"], separator=" ", pipeline=[], fields={})
    page = SimpleNamespace(meta={}, content=html, toc=[], url="page/", title="Top")
    index.add_entry_from_context(page)
    return str(index.generate_search_index(None))


def test_the_index_of_a_lean_page_is_that_of_the_page() -> None:
    html = compose_page()
    lean = compose_lean_html(html)
    assert len(lean) < 0.7 * len(html)
    assert build_index(lean) == build_index(html)


def test_kernels_are_in_the_index_and_proofs_are_not() -> None:
    text = json.dumps(json.loads(build_index(compose_lean_html(compose_page())))["docs"])
    assert "matmulTiled" in text
    assert "secretword" not in text


def test_an_excluded_span_ends_where_it_ends() -> None:
    html = '<p>a<span data-search-exclude="true">b<span>c</span>d</span>e<span>f</span></p>'
    assert compose_lean_html(html) == "<p>ae<span>f</span></p>"


def test_the_proof_of_a_claim_stays_out_of_an_index_that_reads_the_page_itself(
    course: Path,
) -> None:
    loaded = load_course(course)
    text = '[0.626 ms](claim:add.time["large", "wide"]) and after it\n'
    extensions = [CourseExtension(course=loaded, hrefs="keep")]
    html = markdown(text, extensions=extensions)
    assert "NVIDIA H200" in html
    (entry,) = json.loads(build_index(f'<h1 id="top">Top</h1>{html}'))["docs"]
    assert re.sub(r"<[^>]*>", "", entry["text"]).split() == ["0.626", "ms", "and", "after", "it"]


def test_each_plugin_sees_the_page_and_may_change_it(course: Path, build: Build) -> None:
    (course / "hook.py").write_text(
        "from mkdocs.plugins import event_priority\n\n\n"
        "@event_priority(50)\n"
        "def before(context, page, **_):\n"
        "    context['before'] = 'data-search-exclude' in page.content\n"
        "    page.content += '<p>A word that is <b>findable</b>.</p>'\n\n\n"
        "def on_page_context(context, page, **_):\n"
        "    page.content += f'<p>Seen: {context.pop(\"before\")} and {len(page.content) > 3000}.</p>'\n\n\n"
        "def on_config(config):\n"
        "    config.plugins._register_event('page_context', before)\n"
    )
    with (course / "mkdocs.yml").open("a") as file:
        file.write("hooks: [hook.py]\n")
    for cache in ("on", "on", "off"):
        done = build(course, "--strict", COURSE_CACHE=cache)
        assert done.exit_code == 0, done.stderr
        html = (course / "site/lessons/one/index.html").read_text()
        assert "<p>Seen: True and True.</p>" in html
        assert "data-search-exclude" not in html
        index = json.loads((course / "site/search/search_index.json").read_text())
        assert "findable" in next(d["text"] for d in index["docs"] if d["location"] == "")


def read_words(index: dict[str, list[dict[str, str]]]) -> dict[str, list[str]]:
    """The words of each written page, in whichever pieces; made pages have sections of their own."""
    words: dict[str, list[str]] = {}
    for entry in index["docs"]:
        if entry["location"].startswith("programs/"):
            continue
        text = re.sub(r"<[^>]*>", " ", entry["text"])
        words.setdefault(entry["location"].partition("#")[0], []).extend(text.split())
    return {page: sorted(found) for page, found in words.items()}


def test_a_programs_source_is_indexed_by_region_and_in_pieces(course: Path, build: Build) -> None:
    assert build(course, "--strict").exit_code == 0
    docs = json.loads((course / "site/search/search_index.json").read_text())["docs"]
    sections = {entry["location"]: entry for entry in docs}
    kernel = sections["programs/add/#region-add-kernel"]
    assert kernel["title"] == "add: add-kernel"
    region = load_course(course).programs["add"].regions["add-kernel"]
    assert unescape(re.sub(r"<[^>]*>", "", kernel["text"])).split() == region.text.split()
    assert sections["programs/add/#region-block"]["title"] == "block"
    rest = sections["programs/add/#source"]["text"]
    assert "int main" in rest
    assert "__global__" not in rest
    for entry in docs:
        for piece in re.findall(r"<pre>.*?</pre>", entry["text"], re.DOTALL):
            assert piece.count("\n") <= PIECE, entry["location"]


def test_a_line_of_nested_regions_is_indexed_once_with_the_innermost(course: Path) -> None:
    text = (
        "// snippet: outer\nint a;\n// snippet: inner\n__global__ void k() {}\n"
        "// end snippet: inner\nint c;\n// end snippet: outer\nint z;\n"
    )
    swapped = swap_source(load_course(course), text).programs["add"]
    program = replace(swapped, kernels={"k": 4})
    html = '<h2 id="source">Source</h2><div data-course-program-source="add"><div>x</div></div>'
    index = json.loads(build_index(compose_lean_html(html, {"add": program})))["docs"]
    found = {d["location"]: (d["title"], re.sub(r"<[^>]*>|\s", "", d["text"])) for d in index}
    assert found["page/#region-outer"] == ("outer", "inta;intc;")
    assert found["page/#region-inner"] == ("k: inner", "__global__voidk(){}")
    assert "intz;" in found["page/#source"][1]
    assert "void" not in found["page/#source"][1]


EXERCISE = (
    '<div class="course-exercise" id="exercise-add-guard" data-course-directive="0"'
    ' data-course-exercise="add#guard"><p class="course-exercise__title">'
    '<span class="course-exercise__mark">Exercise</span> {title}</p><div><p>Guard it.</p></div></div>'
)


@pytest.mark.parametrize(
    ("title", "told"),
    [("Past the &lt;end&gt;", "Exercise guard: Past the &lt;end&gt;"), ("guard", "Exercise guard")],
)
def test_an_exercise_is_a_section_and_what_follows_is_not_of_it(title: str, told: str) -> None:
    block = EXERCISE.format(title=title)
    html = f'<h2 id="all">All</h2><p>Before.</p>{block}<p>Behind.</p>'
    index = json.loads(build_index(compose_lean_html(html, {})))["docs"]
    found = {d["location"]: (d["title"], re.sub(r"<[^>]*>", " ", d["text"])) for d in index}
    assert found["page/#all"] == ("All", " Before.  Behind. ")
    name, text = found["page/#exercise-add-guard"]
    assert name == told
    assert "Guard it." in text
    assert build_index(compose_lean_html(html)) == build_index(html), "for another index"


def test_sections_of_programs_weigh_by_what_they_are(course: Path) -> None:
    add = load_course(course).programs["add"]

    def name(*kernels: str) -> Program:
        return replace(add, kernels=dict.fromkeys(kernels, 1))

    programs = {"a": name("add", "copy"), "b": name("addTall", "add", "scale")}
    entries: list[dict[str, Any]] = [
        {"location": location, "title": title}
        for location, title in [
            ("lessons/one/#region-add", "add"),
            ("programs/a/", "a"),
            ("programs/a/#quantities", "Quantities"),
            ("programs/a/#region-copy-kernel", "copy: copy-kernel"),
            ("programs/a/#region-add-kernel", "add: add-kernel"),
            ("programs/a/#region-tall", "addTall: tall"),
        ]
    ]
    index = SimpleNamespace(entries=entries)
    config: Any = SimpleNamespace(plugins={"material/search": SimpleNamespace(search_index=index)})
    weigh_sections(config, cast("Page", SimpleNamespace(url="programs/a/")), programs)
    assert [entry.get("boost") for entry in entries] == [None, None, 0.25, 2, 4, 2]


def test_the_built_index_is_the_one_built_without_the_swap(
    course: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(course, "--strict", COURSE_CACHE="off").exit_code == 0
    lean = snapshot(course / "site")
    monkeypatch.setattr("build_tools.site.plugin.make_pages_lean", lambda *_: None)
    assert build(course, "--strict", COURSE_CACHE="off").exit_code == 0
    whole = snapshot(course / "site")
    pieces, wholes = (
        read_words(json.loads(files.pop("search/search_index.json"))) for files in (lean, whole)
    )
    assert pieces == wholes
    assert lean.keys() == whole.keys()
    assert [path for path in lean if lean[path] != whole[path]] == []


def test_every_theme_keeps_its_own_marks(course: Path, build: Build) -> None:
    settings = (course / "mkdocs.yml").read_text()
    settings = settings.replace("name: material\n  font: false", "name: mkdocs")
    (course / "mkdocs.yml").write_text(settings)
    done = build(course, "--strict")
    assert done.exit_code == 0, done.stderr
    html = (course / "site/lessons/one/index.html").read_text()
    assert 'data-search-exclude="true"' in html
    index = json.loads((course / "site/search/search_index.json").read_text())
    found = [entry for entry in index["docs"] if "blockIdx" in entry["text"]]
    assert {entry["location"].partition("#")[0] for entry in found} == {
        "lessons/one/",
        "programs/add/",
    }


@pytest.mark.browser
def test_a_kernels_name_leads_to_its_region(course: Path, build: Build) -> None:
    assert build(course, "--strict").exit_code == 0
    with serve_site(course / "site") as address, open_browser() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(address)
        page.locator("[data-md-component=search-query]").click()
        page.keyboard.type("add-kernel")
        hits = page.locator(".md-search-result__article")
        expect(hits.first).to_be_visible()
        for height in hits.evaluate_all("all => all.map(hit => hit.clientHeight)"):
            assert height < 400
        page.keyboard.press("Enter")
        page.wait_for_url("**/programs/add/*#region-add-kernel")


def json_can_hold(entries: object) -> bool:
    try:
        return bool(json.loads(json.dumps(entries)) == entries)
    except TypeError:
        return False


def read_with(memo: Memo, page: SimpleNamespace) -> tuple[list[object], int]:
    """The entries of a page, and how often it was read for them."""
    index = SearchIndex(lang=["en"], separator=" ", pipeline=[], fields={})
    read = index.add_entry_from_context
    seen = []

    def count(page: Any) -> None:
        seen.append(page)
        read(page)

    index.add_entry_from_context = count
    memory = SearchMemory(index, memo, "1")
    memory.prepare(cast("Page", page))
    index.add_entry_from_context(page)
    assert memory.prepare(cast("Page", page)) == (len(seen) == 0 or json_can_hold(index.entries))
    return index.entries, len(seen)


def test_a_page_is_read_once_until_anything_of_it_changes() -> None:
    memo = Memo()
    anchor = SimpleNamespace(id="next", url="#next", children=[])
    first = {"content": compose_page(), "toc": [anchor], "url": "a/", "title": "Top", "meta": {}}
    entries, reads = read_with(memo, SimpleNamespace(**first))
    assert reads == 1
    assert read_with(memo, SimpleNamespace(**first)) == (entries, 0)
    changes: dict[str, object] = {
        "content": compose_page().replace("kept", "other"),
        "toc": [SimpleNamespace(id="next", url="#other", children=[])],
        "url": "b/",
        "title": "Bottom",
        "meta": {"search": {"boost": 2}},
    }
    for name, value in changes.items():
        page = SimpleNamespace(**{**first, name: value})
        assert read_with(memo, page) == (read_with(Memo(), page)[0], 1)


def test_what_no_memory_can_hold_is_read_each_time() -> None:
    memo = Memo()
    meta = {"search": {"boost": date(2026, 12, 1)}}
    page = SimpleNamespace(content="<p>One.</p>", toc=[], url="a/", title="Top", meta=meta)
    assert read_with(memo, page) == read_with(memo, page)
    assert read_with(memo, page)[1] == 1


def test_a_second_build_reads_no_page_for_the_index(
    course: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(course, "--strict").exit_code == 0
    index = (course / "site" / "search" / "search_index.json").read_bytes()
    monkeypatch.setattr(Parser, "feed", lambda self, html: pytest.fail(html))
    assert build(course, "--strict").exit_code == 0
    assert (course / "site" / "search" / "search_index.json").read_bytes() == index
