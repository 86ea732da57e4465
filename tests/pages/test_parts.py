"""Counters and listings in lessons, and all parts on the page of a record."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.check import check_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope
from build_tools.diagnostics.finding import Kind
from build_tools.evidence.part_model import PartKind
from build_tools.quantity.expression import evaluate_expression
from build_tools.quantity.value import Number
from build_tools.site.generate import list_downloads
from build_tools.site.shown import compare_directive
from tests.pages.conftest import Page
from tests.parts_factory import add_part, compose_log, make_parts_course

COUNTERS = "/// counters | add\n///\n"
LISTING = "/// listing | add#add-kernel\n///\n"
RECORD = "/// record | evidence/add/nvidia-h200/run-2026-12-01\n///\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("parts")
    make_parts_course(base)
    return base


@pytest.fixture(scope="module")
def course(root: Path) -> Course:
    return load_course(root)


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root, tmp_path / "course"))


def squeeze(page: Page, selector: str) -> str:
    """The text of the one element, cells of tables parted, spaces folded."""
    parted = page.html.replace("</td>", "</td> ").replace("</th>", "</th> ")
    (node,) = LexborHTMLParser(f"<main>{parted}</main>").css(selector)
    return squeeze_node(node.text(deep=True, separator="", strip=False))


def list_hrefs(page: Page, selector: str) -> list[str]:
    return [a.attributes["href"] or "" for a in page.tree.css(f"{selector} a")]


def edit(root: Path, old: str, new: str) -> None:
    target = root / "snippets/add/program.toml"
    assert old in target.read_text()
    target.write_text(target.read_text().replace(old, new, 1))


def test_counters_are_a_table_with_their_conditions(course: Course) -> None:
    page = Page(course, COUNTERS)
    assert squeeze(page, "caption") == (
        "add under ncu on NVIDIA H200, 2026-12-01: caches hot, the shown one of 3 launches, "
        "one pass each of --once --n 64 (record)"
    )
    # More counters than kernels: each counter has a row.
    assert [squeeze_node(n.text()) for n in page.tree.css("thead th")] == ["counter", "add"]
    names = page.tree.css("tbody th")
    assert [squeeze_node(n.text()) for n in names] == ["loads (instructions)", "dram_read (B)"]
    assert names[1].attributes["title"] == "dram__bytes_read.sum"
    cells = page.tree.css("tbody td")
    assert [cell.text() for cell in cells] == ["8,192", "33,554,464"]
    assert cells[0].attributes["title"] == "the same in all 3 launches"
    assert cells[1].attributes["title"] == "33,554,432 to 33,554,496 in 3 launches"
    assert list_hrefs(page, "caption") == ["course:record/add/nvidia-h200/run-2026-12-01#counters"]


def test_a_table_of_counters_says_what_a_claim_takes(copy: Path) -> None:
    """The shown launch is one for all counters, so it may lie beside a counter's own median."""
    edit(copy, "dram__bytes_read.sum", "dram__bytes_write.sum")
    told = (("1,000", "33,000,000"), ("1,001", "39,000,000"), ("1,900", "36,000,000"))
    logs = [
        compose_log(
            0,
            {
                "smsp__inst_executed_op_global_ld.sum": ("inst", loads),
                "dram__bytes_write.sum": ("byte", written),
            },
        )
        for loads, written in told
    ]
    add_part(copy, PartKind.COUNTERS, "2026-12-02", logs=logs)
    course = load_course(copy)
    shown = evaluate_expression('add.counters["add"].dram_read', CourseScope(course))
    assert isinstance(shown, Number)
    assert shown.shown == 39_000_000  # the median is another
    cells = Page(course, COUNTERS).tree.css("td[title*='in 3 launches']")
    assert [cell.text() for cell in cells][-1] == "39,000,000"
    assert cells[-1].attributes["title"] == "33,000,000 to 39,000,000 in 3 launches"
    # The record's page shows the other launches too, and no band: three say nothing of a fourth.
    cells = Page(course, RECORD).tree.css("#counters ~ div td")
    assert [squeeze_node(cell.text(separator=" ")) for cell in cells][:2] == [
        "1,001 1,000, 1,900",
        "39,000,000 33,000,000, 36,000,000",
    ]


def squeeze_node(text: str) -> str:
    return " ".join(text.split())


