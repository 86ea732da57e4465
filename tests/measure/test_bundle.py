"""Does evidence travel as one file, and is anything else in it refused?"""

import gzip
import hashlib
import io
import shutil
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from build_tools.diagnostics.finding import Finding, compute_exit_status
from build_tools.evidence.model import File
from build_tools.evidence.record import decode_record, encode_record, seal_record
from build_tools.evidence.shelf import read_shelf
from build_tools.measure.bundle import read_bundle, record_bundle, write_bundle
from build_tools.source.settings import read_settings
from tests.course_factory import (
    CHECK,
    DECLARATION,
    PROGRAM,
    add_record,
    load_program,
    make_course,
    make_transcripts,
)

STEM = "evidence/add/nvidia-h200/run-2026-12-01"
Files = dict[str, bytes]


@pytest.fixture
def files(course: Path) -> Files:
    """The example's evidence, as a bundle holds it."""
    return {
        path.relative_to(course).as_posix(): path.read_bytes()
        for path in (course / "evidence").rglob("*")
        if path.is_file()
    }


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The example's tree before it had evidence."""
    root = tmp_path / "bare"
    make_course(
        root, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION}, checks={"add": CHECK}
    )
    return root


def record(root: Path, data: bytes) -> list[Finding]:
    file = root.parent / "bundle.tgz"
    file.write_bytes(data)
    return record_bundle(root, file)


def list_tree(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file() and not p.name.startswith(".")
    }


def refuse(root: Path, data: bytes, *words: str) -> None:
    """The bundle is refused with these words, and nothing in the tree changed."""
    before = list_tree(root)
    findings = record(root, data)
    assert compute_exit_status(findings) == 1
    said = "\n".join(map(str, findings))
    for word in words:
        assert word in said
    assert list_tree(root) == before


def test_a_bundle_is_the_same_file_whenever_it_is_made(files: Files) -> None:
    data = write_bundle(files)
    assert data == write_bundle(dict(reversed(files.items())))
    assert read_bundle(data, "b.tgz") == (files, [])
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            assert (member.mtime, member.uid, member.gid) == (0, 0, 0)
            assert (member.uname, member.gname) == ("", "")


def test_a_recorded_bundle_makes_the_course_whole(bare: Path, course: Path, files: Files) -> None:
    assert not record(bare, write_bundle(files))
    assert list_tree(bare) == list_tree(course)
    settings, _ = read_settings(bare)
    shelf, findings = read_shelf(bare, load_program(bare, "add"), settings)
    assert not findings
    assert shelf.shown_record is not None
    before = list_tree(bare)
    assert not record(bare, write_bundle(files))  # once more changes nothing
    assert list_tree(bare) == before


def test_an_older_bundle_does_not_take_the_stamp(course: Path, files: Files) -> None:
    add_record(course, "add", make_transcripts(), started="2026-12-05T10:00:00Z")
    shutil.rmtree(course / STEM)
    (course / f"{STEM}.json").unlink()
    (course / f"{STEM}.txt").unlink()
    assert not record(course, write_bundle(files))
    assert "Verified 2026-12-05" in (course / "snippets/add/add.cu").read_text()


