"""Which constants does a program declare at namespace scope, and what are their values?"""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from build_tools.diagnostics.finding import Place
from build_tools.source.arithmetic import evaluate
from build_tools.source.model import Constant
from build_tools.source.numeric_types import (
    Array,
    CType,
    Number,
    UnreadableError,
    convert,
    read_type,
)
from build_tools.source.syntax import iterate_declarations
from build_tools.source.tokens import Scan, Token, TokenKind

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_MOST_TOKENS = 4096
"""Of an initializer whose macros are expanded; and the most elements of an array."""

_DEEPEST_MACROS = 64


def read_constants(tree: Tree, scan: Scan, path: str, build: str) -> dict[str, Constant]:
    """The constants of a program by name, in the order they are declared.

    ``constexpr`` and ``const`` variables and ``#define``; numbers and arrays of numbers, and
    arithmetic over those above. What is beyond that has no value and a reason: what a template,
    a call or a preprocessor condition decides, what is declared twice with different values,
    and macros that the Build command sets.
    """
    reader = _ConstantReader(scan, path, find_macros_set(build))
    for node, condition in iterate_declarations(tree):
        if node.type == "preproc_def":
            reader.read_macro(node, condition)
        else:
            reader.read_variables(node, condition)
    return reader.finish()


def find_macros_set(build: str) -> frozenset[str]:
    """Names that ``-D`` sets in a command."""
    try:
        words = shlex.split(build)
    except ValueError:
        return frozenset()
    joined = [
        b if a == "-D" else a[2:]
        for a, b in zip(words, [*words, ""][1:], strict=True)
        if a[:2] == "-D"
    ]
    return frozenset(word.partition("=")[0] for word in joined)


