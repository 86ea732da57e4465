"""Which instructions does a listing of machine code hold, function by function and line by line?

Two tools write them alike: ``cuobjdump -sass`` under ``Function : NAME``, ``nvdisasm -g`` under
``.text.NAME:``, with the source line of what follows in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_FUNCTION = re.compile(r"\s*Function : (?P<name>\S+)\s*$")
_SECTION = re.compile(r"\.text\.(?P<name>\S+):\s*$")
_LINE = re.compile(r'\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)')
_INSTRUCTION = re.compile(
    r"\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+(?:(?P<guard>@!?U?P[T\d]+)\s+)?"
    r"(?P<opcode>[A-Z][A-Z0-9_.]*)(?P<operands>[^;]*);"
)
_LABEL = re.compile(r"\s*(?P<label>\.L_\w+):\s*$")
_PADDING = frozenset({"NOP"})


@dataclass(frozen=True)
class Instruction:
    """One instruction: where it stands, what it does, and from which source line it comes."""

    address: int
    guard: str
    """``@!P0``, or empty."""
    opcode: str
    """With its suffixes: ``LDS.128``."""
    operands: str
    file: str = ""
    """The source's file name without its folder; empty where it is not known."""
    line: int = 0

    @property
    def text(self) -> str:
        """As the listing has it, spaces folded."""
        return " ".join(f"{self.guard} {self.opcode} {self.operands}".split())


def read_machine_code(text: str) -> dict[str, tuple[Instruction, ...]]:
    """The instructions of each function, by its name in the machine code.

    The padding behind the last branch is left out. A function listed twice, as several
    architectures are, is the first one's.
    """
    functions: dict[str, list[Instruction]] = {}
    current: list[Instruction] | None = None
    file, line = "", 0
    labels: dict[str, int] = {}
    waiting: list[str] = []
    for text_line in text.split("\n"):
        head = _FUNCTION.match(text_line) or _SECTION.match(text_line)
        if head:
            current = None
            if head["name"] not in functions:
                current = functions[head["name"]] = []
            file, line = "", 0
            continue
        where = _LINE.match(text_line)
        if where:
            file, line = where["file"].rsplit("/", 1)[-1], int(where["line"])
            continue
        label = _LABEL.match(text_line)
        if label:
            waiting.append(label["label"])
            continue
        match = _INSTRUCTION.match(text_line)
        if match and current is not None:
            labels |= dict.fromkeys(waiting, int(match["address"], 16))
            waiting = []
            current.append(
                Instruction(
                    int(match["address"], 16),
                    match["guard"] or "",
                    match["opcode"],
                    " ".join(match["operands"].split()),
                    file,
                    line,
                )
            )
    return {name: _drop_padding(found, labels) for name, found in functions.items()}


def _drop_padding(
    instructions: Sequence[Instruction], labels: Mapping[str, int]
) -> tuple[Instruction, ...]:
    """Without the NOPs behind the last instruction, and the branch to itself before them."""
    end = len(instructions)
    while end and instructions[end - 1].opcode in _PADDING:
        end -= 1
    last = instructions[end - 1] if end else None
    if last is not None and last.opcode == "BRA":
        target = last.operands.strip("`()")
        if target == hex(last.address) or labels.get(target) == last.address:
            end -= 1
    return tuple(instructions[:end])


def count_opcodes(instructions: Sequence[Instruction]) -> dict[str, int]:
    """How many instructions have each opcode."""
    counts: dict[str, int] = {}
    for instruction in instructions:
        counts[instruction.opcode] = counts.get(instruction.opcode, 0) + 1
    return dict(sorted(counts.items()))


def count_matching(opcodes: Mapping[str, int], wanted: str) -> int:
    """How many instructions have this opcode, or one that goes on behind it with a suffix.

    ``LDS`` counts ``LDS``, ``LDS.64`` and ``LDS.128``, not ``LDSM``.
    """
    return sum(
        count
        for opcode, count in opcodes.items()
        if opcode == wanted or opcode.startswith(f"{wanted}.")
    )
