"""Is the reader's check in a record still that of the check and the regions?"""

from pathlib import Path

import msgspec
import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.model import ReaderCheck
from build_tools.evidence.reader import compute_reader_digest
from build_tools.evidence.record import decode_record, encode_record, seal_record
from tests.course_factory import load_program
from tests.evidence.conftest import ReadShelf

JSON = "evidence/add/nvidia-h200/run-2026-12-01.json"
CHECK = "snippets/add/check.py"


def change_check(course: Path, **fields: object) -> ReaderCheck:
    """Another verdict in the record, sealed as if it had been so from the start."""
    record, _ = decode_record((course / JSON).read_text(), JSON)
    assert record is not None
    assert record.reader_check is not None
    check = msgspec.structs.replace(record.reader_check, **fields)
    changed = msgspec.structs.replace(record, reader_check=check)
    (course / JSON).write_text(encode_record(seal_record(changed)))
    return check


def read_one(shelf_of: ReadShelf) -> Finding:
    (finding,) = shelf_of()[1]
    return finding


def test_a_changed_check_makes_the_verdict_stale(course: Path, shelf_of: ReadShelf) -> None:
    (course / CHECK).write_text((course / CHECK).read_text() + "# stricter\n")
    finding = read_one(shelf_of)
    assert finding.kind is Kind.STALE
    assert finding.place.path == CHECK
    assert "course run --parts check add" in finding.advice


def test_a_changed_need_makes_the_verdict_stale(course: Path, shelf_of: ReadShelf) -> None:
    toml = course / "snippets/add/program.toml"
    toml.write_text(toml.read_text().replace('needs = ["block"]', "needs = []"))
    assert read_one(shelf_of).kind is Kind.STALE


def test_moving_a_region_or_its_comments_changes_nothing(course: Path, shelf_of: ReadShelf) -> None:
    source = course / "snippets/add/add.cu"
    text = source.read_text()
    before = compute_reader_digest(course, load_program(course, "add"))
    source.write_text(text.replace("    if (i < n)", "    // in range?\n\n    if (i < n)"))
    assert compute_reader_digest(course, load_program(course, "add")) == before
    source.write_text(text.replace("    if (i < n)", "    if (i <= n)"))
    assert compute_reader_digest(course, load_program(course, "add")) != before
    assert not [f for f in shelf_of()[1] if f.kind is Kind.CHECK]


@pytest.mark.parametrize(
    ("text", "line", "true"),
    [
        ("x = 1\n", 1, "does not say in REGIONS"),
        ("\nREGIONS = make()\n", 2, "does not say in REGIONS"),
        ('\nREGIONS = ("add-kernel", "sub")\n', 2, "no such region"),
        ("def check(:\n", 1, "cannot be read"),
        (f"REGIONS = {'-' * 5_000}1\n", 1, "nests deeper than can be read"),
        (f"REGIONS = {'(' * 5_000}\n", 1, "be read"),
    ],
)
def test_a_check_that_names_its_regions_badly(
    course: Path, shelf_of: ReadShelf, text: str, line: int, true: str
) -> None:
    (course / CHECK).write_text(text)
    finding = read_one(shelf_of)
    assert finding.kind is Kind.CHECK
    assert (finding.place.path, finding.place.line) == (CHECK, line)
    assert true in finding.true
    assert finding.advice


def test_a_kernel_that_no_check_covers(course: Path, shelf_of: ReadShelf) -> None:
    (course / CHECK).write_text("REGIONS: tuple[str, ...] = ()\n")
    finding = read_one(shelf_of)
    assert str(finding.place) == "snippets/add/add.cu:19:1"
    assert "`add-kernel` holds a kernel" in finding.stated
    assert 'kind = "host"' in finding.advice


def test_a_program_without_a_check(course: Path, shelf_of: ReadShelf) -> None:
    (course / CHECK).unlink()
    finding = read_one(shelf_of)
    assert finding.kind is Kind.CHECK
    assert "nobody has tried them" in finding.true


def test_a_check_that_could_not_be_made_is_never_green(course: Path, shelf_of: ReadShelf) -> None:
    change_check(course, could_not_check="no module named cupy", passed=False, regions=())
    finding = read_one(shelf_of)
    assert not finding.checked
    assert finding.true == "no module named cupy"
    assert finding.place.path == JSON


def test_a_failed_check_and_a_need_that_is_none(course: Path, shelf_of: ReadShelf) -> None:
    check = change_check(course)
    failed = msgspec.structs.replace(check.regions[0], passed=False, said="element 3 differs")
    change_check(course, regions=(failed,), passed=False)
    finding = read_one(shelf_of)
    assert finding.true == "element 3 differs"
    idle = msgspec.structs.replace(check.regions[0], needs_shown_necessary={"block": ""})
    change_check(course, regions=(idle,), passed=False)
    finding = read_one(shelf_of)
    assert "needs `block`" in finding.stated
    change_check(course, regions=(), passed=True)
    assert "no verdict" in read_one(shelf_of).true
    change_check(course, regions=check.regions, passed=False)
    assert "did not pass" in read_one(shelf_of).true


@pytest.mark.parametrize(
    ("left", "true", "advice"),
    [
        ("nothing", "it accepts a kernel that writes nothing", "fill the output with NaN"),
        ("zeros", "it accepts a kernel that leaves zeros", "whose result is not zero"),
        ("NaN", "it accepts a kernel that leaves NaN", "a NaN is in no order"),
    ],
)
def test_a_check_that_accepts_unwritten_outputs(
    course: Path, shelf_of: ReadShelf, left: str, true: str, advice: str
) -> None:
    check = change_check(course)
    lax = tuple(msgspec.structs.replace(v, rejects={left: ""}) for v in check.regions)
    change_check(course, regions=lax, passed=False)
    finding = read_one(shelf_of)
    assert (finding.kind, finding.place.path) == (Kind.CHECK, JSON)
    assert finding.stated == "check.py rejects a wrong result of `add-kernel`"
    assert finding.true == true
    assert advice in finding.advice
    line = (course / JSON).read_text().split("\n")[finding.place.line - 1]
    assert line[finding.place.column - 1] == "{"