class _ConstantReader:
    """Holds the constants and macros known so far while declarations go by."""

    def __init__(self, scan: Scan, path: str, macros_set: frozenset[str]) -> None:
        self._tokens = scan.tokens
        self._starts = [token.start for token in scan.tokens]
        self._scan = scan
        self._path = path
        self._macros_set = macros_set
        self._macros: dict[str, list[Token]] = {}
        self._known: dict[str, Number | Array | str] = {}
        self._places: dict[str, Place] = {}

    def finish(self) -> dict[str, Constant]:
        """The constants; macros only now, as they are read where they are used."""
        for name, body in self._macros.items():
            if name not in self._known:
                self._known[name] = _attempt(partial(self._evaluate, body))
        constants = {}
        for name, place in self._places.items():
            known = self._known[name]
            if isinstance(known, str):
                constants[name] = Constant(name, None, place, known)
            else:
                value = known.value if isinstance(known, Number) else known.values
                constants[name] = Constant(name, value, place)
        return constants

    def read_macro(self, node: Node, condition: Node | None) -> None:
        if node.children[1].is_missing:
            return
        index = bisect_left(self._starts, node.children[1].start_byte)
        name = self._tokens[index]
        body = []
        for token in self._tokens[index + 1 :]:
            if token.kind is TokenKind.END:
                break
            body.append(token)
        if not body:
            return
        previous = self._macros.get(name.text)
        if name.text in self._macros_set:
            self._keep(name, "the Build command sets it with -D")
        elif condition is not None and not _is_own_guard(condition, name.text, self._scan):
            self._keep(name, self._explain_condition(condition))
        elif name.text in self._known or (
            previous is not None and [t.text for t in previous] != [t.text for t in body]
        ):
            self._keep(name, "")
        else:
            self._places.setdefault(name.text, self._place(name))
            self._macros[name.text] = body

    def read_variables(self, node: Node, condition: Node | None) -> None:
        qualifiers = {
            self._scan.text[c.start_byte : c.end_byte]
            for c in node.children
            if c.type == "type_qualifier"
        }
        if not qualifiers & {"const", "constexpr"}:
            return
        type_node = node.child_by_field_name("type")
        type_tokens = self._slice(type_node) if type_node is not None else []
        for child in node.children_by_field_name("declarator"):
            if child.type == "init_declarator":
                self._read_variable(child, type_tokens, node, condition)

    def _read_variable(
        self, node: Node, type_tokens: Sequence[Token], declaration: Node, condition: Node | None
    ) -> None:
        declarator, value = (
            node.child_by_field_name("declarator"),
            node.child_by_field_name("value"),
        )
        sizes: list[Sequence[Token]] = []
        while declarator is not None and declarator.type == "array_declarator":
            size = declarator.child_by_field_name("size")
            sizes.append(self._slice(size) if size is not None else [])
            declarator = declarator.child_by_field_name("declarator")
        if declarator is None or declarator.type != "identifier" or value is None:
            return  # a pointer or a reference is no constant
        if declarator.is_missing:  # the grammar's guess at a broken text
            return
        name = self._slice(declarator)[0]
        if declaration.parent is not None and declaration.parent.type == "template_declaration":
            self._keep(name, "it is a template")
        elif condition is not None:
            self._keep(name, self._explain_condition(condition))
        else:
            tokens = self._slice(value)
            self._keep(name, _attempt(partial(self._read_value, type_tokens, sizes, tokens)))

    def _read_value(
        self, type_tokens: Sequence[Token], sizes: list[Sequence[Token]], tokens: Sequence[Token]
    ) -> Number | Array:
        words = [token.text for token in type_tokens]
        if "array" in words and "<" in words:
            begin = words.index("<") + 1
            wanted, end = read_type(type_tokens, begin)
            if wanted is None or words[end : end + 1] != [","]:
                raise UnreadableError("it is an array of something else than numbers")
            elements = _split_elements(tokens)
            if len(elements) == 1 and elements[0][0].text == "{":
                tokens = elements[0]
            return self._read_array(wanted, [type_tokens[end + 1 : -1]], tokens)
        wanted, end = read_type(type_tokens)
        if wanted is None and words != ["auto"]:
            raise UnreadableError(f"its type `{' '.join(words)}` is no number's")
        if sizes:
            return self._read_array(wanted, sizes, tokens)
        if tokens and tokens[0].text == "{":
            elements = _split_elements(tokens)
            if len(elements) > 1 or wanted is None:
                raise UnreadableError("it is a list, not a number")
            tokens = elements[0] if elements else []
            if not tokens:
                return Number(Fraction(0), wanted)
        number = self._evaluate(tokens)
        return convert(number, wanted) if wanted is not None else number

    def _read_array(
        self, wanted: CType | None, sizes: list[Sequence[Token]], tokens: Sequence[Token]
    ) -> Array:
        if len(sizes) > 1:
            raise UnreadableError("it is an array of arrays")
        if wanted is None or not tokens or tokens[0].text != "{":
            raise UnreadableError("it is an array of something else than numbers")
        values = [convert(self._evaluate(e), wanted).value for e in _split_elements(tokens)]
        length = int(self._evaluate(sizes[0]).value) if sizes[0] else len(values)
        if not len(values) <= length <= _MOST_TOKENS:
            raise UnreadableError(f"its length {length} is not that of what it holds")
        values += [Fraction(0)] * (length - len(values))
        return Array(tuple(values), wanted)

    def _evaluate(self, tokens: Sequence[Token]) -> Number:
        expanded: list[Token] = []
        for token in self._expand(tokens, frozenset()):
            expanded.append(token)
            if len(expanded) > _MOST_TOKENS:
                raise UnreadableError("its macros are too long")
        return evaluate(expanded, self._known)

    def _expand(self, tokens: Sequence[Token], hidden: frozenset[str]) -> Iterator[Token]:
        for token in tokens:
            if len(hidden) > _DEEPEST_MACROS:
                raise UnreadableError("its macros are nested too deeply")
            if token.text in self._macros and token.text not in hidden:
                yield from self._expand(self._macros[token.text], hidden | {token.text})
            else:
                yield token

    def _keep(self, name: Token, value: Number | Array | str) -> None:
        """Keep a constant; one declared before with another value has none."""
        first = self._places.setdefault(name.text, self._place(name))
        known = self._known.get(name.text)
        if first.line != self._place(name).line and (known is None or known != value):
            self._macros.pop(name.text, None)
            value = f"it is declared more than once, first at line {first.line}"
        self._known[name.text] = value

    def _place(self, token: Token) -> Place:
        return Place(self._path, *self._scan.locate(token.start))

    def _explain_condition(self, condition: Node) -> str:
        line = self._scan.locate(condition.start_byte)[0]
        return f"the preprocessor condition at line {line} decides"

    def _slice(self, node: Node) -> Sequence[Token]:
        begin = bisect_left(self._starts, node.start_byte)
        end = bisect_left(self._starts, node.end_byte)
        return self._tokens[begin:end]


def _attempt(read: Callable[[], Number | Array]) -> Number | Array | str:
    try:
        return read()
    except UnreadableError as error:
        return str(error)


def _is_own_guard(condition: Node, name: str, scan: Scan) -> bool:
    """Whether the condition is ``#ifndef NAME``, which only asks whether ``-D`` has set it."""
    word, macro = condition.children[0], condition.children[1]
    return word.type == "#ifndef" and scan.text[macro.start_byte : macro.end_byte] == name


def _split_elements(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """What stands between the commas of a braced list."""
    elements: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[1:-1]:
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(token.text, 0)
        if token.text == "," and depth == 0:
            elements.append([])
        else:
            elements[-1].append(token)
    return [element for element in elements if element]
