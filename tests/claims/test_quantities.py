"""Named quantities: of programs and of the course, over programs, records and GPUs, and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from build_tools.claims.check import check_quantities, judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.claims.unused import check_unused
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import (
    CHECK,
    DECLARATION,
    DEVICE,
    PROGRAM,
    add_record,
    make_course,
    make_transcripts,
)

FACTS = """\
[lanes]
unit = ""
source = "the architecture's white paper"
date = 2026-11-01

[lanes.gpu."NVIDIA H200"]
value = "128"
quote = "128 lanes"

[lanes.gpu."NVIDIA T4"]
value = "64"
quote = "64 lanes"

[peak.gpu."NVIDIA H200"]
value = "4.8"
unit = "TB/s"
source = "https://example.org/datasheet"
quote = "4.8 TB/s of memory bandwidth"
date = 2026-11-01

[warp]
value = "32"
unit = ""
source = "the programming guide"
quote = "32 threads"
date = 2026-11-01

[elsewhere.gpu."NVIDIA T4"]
value = "70"
unit = "W"
source = "the datasheet"
quote = "70 W"
date = 2026-11-01

[quantities]
faster = 'add.time["large", "narrow"] / mul.time["large", "wide"]'
lanes_in_all = 'given["lanes"] * add.device.sm_count'
twice_that = { expression = '2 * lanes_in_all', unit = "threads" }
"""

T4 = msgspec.structs.replace(DEVICE, model="NVIDIA T4", compute_capability="7.5", sm_count=40)
OWN = """
[quantities]
lanes_here = 'given["lanes"] * device.sm_count'
gain = 'time["large", "narrow"] / time["large", "wide"]'
"""


def make(root: Path, facts: str = FACTS, declaration: str = DECLARATION + OWN) -> Path:
    make_course(
        root,
        programs={name: PROGRAM.format(name=name) for name in ("add", "mul")},
        declarations={"add": declaration, "mul": DECLARATION},
        transcripts={"add": make_transcripts(), "mul": make_transcripts()},
        checks={"add": CHECK, "mul": CHECK},
    )
    (root / "snippets" / "quantities.toml").write_text(facts)
    return root


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = make(tmp_path_factory.mktemp("course"))
    slower = [text.replace("0.62", "1.02") for text in make_transcripts()]
    add_record(root, "add", slower, started="2026-12-02T09:30:00Z")
    add_record(root, "add", make_transcripts(), device=T4, stamp=False)
    loaded = load_course(root)
    assert list(map(str, loaded.findings)) == []
    return loaded


def judge(course: Course, text: str) -> list[Finding]:
    scan = scan_page(text, "docs/page.md")
    return [*scan.findings, *(f for v in judge_scan(course, scan) for f in v.findings)]


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        ("[2.00×](claim:faster)", "[2.10×](claim:faster)"),
        ("[16,896](claim:lanes_in_all)", "[16,897](claim:lanes_in_all)"),
        ("[33,792 threads](claim:twice_that)", "[33,792](claim:twice_that)"),
        ("[16,896](claim:add.lanes_here)", "[2,560](claim:add.lanes_here)"),
        # Facts and device are those of the GPU that is spoken of.
        (
            '[2,560](claim:add.on["nvidia-t4"].lanes_here)',
            '[5,120](claim:add.on["NVIDIA T4"].lanes_here)',
        ),
        (
            '[40](claim:add.on["NVIDIA T4"].device.sm_count)',
            '[132](claim:add.on["NVIDIA T4"].device.sm_count)',
        ),
        # A record by its name, and two records in one expression.
        (
            '[2.0×](claim:add.records["run-2026-12-01"].gain)',
            '[1.2×](claim:add.records["run-2026-12-01"].gain)',
        ),
        (
            '[1.2×](claim:add.records["run-2026-12-02"].gain)',
            '[2.0×](claim:add.records["run-2026-12-02"].gain)',
        ),
        (
            '[1.6×](claim:add.records["run-2026-12-01"].gain / add.records["run-2026-12-02"].gain)',
            '[1.5×](claim:add.records["run-2026-12-01"].gain / add.records["run-2026-12-02"].gain)',
        ),
        # Two devices in one: their bands meet, process by process they do not.
        (
            (
                '[the same on both](claim:same(add.on["nvidia-t4"].gain, mul.time["large", "narrow"] '
                '/ mul.time["large", "wide"]))'
            ),
            '[slower there](claim:add.on["nvidia-t4"].gain < add.records["run-2026-12-02"].gain)',
        ),
        ("[128](given:lanes)", "[64](given:lanes)"),
        ("[4.8 TB/s](given:peak)", "[4.9 TB/s](given:peak)"),
    ],
)
def test_forms(course: Course, holds: str, fails: str) -> None:
    assert list(map(str, judge(course, holds))) == []
    assert [f.kind for f in judge(course, fails)] != []


@pytest.mark.parametrize(
    ("text", "true", "advice"),
    [
        ("[1](claim:fster)", "no program or quantity `fster`", "`faster`"),
        ('[1](claim:add.on["nvidia-t5"].gain)', "of the GPU `nvidia-t5`", "`nvidia-t4`"),
        ("[1](claim:add.on.gain)", "chosen by a key", '["…"]'),
        ('[1](claim:add.records["run-2026-12-03"].gain)', "run-2026-12-03", "`run-2026-12-02`"),
        (
            "[70 W](given:elsewhere)",
            "no value for `NVIDIA H200`, only for `NVIDIA T4`",
            '[elsewhere.gpu."NVIDIA H200"]',
        ),
        (
            '[70 W](claim:given["elsewhere"])',
            "no value for `NVIDIA H200`",
            '[elsewhere.gpu."NVIDIA H200"]',
        ),
        ('[70 W](claim:given["elsewere"])', "no `elsewere`", "`elsewhere`"),
    ],
)
def test_what_is_not_there(course: Course, text: str, true: str, advice: str) -> None:
    (finding,) = judge(course, text)
    assert finding.kind is Kind.EXPRESSION
    assert true in finding.true
    assert advice in finding.advice


def test_other_devices_facts_stay_theirs(course: Course) -> None:
    """A fact that only another GPU has serves expressions about that GPU."""
    facts = {"lanes": course.facts["elsewhere"]}
    moved = replace(course, facts=facts)
    assert judge(moved, '[2,800 W](claim:add.on["NVIDIA T4"].lanes_here)') == []
    (finding,) = judge(moved, "[2,800 W](claim:add.lanes_here)")
    assert "no value for `NVIDIA H200`" in finding.true


def test_stale_records_are_not_spoken_of(course: Course) -> None:
    program = replace(course.programs["add"], code_digest="0" * 64)
    root = course.root
    text = (root / "snippets/add/add.cu").read_text()
    (root / "snippets/add/add.cu").write_text(text.replace("i < n", "i <= n"))
    try:
        changed = load_course(root)
    finally:
        (root / "snippets/add/add.cu").write_text(text)
    assert program.code_digest != changed.programs["add"].code_digest
    for name in ('on["nvidia-t4"]', 'records["run-2026-12-01"]'):
        (finding,) = judge(changed, f"[2.0×](claim:add.{name}.gain)")
        assert "are stale" in finding.true
        assert "measure again" in finding.advice


def quantities(tmp_path: Path, text: str, own: str = "") -> Iterator[Finding]:
    root = make(tmp_path, FACTS.partition("[quantities]")[0] + text, DECLARATION + own)
    course = load_course(root)
    yield from course.findings
    yield from check_quantities(course)


BEFORE = FACTS.partition("[quantities]")[0].count("\n")


@pytest.mark.parametrize(
    ("text", "place", "true", "advice"),
    [
        ("a = 'b + 1'\nb = '2 * a'", ":2:6", "circle: a → b → a", "break the circle"),
        ("a = 'a'", ":2:6", "circle: a → a", "break"),
        ("a = '1 + nothing'", ":2:10", "no program or quantity `nothing`", "known:"),
        ("a = '1 + fastr'\nfaster = '1'", ":2:10", "`fastr`", "`faster`"),
        ("a = '''add.tme[:]'''", ":2:8", "`add` has no `tme`", "`time`"),
        ('a = "1 / 0"', ":2:6", "division by zero", "divisor"),
        ("a = '(1'", ":2:6", "the bracket `(` is not closed", "with `)`"),
        (
            'a = { expression = \'add.time["large", "wide"]\', unit = "GB" }',
            ":2:56",
            "a number in s, declared in GB",
            'unit = "s"',
        ),
        (
            "a = { expression = '1', unit = \"parsec\" }",
            ":2:32",
            "unknown unit `parsec`",
            "did you mean",
        ),
        ("add = '1'", ":2:1", "`add` is a program", "rename"),
        ("min = '1'", ":2:1", "`min` is a function", "rename"),
        ("given = '1'", ":2:1", "cited facts", "rename"),
        ("A = '1'", ":2:1", "small letters", "rename"),
        ("a = 1", ":2:5", "no expression", "expression ="),
    ],
)
def test_wrong_quantities(tmp_path: Path, text: str, place: str, true: str, advice: str) -> None:
    findings = list(quantities(tmp_path, "[quantities]\n" + text))
    assert len(findings) == 1, list(map(str, findings))
    (finding,) = findings
    _, line, column = place.split(":")
    assert str(finding.place) == f"snippets/quantities.toml:{BEFORE + int(line)}:{column}"
    assert true in finding.true
    assert advice in finding.advice


def test_one_wrong_quantity_is_told_once(tmp_path: Path) -> None:
    text = "[quantities]\na = 'add.q'\nb = 'a + mul.source.kBlock'\n"
    own = "\n[quantities]\nq = 'time[\"large\", \"wide\"] + 1'\nr = 'q * 2'\n"
    (finding,) = quantities(tmp_path, text, own)
    assert finding.place.path == "snippets/add/program.toml"
    assert "`+` joins a number in s and a bare number" in finding.true
    assert "quantity `add.q`" in finding.true


def test_a_circle_over_programs_is_told(tmp_path: Path) -> None:
    own = "\n[quantities]\nq = 'outer + 1'\n"
    (finding,) = quantities(tmp_path, "[quantities]\nouter = 'add.q'\n", own)
    assert "add.q → outer → add.q" in finding.true


def test_an_unused_quantity_is_told(course: Course) -> None:
    scan = scan_page("[2.00×](claim:faster)", "docs/page.md")
    unused = [f for f in check_unused(course, [scan]) if "quantity" in f.stated]
    assert [f.stated for f in unused] == ["quantity `twice_that`"]
    assert "claim:twice_that" in unused[0].advice


@pytest.mark.parametrize(
    ("facts", "true", "advice"),
    [
        (
            '[lanes]\nunit = ""\nsource = "x"\ndate = 2026-11-01\n[lanes.gpu]\n',
            "it names no GPU",
            '[lanes.gpu."NVIDIA H200"]',
        ),
        (
            (
                '[lanes]\nunit = ""\nsource = "x"\ndate = 2026-11-01\n'
                '[lanes.gpu."NVIDIA H200"]\nvalue = "128"\n'
            ),
            "it has no `quote`",
            "add `quote`",
        ),
        (
            (
                '[lanes]\nunit = ""\nsource = "x"\ndate = 2026-11-01\nquote = "128 lanes"\n'
                '[lanes.gpu."NVIDIA H200"]\nvalue = "127"\n'
            ),
            "the quote does not hold the value `127`",
            "as the source prints it",
        ),
        (
            (
                '[lanes]\ndate = 2026-11-01\n[lanes.gpu."NVIDIA H200"]\nvalue = "1"\nunit = "lamp"\n'
                'source = "x"\nquote = "1 lamp"\nvalu = 1\n'
            ),
            "no such key",
            "`value`",
        ),
    ],
)
def test_wrong_facts_of_one_gpu(tmp_path: Path, facts: str, true: str, advice: str) -> None:
    (tmp_path / "snippets").mkdir()
    (tmp_path / "snippets" / "quantities.toml").write_text(facts)
    (tmp_path / "course.toml").write_text("[course]\n")
    findings = load_course(tmp_path).findings
    found = [f for f in findings if true in f.true]
    assert found, list(map(str, findings))
    assert found[0].place.path == "snippets/quantities.toml"
    assert advice in found[0].advice
