from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown import markdown
from material.plugins.search.plugin import SearchIndex
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from build_tools.claims.course import load_course
from build_tools.pages import CourseExtension
from build_tools.site.search import compose_lean_html, restore_html
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
        '1.6×</a><bdi role="tooltip" id="p" data-search-exclude="true"><span>measured</span> '
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


def test_the_page_is_put_back_as_the_search_plugin_leaves_it() -> None:
    html = compose_page()
    lean = compose_lean_html(html)
    assert restore_html(html, lean, lean, strips=False) == html
    stripped = html.replace(' data-search-exclude="true"', "")
    assert restore_html(html, lean, lean, strips=True) == stripped


def test_another_plugins_change_is_not_lost_silently() -> None:
    html = compose_page()
    lean = compose_lean_html(html)
    with pytest.raises(ValueError, match="on_page_content"):
        restore_html(html, lean, lean + "<p>more</p>", strips=True)


def restore_whole(html: str, lean: str, left: str, *, strips: bool) -> str:
    """What the search plugin left of the page itself."""
    del html, lean, strips
    return left


def test_the_built_index_is_the_one_built_without_the_swap(
    course: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(course, "--strict").exit_code == 0
    lean = snapshot(course / "site")
    monkeypatch.setattr("build_tools.site.plugin.compose_lean_html", lambda html: html)
    monkeypatch.setattr("build_tools.site.plugin.restore_html", restore_whole)
    assert build(course, "--strict").exit_code == 0
    whole = snapshot(course / "site")
    assert lean.pop("search/search_index.json") == whole.pop("search/search_index.json")
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
