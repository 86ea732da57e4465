"""Does a program compile, what does the compiler say of it, and which machine code comes out?"""

from __future__ import annotations

import hashlib
import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.evidence.compiler import read_resource_report
from build_tools.evidence.model import Build
from build_tools.evidence.transcript import decode_transcript
from build_tools.measure.diagnosis import read_diagnostics
from build_tools.measure.run import execute
from build_tools.measure.toolchain import (
    Toolchain,
    check_build,
    find_binary_name,
    find_nvcc,
    plan_build,
)
from build_tools.measure.tree import plant_text
from build_tools.source.model import Exercise, Program
from build_tools.source.starters import Starter, remove_solution

_TIME_LIMIT = 600.0
"""Seconds: a program that uses CUB takes a twentieth of it."""
_OUTPUT_CAP = 1024 * 1024
_PATH_HASH = re.compile(r"_GLOBAL__N__[0-9a-f]{8}_")
"""What nvcc makes of an anonymous namespace: it depends on the file's path."""


@dataclass(frozen=True)
class Compiled:
    """A program's build: what to record, what the compiler printed, and the binary."""

    build: Build
    report: bytes
    binary: Path
    cubins: tuple[Path, ...] = ()
    """The machine code of its kernels, in files of its folder."""


def compile_programs(
    root: Path, programs: Sequence[Program], say: Callable[[str], object]
) -> tuple[int, list[Finding]]:
    """Compile each with its own command, for the architecture its header names, and its starters.

    How many compiled without a finding, and the findings. Needs no GPU.
    """
    toolchain = find_nvcc()
    if isinstance(toolchain, str):
        return 0, [report_no_nvcc(toolchain)]
    say(f"nvcc {toolchain.version}")
    findings: list[Finding] = []
    count = 0
    for program in programs:
        with tempfile.TemporaryDirectory(prefix="course-") as folder:
            compiled, wrong = compile_program(root, program, toolchain, None, Path(folder))
        if compiled is not None:
            wrong += _compile_starters(root, program, toolchain)
        findings += wrong
        count += compiled is not None and not wrong
        for name, facts in compiled.build.kernels.items() if compiled else ():
            spilled = facts.spill_store_bytes + facts.spill_load_bytes
            say(
                f"{program.name}: {name}: {facts.registers} registers, "
                f"{facts.shared_bytes} bytes shared, {spilled} bytes spilled"
            )
        if compiled is not None and not wrong and program.exercises:
            say(f"{program.name}: starters compile: {', '.join(program.exercises)}")
    return count, findings


def _compile_starters(root: Path, program: Program, toolchain: Toolchain) -> list[Finding]:
    """What is wrong with the starters of a program's exercises, at the program's lines.

    A warning is a finding too: a reader could not tell it from one of what they wrote.
    """
    return [
        finding
        for exercise in program.exercises.values()
        for finding in _compile_starter(root, program, exercise, toolchain)
    ]


def _compile_starter(
    root: Path, program: Program, exercise: Exercise, toolchain: Toolchain
) -> list[Finding]:
    starter = remove_solution(program, exercise)
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        tree, place = Path(folder) / "tree", Path(folder) / "build"
        place.mkdir()
        planted = plant_text(root, program, starter.text, tree)
        if planted is None:
            true = "the starter cannot be read as a program"
            advice = "change what stands behind `// starter:`"
            stated = f"exercise `{exercise.name}`"
            return [Finding(Kind.EXERCISE, exercise.place, stated, true, advice)]
        _, findings = compile_program(tree, planted, toolchain, None, place)
    return [_place_back(finding, program, exercise, starter) for finding in findings]


def _place_back(
    finding: Finding, program: Program, exercise: Exercise, starter: Starter
) -> Finding:
    """A finding of a starter where the program says what is wrong in it."""
    place = finding.place
    if place.path != program.path or not 1 <= place.line <= len(starter.origins):
        place = exercise.place
    else:
        place = Place(place.path, starter.origins[place.line - 1], place.column)
    stated = f"the starter of `{exercise.name}`: {finding.stated}"
    return replace(finding, place=place, stated=stated)


def report_no_nvcc(reason: str) -> Finding:
    """The finding for a machine without a compiler."""
    return Finding(
        Kind.BUILD,
        Place("snippets"),
        "programs that compile",
        reason,
        "install a CUDA toolkit, or the PyPI wheels: pip install 'cuda-course[test]'",
        checked=False,
    )


def compile_program(
    root: Path,
    program: Program,
    toolchain: Toolchain,
    arch: str | None,
    folder: Path,
    more: Sequence[str] = (),
    stop: threading.Event | None = None,
    niceness: int = 0,
) -> tuple[Compiled | None, list[Finding]]:
    """Compile a program into ``folder``, a temporary one; errors at their lines and columns.

    ``arch`` is the device's, or None for the header's; ``more`` are further flags, which are not
    recorded, ``stop`` ends the compiler early, and ``niceness`` is its. An error means that nothing about the
    program could be checked; a warning is a finding, and the build is there all the same.
    """
    findings = check_build(program)
    if findings:
        return None, findings
    binary = folder / find_binary_name(program)
    kept = folder / "kept"
    kept.mkdir()
    plan = plan_build(program, toolchain, arch, binary)
    source = (root / program.path).parent
    done = execute(
        [*plan.command, *more, "--keep", "--keep-dir", str(kept)],
        cwd=source,
        time_limit=_TIME_LIMIT,
        output_cap=_OUTPUT_CAP,
        more_environment={"TMPDIR": str(folder)},
        stop=stop,
        niceness=niceness,
    )
    # The folder's name is new each time, and of no use to a reader.
    report = (done.stdout + done.stderr).replace(str(folder).encode(), b"")
    said = decode_transcript(report)
    findings = read_diagnostics(said, root, program, done.failure)
    if done.failure or not binary.is_file():
        return None, findings
    cubins = tuple(sorted(kept.glob("*.cubin")))
    build = Build(
        command=plan.recorded,
        stated_command=program.header.build,
        arch_replaced=plan.arch_replaced,
        nvcc=toolchain.version,
        cuda=toolchain.cuda,
        machine_code_digest=digest_machine_code(cubins),
        kernels=read_resource_report(said),
    )
    return Compiled(build, report, binary, cubins), findings


def digest_machine_code(cubins: Sequence[Path]) -> str:
    """SHA-256 over the machine code of these files' kernels, sorted by name.

    The same for the same code wherever it was built; of nothing when there are no kernels.
    """
    digest = hashlib.sha256()
    for name, code in sorted(_read_sections(cubins)):
        for part in (name.encode(), code):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _read_sections(cubins: Sequence[Path]) -> list[tuple[str, bytes]]:
    from elftools.elf.elffile import ELFFile

    sections = []
    for cubin in cubins:
        with cubin.open("rb") as stream:
            for section in ELFFile(stream).iter_sections():
                if section.name.startswith(".text."):
                    name = _PATH_HASH.sub("_GLOBAL__N_", section.name)
                    sections.append((name, section.data()))
    return sections
