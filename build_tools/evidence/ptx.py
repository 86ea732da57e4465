"""Which instructions does a listing of PTX hold, function by function, and of which source lines?

``cuobjdump -ptx`` writes one module after another, each from ``.version`` on. In a build with
source lines ``.loc FILE LINE COLUMN`` says where the instructions behind it come from, and
``.file FILE "PATH"`` which file that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_MODULE = re.compile(r"\s*\.version\b")
_ENTRY = re.compile(r"(?:\.visible |\.weak )*\.(?:entry|func)\b.*?(?P<name>[A-Za-z_$][\w$]*)\s*\(")
_FILE = re.compile(r'\s*\.file\s+(?P<number>\d+)\s+"(?P<path>[^"]*)"')
_LOC = re.compile(
    r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)"
    r"(?:\s*,\s*function_name\s[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?"
)
_INSTRUCTION = re.compile(r"(?:\{\s*)?(?:@!?%\w+\s+)?[a-z][\w.:]*(?:\s|;|$)")

_Spot = tuple[int, int, int]
"""File, line and column, as ``.loc`` has them."""
_Places = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class PtxLine:
    """One line of PTX, and where it comes from."""

    text: str
    places: _Places = ()
    """File names without folders and lines: the code's own, then where it was inlined, outwards.

    Empty for what is no instruction, and where nothing is told.
    """

    def find_line(self, file: str) -> int:
        """The innermost line of this file, or 0: code of a header has the line it was inlined at."""
        return next((line for name, line in self.places if name == file), 0)


def read_ptx(text: str) -> dict[str, tuple[PtxLine, ...]]:
    """The PTX of each function by its name, from its directive to its closing brace.

    ``.loc`` is left out, of blank lines one stays, and a function listed twice, as for several
    architectures, is the first one's.
    """
    functions: dict[str, tuple[PtxLine, ...]] = {}
    for module in _split_modules(text.split("\n")):
        files = {
            int(match["number"]): match["path"].rsplit("/", 1)[-1]
            for match in map(_FILE.match, module)
            if match
        }
        for name, lines in _split_functions(module):
            functions.setdefault(name, tuple(_read_lines(lines, files)))
    return functions


def _split_modules(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Each numbers its files anew."""
    starts = [index for index, line in enumerate(lines) if _MODULE.match(line)]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        yield lines[start:end]


def _split_functions(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Inline assembly and calls have braces of their own within a function's."""
    name, start, depth = "", 0, 0
    for index, line in enumerate(lines):
        if not name:
            match = _ENTRY.match(line.strip())
            if not match:
                continue
            name, start, depth = match["name"], index, 0
        code = line.partition("//")[0]
        depth += code.count("{") - code.count("}")
        if depth == 0 and "}" in code:
            yield name, lines[start : index + 1]
            name = ""
        elif depth == 0 and code.rstrip().endswith(";"):  # declared, and defined elsewhere
            name = ""


def _read_lines(lines: Sequence[str], files: Mapping[int, str]) -> Iterator[PtxLine]:
    locator = _Locator(files)
    unfinished = False
    blank = False
    for line in lines:
        match = _LOC.match(line)
        if match:
            locator.move(*match.groups())
            continue
        code = line.partition("//")[0].strip()
        if not code:
            if not blank:
                yield PtxLine("")
            blank = True
            continue
        blank = False
        # A call goes on over several lines.
        is_instruction = unfinished or bool(_INSTRUCTION.match(code))
        unfinished = is_instruction and ";" not in code
        yield PtxLine(line.strip(), locator.take() if is_instruction else ())


@dataclass
class _Locator:
    """Where the lines behind the last ``.loc`` come from.

    ``inlined_at`` names one step outwards. The next is that of the ``.loc`` of that spot, which
    the compiler writes before what was inlined there.
    """

    files: Mapping[int, str]
    places: _Places = ()
    last: _Spot | None = None
    """Where the ``.loc`` just before is of, with no instruction between."""
    known: dict[_Spot, set[_Places]] = field(default_factory=dict)

    def move(self, *numbers: str | None) -> None:
        """Take a ``.loc``: its spot, and the one it is inlined at."""
        file, line, column, *at = (int(number) for number in numbers if number is not None)
        outer = self._find_outer((at[0], at[1], at[2])) if at else ()
        self.places = (*self._name(file, line), *outer)
        self.last = (file, line, column)
        self.known.setdefault(self.last, set()).add(self.places)

    def take(self) -> _Places:
        """The places of an instruction."""
        self.last = None
        return self.places

    def _find_outer(self, at: _Spot) -> _Places:
        if at == self.last:
            return self.places
        # Of several that say different things none is taken.
        known = self.known.get(at, set())
        return next(iter(known)) if len(known) == 1 else self._name(at[0], at[1])

    def _name(self, file: int, line: int) -> _Places:
        """A file that is not listed, and line 0, are no place."""
        return ((self.files[file], line),) if line and file in self.files else ()
