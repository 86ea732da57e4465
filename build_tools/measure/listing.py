"""Which machine code did the compiler make of a region's kernels? Needs no GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, suggest_names
from build_tools.evidence.compiler import list_functions
from build_tools.evidence.machine_code import read_machine_code
from build_tools.evidence.part_model import RegionListing
from build_tools.evidence.ptx import read_ptx
from build_tools.evidence.record import LARGEST_SIDE_FILE
from build_tools.evidence.transcript import decode_transcript
from build_tools.measure.bench import Bench, scrub, take_lines
from build_tools.measure.compile import Compiled
from build_tools.measure.ledger import COMPILER
from build_tools.measure.run import execute
from build_tools.measure.tools import Tool
from build_tools.source.model import Program
from build_tools.source.part_rules import ListingRule
from build_tools.source.tokens import scan_source

_LIMIT = 120.0


@dataclass(frozen=True)
class Listed:
    """What the tools wrote; ``refusal`` says why there is no machine code, in their words."""

    sass: bytes = b""
    lines: bytes = b""
    ptx: bytes = b""
    """With lines where that build has the same PTX."""
    text: str = ""
    """The program's text whose lines they are."""
    refusal: str = ""
    findings: list[Finding] = field(default_factory=list)


def compose_sass(functions: Sequence[str], binary: str) -> tuple[str, ...]:
    """The arguments of cuobjdump for the machine code of these functions."""
    return ("-sass", "-fun", ",".join(functions), binary)


def compose_ptx(functions: Sequence[str], binary: str) -> tuple[str, ...]:
    """The arguments of cuobjdump for the PTX of these functions."""
    return ("-ptx", "-fun", ",".join(functions), binary)


def compose_lines(cubin: str) -> tuple[str, ...]:
    """The arguments of nvdisasm for machine code with the source's lines."""
    return ("-g", "-c", cubin)


def name_region_functions(
    program: Program, rule: ListingRule, report: str
) -> tuple[RegionListing, list[Finding]]:
    """The functions of a region's kernels by what the compiler called them in its report.

    A template's instances are all its kernel's.
    """
    known = list_functions(report)
    functions: dict[str, str] = {}
    findings = []
    for index, kernel in enumerate(rule.kernels):
        own = {n: f for n, f in known.items() if n.partition("<")[0].partition("@")[0] == kernel}
        functions |= own
        if not own:
            place = rule.kernel_places[index] if rule.kernel_places else rule.place
            true = f"the build of `{program.name}` holds no machine code of it"
            advice = suggest_names(kernel, known)
            findings.append(Finding(Kind.DECLARATION, place, f"kernel `{kernel}`", true, advice))
    return RegionListing(region=rule.region, functions=functions), findings


def list_code(
    bench: Bench, functions: Sequence[str], cuobjdump: Tool, nvdisasm: Tool | str
) -> Listed:
    """The machine code and PTX of these functions, with source lines where they are to be had."""
    binary = bench.compiled.binary
    sass = _ask(bench, cuobjdump, compose_sass(functions, binary.name), binary.parent)
    if isinstance(sass, str):
        return Listed(refusal=sass)
    missing = [name for name in functions if name not in read_machine_code(decode_transcript(sass))]
    if missing:
        said = " ".join(decode_transcript(sass).split())[:300]
        return Listed(refusal=f"cuobjdump lists no machine code of {', '.join(missing)}: {said}")
    ptx = _list_ptx(bench, functions, cuobjdump, bench.compiled)
    taken = take_lines(bench)
    if taken is None:
        return Listed(sass, ptx=ptx)
    compiled, text = taken
    lined = _list_ptx(bench, functions, cuobjdump, compiled)
    return Listed(
        sass,
        _list_lines(bench, functions, nvdisasm, compiled),
        lined if _is_same_ptx(ptx, lined, functions) else ptx,
        text,
    )


def _list_ptx(bench: Bench, functions: Sequence[str], cuobjdump: Tool, compiled: Compiled) -> bytes:
    """The PTX in a binary; empty where it holds none."""
    binary = compiled.binary
    ptx = _ask(bench, cuobjdump, compose_ptx(functions, binary.name), binary.parent)
    return ptx if isinstance(ptx, bytes) and b".version" in ptx else b""


def _is_same_ptx(one: bytes, other: bytes, functions: Sequence[str]) -> bool:
    """Whether two listings differ in nothing but the lines of the source."""
    read = [read_ptx(decode_transcript(listing)) for listing in (one, other)]
    bare = [[[line.text for line in found.get(f, ())] for f in functions] for found in read]
    return bare[0] == bare[1] and all(bare[0])


def _list_lines(
    bench: Bench, functions: Sequence[str], nvdisasm: Tool | str, compiled: Compiled
) -> bytes:
    """The machine code of the build with lines; empty where none has all functions."""
    if isinstance(nvdisasm, str):
        return b""
    for cubin in compiled.cubins:
        text = _ask(bench, nvdisasm, compose_lines(cubin.name), cubin.parent)
        if isinstance(text, bytes):
            found = read_machine_code(decode_transcript(text))
            if all(name in found for name in functions):
                return text
    return b""


def _ask(bench: Bench, tool: Tool, arguments: Sequence[str], folder: Path) -> bytes | str:
    """What a tool writes, or why it writes nothing."""
    with bench.ledger.spend(COMPILER, "listings"):
        try:
            done = execute(
                [str(tool.path), *arguments],
                cwd=folder,
                time_limit=_LIMIT,
                output_cap=LARGEST_SIDE_FILE,
                more_environment=tool.environment,
            )
        except OSError as error:
            return f"{tool.name} cannot be started: {error.strerror}"
    if done.failure:
        said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[:300]
        return f"{tool.name}: {said or done.failure}"
    return scrub(done.stdout, bench)


def anchor_lines(file: str, source: str, listing: str, ptx: str) -> dict[str, int]:
    """For each of a program's lines in a listing or its PTX, the index of the first token on it.

    ``file`` is the program's file name, ``source`` the program's text as it was compiled. Lines
    move when comments are added; tokens do not while the code is the same.
    """
    code = read_machine_code(listing).values()
    wanted = {i.line for found in code for i in found if i.file == file}
    wanted |= {line.find_line(file) for found in read_ptx(ptx).values() for line in found}
    scan = scan_source(source)
    anchors: dict[str, int] = {}
    for index, token in enumerate(scan.tokens):
        line = scan.locate(token.start)[0]
        if line in wanted:
            anchors.setdefault(str(line), index)
    return anchors
