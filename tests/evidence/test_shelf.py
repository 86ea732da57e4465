"""Are records what was measured, and is every way in which they are not said with its place?"""

import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.model import File, Record
from build_tools.evidence.pool import select_pool
from build_tools.evidence.record import decode_record, describe_file, encode_record, seal_record
from build_tools.evidence.shelf import (
    describe_change,
    find_strays,
    list_identities,
    read_shelf,
)
from build_tools.source.settings import read_settings
from tests.course_factory import DEVICE, add_record, load_program, make_course, make_transcripts
from tests.evidence.conftest import ReadShelf

STEM = "evidence/add/nvidia-h200/run-2026-12-01"
JSON = f"{STEM}.json"
TRANSCRIPT = f"{STEM}.txt"


def edit(root: Path, path: str, old: str, new: str) -> None:
    target = root / path
    before = target.read_text()
    assert old in before
    target.write_text(before.replace(old, new, 1))


def load(root: Path, path: str = JSON) -> Record:
    record, findings = decode_record((root / path).read_text(), path)
    assert record is not None, findings
    return record


def forge(root: Path, record: Record) -> None:
    """Write a record back with seals that fit: what only the meaning can tell."""
    (root / JSON).write_text(encode_record(seal_record(record)))


def get_line(root: Path, finding: Finding) -> str:
    return (root / finding.place.path).read_text().split("\n")[finding.place.line - 1]


def test_a_whole_course_has_a_fresh_record_and_no_findings(shelf_of: ReadShelf) -> None:
    shelf, findings = shelf_of()
    assert not findings, "\n".join(map(str, findings))
    shown = shelf.shown_record
    assert shown is not None
    assert shown.identity == "run-2026-12-01"
    assert len(shown.transcripts) == 10
    assert shown.shown_text.startswith("51 samples")
    assert "ptxas" in shown.report_text
    time = shown.shown.measurements["time"].readings["large", "wide"]
    assert time.text == shown.shown_text.split("\n")[time.line - 1].split()[2]


def test_the_shown_run_is_the_one_nearest_to_the_medians(shelf_of: ReadShelf) -> None:
    shown = shelf_of()[0].shown_record
    assert shown is not None
    values = sorted(
        transcript.measurements["speedup"].readings["small",].value
        for transcript in shown.transcripts
    )
    value = shown.shown.measurements["speedup"].readings["small",].value
    assert values[3] <= value <= values[6]


# --- freshness


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("// Day 1: add two vectors.", "// Day 1: add two vectors!"),
        ("    if (i < n)", "    // the guard\n    if (i  <  n)"),
        ("// snippet: block\n", "\n// snippet: block\n"),
    ],
)
def test_comments_and_spacing_leave_a_record_fresh(
    course: Path, shelf_of: ReadShelf, old: str, new: str
) -> None:
    edit(course, "snippets/add/add.cu", old, new)
    shelf, findings = shelf_of()
    assert shelf.shown_record is not None
    assert {finding.kind for finding in findings} <= {Kind.STAMP}  # README quotes the header


def test_a_changed_token_makes_a_record_stale(course: Path, shelf_of: ReadShelf) -> None:
    edit(course, "snippets/add/add.cu", "i < n", "i <= n")
    shelf, (finding,) = shelf_of()
    assert shelf.shown_record is None
    assert len(shelf.records) == 1
    assert finding.kind is Kind.STALE
    assert str(finding.place) == "snippets/add/add.cu:8:4"
    assert "verified on 2026-12-01" in finding.stated
    assert "its code" in finding.true
    assert "on an NVIDIA H200: course run add" in finding.advice


def test_what_differs_is_said_where_it_is_known(course: Path, shelf_of: ReadShelf) -> None:
    edit(course, "snippets/add/add.cu", "-O3", "-O2")
    _, (finding,) = shelf_of()
    assert "its Build was `nvcc -std=c++17 -O3" in finding.true
    edit(
        course,
        "snippets/add/program.toml",
        "[regions",
        "[requires]\ncompute_capability = '8.0'\n[regions",
    )
    edit(course, "snippets/add/add.cu", "Run:   ./add", "Run:   ./add --n 5")
    _, (finding,) = shelf_of()
    assert "it now requires compute capability 8.0" in finding.true
    assert "its Run was `./add` and is `./add --n 5`" in finding.true