def test_counters_can_be_chosen(course: Course) -> None:
    page = Page(course, "/// counters | add\n    counters: dram_read\n    session: small\n///\n")
    assert [cell.text() for cell in page.tree.css("tbody td")] == ["33,554,464"]
    heads = [squeeze_node(n.text()) for n in page.tree.css("th")]
    assert heads == ["kernel", "dram_read (B)", "add"]


def test_a_listing_is_folded_with_source_lines_as_they_stand_now(copy: Path) -> None:
    source = copy / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("#include", "// One line more.\n\n#include", 1))
    course = load_course(copy)
    page = Page(course, LISTING)
    details = page.one("details")
    assert "open" not in details.attributes
    assert squeeze(page, "summary") == "add: 22 instructions"
    text = page.text(".course-listing__sass")
    lines = source.read_text().split("\n")
    (added,) = [line for line in text.split("\n") if "FADD" in line]
    number, address, rest = added.split(maxsplit=2)
    assert lines[int(number) - 1].startswith("__host__ __device__ inline float addOne")
    assert (address, rest) == ("0110", "FADD R9, R4, R3")
    assert text.count("\n") == 22
    assert "NOP" not in text
    note = squeeze(page, ".course-table__note")
    assert "nvcc -std=c++17 -O3 -arch=sm_90" in note
    assert "read by cuobjdump 2025.3.1.0" in note


def test_the_source_stands_beside_its_machine_code(copy: Path) -> None:
    course = load_course(copy)
    page = Page(course, LISTING)
    program = course.programs["add"]
    lines = program.text.split("\n")
    shown = page.tree.css(".course-listing__source .course-line")
    numbers = [int(node.attributes["data-line"] or 0) for node in shown]
    # The region, and the function outside of it that was put in its place.
    region = [line.number for line in program.regions["add-kernel"].lines]
    (inlined,) = [n for n, line in enumerate(lines, 1) if "inline float addOne" in line]
    assert numbers == sorted({inlined, *region})
    for number, node in zip(numbers, shown, strict=True):
        assert node.text(deep=True) == lines[number - 1]
    runs = page.tree.css(".course-listing__sass > span")
    assert {run.attributes.get("data-line") for run in runs} - {None} <= set(map(str, numbers))
    for run in runs:
        for text in run.text(deep=True).splitlines():
            assert text[:5].strip() == (run.attributes.get("data-line") or "")


def test_a_line_behind_lines_that_are_left_out_is_marked(copy: Path) -> None:
    source = copy / "snippets/add/add.cu"
    text = source.read_text().replace("// snippet: add-kernel\n", "", 1)
    source.write_text(
        text.replace("__global__", "// Left out.\n// snippet: add-kernel\n__global__")
    )
    page = Page(load_course(copy), LISTING)
    shown = page.tree.css(".course-listing__source .course-line")
    marked = [node.text(deep=True) for node in shown if "data-gap" in node.attributes]
    assert shown[0].text(deep=True).startswith("__host__ __device__ inline float addOne")
    assert marked == ["__global__ void add(const float *a, const float *b, float *c, int n) {"]
    assert "Left out" not in page.text(".course-listing__source")


def test_both_codes_can_be_chosen_between(course: Course) -> None:
    page = Page(course, "/// listing | add#add-kernel\n    code: both\n///\n")
    names = {node.attributes["name"] for node in page.tree.css("input[type=radio]")}
    assert names == {"listing-add-add-kernel-1"}
    assert ".visible .entry" in page.text(".course-listing__ptx")
    assert "FADD" in page.text(".course-listing__sass")
    assert not Page(course, LISTING).tree.css(".course-listing__ptx, input")


def test_ptx_and_an_open_listing(course: Course) -> None:
    page = Page(course, "/// listing | add#add-kernel\n    code: ptx\n    open: true\n///\n")
    assert "open" in page.one("details").attributes
    assert ".visible .entry _Z3addPKfS0_Pfi(" in page.text(".course-listing__ptx")


