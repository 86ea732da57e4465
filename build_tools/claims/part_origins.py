"""From which line of a part's files was a value read?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from build_tools.claims.counters import find_session, read_counts
from build_tools.claims.origins import Origin
from build_tools.claims.parts import PART_NAMES
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.machine_code import read_machine_code
from build_tools.evidence.part_model import (
    Counters,
    Listings,
    LoadedPart,
    Mutants,
    Sanitizers,
)
from build_tools.evidence.parts import find_newest
from build_tools.evidence.readme import show_controls
from build_tools.evidence.record import encode_record, place_value
from build_tools.quantity.operations import Key
from build_tools.source.model import Program

Step = str | tuple[Key, ...]


def find_in_part(
    program: Program, shelf: Shelf, what: str, steps: Sequence[Step]
) -> Iterator[Origin]:
    """The lines behind ``program.counters["k"].name`` and the like; ``steps`` follow ``what``."""
    loaded = find_newest(shelf, PART_NAMES[what])
    if loaded is None:
        return
    names = [step if isinstance(step, str) else (step[0] or ":") for step in steps]
    match loaded.part:
        case Counters():
            yield from _find_counts(program, loaded, names)
        case Sanitizers():
            for index, run in enumerate(loaded.part.runs):
                if names[:1] == [run.tool]:
                    yield _quote_json(loaded, "runs", index, "passed")
                    yield from _quote_summary(loaded, run.log.path)
        case Mutants():
            for index, mutant in enumerate(loaded.part.mutants):
                if names[:1] in ([mutant.name], [":"]):
                    yield _quote_json(loaded, "mutants", index, "caught_by")
        case Listings():
            yield from _find_code(loaded, loaded.part, names)


def _find_counts(program: Program, loaded: LoadedPart, names: Sequence[str]) -> Iterator[Origin]:
    rules = program.declaration.parts.counters
    name, *rest = names if names and names[0] in rules else [next(iter(rules)), *names]
    session = find_session(loaded, name)
    if session is None or len(rest) < 2:
        return
    kernel, counter = rest[0], rest[1]
    for (own, its), found in read_counts(loaded, session, rules[name]).items():
        if its != counter or kernel not in (own, ":"):
            continue
        for number, ((path, line), text) in enumerate(zip(found.lines, found.texts, strict=True)):
            yield Origin(path, line, f"{text} in launch {number + 1}", keys=(own,))


def _find_code(loaded: LoadedPart, part: Listings, names: Sequence[str]) -> Iterator[Origin]:
    """The instructions that a count counts, or the field that holds their number."""
    for index, region in enumerate(part.regions):
        if names[:1] != [region.region]:
            continue
        if names[-2:-1] != ["count"] or part.sass is None:
            yield _quote_json(loaded, "regions", index, "kernels", 0, "instructions")
            continue
        text = loaded.texts[part.sass.path]
        code = read_machine_code(text)
        lines = text.split("\n")
        for kernel in region.kernels:
            if kernel.function not in code:
                continue
            start = next(i for i, line in enumerate(lines) if line.endswith(kernel.function))
            for number, line in enumerate(lines[start:], start + 1):
                words = line.partition("*/")[2].split()
                opcode = words[1] if words and words[0].startswith("@") else (words or [""])[0]
                if opcode == names[-1] or opcode.startswith(f"{names[-1]}."):
                    yield Origin(part.sass.path, number, " ".join(line.split())[:120])
                if number > start + 1 and "Function :" in line:
                    break


def _quote_json(loaded: LoadedPart, *route: str | int) -> Origin:
    """A line of the part's JSON."""
    text = encode_record(loaded.part)
    place = place_value(text, loaded.path, *route)
    return Origin(loaded.path, place.line, text.split("\n")[place.line - 1].strip())


def _quote_summary(loaded: LoadedPart, path: str) -> Iterator[Origin]:
    """The line of a sanitizer's log that says what it found."""
    for number, line in enumerate(loaded.texts.get(path, "").split("\n"), 1):
        if "SUMMARY" in line:
            yield Origin(path, number, show_controls(line).strip())
