"""Pages against records: what agrees, and every kind of finding with its place and advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.check import check_course, judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import ProofKind
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind, compute_exit_status
from build_tools.source.find_root import NoCourseError, find_root
from tests.course_factory import DECLARATION, PROGRAM, make_course, make_example, make_transcripts

FACTS = """\
[peak]
value = "4.8"
unit = "TB/s"
source = "https://example.org/datasheet"
quote = "4.8 TB/s of memory bandwidth"
date = 2026-11-01
"""

SHOWN = "\n\n/// snippet | add#add-kernel\n///\n"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    (root / "snippets" / "quantities.toml").write_text(FACTS)
    return root


def check_text(root: Path, text: str) -> list[Finding]:
    page = root / "docs" / "page.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(text + SHOWN + "\n[4.8 TB/s](given:peak)\n")
    return check_course(load_course(root))


@pytest.mark.parametrize(
    "text",
    [
        '[0.63 ms](claim:add.time["large", "wide"])',
        '[626 µs](claim:add.time["large", "wide"])',
        '[2.05×](claim:add.speedup["large"])',
        '[2.1x](claim:add.speedup["large"])',
        "[1.5–2.1×](claim:add.speedup[:])",
        "[wide is faster](claim:all(add.speedup[:] > 1))",
        "[256](claim:add.source.kBlock)",
        "[132](claim:add.device.sm_count)",
        "[60 MiB](claim:add.device.l2_bytes)",
        "[NVIDIA H200](claim:add.device.model)",
        '[12](claim:add.compiler["add"].registers)',
        '[0 bytes](claim:add.compiler["add"].spill_bytes)',
        '[small](claim:add.case["small"])',
        "[2](claim:len(add.case[:]))",
        "[the check passed](claim:add.check.passed)",
        "[4.8 TB/s](given:peak)",
        "[5](stated:)",
        "[16 x 16](stated:)",
        '[4.8 TB/s](claim:given["peak"])',
    ],
)
def test_what_agrees(example: Path, text: str) -> None:
    assert check_text(example, f"It is {text}.") == []


@pytest.mark.parametrize(
    ("text", "kind", "column", "true", "advice"),
    [
        ('[2.15×](claim:add.speedup["large"])', Kind.DRIFT, 7, "2.05", "write `2.0"),
        ('[2.0526×](claim:add.speedup["large"])', Kind.DRIFT, 7, "does not round", "write"),
        ('[5](claim:add.time["large", "wide"])', Kind.UNIT, 7, "in s", "with its unit"),
        ('[5 GB](claim:add.time["large", "wide"])', Kind.UNIT, 7, "`GB`", "with its unit"),
        ("[60 MB](claim:add.device.l2_bytes)", Kind.DRIFT, 7, "would agree", "write `60 MiB`"),
        ("[fast](claim:add.source.kBlock)", Kind.UNREADABLE, 7, "not start with a number", "one"),
        ("[256 of it](claim:add.source.kBlock)", Kind.UNREADABLE, 7, "something else", "only"),
        ("[3](claim:add.source.kBlock > 1)", Kind.TYPE, 7, "statement", "bind the number"),
        ("[all 7 win](claim:add.source.kBlock > 1)", Kind.TYPE, 7, "holds the number `7`", "own"),
        ("[slow](claim:all(add.speedup[:] < 1))", Kind.FALSE, 7, "is false", "sentence"),
        ("[x](claim:add.source.kBlok)", Kind.EXPRESSION, 17, "no `kBlok`", "`kBlock`"),
        ("[x](claim:ad.time)", Kind.EXPRESSION, 17, "no program or quantity `ad`", "`add`"),
        ('[x](claim:add.time["larg", "wide"])', Kind.EXPRESSION, 17, 'no case "larg"', "`large`"),
        ('[x](claim:add.time["large"])', Kind.EXPRESSION, 17, "2 are needed", "<case>, <kernel>"),
        (
            "[x](claim:add.counters.x)",
            Kind.EXPRESSION,
            17,
            "asks for no counters",
            "declare them in snippets/add/program.toml",
        ),
        ("[5 TB/s](given:peek)", Kind.EXPRESSION, 22, "no fact `peek`", "`peak`"),
        ("[4.9 TB/s](given:peak)", Kind.DRIFT, 7, "4.8 TB/s", "write `4.8 TB/s`"),
        ("[5 ms](stated:)", Kind.TYPE, 7, "measurement, not a choice", "`claim:`"),
        ("about [256](claim:add.source.kBlock)", Kind.HEDGE, 7, "outside the link", "[about 256]"),
        ("more than\n[256](claim:add.source.kBlock)", Kind.HEDGE, 1, "outside", "[more than 255]"),
        ("5 ms", Kind.UNBOUND, 7, "bound to nothing", "`[5 ms](claim:…)`"),
        ("\n\n/// snippet | add#blok\n///\n", Kind.DIRECTIVE, 1, "no region `blok`", "`block`"),
        ("\n\n/// snippet | ad#block\n///\n", Kind.DIRECTIVE, 1, "no program `ad`", "`add`"),
        ("\n\n/// snippet | add\n///\n", Kind.DIRECTIVE, 1, "names no region", "add#region"),
        ("\n\n/// table | add\n    table: x\n///\n", Kind.DIRECTIVE, 1, "no table `x`", "timings"),
        (
            "\n\n/// table | add\n    columns: x\n///\n",
            Kind.DIRECTIVE,
            1,
            "no column `x`",
            "`time`",
        ),
        ("\n\n/// snippet | add#block\n    dedent: no\n///\n", Kind.DIRECTIVE, 1, "`no`", "true"),
    ],
)
def test_what_disagrees(
    example: Path, text: str, kind: Kind, column: int, true: str, advice: str
) -> None:
    findings = check_text(example, f"It is {text}")
    assert [f.kind for f in findings] == [kind]
    finding = findings[0]
    assert finding.place.path == "docs/page.md"
    assert finding.place.column == column
    assert true in finding.true
    assert advice in finding.advice


def test_all_findings_come_together(example: Path) -> None:
    findings = check_text(example, '5 ms, [3×](claim:add.speedup["large"]), [x](claim:nope)')
    assert {f.kind for f in findings} == {Kind.UNBOUND, Kind.DRIFT, Kind.EXPRESSION}
    assert compute_exit_status(findings) == 1


def test_what_no_page_shows_or_cites(tmp_path: Path) -> None:
    make_example(tmp_path)
    (tmp_path / "snippets" / "quantities.toml").write_text(FACTS)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("Nothing here.\n")
    found = {(f.place.path, f.place.line, f.stated) for f in check_course(load_course(tmp_path))}
    assert found == {
        ("snippets/add/add.cu", 15, "region `block`"),
        ("snippets/add/add.cu", 19, "region `add-kernel`"),
        ("snippets/quantities.toml", 1, "fact `peak`"),
    }


def test_three_processes_judge_nothing(tmp_path: Path) -> None:
    make_example(tmp_path, processes=3)
    findings = check_text(tmp_path, '[2.05×](claim:add.speedup["large"])')
    thin = [f for f in findings if f.kind is Kind.RECORD and f.place.path == "docs/page.md"]
    assert len(thin) == 1
    assert "3 processes" in thin[0].true
    assert "--repeats 10" in thin[0].advice
    assert compute_exit_status(findings) == 2


def test_claims_on_a_stale_record_are_told_once_a_page(tmp_path: Path) -> None:
    make_example(tmp_path)
    source = tmp_path / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("a[i] + b[i]", "a[i] - b[i]"))
    findings = check_text(
        tmp_path, '[2.05×](claim:add.speedup["large"]) [0.63 ms](claim:add.time["large", "wide"])'
    )
    stale = [f for f in findings if f.kind is Kind.STALE]
    assert {f.place.path for f in stale} == {"docs/page.md", "snippets/add/add.cu"}
    (page,) = [f for f in stale if f.place.path == "docs/page.md"]
    assert "1 more claim" in page.stated
    assert "course run add" in page.advice
    assert compute_exit_status(findings) == 1


def test_no_evidence_folder(tmp_path: Path) -> None:
    make_course(tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION})
    findings = check_text(tmp_path, '[2.05×](claim:add.speedup["large"])')
    missing = [f for f in findings if f.kind is Kind.MISSING]
    assert {f.place.path for f in missing} == {"docs/page.md", "snippets/add/add.cu"}


def test_quantities_are_checked_in_their_own_place(tmp_path: Path) -> None:
    declaration = DECLARATION + (
        '\n[quantities]\ngood = \'speedup["large"] * 2\'\nloop = "pool + 1"\npool = "loop"\n'
        'bad = "speedup[:] + time[:]"\nbits = { expression = "kBlock", unit = "B" }\n'
        'size = { expression = "source.kBlock * 4", unit = "B" }\n'
    )
    make_course(
        tmp_path,
        {"add": PROGRAM.format(name="add")},
        {"add": declaration},
        {"add": make_transcripts()},
    )
    findings = [
        f
        for f in check_text(tmp_path, "[1 KiB](claim:add.size)")
        if f.kind is Kind.EXPRESSION and f.place.path != "docs/page.md"
    ]
    lines = declaration.splitlines()
    by_line = {lines[f.place.line - 1].split(" =")[0]: f for f in findings}
    assert set(by_line) == {"loop", "bad", "bits"}
    assert "circle" in by_line["loop"].true
    assert all(f.place.path == "snippets/add/program.toml" for f in findings)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"fine\nnot \xff fine\n", "docs/bad.md:2:5"),
        ("\ufeffé\r\nöö ".encode() + b"\xff\n", "docs/bad.md:2:4"),
        (b"\xff", "docs/bad.md:1:1"),
        (b"a\rbc\xff", "docs/bad.md:2:3"),
    ],
)
def test_a_page_that_is_not_utf8(example: Path, data: bytes, place: str) -> None:
    page = example / "docs" / "bad.md"
    page.parent.mkdir(exist_ok=True)
    page.write_bytes(data)
    try:
        findings = check_course(load_course(example), ["docs/bad.md"])
    finally:
        page.unlink()
    (finding,) = findings
    assert finding.kind is Kind.ENCODING
    assert str(finding.place) == place
    assert not finding.checked


def test_a_page_that_is_not_there(example: Path) -> None:
    (finding,) = check_course(load_course(example), ["docs/none.md"])
    assert finding.kind is Kind.PAGE
    assert not finding.checked


def test_proofs(example: Path) -> None:
    course = load_course(example)
    text = (
        '[2.05×](claim:add.speedup["large"]) [256](claim:add.source.kBlock) '
        "[4.8 TB/s](given:peak) [5](stated:)"
    )
    proofs = [verdict.proof for verdict in judge_scan(course, scan_page(text, "docs/a.md"))]
    assert [p.kind for p in proofs if p] == [
        ProofKind.MEASURED,
        ProofKind.EXACT,
        ProofKind.CITED,
        ProofKind.STATED,
    ]
    measured = proofs[0]
    assert measured is not None
    assert measured.device == "NVIDIA H200"
    assert measured.processes == 10
    assert measured.date == "2026-12-01"
    assert measured.record == "evidence/add/nvidia-h200/run-2026-12-01"
    assert " to " in measured.band
    cited = proofs[2]
    assert cited is not None
    assert cited.source == "https://example.org/datasheet"


def test_a_pattern_that_is_none(tmp_path: Path) -> None:
    make_example(tmp_path)
    settings = tmp_path / "course.toml"
    settings.write_text(settings.read_text() + 'patterns_off = ["yeer"]\n')
    findings = [f for f in check_text(tmp_path, "Text.") if f.kind is Kind.SETTINGS]
    assert [f.place.path for f in findings] == ["course.toml"]
    assert "`year`" in findings[0].advice


def test_root_is_found_upwards(example: Path, tmp_path: Path) -> None:
    assert find_root(example / "docs") == example.resolve()
    with pytest.raises(NoCourseError, match="--root"):
        find_root(tmp_path)