@pytest.mark.parametrize("code", ["ptx", "both"])
def test_the_source_stands_beside_ptx_with_lines(copy: Path, code: str) -> None:
    source = copy / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("#include", "// One line more.\n\n#include", 1))
    course = load_course(copy)
    page = Page(course, f"/// listing | add#add-kernel\n    code: {code}\n///\n")
    lines = course.programs["add"].text.split("\n")
    shown = {
        int(node.attributes["data-line"] or 0): node.text(deep=True)
        for node in page.tree.css(".course-listing__source .course-line")
    }
    runs = page.tree.css(".course-listing__ptx > span[data-line]")
    for run in runs:
        number = int(run.attributes["data-line"] or 0)
        assert shown[number] == lines[number - 1]
        assert {text[:5] for text in run.text(deep=True).splitlines()} == {f"{number:>5}"}
    said = {
        " ".join(text.split()[1:]): shown[int(text[:5])]
        for run in runs
        for text in run.text(deep=True).splitlines()
    }
    # The line that was put in another's place, not the one that calls it.
    assert said["add.f32 %f3, %f2, %f1;"].startswith("__host__ __device__ inline float addOne")
    assert "int i = blockIdx.x" in said["mov.u32 %r3, %ctaid.x;"]
    text = page.text(".course-listing__ptx")
    (number,) = [n for n, line in shown.items() if "if (kBarrier)" in line]
    assert f"\n\n       $L__BB0_2:\n{number:>5}  bar.sync 0;\n" in text
    assert ".loc" not in text
    note = squeeze(page, ".course-table__note")
    assert ("SASS: source line, address, instruction; " in note) == (code == "both")
    assert "PTX: source line, instruction; nvcc" in note
    (pane,) = page.tree.css(".course-listing__ptx")
    assert "by lines of the source" in (pane.attributes["aria-label"] or "")


@pytest.mark.parametrize("code", ["ptx", "both"])
def test_ptx_recorded_without_lines(copy: Path, code: str) -> None:
    add_part(copy, PartKind.LISTINGS, "2026-12-02", bare_ptx=True)
    page = Page(load_course(copy), f"/// listing | add#add-kernel\n    code: {code}\n///\n")
    text = page.text(".course-listing__ptx")
    assert text.startswith(".visible .entry _Z3addPKfS0_Pfi(\n.param")
    assert "\nadd.f32 %f3, %f2, %f1;\n" in text
    assert not page.tree.css(".course-listing__ptx [data-line]")
    # Beside SASS with lines the source stands all the same.
    assert len(page.tree.css(".course-listing__source")) == (code == "both")
    assert "PTX without lines of the source; nvcc" in squeeze(page, ".course-table__note")
    (pane,) = page.tree.css(".course-listing__ptx")
    assert pane.attributes["aria-label"] == "PTX of add"


def test_the_record_shows_all_parts_with_their_raw_files(course: Course, root: Path) -> None:
    page = Page(course, RECORD)
    ids = [h.attributes["id"] for h in page.tree.css("h2, h3[id]")]
    right, causes = ids.index("right"), ids.index("causes")
    assert ids[right : right + 4] == ["right", "check", "sanitizers", "mutants"]
    assert ids[causes : causes + 4] == ["causes", "counters", "listings", "build"]
    said = squeeze(page, "[data-course-record]")
    assert "racecheck nothing found 0 0 no-barrier" in said
    assert (
        "racecheck looks for races on shared memory; it cannot see races on global memory" in said
    )
    assert "Not run, since program.toml leaves them out:" in said
    assert "subtracts add-kernel the program's check" in said
    changes = [
        squeeze_node(dd.text(separator=" ")) for dd in page.tree.css("#mutants ~ details dd")
    ]
    assert "return a + b; becomes return a - b;" in changes
    assert "turned add-kernel nobody, as declared a sum does" in said
    assert "add-kernel add 22 3 IMAD.WIDE, 3 LDC.64, 2 LDG.E" in said
    hrefs = [h for h in list_hrefs(page, "[data-course-record]") if "transcript/" in h]
    downloads = set(list_downloads(course))
    for href in hrefs:
        path = href.removeprefix("course:transcript/")
        assert (root / "evidence" / path).is_file(), href
        assert any(place.endswith(path) for place in downloads), href
    assert not compare_directive(course, page.rendered.scan.directives[0], page.one("main"))


def test_what_is_missing_is_said_where_it_would_stand(copy: Path) -> None:
    edit(copy, "launches = 3", "launches = 4")
    course = load_course(copy)
    page = Page(course, COUNTERS)
    assert "the counters of add are stale: the code or what is asked changed since" in squeeze(
        page, ".course-missing"
    )
    said = squeeze(Page(course, RECORD), "[data-course-record]")
    assert "Not here: the counters of add are stale" in said


