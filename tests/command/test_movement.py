"""What new records did to the sentences: which moved, and which held."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from build_tools.claims.course import load_course
from build_tools.command.main import cli
from build_tools.measure.bundle import write_bundle
from build_tools.measure.ground import Front
from build_tools.site.refresh import refresh_evidence
from tests.course_factory import DEVICE, add_record, make_example, make_transcripts

PAGE = """\
# Adding

The wide kernel is [2.1×](claim:add.speedup["large"]) as fast on the large case,
[1.53×](claim:add.speedup["small"]) on the small one: [faster in both](claim:all(add.speedup[:] > 1)).
It takes [626 µs](claim:add.time["large", "wide"]), [about 630 µs](claim:add.time["large", "wide"]).

| threads | nonsense |
|---|---|
| [256](claim:add.source.kBlock) | [3 ms](claim:add.time["large", "wide"]) |

On [132](claim:add.device.sm_count) multiprocessors, [not of it](claim:2 > 1) at all.
"""


def slow_down(texts: Sequence[str]) -> list[str]:
    """Transcripts in which the large case gained less, and the small one nothing."""
    changed = [
        text.replace("wide is 2.0", "wide is 1.7").replace("wide is 1.5", "wide is 0.9")
        for text in texts
    ]
    return [text.replace("large  wide      0.62", "large  wide      0.81") for text in changed]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("movement")
    make_example(root)
    (root / "docs").mkdir()
    (root / "docs" / "page.md").write_text(PAGE)
    return root


@pytest.fixture
def root(example: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example, tmp_path / "course"))


def bundle_record(
    root: Path, texts: Sequence[str], tmp_path: Path, machine_code: str = "5" * 64
) -> Path:
    """A bundle with a later record, made in a copy of the tree.

    With other machine code it is of a pool of its own: the bands of older records do not count.
    """
    other = Path(shutil.copytree(root, tmp_path / "elsewhere"))
    known = {path for path in other.rglob("evidence/**/*") if path.is_file()}
    later = "2026-12-05T10:00:00Z"
    add_record(other, "add", texts, started=later, machine_code=machine_code)
    files = {
        path.relative_to(other).as_posix(): path.read_bytes()
        for path in other.rglob("evidence/**/*")
        if path.is_file() and path not in known
    }
    bundle = tmp_path / "bundle.tgz"
    bundle.write_bytes(write_bundle(files))
    return bundle


def record(root: Path, bundle: Path) -> tuple[int, str, list[str]]:
    """Status, output, and what is said of the claims."""
    done = CliRunner().invoke(cli, ["--root", str(root), "record", str(bundle)])
    said = [
        line for line in done.stderr.splitlines() if not line.startswith(("wrote ", "the tree"))
    ]
    return done.exit_code, done.stdout, said


def test_a_new_record_says_what_moved_and_what_held(root: Path, tmp_path: Path) -> None:
    bundle = bundle_record(root, slow_down(make_transcripts()), tmp_path, "6" * 64)
    status, out, said = record(root, bundle)
    assert (status, out) == (0, "no findings\n")
    moved = dict(line.split(": ", 1) for line in said[:-2])
    # Each with its place, the value before and after, and the text that would be true.
    assert list(moved) == [
        "docs/page.md:3:20",
        "docs/page.md:4:1",
        "docs/page.md:4:55",
        "docs/page.md:5:10",
        "docs/page.md:5:53",
        "docs/page.md:9:36",
    ]
    assert moved["docs/page.md:3:20"].startswith("`2.1×` moved: 2.055 → 1.755 (band 1.7")
    assert moved["docs/page.md:3:20"].endswith("), write `1.8×`")
    assert moved["docs/page.md:4:55"].startswith("`faster in both` moved: true → ")
    assert moved["docs/page.md:5:10"].startswith("`626 µs` moved: 625.5 µs → 815.5 µs (band 8")
    assert moved["docs/page.md:5:10"].endswith("), write `816 µs`")
    assert moved["docs/page.md:5:53"].endswith("), write `about 820 µs`")
    # It was wrong before, and now other words would be right.
    assert moved["docs/page.md:9:36"].endswith(", write `0.8 ms`")
    # Constants and device facts rest on the program too; the truth of `2 > 1` does not.
    assert said[-2:] == ["of what rests on add: 6 claims moved, 2 held", "next: course review"]


def test_what_is_wrong_as_before_is_counted_apart(root: Path, tmp_path: Path) -> None:
    _, _, said = record(root, bundle_record(root, make_transcripts(), tmp_path))
    assert said == [
        "of what rests on add: 0 claims moved, 7 held, 1 did not hold before either",
        "next: course review",
    ]


def test_a_literal_that_holds_still_but_reads_otherwise_now(root: Path, tmp_path: Path) -> None:
    """Records of one pool: the literal is in the band of both, and rounds the older one."""
    (root / "docs" / "page.md").write_text('It is [2.1×](claim:add.speedup["large"]) as fast.\n')
    _, _, said = record(root, bundle_record(root, slow_down(make_transcripts()), tmp_path))
    moved, counts = said
    assert moved.startswith(
        "docs/page.md:1:7: `2.1×` holds still, but the newest record says `1.8×`: 2.055 → 1.755"
    )
    assert counts == "of what rests on add: 1 claim moved, 0 held"


def test_a_bundle_recorded_before_or_refused_says_nothing(root: Path, tmp_path: Path) -> None:
    bundle = bundle_record(root, make_transcripts(), tmp_path)
    record(root, bundle)
    assert record(root, bundle) == (0, "no findings\n", [])
    bundle.write_bytes(b"no bundle")
    status, out, said = record(root, bundle)
    assert status == 1
    assert "cannot be read" in out
    assert said == []


def test_what_is_written_is_said(root: Path, tmp_path: Path) -> None:
    """Into the evidence, and into the author's own files, whose lines move."""
    bundle = bundle_record(root, make_transcripts(), tmp_path)
    shutil.rmtree(root / "evidence")
    source = root / "snippets" / "add" / "add.cu"
    head, _, rest = source.read_text().partition("//\n// Verified ")
    source.write_text(head + rest[rest.index("\n\n") + 1 :])
    (root / "snippets" / "add" / "README.md").unlink()
    before = {path for path in root.rglob("*") if path.is_file()}
    done = CliRunner().invoke(cli, ["--root", str(root), "record", str(bundle)])
    stem = "evidence/add/nvidia-h200/run-2026-12-05"
    new = [path for path in root.rglob("evidence/**/*") if path.is_file()]
    assert done.stderr.splitlines()[:3] == [
        f"wrote {stem}.json and {len(new) - 1} files beside it",
        "wrote snippets/add/add.cu (its Verified paragraph: 5 lines more, so all below it moved)",
        "wrote snippets/add/README.md (new)",
    ]
    assert {path.name for path in root.rglob("snippets/**/*") if path not in before} >= {
        "README.md"
    }
    again = CliRunner().invoke(cli, ["--root", str(root), "record", str(bundle)])
    assert again.stderr == "the tree holds all of this evidence already\n"


