"""Does a region work for whoever copies it from a page? Tries it, its needs, and its check.

The check must agree with the region as a reader copies it, fail without each need, and reject
outputs that nobody has written. Every trial is a process of its own, since a kernel that goes wrong spoils its process for all
that follow; several go on side by side, and CuPy compiles kernels of its own once for all. Run as a module it makes one trial: check.py, region, text, seeds, what outputs hold
and the file for the outcome are its arguments.
"""

from __future__ import annotations

import importlib.util
import json
import re
import secrets
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from build_tools.evidence.model import ReaderCheck, RegionVerdict
from build_tools.evidence.reader import compute_reader_digest, read_covered
from build_tools.measure.launches import (
    LEFT,
    NOTHING,
    explain_launches,
    open_launches,
    watch_launches,
)
from build_tools.measure.room import Room, map_side_by_side
from build_tools.measure.run import Execution, execute
from build_tools.source.model import Program
from build_tools.source.reader_unit import compose_reader_unit, list_needed
from build_tools.source.silent import silence_kernels

_TIME_LIMIT = 300.0
_OUTPUT_CAP = 256 * 1024
_SAID_AT_MOST = 500
_FOLDERS = re.compile(r"(?<![\w.<:/])/(?:[\w.+-]+/)+(?=[\w.+-])")


@dataclass(frozen=True)
class Trial:
    """What became of one text: ``agrees``, ``fails`` or ``could not check``, and what was said.

    ``not tried`` where outputs cannot be filled, since check.py does without CuPy.
    """

    outcome: str
    said: str
    cupy: str = ""
    nvrtc: str = ""
    is_wrong_result: bool = False
    """Whether it failed because the check found a wrong result, by its own word."""


def check_reader_units(
    root: Path, program: Program, seeds: tuple[int, ...] = (), room: Room | None = None
) -> ReaderCheck:
    """Try every region that check.py covers: whole, without each need, and writing nothing.

    Two fresh seeds are drawn when none are given. Needs a GPU and CuPy; without them the
    result says so in their own words.
    """
    seeds = seeds or (secrets.randbelow(2**31), secrets.randbelow(2**31))
    covered, _ = read_covered(root, program)
    room = room or Room()

    def make(wanted: _Wanted) -> Trial:
        text = compose_reader_unit(program, wanted.region, frozenset({wanted.without} - {""}))
        is_whole = not wanted.without and not wanted.left
        text = silence_kernels(text) if wanted.left else text
        tried = seeds if is_whole else seeds[:1]
        return try_text(root, program, wanted.region, text, tried, room, wanted.left)

    wanted = [one for region in covered for one in _list_wanted(program, region)]
    trials = dict(zip(wanted, map_side_by_side(room, make, wanted), strict=True))
    could_not = next((t.said for t in trials.values() if t.outcome == "could not check"), "")
    verdicts = []
    for region in covered:
        own = {one: trials[one] for one in wanted if one.region == region}
        if own[_Wanted(region)].outcome == "could not check":
            break
        verdicts.append(_judge_region(region, own))
    return ReaderCheck(
        digest=compute_reader_digest(root, program),
        passed=not could_not
        and all(
            v.passed and all(v.needs_shown_necessary.values()) and all((v.rejects or {}).values())
            for v in verdicts
        ),
        seeds=seeds,
        cupy=max((trial.cupy for trial in trials.values()), default=""),
        nvrtc=max((trial.nvrtc for trial in trials.values()), default=""),
        regions=tuple(verdicts),
        could_not_check=could_not,
    )


@dataclass(frozen=True)
class _Wanted:
    """One trial: a region, which need is left out, and what silent kernels leave."""

    region: str
    without: str = ""
    left: str = ""


def _list_wanted(program: Program, region: str) -> list[_Wanted]:
    needs = list_needed(program.regions, region)[1:]
    text = compose_reader_unit(program, region)
    left = LEFT if silence_kernels(text) != text else ()
    return [
        _Wanted(region),
        *(_Wanted(region, without=need) for need in needs),
        *(_Wanted(region, left=what) for what in left),
    ]


def _judge_region(region: str, trials: Mapping[_Wanted, Trial]) -> RegionVerdict:
    whole = trials[_Wanted(region)]
    passed, said = whole.outcome == "agrees", whole.said
    needed: dict[str, str] = {}
    rejects: dict[str, str] = {}
    for wanted, trial in trials.items():
        failure = trial.said if trial.outcome == "fails" else ""
        if wanted.without:
            needed[wanted.without] = failure
        if not wanted.left or not passed or trial.outcome not in ("agrees", "fails"):
            continue
        if failure and not trial.is_wrong_result:
            passed = False
            said = (
                f"where its kernels write {wanted.left}, check.py fails for another reason than a "
                f"wrong result, which it tells by an AssertionError: {failure}"
            )
            break
        rejects[wanted.left] = failure
    return RegionVerdict(
        region=region, passed=passed, said=said, needs_shown_necessary=needed, rejects=rejects
    )


def try_text(
    root: Path,
    program: Program,
    region: str,
    text: str,
    seeds: Sequence[int],
    room: Room | None = None,
    left: str = "",
) -> Trial:
    """One text against the program's check.py, in a process of its own.

    ``left`` is what its kernels, which write nothing, are to leave in their outputs.
    """
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
                left,
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


def make_trial(
    check_path: Path, region: str, text: str, seeds: Sequence[int], left: str = ""
) -> Trial:
    """One trial in this process: the check's last word, or how it failed."""
    try:
        module = _load_check(check_path)
    except ImportError as error:
        return Trial("could not check", _shorten(f"check.py cannot be imported: {error}"))
    cupy, nvrtc, reason = _ask_cupy()
    if reason:
        return Trial("could not check", _shorten(reason), cupy, nvrtc)
    if not cupy and left not in ("", NOTHING):
        return Trial("not tried", "check.py does without CuPy")
    launches = open_launches(text, left)
    if cupy:
        watch_launches(sys.modules["cupy"], module, launches)
    said = ""
    try:
        for seed in seeds:
            launches.inputs.append("")
            said = str(module.check(region, text, seed))
    except Exception as error:  # noqa: BLE001 - a check may fail in any way, and that is its word
        name = type(error).__name__
        is_wrong = name == "AssertionError"
        message = str(error) if name in _SPEAKING else f"{name}: {error}"
        if is_wrong and left not in ("", NOTHING) and not launches.filled:
            is_wrong, message = False, "no launch passes a CuPy array that the kernel may write"
        return Trial("fails", _shorten(message or name), cupy, nvrtc, is_wrong)
    if not said or said == "None":
        return Trial("fails", "the check says nothing of what it compared", cupy, nvrtc)
    amiss = explain_launches(launches, len(seeds)) if cupy and not left else ""
    if amiss:
        return Trial("fails", _shorten(amiss), cupy, nvrtc)
    return Trial("agrees", _shorten(said), cupy, nvrtc)


_SPEAKING = ("AssertionError", "ArgumentError")
"""Errors whose text says all."""


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
    check_path, region, text_path, seeds, left, outcome_path = sys.argv[1:]
    text = Path(text_path).read_text("utf-8")
    drawn = [int(seed) for seed in seeds.split(",")]
    trial = make_trial(Path(check_path), region, text, drawn, left)
    Path(outcome_path).write_text(json.dumps(trial.__dict__), "utf-8")


if __name__ == "__main__":
    _main()
