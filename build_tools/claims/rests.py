"""What does a claim rest on, and which other claims rest on the same?

An expression is read for the names in it; named quantities are followed to what they name. Two
claims rest on the same when a measurement, constant, device fact or cited fact of one is one of
the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from build_tools.claims.model import Claim, ClaimKind, Course
from build_tools.claims.parts import PART_NAMES
from build_tools.source.model import Program, QuantityRule

_OF_RECORD = ("source", "device", "compiler", "check", "windows", *PART_NAMES)
"""Namespaces of a program whose members are named with them: ``device.sm_count``."""
_CHOICES = ("on", "records")
"""Namespaces whose key chooses records, and behind which the program's names follow."""


@dataclass(frozen=True, order=True)
class Rest:
    """One thing that an expression reads."""

    program: str
    """The program's name; empty for a cited fact."""
    name: str
    """``time``, ``source.kTile``, ``compiler.matmul.registers``, or the key of a fact.

    Of records chosen by name or device it starts with the choice: ``on.NVIDIA L4.time``.
    """
    keys: tuple[str, ...] = ()
    """Of a measurement, as given; ``:`` stands for all."""

    def meets(self, other: Rest) -> bool:
        """Whether both read at least one value in common."""
        if (self.program, self.name) != (other.program, other.name):
            return False
        if len(self.keys) != len(other.keys):
            return True  # One of them stands without keys, or with a single colon for all.
        pairs = zip(self.keys, other.keys, strict=True)
        return all(mine == yours or ":" in (mine, yours) for mine, yours in pairs)


_Part = str | tuple[str, ...]
"""A name after a dot, or the keys between brackets."""


def list_rests(course: Course, claim: Claim) -> frozenset[Rest]:
    """Everything a claim reads; empty for ``stated:`` and for an expression that is none."""
    match claim.kind:
        case ClaimKind.STATED:
            return frozenset()
        case ClaimKind.GIVEN:
            return frozenset({Rest("", claim.target)})
    return list_expression_rests(course, claim.target)


def list_expression_rests(course: Course, expression: str) -> frozenset[Rest]:
    """Everything an expression of the course reads."""
    return frozenset(_read_expression(course, None, expression, ()))


def list_programs(rests: Iterable[Rest]) -> frozenset[str]:
    """The programs that these belong to."""
    return frozenset(rest.program for rest in rests if rest.program)


def _read_expression(
    course: Course, local: Program | None, expression: str, pending: tuple[str, ...]
) -> Iterator[Rest]:
    """``local`` is the program in whose program.toml the expression stands, if it does."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # Evaluating it says what is wrong.
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        chain = _read_chain(node)
        if chain is None:
            waiting += ast.iter_child_nodes(node)
        else:
            yield from _follow_chain(course, local, chain, pending)


def _read_chain(node: ast.AST) -> list[_Part] | None:
    """``a.b["c"].d`` as its parts; None for what starts with no name."""
    parts: list[_Part] = []
    while True:
        match node:
            case ast.Name(id=name):
                return [name, *reversed(parts)]
            case ast.Attribute(value=inner, attr=name):
                parts.append(name)
                node = inner
            case ast.Subscript(value=inner, slice=keys):
                listed = keys.elts if isinstance(keys, ast.Tuple) else [keys]
                parts.append(tuple(_read_key(key) for key in listed))
                node = inner
            case _:
                return None


def _read_key(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ":"


def _follow_chain(
    course: Course, local: Program | None, chain: list[_Part], pending: tuple[str, ...]
) -> Iterator[Rest]:
    """What one chain of names reads."""
    root, rest = str(chain[0]), chain[1:]
    if local is not None and _is_name_of(local, root):
        yield from _follow_program(course, local, chain, pending)
    elif root == "given":
        yield from (Rest("", part if isinstance(part, str) else part[0]) for part in rest[:1])
    elif root in course.programs:
        yield from _follow_program(course, course.programs[root], rest, pending)
    elif root in course.quantities:
        yield from _follow_quantity(course, None, course.quantities[root], pending)
    elif local is not None:
        # A field of a line: it is declared in a pattern, and no list of names holds it.
        yield from _follow_program(course, local, chain, pending)


def _is_name_of(program: Program, name: str) -> bool:
    declaration = program.declaration
    return (
        name in _OF_RECORD
        or name in _CHOICES
        or name in declaration.quantities
        or any(name in (t.name, *(c.name for c in t.columns)) for t in declaration.tables)
    )


def _follow_quantity(
    course: Course, local: Program | None, rule: QuantityRule, pending: tuple[str, ...]
) -> Iterator[Rest]:
    """What a named quantity reads; nothing when it is being read already."""
    identity = f"{local.name if local else ''}.{rule.name}"
    if identity not in pending:
        yield from _read_expression(course, local, rule.expression, (*pending, identity))


def _follow_program(
    course: Course, program: Program, chain: list[_Part], pending: tuple[str, ...]
) -> Iterator[Rest]:
    """What the parts after a program's name read."""
    if not chain or not isinstance(chain[0], str):
        return
    name, rest = chain[0], chain[1:]
    if name in _CHOICES and rest:
        chosen = rest[0] if isinstance(rest[0], str) else ".".join(rest[0])
        for found in _follow_program(course, program, rest[1:], pending):
            yield replace(found, name=f"{name}.{chosen}.{found.name}")
        return
    if name in _OF_RECORD:
        words = [part if isinstance(part, str) else ".".join(part) for part in chain]
        yield Rest(program.name, ".".join(words))
        return
    rule = program.declaration.quantities.get(name)
    if rule is not None:
        yield from _follow_quantity(course, program, rule, pending)
        return
    if any(table.name == name for table in program.declaration.tables):
        yield from _follow_program(course, program, rest, pending)
        return
    keys = next((part for part in rest if isinstance(part, tuple)), ())
    yield Rest(program.name, name, keys)


@dataclass(frozen=True)
class Companion:
    """A claim of a page, as one that rests on the same as another."""

    path: str
    claim: Claim
    same_expression: bool = False


RestIndex = Mapping[tuple[str, str], Sequence[tuple[Rest, Companion]]]
"""Who reads what: by program and name, the claims of all pages."""


def index_rests(course: Course, pages: Iterable[tuple[str, Iterable[Claim]]]) -> RestIndex:
    """What the claims of these pages, each with its path, rest on. Made once for all questions."""
    index: dict[tuple[str, str], list[tuple[Rest, Companion]]] = {}
    read: dict[tuple[ClaimKind, str], frozenset[Rest]] = {}
    for path, claims in pages:
        for claim in claims:
            target = claim.kind, claim.target
            if target not in read:
                read[target] = list_rests(course, claim)
            for rest in read[target]:
                key = rest.program, rest.name
                index.setdefault(key, []).append((rest, Companion(path, claim)))
    return index


def find_companions(course: Course, index: RestIndex, path: str, claim: Claim) -> list[Companion]:
    """The other claims that rest on what this one, of the page ``path``, rests on.

    Those with the same expression come first, then by place.
    """
    found: dict[tuple[str, int], Companion] = {}
    for mine in list_rests(course, claim):
        for rest, companion in index.get((mine.program, mine.name), ()):
            other = companion.claim
            key = companion.path, other.number
            if key != (path, claim.number) and mine.meets(rest):
                same = (other.kind, other.target) == (claim.kind, claim.target)
                found[key] = replace(companion, same_expression=same)
    return sorted(found.values(), key=lambda c: (not c.same_expression, c.claim.place))