def test_what_a_measurement_adds_to_the_run_command_is_no_change_of_it() -> None:
    root = Path(__file__).parents[2]
    settings, _ = read_settings(root)
    told = set()
    for folder in sorted((root / "snippets").glob("*/")):
        program = load_program(root, folder.name)
        shelf, _ = read_shelf(root, program, settings)
        record = shelf.records[0].record
        told.add(record.processes[0].samples is not msgspec.UNSET)
        # Nothing differs that is known, so it must be the code.
        assert describe_change(record, program).startswith("its code"), program.name
        header = replace(program.header, run=f"./{program.name} --n 5")
        said = describe_change(record, replace(program, header=header))
        assert f"and is `./{program.name} --n 5`" in said
    assert True in told


def test_a_program_never_run_is_missing(tmp_path: Path) -> None:
    make_course(tmp_path, {"a": "// Build: nvcc -o a a.cu\n// Run: ./a\nint main() {}\n"})
    settings, _ = read_settings(tmp_path)
    shelf, (finding,) = read_shelf(tmp_path, load_program(tmp_path, "a"), settings)
    assert shelf.records == ()
    assert finding.kind is Kind.MISSING
    assert finding.place.path == "snippets/a/a.cu"
    assert "evidence/a/nvidia-h200 holds no record" in finding.true
    assert "course run a" in finding.advice


def test_a_course_without_a_reference_device_has_no_records(
    course: Path, shelf_of: ReadShelf
) -> None:
    edit(course, "course.toml", 'reference_gpu = "NVIDIA H200"\n', "")
    shelf, findings = shelf_of()
    assert shelf.records == ()
    assert findings == []  # the settings say so


# --- edits


def test_an_edited_line_of_a_transcript_is_named(course: Path, shelf_of: ReadShelf) -> None:
    edit(course, TRANSCRIPT, "0.6255", "0.6155")
    _, findings = shelf_of()
    (finding,) = [f for f in findings if f.kind is Kind.RECORD]
    assert finding.place.path == TRANSCRIPT
    assert "0.6155" in get_line(course, finding)
    assert "0.6155" in finding.stated
    assert "made for another line" in finding.true
    assert "course run add" in finding.advice


@pytest.mark.parametrize("name", ["process-03.stdout.txt", "process-03.stderr.txt", "build.txt"])
def test_a_line_less_in_any_side_file_is_named(
    course: Path, shelf_of: ReadShelf, name: str
) -> None:
    target = course / STEM / name
    lines = target.read_text().split("\n")
    target.write_text("\n".join(lines[:1] + lines[2:]))
    findings = [f for f in shelf_of()[1] if f.kind is Kind.RECORD]
    assert str(findings[0].place) == f"{STEM}/{name}:2:1"
    assert f"had {len(lines)} lines and now has {len(lines) - 1}" in findings[0].true


def test_a_value_edited_with_its_seal_is_caught_by_its_meaning(
    course: Path, shelf_of: ReadShelf
) -> None:
    record = load(course)
    first = record.measurements[0]
    samples = (first.samples[0] * 1.001, *first.samples[1:])
    forge(
        course,
        msgspec.structs.replace(
            record,
            measurements=(
                msgspec.structs.replace(first, samples=samples),
                *record.measurements[1:],
            ),
        ),
    )
    _, (finding,) = shelf_of()
    assert finding.place.path == JSON
    line = get_line(course, finding)
    assert line[finding.place.column - 1 :].startswith(repr(samples[0]))
    assert f"samples {samples[0]}" in finding.stated
    assert re.search(r"its transcript says `[\d.]+` in line \d+", finding.true)
    assert str(first.samples[0]) in finding.true


@pytest.mark.parametrize("field", ["median", "band_low", "band_high"])
def test_an_edited_summary_is_caught(course: Path, shelf_of: ReadShelf, field: str) -> None:
    record = load(course)
    first = record.measurements[2]
    changed = msgspec.structs.replace(first, **{field: getattr(first, field) * 1.0001})
    entries = (*record.measurements[:2], changed, *record.measurements[3:])
    forge(course, msgspec.structs.replace(record, measurements=entries))
    _, (finding,) = shelf_of()
    assert f'"{field}"' in get_line(course, finding)
    assert "the transcripts come to" in finding.true


