"""Do header and README say what the shown record says?"""

from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Kind
from build_tools.evidence.readme import MARKER, compose_readme, show_controls
from tests.course_factory import add_record, load_program, make_transcripts
from tests.evidence.conftest import ReadShelf

CU = "snippets/add/add.cu"
README = "snippets/add/README.md"


@pytest.mark.parametrize(
    ("old", "new", "line", "stated", "true"),
    [
        ("Verified 2026-12-01", "Verified 2026-12-02", 8, "`2026-12-02`", "`2026-12-01`"),
        ("an NVIDIA H200", "an NVIDIA H100", 8, "`NVIDIA H100`", "`NVIDIA H200`"),
        ("capability 9.0", "capability 8.9", 8, "`8.9`", "`9.0`"),
        ("driver 580.159.03", "driver 580.159.04", 9, "`580.159.04`", "`580.159.03`"),
        ("CUDA 13.0", "CUDA 13.1", 9, "`13.1`", "`13.0`"),
        ("V13.0.88", "V13.0.89", 9, "`V13.0.89`", "`V13.0.88`"),
        ("run-2026-12-01.txt", "run-2026-12-03.txt", 11, "12-03.txt`", "12-01.txt`"),
    ],
)
def test_each_word_of_the_verified_paragraph_is_checked(
    course: Path, shelf_of: ReadShelf, old: str, new: str, line: int, stated: str, true: str
) -> None:
    source = course / CU
    source.write_text(source.read_text().replace(old, new))
    (finding,) = shelf_of()[1]
    assert finding.kind is Kind.STAMP
    assert str(finding.place) == f"{CU}:{line}:4"
    assert stated in finding.stated
    assert true in finding.true
    assert "run-2026-12-01.json says" in finding.true
    assert "`course run add`" in finding.advice


def test_a_header_without_its_paragraph(course: Path, shelf_of: ReadShelf) -> None:
    source = course / CU
    lines = source.read_text().split("\n")
    source.write_text("\n".join(lines[:6] + lines[11:]))
    (finding,) = shelf_of()[1]
    assert finding.kind is Kind.STAMP
    assert str(finding.place) == f"{CU}:6:1"
    assert "without a Verified paragraph" in finding.stated


def test_the_stamp_must_be_on_the_newest_record(course: Path, shelf_of: ReadShelf) -> None:
    add_record(course, "add", make_transcripts(), started="2026-12-05T10:00:00Z", stamp=False)
    findings = shelf_of()[1]
    assert {f.kind for f in findings} == {Kind.STAMP}
    assert any("`2026-12-05`" in f.true for f in findings)


def test_an_edited_or_missing_readme(course: Path, shelf_of: ReadShelf) -> None:
    readme = course / README
    readme.write_text(readme.read_text().replace("./add", "./sub", 1))
    (finding,) = shelf_of()[1]
    assert finding.kind is Kind.STAMP
    line = readme.read_text().split("\n").index("./sub") + 1
    assert str(finding.place) == f"{README}:{line}:3"
    assert (finding.stated, "`./add`" in finding.true) == ("`./sub`", True)
    readme.unlink()
    (finding,) = shelf_of()[1]
    assert finding.stated == "no README.md beside the program"


def test_the_readme_says_what_where_when_and_links_that_lead_somewhere(
    course: Path, shelf_of: ReadShelf
) -> None:
    text = (course / README).read_text()
    assert text.startswith(MARKER)
    for words in (
        "Day 1: add two vectors.",
        "nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu\n./add",
        "large: wide is 2.0",
        "Recorded 2026-12-01 on an NVIDIA H200 (compute capability 9.0), driver 580.159.03",
        "of 10 processes",
    ):
        assert words in text
    for target in ("run-2026-12-01.txt", "run-2026-12-01.json"):
        link = f"(../../evidence/add/nvidia-h200/{target})"
        assert link in text
        assert (course / README).parent.joinpath(link.strip("()")).is_file()


def test_what_a_program_prints_stays_inside_its_fence(course: Path, shelf_of: ReadShelf) -> None:
    shown = shelf_of()[0].shown_record
    assert shown is not None
    program = load_program(course, "add")
    hostile = "```\n# not a heading\n<script>\x00\x1b[1m\x02wzxhzdk:0\x03\r\n````\n"
    text = compose_readme(program, shown.record, hostile)
    assert "`````text\n```\n# not a heading\n<script>␀␛[1m␂wzxhzdk:0␃␍\n````\n`````\n" in text


def test_control_bytes_are_shown() -> None:
    assert show_controls("a\tb\nc\x00\x1b\x7f") == "a\tb\nc␀␛␡"
