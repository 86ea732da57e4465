"""Which nvcc is there, and which command builds a program with it?"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.measure.run import execute
from build_tools.source.environment import CUDA_HOMES
from build_tools.source.model import Program

_RELEASE = re.compile(r"release (?P<cuda>\d+\.\d+), (?P<nvcc>V[\d.]+)")
_PLAIN_ARCH = re.compile(r"sm_\d+")
_ARCH_FLAGS = ("-arch", "--gpu-architecture")
_EXACT_FLAGS = ("-gencode", "--generate-code", "-code", "--gpu-code")
_OUTPUT_FLAGS = ("-o", "--output-file")


@dataclass(frozen=True)
class Toolchain:
    """An nvcc that was found, its version, and what must be added to its commands."""

    nvcc: Path
    version: str
    """``V13.0.88``"""
    cuda: str
    """``13.0``"""
    extra: tuple[str, ...] = ()
    """Flags that say where this nvcc's own libraries lie; no part of a recorded command."""


@dataclass(frozen=True)
class BuildPlan:
    """The command that builds a program here, the one to record, and what was replaced."""

    command: tuple[str, ...]
    recorded: tuple[str, ...]
    arch_replaced: str
    """``sm_90 -> sm_89``, or empty."""


def find_nvcc(environment: Mapping[str, str] | None = None) -> Toolchain | str:
    """The first nvcc that works: of PATH, of CUDA_HOME or CUDA_PATH, of the PyPI wheels.

    Without one, the reason, with what was tried.
    """
    tried = []
    for nvcc, extra in _list_candidates(os.environ if environment is None else environment):
        found = _read_version(nvcc, extra)
        if isinstance(found, Toolchain):
            return found
        tried.append(f"{nvcc} {found}")
    where = "; ".join(tried) or "none on PATH, in CUDA_HOME, or among installed packages"
    return f"no nvcc that works: {where}"


def plan_build(program: Program, toolchain: Toolchain, arch: str | None, out: Path) -> BuildPlan:
    """The header's own Build command, for this nvcc and this device.

    ``arch`` is the device's, ``sm_89``, or None to keep what the header says; it replaces one
    plain ``-arch=sm_NN`` and nothing else. The binary goes to ``out``, and the resource report
    is asked for. ``check_build`` says whether the header's command can be used at all.
    """
    words = shlex.split(program.header.build)[1:]
    replaced = ""
    at = _find_arch(words)
    if at is not None and arch is not None:
        index, stated = at
        if _PLAIN_ARCH.fullmatch(stated) and stated != arch:
            words[index] = words[index].removesuffix(stated) + arch
            replaced = f"{stated} -> {arch}"
    recorded = ["nvcc", *words]
    words += ["-Xptxas", "-v"]  # once more does no harm where the header has it
    output = _find_output(words)
    if output is None:
        words += ["-o", str(out)]
    else:
        index, stated = output
        words[index] = words[index].removesuffix(stated) + str(out)
    return BuildPlan(
        command=(str(toolchain.nvcc), *words, *toolchain.extra),
        recorded=tuple(recorded),
        arch_replaced=replaced,
    )


def check_build(program: Program) -> list[Finding]:
    """Whether the header's Build and Run commands are ones that can be executed here."""
    header = program.header
    file = program.path.rpartition("/")[2]

    def report(stated: str, true: str, advice: str, *, run: bool = False) -> list[Finding]:
        place = header.run_place if run else header.build_place
        return [Finding(Kind.HEADER, place, stated, true, advice)]

    try:
        build, run = shlex.split(header.build), shlex.split(header.run)
    except ValueError:
        return []  # said when the header was read
    if not build or not run:
        return []
    form = f"write `nvcc … -o {program.name} {file}`"
    if build[0] != "nvcc":
        return report(f"`{build[0]}`", "programs are built by nvcc", form)
    if file not in build:
        return report(f"`{header.build}`", f"it does not compile {file}", form)
    output = _find_output(build)
    name = output[1] if output else "a.out"
    if "/" in name or "\\" in name:
        return report(f"`{name}`", "the binary belongs beside the program", form)
    if run[0] != f"./{name}":
        true = f"the Build command makes `./{name}`"
        return report(f"`{run[0]}`", true, f"write `./{name}`", run=True)
    return []