def test_a_transcript_edited_with_its_digest_is_caught_by_its_meaning(
    course: Path, shelf_of: ReadShelf
) -> None:
    record = load(course)
    edit(course, TRANSCRIPT, "0.6255", "0.6155")
    data = (course / TRANSCRIPT).read_bytes()
    processes = list(record.processes)
    processes[record.shown] = msgspec.structs.replace(
        processes[record.shown], stdout=describe_file(TRANSCRIPT, data)
    )
    forge(course, msgspec.structs.replace(record, processes=tuple(processes)))
    findings = [f for f in shelf_of()[1] if f.kind is Kind.RECORD]
    assert findings
    assert any("its transcript says `0.6155`" in f.true for f in findings)
    assert any(f.place.path == JSON and "samples" in get_line(course, f) for f in findings)


def test_a_measurement_more_or_less_is_caught(course: Path, shelf_of: ReadShelf) -> None:
    record = load(course)
    forge(course, msgspec.structs.replace(record, measurements=record.measurements[1:]))
    _, (finding,) = shelf_of()
    assert "stands in the transcripts and not here" in finding.true
    extra = msgspec.structs.replace(record.measurements[0], keys=("huge", "narrow"))
    forge(course, msgspec.structs.replace(record, measurements=(extra, *record.measurements)))
    _, (finding,) = shelf_of()
    assert "huge" in finding.stated
    assert "the transcripts have no such value" in finding.true


def test_another_shown_run_is_caught(course: Path, shelf_of: ReadShelf) -> None:
    record = load(course)
    forge(course, msgspec.structs.replace(record, shown=(record.shown + 1) % 10))
    findings = [f for f in shelf_of()[1] if f.kind is Kind.RECORD]
    assert any("lies nearest to the medians" in f.true for f in findings)
    forge(course, msgspec.structs.replace(record, shown=17))
    findings = [f for f in shelf_of()[1] if f.kind is Kind.RECORD]
    assert any("the record has 10 processes" in f.true for f in findings)


def test_a_kernels_facts_are_read_from_the_report_again(course: Path, shelf_of: ReadShelf) -> None:
    record = load(course)
    kernels = {"add": msgspec.structs.replace(record.build.kernels["add"], registers=11)}
    build = msgspec.structs.replace(record.build, kernels=kernels)
    forge(course, msgspec.structs.replace(record, build=build))
    _, (finding,) = shelf_of()
    assert finding.stated == "kernel `add`: 11 registers"
    assert finding.true == "the compiler's report says 12 registers"
    assert '"add"' in get_line(course, finding)


def test_a_process_that_failed_is_no_evidence(course: Path, shelf_of: ReadShelf) -> None:
    record = load(course)
    processes = (
        msgspec.structs.replace(record.processes[0], exit_status=1),
        *record.processes[1:],
    )
    forge(course, msgspec.structs.replace(record, processes=processes))
    _, (finding,) = shelf_of()
    assert "exit status 1" in finding.stated


def test_a_truncated_record_is_one_message_and_its_files_are_left_in_peace(
    course: Path, shelf_of: ReadShelf
) -> None:
    text = (course / JSON).read_text()
    (course / JSON).write_text(text[: len(text) // 2])
    shelf, findings = shelf_of()
    assert shelf.records == ()
    assert [f.kind for f in findings] == [Kind.RECORD, Kind.MISSING]
    assert findings[0].place.path == JSON
    assert findings[0].place.line > 10
    assert "1 could not be read" in findings[1].true


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b'{\n  "format": \xff\n}', f"{JSON}:2:13", "byte 14 is no UTF-8"),
        (b" " * (256 * 1024 + 1), f"{JSON}:1:1", "more than 256 KiB"),
        (b"{}", f"{JSON}:1:1", "reads format 1"),
    ],
)
def test_a_file_that_is_no_record(
    course: Path, shelf_of: ReadShelf, data: bytes, place: str, words: str
) -> None:
    (course / JSON).write_bytes(data)
    finding = shelf_of()[1][0]
    assert str(finding.place) == place
    assert words in finding.true


# --- files


def test_a_missing_side_file_is_named_where_the_record_names_it(
    course: Path, shelf_of: ReadShelf
) -> None:
    (course / STEM / "process-02.stderr.txt").unlink()
    (finding,) = [f for f in shelf_of()[1] if f.kind is Kind.RECORD]
    assert finding.place.path == JSON
    assert "process-02.stderr.txt" in get_line(course, finding)
    assert "there is no such file" in finding.true


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "evidence/other/nvidia-h200/run-2026-12-01.txt",
        f"{STEM}/../../x.txt",
        f"{STEM}/a/b.txt",
        "evidence/add/nvidia-h200/run-2026-12-02.txt",
    ],
)
def test_a_path_that_leaves_the_records_own_files(
    course: Path, shelf_of: ReadShelf, path: str
) -> None:
    record = load(course)
    first = record.processes[0]
    stolen = msgspec.structs.replace(first, stderr=File(path=path, sha256="0" * 64))
    forge(course, msgspec.structs.replace(record, processes=(stolen, *record.processes[1:])))
    findings = [f for f in shelf_of()[1] if f.kind is Kind.RECORD]
    assert any(path in f.stated and "beside it" in f.true for f in findings)