def test_pages_that_cite_nothing_of_the_program(root: Path, tmp_path: Path) -> None:
    (root / "docs" / "page.md").write_text("[2](claim:1 + 1)\n")
    _, _, said = record(root, bundle_record(root, make_transcripts(), tmp_path))
    assert said == ["no claim of the pages rests on the new records of add"]


def test_after_a_change_of_code_the_record_before_is_what_is_compared(
    root: Path, tmp_path: Path
) -> None:
    source = root / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("a[i] + b[i]", "b[i] + a[i]"))
    _, _, said = record(root, bundle_record(root, slow_down(make_transcripts()), tmp_path))
    assert "docs/page.md:3:20: `2.1×` moved: 2.055 → 1.755 (band" in said[0]
    assert said[-2] == "of what rests on add: 6 claims moved, 2 held"


def test_a_first_record_has_nothing_to_be_compared_with(root: Path, tmp_path: Path) -> None:
    bundle = bundle_record(root, make_transcripts(), tmp_path)
    shutil.rmtree(root / "evidence")
    _, _, said = record(root, bundle)
    (wrong, counts, _) = said
    assert wrong.startswith("docs/page.md:9:36: `3 ms` has a value now: 0.6255 ms (band")
    assert wrong.endswith("), write `0.6 ms`")
    assert counts == (
        "of what rests on add: 0 claims moved, 7 held, 1 had no value before and does not hold"
    )


def test_a_record_of_another_device_moves_only_what_names_a_device(
    root: Path, tmp_path: Path
) -> None:
    device = msgspec.structs.replace(DEVICE, model="NVIDIA L4")

    def bundle_other(number: int, texts: Sequence[str]) -> Path:
        other = Path(shutil.copytree(root, tmp_path / f"elsewhere-{number}"))
        day = f"2026-12-0{number}T10:00:00Z"
        path = add_record(other, "add", texts, started=day, device=device, stamp=False)
        stem = path.removesuffix(".json").rsplit("/", 1)[-1]
        files = {
            found.relative_to(other).as_posix(): found.read_bytes()
            for found in (other / "evidence" / "add" / "nvidia-l4").rglob("*")
            if found.is_file() and stem in found.relative_to(other).as_posix()
        }
        bundle = tmp_path / f"bundle-{number}.tgz"
        bundle.write_bytes(write_bundle(files))
        return bundle

    page = root / "docs" / "page.md"
    first = bundle_other(1, make_transcripts())
    assert record(root, first) == (
        0,
        "no findings\n",
        ["no claim of the pages rests on the new records of add"],
    )
    page.write_text(PAGE + '\nThere [626 µs](claim:add.on["NVIDIA L4"].time["large", "wide"]).\n')
    _, _, said = record(root, bundle_other(2, slow_down(make_transcripts())))
    moved, counts = said[0], said[1]
    assert moved.startswith("docs/page.md:13:7: `626 µs` ")
    assert "625.5 µs → 815.5 µs" in moved
    assert counts == "of what rests on add: 1 claim moved, 0 held"


@pytest.fixture
def campaign(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for a campaign on a GPU: it makes the record that one would have made."""

    def run(*_: object, bundle: Path | None, front: Front, **__: object) -> list[object]:
        front.before_measuring()
        if bundle is None:
            texts, later = slow_down(make_transcripts()), "2026-12-05T10:00:00Z"
            add_record(root, "add", texts, started=later, machine_code="6" * 64)
        return []

    monkeypatch.setattr("build_tools.measure.device.describe_device", lambda: DEVICE)
    monkeypatch.setattr("build_tools.measure.campaign.run_campaign", run)


def test_a_build_says_it_too(
    root: Path, campaign: None, capsys: pytest.CaptureFixture[str]
) -> None:
    refresh_evidence(load_course(root), {"COURSE_RUN": "always"})
    said = capsys.readouterr().err
    assert "docs/page.md:3:20: `2.1×` moved: 2.055 → 1.755" in said
    assert "of what rests on add: 6 claims moved, 2 held\nnext: course review\n" in said


def test_run_says_it_too(root: Path, campaign: None) -> None:
    done = CliRunner().invoke(cli, ["--root", str(root), "run", "--bundle", "bundle.tgz"])
    assert done.stderr == ""
    done = CliRunner().invoke(cli, ["--root", str(root), "run"])
    assert "of what rests on add: 6 claims moved, 2 held\nnext: course review\n" in done.stderr
    assert done.stdout == "no findings\n"