def test_a_refusal_is_shown_in_the_tools_own_words(copy: Path) -> None:
    edit(copy, "launches = 3", "launches = 4")
    words = "ERR_NVGPUCTRPERM - <b>no</b> permission"
    add_part(copy, PartKind.COUNTERS, "2026-12-02", could_not_check=words)
    course = load_course(copy)
    said = squeeze(Page(course, RECORD), "[data-course-record]")
    assert f"counters of add: {words}" in said
    assert "<b>no</b>" not in Page(course, RECORD).html


def test_a_tool_that_is_not_believed_is_shown_as_such(copy: Path) -> None:
    edit(copy, "--n 48", "--n 32")
    add_part(copy, PartKind.SANITIZERS, "2026-12-02", blind=["racecheck"])
    said = squeeze(Page(load_course(copy), RECORD), "[data-course-record]")
    assert "racecheck could not check: racecheck does not notice no-barrier" in said


def test_a_claim_leads_to_its_part(copy: Path) -> None:
    edit(copy, "dram__bytes_read.sum", "dram__bytes_write.sum")
    told = [
        {
            "smsp__inst_executed_op_global_ld.sum": ("inst", "8,192"),
            "dram__bytes_write.sum": ("byte", value),
        }
        for value in ("33,000,000", "33,500,000", "34,000,000")
    ]
    logs = [compose_log(0, metrics) for metrics in told]
    add_part(copy, PartKind.COUNTERS, "2026-12-02", logs=logs)
    page = Page(load_course(copy), 'It reads [34 MB](claim:add.counters["add"].dram_read).\n')
    link = page.one("a.course-claim__text")
    assert link.attributes["href"] == "course:record/add/nvidia-h200/run-2026-12-01#counters"
    assert "Next launch:" in page.text(".course-proof")
    assert "from 3 launches" in page.text(".course-proof")


@pytest.mark.parametrize(
    ("block", "true", "advice"),
    [
        ("counters | ad", "there is no program `ad`", "`add`"),
        ("counters | add\n    session: large", "no session `large`", "small"),
        ("counters | add\n    kernels: ad", "no `ad` among its kernels", "`add`"),
        ("counters | add\n    counters: load", "no `load` among its counters", "`loads`"),
        ("listing | add", "it names no region", "/// listing | add#region"),
        ("listing | add#nothing", "has no region `nothing`", ""),
        ("listing | add#block", "no listing of `block` is declared", "[listings.block]"),
        ("listing | add#add-kernel\n    code: llvm", "`code` is `llvm`", "or `code: both`"),
        ("listing | add#add-kernel\n    open: yes", "`open` is `yes`", "`open: true`"),
        ("listing | add#add-kernel\n    kernel: ad", "no kernel `ad`", "`add`"),
    ],
)
def test_blocks_that_name_what_is_not_there(
    course: Course, block: str, true: str, advice: str
) -> None:
    scan = scan_page(f"Text.\n\n/// {block}\n///\n", "docs/p.md")
    (finding,) = check_scan(course, scan)
    assert finding.kind is Kind.DIRECTIVE
    assert (finding.place.line, finding.place.column) == (3, 1)
    assert true in finding.true
    assert advice in finding.advice


def test_a_program_without_counters(copy: Path) -> None:
    target = copy / "snippets/add/program.toml"
    text = target.read_text()
    target.write_text(text[: text.index("[counters")])
    course = load_course(copy)
    (finding,) = check_scan(course, scan_page(COUNTERS, "docs/p.md"))
    assert finding.true == "the program declares no counters"
    assert "[counters.NAME]" in finding.advice
    assert [h.attributes["id"] for h in Page(course, RECORD).tree.css("h2")][-2:] == [
        "build",
        "transcript",
    ]


def test_a_tool_that_is_left_out_has_its_reason(copy: Path) -> None:
    target = copy / "snippets/add/program.toml"
    declared = target.read_text()
    place = declared.index("[sanitizers]\n") + len("[sanitizers]\n")
    reason = 'without.synccheck = "no barrier <here>"\n'
    target.write_text(declared[:place] + reason + declared[place:])
    said = squeeze(Page(load_course(copy), RECORD), "[data-course-record]")
    assert "Not run, since program.toml leaves them out: " in said
    assert "synccheck (no barrier <here>)" in said
