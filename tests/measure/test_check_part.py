"""Is the reader's check made again alone, and does it then count in the record's place?"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from build_tools.claims.course import load_course
from build_tools.claims.names import read_check_names
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.part_model import Check, PartKind
from build_tools.evidence.record import decode_record, encode_record, seal_record
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.campaign import choose_wanted, measure_wanted
from build_tools.measure.ground import Extent, Ground, Repeats, Want
from build_tools.quantity.value import Truth
from build_tools.source.settings import read_settings
from tests.course_factory import DEVICE, load_program, make_example

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose check.py was changed, and then tried again alone."""
    root = tmp_path_factory.mktemp("checked")
    make_example(root)
    change(root)
    ground = Ground(root, read_settings(root)[0], DEVICE, None, lambda _: None)
    want = Want(load_program(root, "add"), False, (PartKind.CHECK,))
    assert not measure_wanted(ground, [want], Repeats(1, 1))
    return root


@pytest.fixture
def course(checked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(checked, tmp_path / "course"))


def change(root: Path, more: str = "# One more word.\n") -> None:
    target = root / "snippets/add/check.py"
    target.write_text(target.read_text() + more)


def read(root: Path) -> tuple[Shelf, list[Finding]]:
    return read_shelf(root, load_program(root, "add"), read_settings(root)[0])


def choose(root: Path, extent: Extent) -> Want:
    program, settings = load_program(root, "add"), read_settings(root)[0]
    want, findings = choose_wanted(root, program, settings, lambda _: None, extent, stamp=False)
    assert not findings
    return want


def test_a_changed_check_wants_the_check_alone(tmp_path: Path) -> None:
    make_example(tmp_path)
    assert choose(tmp_path, Extent()).kinds == ()
    change(tmp_path)
    (finding,) = read(tmp_path)[1]
    assert (finding.kind, finding.place.path) == (Kind.STALE, "snippets/add/check.py")
    want = choose(tmp_path, Extent())
    assert (want.run, want.kinds) == (False, (PartKind.CHECK,))
    want = choose(tmp_path, Extent(parts=frozenset({"counters"})))
    assert (want.run, want.kinds) == (False, ())


def test_a_check_never_tried_on_unwritten_outputs_is_made_again(tmp_path: Path) -> None:
    """It is read as it was meant when it was made, and the next run makes another."""
    make_example(tmp_path)
    path = next((tmp_path / "evidence/add/nvidia-h200").glob("run-*.json"))
    record, _ = decode_record(path.read_text(), path.name)
    assert record is not None
    assert record.reader_check is not None
    early = tuple(
        msgspec.structs.replace(verdict, rejects=msgspec.UNSET)
        for verdict in record.reader_check.regions
    )
    check = msgspec.structs.replace(record.reader_check, regions=early)
    path.write_text(encode_record(seal_record(msgspec.structs.replace(record, reader_check=check))))
    assert not read(tmp_path)[1]
    want = choose(tmp_path, Extent())
    assert (want.run, want.kinds) == (False, (PartKind.CHECK,))


def test_the_check_made_again_counts_in_the_records_place(checked: Path) -> None:
    shelf, findings = read(checked)
    assert not findings, "\n".join(map(str, findings))
    (part,) = shelf.parts
    assert isinstance(part.part, Check)
    assert part.part.check is not None
    assert part.part.check.regions[0].passed
    shown = shelf.shown_record
    assert shown is not None
    assert shown.reader_check == part.part.check != shown.record.reader_check
    passed = read_check_names(shown)["passed"]
    assert isinstance(passed, Truth)
    assert passed.value is True
    assert choose(checked, Extent()).kinds == ()
    assert not load_course(checked).findings


def test_it_is_stale_when_the_check_changes_once_more(course: Path) -> None:
    change(course)
    (finding,) = read(course)[1]
    assert finding.kind is Kind.STALE
    assert choose(course, Extent()).kinds == (PartKind.CHECK,)


def test_an_edited_verdict_is_named_by_its_seal(course: Path) -> None:
    path = next((course / "evidence/add/nvidia-h200").glob("check-*.json"))
    path.write_text(path.read_text().replace("agrees for seed", "agrees for all seeds"))
    shelf, findings = read(course)
    assert any("`check` as it stands" in f.stated for f in findings)
    assert not shelf.parts  # nothing rests on it, so the record's own check is stale again
    assert any(f.place.path == "snippets/add/check.py" for f in findings)


def test_a_check_that_fails_is_not_kept(course: Path) -> None:
    change(course, "\n\ndef check(region, source, seed):\n    raise AssertionError('it differs')\n")
    ground = Ground(course, read_settings(course)[0], DEVICE, None, lambda _: None)
    before = sorted((course / "evidence/add/nvidia-h200").iterdir())
    want = Want(load_program(course, "add"), False, (PartKind.CHECK,))
    findings = measure_wanted(ground, [want], Repeats(1, 1))
    assert findings[0].true == "it differs"
    assert sorted((course / "evidence/add/nvidia-h200").iterdir()) == before


def test_a_changed_program_wants_everything_but_the_check_alone(course: Path) -> None:
    source = course / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("i < n", "i <= n"))
    want = choose(course, Extent())
    assert (want.run, want.kinds) == (True, ())