def find_binary_name(program: Program) -> str:
    """What the header's Build command calls the binary."""
    output = _find_output(shlex.split(program.header.build))
    return output[1] if output else "a.out"


def explain_unmet(program: Program, compute_capability: str) -> str:
    """Why this program cannot run on a device of this compute capability; empty when it can."""
    required = program.declaration.requires_compute_capability
    have = _read_capability(compute_capability)
    if required and have < _read_capability(required):
        return f"it requires compute capability {required}, and this GPU has {compute_capability}"
    targets = _list_exact_targets(shlex.split(program.header.build))
    if targets and not any(_runs_on(target, have) for target in targets):
        listed = ", ".join(targets)
        return f"it is built for {listed} alone, and this GPU has {compute_capability}"
    return ""


def _read_capability(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)


def _list_exact_targets(words: Sequence[str]) -> list[str]:
    """The architectures the command insists on; none when a plain one may be replaced."""
    targets: list[str] = []
    for index, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag in _EXACT_FLAGS:
            text = value or (words[index + 1] if index + 1 < len(words) else "")
            targets += re.findall(r"(?:sm|compute)_\d+[af]?", text.rpartition("code=")[2])
    at = _find_arch(words)
    if at and not targets and re.fullmatch(r"(?:sm_\d+[af]|compute_\d+[af]?)", at[1]):
        targets.append(at[1])
    return targets


def _runs_on(target: str, have: tuple[int, int]) -> bool:
    """Whether code for ``sm_90a``, ``sm_89`` or ``compute_80`` runs on this capability."""
    kind, _, number = target.partition("_")
    digits = number.rstrip("af")
    wants = int(digits[:-1]), int(digits[-1])
    if number.endswith("a"):
        return have == wants
    if kind == "compute":
        return have >= wants
    return have[0] == wants[0] and have[1] >= wants[1]


def _find_arch(words: Sequence[str]) -> tuple[int, str] | None:
    """Where the architecture stands: the word's index and the architecture."""
    return _find_value(words, _ARCH_FLAGS)


def _find_output(words: Sequence[str]) -> tuple[int, str] | None:
    """Where the output's name stands: the word's index and the name."""
    return _find_value(words, _OUTPUT_FLAGS)


def _find_value(words: Sequence[str], flags: Sequence[str]) -> tuple[int, str] | None:
    for index, word in enumerate(words):
        if word in flags and index + 1 < len(words):
            return index + 1, words[index + 1]
        flag, equals, value = word.partition("=")
        if equals and flag in flags:
            return index, value
    return None


def _list_candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Every place an nvcc may be, and the flags that one from there needs."""
    on_path = shutil.which("nvcc", path=environment.get("PATH", ""))
    if on_path:
        yield Path(on_path), ()
    for variable in CUDA_HOMES:
        home = environment.get(variable)
        if home and (Path(home) / "bin" / "nvcc").is_file():
            yield Path(home) / "bin" / "nvcc", ()
    package = importlib.util.find_spec("nvidia")
    for folder in package.submodule_search_locations or [] if package else []:
        for home_path in sorted(Path(folder).glob("cu*"), reverse=True):
            if (home_path / "bin" / "nvcc").is_file():
                # Its profile looks for the libraries in lib64, and the wheels have lib.
                yield home_path / "bin" / "nvcc", (f"-L{home_path / 'lib'}",)


def _read_version(nvcc: Path, extra: tuple[str, ...]) -> Toolchain | str:
    try:
        asked = execute([str(nvcc), "--version"], cwd=Path("/"), time_limit=30, output_cap=65536)
    except OSError as error:
        return f"cannot be started ({error.strerror})"
    release = _RELEASE.search(asked.stdout.decode("utf-8", "replace"))
    if asked.failure:
        return f"does not tell its version: {asked.failure}"
    if release is None:
        return "does not tell its version"
    return Toolchain(nvcc, release["nvcc"], release["cuda"], extra)