def pack(add: Callable[[tarfile.TarFile], None]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        add(archive)
    return gzip.compress(buffer.getvalue())


@pytest.mark.parametrize(
    "name",
    [
        "../evidence/add/nvidia-h200/x.txt",
        "/etc/passwd",
        "evidence/../snippets/add/add.cu",
        "evidence/add/nvidia-h200/../../../x/y",
        "snippets/add/add.cu",
        "evidence/add/x",
        "evidence/add/nvidia-h200/a/b/c",
        "evidence/add/nvidia-h200/.hidden",
        "evidence\\add\\x",
    ],
)
def test_a_path_that_leaves_evidence(bare: Path, files: Files, name: str) -> None:
    refuse(bare, write_bundle({**files, name: b"x"}), name, "under evidence/")


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices(bare: Path, kind: bytes) -> None:
    def add(archive: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(f"{STEM}.txt")
        member.type = kind
        member.linkname = "/etc/passwd"
        archive.addfile(member)

    refuse(bare, pack(add), "no plain file")


def test_a_file_twice(bare: Path) -> None:
    def add(archive: tarfile.TarFile) -> None:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo(f"{STEM}.txt"), io.BytesIO())

    refuse(bare, pack(add), "holds it twice")


@pytest.mark.parametrize("cut", [0, 10, 2000])
def test_what_is_no_whole_bundle(bare: Path, files: Files, cut: int) -> None:
    refuse(bare, write_bundle(files)[:cut], "cannot be read")
    refuse(bare, b"not gzip at all", "cannot be read")
    refuse(bare, write_bundle({}), "it holds no record")


def test_a_file_that_is_not_there(bare: Path, tmp_path: Path) -> None:
    (finding,) = record_bundle(bare, tmp_path / "nothing.tgz")
    assert "No such file" in finding.true
    assert not finding.checked


def test_a_wrong_digest(bare: Path, files: Files) -> None:
    path = f"{STEM}.txt"
    files[path] = files[path].replace(b"0.6255", b"0.6155")
    refuse(bare, write_bundle(files), f"{path}:8:1", "0.6155", "made for another line")


def test_a_value_that_its_transcript_does_not_have(bare: Path, files: Files) -> None:
    path = f"{STEM}.json"
    found, _ = decode_record(files[path].decode(), path)
    assert found is not None
    first = msgspec.structs.replace(found.measurements[0], median=1.0)
    forged = msgspec.structs.replace(found, measurements=(first, *found.measurements[1:]))
    files[path] = encode_record(seal_record(forged)).encode()
    refuse(bare, write_bundle(files), "median 1.0", "the transcripts come to")


def test_a_host_or_user_name_inside(bare: Path, files: Files) -> None:
    path = f"{STEM}/process-01.stderr.txt"
    files[path] += b"cannot open /home/ada/x\n"
    json_path = f"{STEM}.json"
    found, _ = decode_record(files[json_path].decode(), json_path)
    assert found is not None
    stderr = File(path=path, sha256=hashlib.sha256(files[path]).hexdigest())
    first = msgspec.structs.replace(found.processes[0], stderr=stderr)
    forged = msgspec.structs.replace(found, processes=(first, *found.processes[1:]))
    files[json_path] = encode_record(seal_record(forged)).encode()
    refuse(bare, write_bundle(files), f"{path}:3:13", "a home folder stands here")
    if len(socket.gethostname()) > 5:
        files[path] = f"on {socket.gethostname()}\n".encode()
        refuse(bare, write_bundle(files), "a host or user name stands here")


def test_a_missing_or_extra_file(bare: Path, files: Files) -> None:
    extra = {**files, f"{STEM}/extra.txt": b""}
    refuse(bare, write_bundle(extra), f"{STEM}/extra.txt", "no record in it names it")
    del files[f"{STEM}/build.txt"]
    refuse(bare, write_bundle(files), "build.txt", "there is no such file")


def test_a_record_of_other_code_or_of_no_program(bare: Path, files: Files) -> None:
    source = bare / "snippets/add/add.cu"
    source.write_text(source.read_text().replace("i < n", "i <= n"))
    refuse(bare, write_bundle(files), "stale", "its code", "nothing was recorded")
    (bare / "snippets/add").rename(bare / "snippets/sub")
    (bare / "snippets/sub/add.cu").rename(bare / "snippets/sub/sub.cu")
    refuse(bare, write_bundle(files), "no such program")


def test_a_collision_with_other_content(course: Path, files: Files) -> None:
    (course / f"{STEM}/process-02.stderr.txt").write_text("other")
    refuse(course, write_bundle(files), "process-02.stderr.txt", "never overwritten")
    (course / f"{STEM}/process-02.stderr.txt").unlink()
    (course / f"{STEM}/process-02.stderr.txt").symlink_to("/etc/hostname")
    refuse(course, write_bundle(files), "a link stands in its way")


def test_a_file_too_large(bare: Path, files: Files) -> None:
    files[f"{STEM}/big.txt"] = b"x" * (1024 * 1024 + 1)
    refuse(bare, write_bundle(files), "more than 1024 KiB")


def test_a_file_that_is_a_folder_too(bare: Path) -> None:
    paths = {"evidence/add/a/b": b"1", "evidence/add/a/b/c": b"2"}
    words = "`evidence/add/a/b`", "it cannot be a file and the folder of `evidence/add/a/b/c`"
    refuse(bare, write_bundle(paths), *words)


@pytest.mark.timeout(20)
def test_a_flood_of_small_files(bare: Path) -> None:
    paths = {f"evidence/add/nvidia-h200/f{number}": b"1" for number in range(5_000)}
    refuse(bare, write_bundle(paths), "it holds no record")


def test_more_files_than_any_run_writes(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("build_tools.measure.bundle.MOST_FILES", 3)
    paths = {f"evidence/add/nvidia-h200/f{number}": b"1" for number in range(4)}
    refuse(bare, write_bundle(paths), "it holds more than 3 files", "course run --bundle FILE")


def test_a_bundle_that_is_no_plain_file(bare: Path) -> None:
    (finding,) = record_bundle(bare, Path("/dev/zero"))
    assert (finding.true, finding.checked) == ("it is no plain file", False)
    assert str(finding.place) == "/dev/zero:1:1"
    assert "course run --bundle" in finding.advice
