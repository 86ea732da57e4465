"""What does a program's evidence beside its runs need: builds, tools, and executions kept?

Builds of mutants go on in threads while something else runs on the GPU, and leave the processor
to it. An execution of the same binary under the same command is made once, whoever asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.privacy import find_own_names
from build_tools.evidence.record import LARGEST_SIDE_FILE
from build_tools.measure.compile import Compiled, compile_program
from build_tools.measure.ledger import COMPILER, GPU, Ledger
from build_tools.measure.room import Room, make_once
from build_tools.measure.run import Execution, execute
from build_tools.measure.toolchain import Toolchain, find_binary_name
from build_tools.measure.tools import Tool, find_tool
from build_tools.measure.tree import plant_text
from build_tools.source.model import Program
from build_tools.source.mutants import compose_mutant
from build_tools.source.part_rules import MutantRule
from build_tools.source.regions import decode_source

_NICENESS = 10
"""Of compilers that work while something runs on the GPU."""


@dataclass(frozen=True)
class Variant:
    """A program as it is or with a mutant in it: where its tree lies, and its build."""

    root: Path
    program: Program
    compiled: Compiled


@dataclass(frozen=True)
class Executed:
    """An execution, and the file its tool wrote; texts without private paths and names."""

    command: tuple[str, ...]
    """As recorded: tools by their names, the binary beside them."""
    log: bytes
    output: bytes
    """Both streams of the program, standard output first."""
    exit_status: int
    seconds: float
    cut: str


@dataclass
class Bench:
    """All that the parts of one program are made with."""

    root: Path
    program: Program
    compiled: Compiled
    folder: Path
    """A temporary folder of the program's own."""
    toolchain: Toolchain
    arch: str
    ledger: Ledger
    progress: Callable[[str], object]
    tools: dict[str, Tool | str] = field(default_factory=dict)
    """Those looked for already; shared by all programs of a campaign."""
    known_metrics: dict[Path, Future[frozenset[str]]] = field(default_factory=dict)
    """What each profiler can count here; shared likewise."""
    room: Room = field(default_factory=Room)
    campaign: str = ""
    """Told in all that is measured in one go."""
    with_lines: Future[tuple[Compiled | None, str]] | None = None
    """The build with source lines, and the program's text then, once it is asked for."""
    lines_refused: bool = False
    """Whether it was said that the build with source lines is done without."""
    mutants: dict[str, Future[Variant | Finding]] = field(default_factory=dict)
    executed: dict[tuple[str, ...], Future[Executed]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while it is looked up who executes what."""
    numbers: Iterator[int] = field(default_factory=count)
    """What tells the files of executions from each other."""

    def find(self, name: str) -> Tool | str:
        """A tool, looked for once."""
        if name not in self.tools:
            self.tools[name] = find_tool(name)
        return self.tools[name]


def start_builds(bench: Bench, pool: Executor, *, lines: bool, mutants: Sequence[str]) -> None:
    """Begin to compile what the parts will need: the program with source lines, and mutants."""
    if lines:
        bench.with_lines = pool.submit(_build_with_lines, bench)
    rules = bench.program.declaration.parts.mutants
    for name in mutants:
        bench.mutants[name] = pool.submit(_build_mutant, bench, rules[name])


def _build_with_lines(bench: Bench) -> tuple[Compiled | None, str]:
    folder = bench.folder / "with-lines"
    folder.mkdir()
    path = bench.program.path
    # Not the text that was read first: a record's stamp in the header moves all lines.
    text, _ = decode_source((bench.root / path).read_bytes(), path)
    with bench.ledger.spend(COMPILER, "builds with source lines"):
        compiled, _ = compile_program(
            bench.root,
            bench.program,
            bench.toolchain,
            bench.arch,
            folder,
            ("-lineinfo",),
            bench.room.stop,
            _NICENESS,
        )
    return compiled, text or ""


def take_lines(bench: Bench) -> tuple[Compiled, str] | None:
    """The build with source lines and its text, when its machine code is the program's own."""
    if bench.with_lines is None:
        return None
    compiled, text = bench.with_lines.result()
    if compiled is None:
        return None
    if compiled.build.machine_code_digest != bench.compiled.build.machine_code_digest:
        with bench.lock:
            first, bench.lines_refused = not bench.lines_refused, True
        if first:  # each part that could use it asks
            bench.progress(
                f"{bench.program.name}: -lineinfo changes the machine code, so it is done without"
            )
        return None
    return compiled, text


def _build_mutant(bench: Bench, rule: MutantRule) -> Variant | Finding:
    """The program with a mutant, in a tree of its own; a finding when it does not compile."""
    tree = bench.folder / f"mutant-{rule.name}"
    program = bench.program
    mutated = plant_text(bench.root, program, compose_mutant(program, rule), tree)
    if mutated is None:
        return _report_mutant(rule, "the program cannot be read any more")
    place = tree / "build"
    place.mkdir()
    with bench.ledger.spend(COMPILER, "mutants"):
        compiled, findings = compile_program(
            tree, mutated, bench.toolchain, bench.arch, place, (), bench.room.stop, _NICENESS
        )
    if compiled is None:
        said = findings[0].true if findings else "it said nothing"
        return _report_mutant(rule, f"it does not compile: {said}")
    return Variant(tree, mutated, compiled)


def _report_mutant(rule: MutantRule, true: str) -> Finding:
    what = "starter" if rule.exercise else "mutant"
    advice = f"change the {what} so that only what it does is wrong; nothing was recorded"
    return Finding(Kind.CHECK, rule.replace_place, rule.stated, true, advice)


def run_binary(
    bench: Bench,
    compiled: Compiled,
    args: Sequence[str],
    what: str,
    tool: tuple[Tool, tuple[str, ...]] | None = None,
    turn: int = 0,
    limit: float | None = None,
) -> Executed:
    """Run a binary, alone or under a tool with its options; once for each command and turn.

    ``{log}`` in an option is the file that the tool writes; ``limit`` is in seconds, where the
    program's own is too long. Raises OSError.
    """
    folder = compiled.binary.parent
    binary = f"./{find_binary_name(bench.program)}"
    options = tool[1] if tool else ()
    key = (str(folder), tool[0].name if tool else "", *options, "--", *args, str(turn))
    return make_once(
        bench.lock,
        bench.executed,
        key,
        lambda: _run_binary_now(bench, compiled, (binary, *args), what, tool, limit),
    )


def _run_binary_now(
    bench: Bench,
    compiled: Compiled,
    command: tuple[str, ...],
    what: str,
    tool: tuple[Tool, tuple[str, ...]] | None,
    limit: float | None,
) -> Executed:
    folder = compiled.binary.parent
    options = tool[1] if tool else ()
    name = f"tool-{next(bench.numbers)}.log"
    words = [option.replace("{log}", name) for option in options]
    path = [str(tool[0].path)] if tool else []
    environment = {"HOME": str(folder), **(tool[0].environment if tool else {})}
    own_limit = bench.program.declaration.time_limit
    with bench.room.slots, bench.ledger.spend(GPU, what):
        done = execute(
            [*path, *words, *command],
            cwd=folder,
            time_limit=own_limit if limit is None else min(limit, own_limit),
            output_cap=LARGEST_SIDE_FILE,
            more_environment=environment,
            stop=bench.room.stop,
        )
    log = folder / name
    return Executed(
        (*([tool[0].name] if tool else []), *words, *command),
        scrub(log.read_bytes()[:LARGEST_SIDE_FILE] if log.is_file() else b"", bench),
        scrub(join_streams(done), bench),
        done.exit_status,
        done.seconds,
        done.cut,
    )


def join_streams(done: Execution) -> bytes:
    """Both streams, the standard output first, each ending its last line."""
    parts = [part for part in (done.stdout, done.stderr) if part]
    joined = b"".join(part if part.endswith(b"\n") else part + b"\n" for part in parts)
    return joined[:LARGEST_SIDE_FILE]


def scrub(data: bytes, bench: Bench) -> bytes:
    """Without the temporary folder and this machine's and user's own names, which tools print."""
    for folder in (bench.folder, bench.root):
        data = data.replace(str(folder).encode() + b"/", b"").replace(str(folder).encode(), b".")
    for name in sorted(find_own_names(), key=len, reverse=True):
        data = data.replace(name.encode(), b"host")
    return data


def list_last_lines(executed: Executed, count: int = 3) -> str:
    """The last lines that a program printed, for a message."""
    text = executed.output.decode("utf-8", "backslashreplace")
    lines = [line.strip()[:200] for line in text.split("\n") if line.strip()]
    return " / ".join(lines[-count:])


def name_tools(bench: Bench, names: Sequence[str]) -> Mapping[str, str]:
    """The versions of tools that were found."""
    found = {name: bench.find(name) for name in names}
    return {name: tool.version for name, tool in found.items() if isinstance(tool, Tool)}
