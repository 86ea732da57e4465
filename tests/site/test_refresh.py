"""Which programs a build runs. Runs themselves need a GPU: only there are stand-ins used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from build_tools.claims.course import load_course
from build_tools.diagnostics.finding import Finding
from build_tools.evidence.model import Device
from build_tools.site.refresh import choose_programs, refresh_evidence
from tests.course_factory import DEVICE, PROGRAM, add_record, make_course, make_example
from tests.course_factory import make_transcripts as make_runs


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of a verified program, a stale one and one without a record."""
    make_example(tmp_path, "fresh")
    names = ("missing", "stale")
    make_course(tmp_path, programs={name: PROGRAM.format(name=name) for name in names})
    add_record(tmp_path, "stale", ["done\n"] * 10)
    source = tmp_path / "snippets/stale/stale.cu"
    source.write_text(source.read_text().replace("256", "128"))
    return tmp_path


@pytest.mark.parametrize(
    ("choice", "environment", "names"),
    [
        ("auto", {}, ("missing", "stale")),
        ("auto", {"CI": ""}, ("missing", "stale")),
        ("auto", {"CI": "true"}, ()),
        ("always", {}, ("fresh", "missing", "stale")),
        ("always", {"CI": "true"}, ("fresh", "missing", "stale")),
        ("never", {}, ()),
    ],
)
def test_what_is_run(
    root: Path, choice: str, environment: dict[str, str], names: tuple[str, ...]
) -> None:
    assert choose_programs(load_course(root), choice, environment) == names


def stand_in(
    monkeypatch: pytest.MonkeyPatch, device: Device | str
) -> list[tuple[tuple[str, ...], bool]]:
    """Pretend that there is a device; gives what a campaign was asked for."""
    asked: list[tuple[tuple[str, ...], bool]] = []

    def run(
        root: Path, programs: object, settings: object, names: Sequence[str], **options: Any
    ) -> list[Finding]:
        asked.append((tuple(names), options["extent"].force))
        for name in names:
            add_record(root, name, make_runs() if name == "fresh" else ["done\n"] * 10)
        return []

    monkeypatch.setattr("build_tools.measure.device.describe_device", lambda: device)
    monkeypatch.setattr("build_tools.measure.campaign.run_campaign", run)
    return asked


def test_auto_runs_what_is_not_fresh_and_reads_the_course_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = stand_in(monkeypatch, DEVICE)
    course, findings = refresh_evidence(load_course(root), {})
    assert findings == []
    assert asked == [(("missing", "stale"), False)]
    assert all(shelf.shown_record for shelf in course.shelves.values())
    # Nothing is left to run.
    assert refresh_evidence(course, {})[0] is course
    assert len(asked) == 1


def test_always_runs_everything_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stand_in(monkeypatch, DEVICE)
    refresh_evidence(load_course(root), {"COURSE_RUN": "always", "CI": "true"})
    assert asked == [(("fresh", "missing", "stale"), True)]


def test_another_device_is_not_the_reference_device(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = msgspec.structs.replace(DEVICE, model="NVIDIA H100 PCIe")
    asked = stand_in(monkeypatch, other)
    course = load_course(root)
    assert refresh_evidence(course, {}) == (course, [])
    _, findings = refresh_evidence(course, {"COURSE_RUN": "always"})
    assert asked == []
    assert [f.checked for f in findings] == [False]
    assert findings[0].true == "the device here is NVIDIA H100 PCIe"
    assert "NVIDIA H200" in findings[0].stated