def test_links_are_not_followed(course: Path, shelf_of: ReadShelf, tmp_path: Path) -> None:
    target = course / STEM / "process-02.stdout.txt"
    kept = tmp_path / "kept.txt"
    target.rename(kept)
    target.symlink_to(kept)
    assert any("a link stands there" in f.true for f in shelf_of()[1])
    whole = course / JSON
    whole.rename(tmp_path / "kept.json")
    whole.symlink_to(tmp_path / "kept.json")
    assert any("plain files" in f.true for f in shelf_of()[1])


def test_a_side_file_has_a_largest_size(course: Path, shelf_of: ReadShelf) -> None:
    (course / STEM / "process-02.stderr.txt").write_bytes(b"x" * (1024 * 1024 + 1))
    assert any("more than 1024 KiB" in f.true for f in shelf_of()[1])


def test_files_that_no_record_names_are_orphans(course: Path, shelf_of: ReadShelf) -> None:
    for name in ("notes.md", "run-2026-12-01/extra.txt", "run-2026-12-05.txt", "deep/er/x"):
        target = course / "evidence/add/nvidia-h200" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("x")
    findings = shelf_of()[1]
    assert {f.kind for f in findings} == {Kind.ORPHAN}
    assert [f.place.path.removeprefix("evidence/add/nvidia-h200/") for f in findings] == [
        "deep/er/x",
        "notes.md",
        "run-2026-12-01/extra.txt",
        "run-2026-12-05.txt",
    ]
    assert all("remove it" in f.advice for f in findings)


def test_strays_in_the_evidence_folder(course: Path) -> None:
    assert not find_strays(course, ["add"])
    (course / "evidence/gone/nvidia-h200").mkdir(parents=True)
    (course / "evidence/add/NVIDIA H200").mkdir()
    (course / "evidence/add/x.json").write_text("{}")
    (course / "evidence/y").write_text("")
    places = [f.place.path for f in find_strays(course, ["add"])]
    assert places == [
        "evidence/add/NVIDIA H200",
        "evidence/add/x.json",
        "evidence/gone",
        "evidence/y",
    ]
    assert not find_strays(course / "snippets", ["add"])


def test_a_record_in_the_wrong_folder(course: Path, shelf_of: ReadShelf) -> None:
    record = load(course)
    forge(
        course, msgspec.structs.replace(record, device=msgspec.structs.replace(DEVICE, model="L4"))
    )
    findings = shelf_of()[1]
    assert "`L4`" in findings[0].stated
    assert "the folder is that of `nvidia-h200`" in findings[0].true
    assert '"model"' in get_line(course, findings[0])
    forge(course, msgspec.structs.replace(record, program="sub"))
    assert "the folder is that of `add`" in shelf_of()[1][0].true
    forge(course, msgspec.structs.replace(record, started="2026-12-02T00:00:00Z"))
    assert "the file is named 2026-12-01" in shelf_of()[1][0].true


def test_a_stale_record_is_sealed_too(course: Path, shelf_of: ReadShelf) -> None:
    edit(course, "snippets/add/add.cu", "i < n", "i <= n")
    edit(course, JSON, '"sm_count": 132', '"sm_count": 133')
    kinds = [f.kind for f in shelf_of()[1]]
    assert kinds == [Kind.RECORD, Kind.STALE]


# --- several records


def test_records_are_ordered_newest_first_and_pooled(course: Path, shelf_of: ReadShelf) -> None:
    add_record(course, "add", make_transcripts(), started="2026-12-01T10:00:00Z")
    other = msgspec.structs.replace(DEVICE, driver="590.10")
    add_record(course, "add", make_transcripts(), started="2026-12-02T10:00:00Z", device=other)
    add_record(course, "add", make_transcripts(), started="2026-12-03T10:00:00Z")
    shelf, findings = shelf_of()
    assert not findings, "\n".join(map(str, findings))
    identities = ["run-2026-12-03", "run-2026-12-02", "run-2026-12-01-2", "run-2026-12-01"]
    assert [r.identity for r in shelf.records] == identities
    assert [r.identity for r in select_pool(shelf)] == [identities[0], *identities[2:]]
    edit(course, "snippets/add/add.cu", "i < n", "i <= n")
    assert select_pool(shelf_of()[0]) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [("memory_bytes", 1), ("power_limit_watts", 600.0), ("driver", "581.0")],
)
def test_what_parts_pools(course: Path, shelf_of: ReadShelf, field: str, value: object) -> None:
    device = msgspec.structs.replace(DEVICE, **{field: value})
    add_record(course, "add", make_transcripts(), started="2026-12-03T10:00:00Z", device=device)
    assert len(select_pool(shelf_of()[0])) == 1


