"""Does a region work for whoever copies it from a page? Tries it, and each of its needs.

Every trial is a process of its own, since a kernel that goes wrong spoils its process for all
that follow; several go on side by side, and CuPy compiles kernels of its own once for all. Run as a module it makes one trial: check.py, region, text, seeds and the file for
the outcome are its arguments.
"""

from __future__ import annotations

import importlib.util
import json
import re
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from build_tools.evidence.model import ReaderCheck, RegionVerdict
from build_tools.evidence.reader import compute_reader_digest, read_covered
from build_tools.measure.room import Room, map_side_by_side
from build_tools.measure.run import Execution, execute
from build_tools.source.model import Program
from build_tools.source.reader_unit import compose_reader_unit, list_needed

_TIME_LIMIT = 300.0
_OUTPUT_CAP = 256 * 1024
_SAID_AT_MOST = 500
_FOLDERS = re.compile(r"(?<![\w.<:/])/(?:[\w.+-]+/)+(?=[\w.+-])")


@dataclass(frozen=True)
class Trial:
    """What became of one text: ``agrees``, ``fails`` or ``could not check``, and what was said."""

    outcome: str
    said: str
    cupy: str = ""
    nvrtc: str = ""


def check_reader_units(
    root: Path, program: Program, seeds: tuple[int, ...] = (), room: Room | None = None
) -> ReaderCheck:
    """Try every region that the program's check.py covers, whole and without each need.

    Two fresh seeds are drawn when none are given. Needs a GPU and CuPy; without them the
    result says so in their own words.
    """
    seeds = seeds or (secrets.randbelow(2**31), secrets.randbelow(2**31))
    covered, _ = read_covered(root, program)
    room = room or Room()

    def make(region: str, without: str) -> Trial:
        text = compose_reader_unit(program, region, frozenset({without} - {""}))
        return try_text(root, program, region, text, seeds[:1] if without else seeds, room)

    wanted = [
        (region, without)
        for region in covered
        for without in ("", *list_needed(program.regions, region)[1:])
    ]
    made = map_side_by_side(room, lambda which: make(*which), wanted)
    trials = dict(zip(wanted, made, strict=True))
    verdicts: list[RegionVerdict] = []
    cupy = nvrtc = could_not = ""
    for region in covered:
        trial = trials[region, ""]
        cupy, nvrtc = trial.cupy or cupy, trial.nvrtc or nvrtc
        if trial.outcome == "could not check":
            could_not = trial.said
            break
        needed: dict[str, str] = {}
        for need in list_needed(program.regions, region)[1:]:
            without = trials[region, need]
            if without.outcome == "could not check":
                could_not = without.said
            needed[need] = without.said if without.outcome == "fails" else ""
        verdicts.append(
            RegionVerdict(
                region=region,
                passed=trial.outcome == "agrees",
                said=trial.said,
                needs_shown_necessary=needed,
            )
        )
    return ReaderCheck(
        digest=compute_reader_digest(root, program),
        passed=not could_not
        and all(v.passed and all(v.needs_shown_necessary.values()) for v in verdicts),
        seeds=seeds,
        cupy=cupy,
        nvrtc=nvrtc,
        regions=tuple(verdicts),
        could_not_check=could_not,
    )


def try_text(
    root: Path,
    program: Program,
    region: str,
    text: str,
    seeds: Sequence[int],
    room: Room | None = None,
) -> Trial:
    """One text against the program's check.py, in a process of its own."""
    room = room or Room()
    with room.slots, tempfile.TemporaryDirectory(prefix="course-") as name:
        folder = Path(name)
        (folder / "unit.cu").write_text(text, encoding="utf-8")
        outcome = folder / "outcome.json"
        arguments = [str(root / program.check_path), region, str(folder / "unit.cu")]
        done = execute(
            [
                sys.executable,
                "-m",
                __spec__.name,
                *arguments,
                ",".join(map(str, seeds)),
                str(outcome),
            ],
            cwd=folder,
            time_limit=_TIME_LIMIT,
            output_cap=_OUTPUT_CAP,
            more_environment={
                # Where this package and what it uses are, however they were installed.
                "PYTHONPATH": ":".join(path for path in sys.path if path),
                "PYTHONDONTWRITEBYTECODE": "1",
                "CUPY_CACHE_DIR": str(room.cache or folder / "cupy"),
                "TMPDIR": name,
            },
            stop=room.stop,
        )
        if not outcome.is_file():
            return Trial("fails", _shorten(_describe_death(done)))
        return Trial(**json.loads(outcome.read_text("utf-8")))


def _describe_death(done: Execution) -> str:
    last = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return done.failure + (f"; it said: {last[-1].strip()}" if last else "")


def _shorten(said: str) -> str:
    """What was said on one line, with no folder of a path: most are temporary ones."""
    words = " ".join(_FOLDERS.sub("", said).split())
    return words if len(words) <= _SAID_AT_MOST else words[:_SAID_AT_MOST] + "…"


def make_trial(check_path: Path, region: str, text: str, seeds: Sequence[int]) -> Trial:
    """One trial in this process: the check's last word, or how it failed."""
    try:
        module = _load_check(check_path)
    except ImportError as error:
        return Trial("could not check", _shorten(f"check.py cannot be imported: {error}"))
    cupy, nvrtc, reason = _ask_cupy()
    if reason:
        return Trial("could not check", _shorten(reason), cupy, nvrtc)
    said = ""
    try:
        for seed in seeds:
            said = str(module.check(region, text, seed))
    except Exception as error:  # noqa: BLE001 - a check may fail in any way, and that is its word
        name = type(error).__name__
        message = str(error) if name == "AssertionError" else f"{name}: {error}"
        return Trial("fails", _shorten(message or name), cupy, nvrtc)
    if not said or said == "None":
        return Trial("fails", "the check says nothing of what it compared", cupy, nvrtc)
    return Trial("agrees", _shorten(said), cupy, nvrtc)


def _load_check(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("reader_check_of_program", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _ask_cupy() -> tuple[str, str, str]:
    """CuPy's and NVRTC's versions, and why they cannot be used; all empty when not asked for."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return "", "", ""
    version = str(cupy.__version__)
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        major, minor = cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # noqa: BLE001 - whatever CuPy raises is its own word
        return version, "", f"CuPy {version} finds no GPU it can use: {error}"
    reason = "" if count else f"CuPy {version} finds no GPU"
    return version, f"{major}.{minor}", reason


def _main() -> None:
    check_path, region, text_path, seeds, outcome_path = sys.argv[1:]
    text = Path(text_path).read_text("utf-8")
    trial = make_trial(Path(check_path), region, text, [int(seed) for seed in seeds.split(",")])
    Path(outcome_path).write_text(json.dumps(trial.__dict__), "utf-8")


if __name__ == "__main__":
    _main()
