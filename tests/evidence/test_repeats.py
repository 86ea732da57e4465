"""A session is evidence once: a copy of it under another name is refused, in the tree and on the way."""

import hashlib
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from build_tools.diagnostics.finding import Kind
from build_tools.evidence.model import File
from build_tools.evidence.record import decode_record, encode_record, seal_record
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bundle import record_bundle, write_bundle
from build_tools.source.settings import read_settings
from tests.course_factory import PROGRAM, load_program, make_course
from tests.evidence.conftest import ReadShelf

FOLDER = "evidence/add/nvidia-h200"
COPY = f"{FOLDER}/run-2026-12-02"


def copy_session(root: Path, changed: int = 0) -> None:
    """The example's record once more, a day later and under its own seals.

    ``changed`` of its transcripts say something else behind their last line.
    """
    first = f"{FOLDER}/run-2026-12-01"
    text = (root / f"{first}.json").read_text().replace("run-2026-12-01", "run-2026-12-02")
    text = text.replace('"started": "2026-12-01', '"started": "2026-12-02')
    shutil.copytree(root / first, root / COPY)
    shutil.copy(root / f"{first}.txt", root / f"{COPY}.txt")
    record, findings = decode_record(re.sub(r'"seals": \{[^}]*\}', '"seals": {}', text), "x")
    assert record is not None, findings
    processes = list(record.processes)
    for index in range(changed):
        path = processes[index].stdout.path
        data = (root / path).read_bytes() + b"\n"
        (root / path).write_bytes(data)
        lines = tuple(hashlib.sha256(line).hexdigest()[:8] for line in data.split(b"\n"))
        file = File(path=path, sha256=hashlib.sha256(data).hexdigest(), line_digests=lines)
        processes[index] = msgspec.structs.replace(processes[index], stdout=file)
    record = msgspec.structs.replace(record, processes=tuple(processes))
    (root / f"{COPY}.json").write_text(encode_record(seal_record(record)))


@pytest.mark.parametrize("changed", [0, 4])
def test_a_copied_session_is_refused(course: Path, shelf_of: ReadShelf, changed: int) -> None:
    copy_session(course, changed)
    shelf, findings = shelf_of()
    (finding,) = findings
    assert [record.path for record in shelf.records] == [f"{FOLDER}/run-2026-12-01.json"]
    assert (finding.kind, finding.place.path) == (Kind.RECORD, f"{COPY}.json")
    line = (course / finding.place.path).read_text().splitlines()[finding.place.line - 1]
    assert '"processes"' in line
    assert "they printed what those of" in finding.true
    assert finding.true.endswith("digit by digit: it is the same session")
    assert finding.advice == f"remove {COPY}.* and its folder; a session is evidence once"


def test_a_copied_session_is_refused_on_its_way(course: Path, tmp_path: Path) -> None:
    whole = Path(shutil.copytree(course, tmp_path / "whole"))
    copy_session(whole)
    paths = [f"{COPY}.json", f"{COPY}.txt"]
    paths += [f"{COPY}/{path.name}" for path in (whole / COPY).iterdir()]
    bundle = tmp_path / "bundle.tgz"
    bundle.write_bytes(write_bundle({path: (whole / path).read_bytes() for path in paths}))
    (finding,) = record_bundle(course, bundle)
    assert finding.place.path == f"{COPY}.json"
    assert f"those of {FOLDER}/run-2026-12-01.json did" in finding.true
    assert not (course / f"{COPY}.json").exists()


def test_another_session_of_mostly_other_digits_counts(course: Path, shelf_of: ReadShelf) -> None:
    copy_session(course, changed=6)
    assert [record.path for record in shelf_of()[0].records] == [
        f"{COPY}.json",
        f"{FOLDER}/run-2026-12-01.json",
    ]


def test_a_program_that_always_prints_the_same_repeats_nothing(tmp_path: Path) -> None:
    programs = {"add": PROGRAM.format(name="add")}
    make_course(tmp_path, programs, transcripts={"add": ["done\n"] * 10})
    copy_session(tmp_path)
    settings, _ = read_settings(tmp_path)
    shelf, _ = read_shelf(tmp_path, load_program(tmp_path, "add"), settings)
    assert len(shelf.records) == 2