def test_other_machine_code_parts_pools_and_a_smaller_driver_step_does_not(
    course: Path, shelf_of: ReadShelf
) -> None:
    device = msgspec.structs.replace(DEVICE, driver="580.999")
    add_record(course, "add", make_transcripts(), started="2026-12-02T10:00:00Z", device=device)
    assert len(select_pool(shelf_of()[0])) == 2
    add_record(
        course, "add", make_transcripts(), started="2026-12-03T10:00:00Z", machine_code="6" * 64
    )
    assert len(select_pool(shelf_of()[0])) == 1


def test_short_names_sort_by_number() -> None:
    names = ["run-2026-12-01-10.json", "run-2026-12-01-2.json", "run-2026-12-01.json", "x.json"]
    assert list_identities([*names, "run-2026-12-01-1.json", "run-2026-12-02.txt"]) == [
        "run-2026-12-01",
        "run-2026-12-01-2",
        "run-2026-12-01-10",
    ]


# --- a changed declaration


def test_a_new_pattern_needs_no_new_run(course: Path, shelf_of: ReadShelf) -> None:
    """Patterns are read anew from the raw text; the record stays as it was written."""
    edit(
        course,
        "snippets/add/program.toml",
        "[lines]",
        '[lines]\nsamples = "{samples:d} samples, back to back"',
    )
    edit(course, "snippets/add/program.toml", 'rate = "GB/s"', 'bandwidth = "GB/s"')
    shelf, findings = shelf_of()
    assert not findings, "\n".join(map(str, findings))
    shown = shelf.shown_record
    assert shown is not None
    assert shown.shown.measurements["samples"].readings[()].value == 51
    assert "bandwidth" in shown.shown.measurements


def test_a_unit_is_not_changed_under_what_was_measured(course: Path, shelf_of: ReadShelf) -> None:
    pattern = '"{case}: wide is {speedup:g}x as fast"'
    path = "snippets/add/program.toml"
    edit(course, path, pattern, f'{{ pattern = {pattern}, units = {{ speedup = "ms" }} }}')
    (finding,) = shelf_of()[1]  # once, though two cases have it
    assert finding.kind is Kind.RECORD
    assert finding.place.path == "evidence/add/nvidia-h200/run-2026-12-01.json"
    assert (
        '"unit": ""'
        in (course / finding.place.path).read_text().splitlines()[finding.place.line - 1]
    )
    assert finding.stated == "`speedup` was measured in no unit"
    assert "program.toml now declares `ms` for the same printed digits" in finding.true
    assert "course run --force add" in finding.advice


def test_another_spelling_of_a_unit_is_the_same_unit(course: Path, shelf_of: ReadShelf) -> None:
    pattern = '"{case}: wide is {speedup:g}x as fast"'
    path = "snippets/add/program.toml"
    edit(course, path, pattern, f'{{ pattern = {pattern}, units = {{ speedup = "1" }} }}')
    assert shelf_of()[1] == []


def test_a_changed_declaration_hides_no_edit(course: Path, shelf_of: ReadShelf) -> None:
    edit(course, "snippets/add/program.toml", "[lines]", "# more to come\n[lines]")
    record = load(course)
    first = record.measurements[0]
    changed = msgspec.structs.replace(first, median=first.median * 2)
    forge(course, msgspec.structs.replace(record, measurements=(changed, *record.measurements[1:])))
    assert len(shelf_of()[1]) == 1


def test_a_declaration_that_no_longer_fits_is_a_finding(course: Path, shelf_of: ReadShelf) -> None:
    edit(course, "snippets/add/program.toml", "rows = 4", "rows = 5")
    (finding,) = shelf_of()[1]  # once, though it is so of every process's transcript
    assert finding.kind is Kind.TRANSCRIPT
    assert "5 rows" in finding.stated
