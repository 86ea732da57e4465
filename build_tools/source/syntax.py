"""Which kernels does a program define, and which constants does it declare?

Above the lexical level: tree-sitter's CUDA grammar, given a text whose comments and literals are
blanked, so that its faults in directives (see ``tokens``) cannot matter. tree-sitter is imported
only here, and only when a program is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from build_tools.source.tokens import Scan, TokenKind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

_UNKNOWN_ATTRIBUTES = frozenset({"__cluster_dims__", "__maxnreg__", "__block_size__"})
"""Attributes of a kernel that the grammar does not know and would take for its name."""
_SCOPES = frozenset(
    {
        "translation_unit",
        "namespace_definition",
        "declaration_list",
        "linkage_specification",
        "template_declaration",
        "ERROR",
    }
)
"""Nodes whose declarations are at namespace scope."""
_CONDITIONS = ("preproc_if", "preproc_elif", "preproc_else")
"""How the types of nodes of preprocessor conditions begin."""


def parse_scan(scan: Scan) -> Tree:
    """The syntax tree of a scanned text; byte offsets in it are the text's offsets."""
    return _get_parser().parse(blank_source(scan).encode("ascii"))


@cache
def _get_parser() -> Parser:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def blank_source(scan: Scan) -> str:
    """The text in ASCII, as long as before, without comments and without what literals hold."""
    pieces = [character if character == "\n" else " " for character in scan.text]
    for splice in re.finditer(r"\\(?=\n)", scan.text):  # a directive goes on behind it
        pieces[splice.start()] = "\\"
    for comment in scan.comments:  # and behind a comment of several lines
        for newline in re.finditer(r"[^\n](?=\n)", comment.text):
            pieces[comment.start + newline.start()] = "\\"
    attribute_end = -1
    for index, token in enumerate(scan.tokens):
        if token.text in _UNKNOWN_ATTRIBUTES:
            attribute_end = _find_closing(scan, index + 1)
        if index <= attribute_end or token.kind is TokenKind.END:
            continue
        text = token.text
        if token.kind in (TokenKind.STRING, TokenKind.RAW):
            text = '""'[: len(text)]
        elif token.kind is TokenKind.CHARACTER:
            text = "'0'"[: len(text)]
        ascii_text = "".join(c if c.isascii() else "_" for c in text)
        pieces[token.start : token.start + len(ascii_text)] = ascii_text
    return "".join(pieces)


def _find_closing(scan: Scan, index: int) -> int:
    """The token that closes the parenthesis at ``index``; the one before it when there is none."""
    depth = 0
    for position in range(index, len(scan.tokens)):
        depth += {"(": 1, ")": -1}.get(scan.tokens[position].text, 0)
        if depth == 0:
            return position if position > index else index - 1
    return index - 1


def find_kernels(tree: Tree, scan: Scan) -> dict[str, int]:
    """The ``__global__`` functions defined, templates too: the line of each one's name.

    Of several with one name (overloads, specializations) the first counts.
    """
    kernels: dict[str, int] = {}
    for node, _ in _iterate_scopes(tree.root_node):
        if node.type == "function_definition" and any(
            child.type == "__global__" for child in node.children
        ):
            name = _find_function_name(node)
            if name is not None:
                text = scan.text[name.start_byte : name.end_byte]
                kernels.setdefault(text, scan.locate(name.start_byte)[0])
    return kernels


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: the type as it stands, and whether the kernel may write by it."""

    type: str
    """Without ``const`` and without what follows a ``*``: ``unsigned long long``."""
    is_pointer: bool
    is_written: bool


@dataclass(frozen=True)
class Signature:
    """A definition of a kernel: where it stands, and where its first statement may."""

    name: str
    line: int
    """Where its name stands, from 1."""
    body: int
    """Just behind the brace that opens its body."""
    parameters: tuple[Parameter, ...]


def list_signatures(tree: Tree, scan: Scan) -> list[Signature]:
    """Every ``__global__`` function defined, overloads and specializations too, in order."""
    found = []
    for node, _ in _iterate_scopes(tree.root_node):
        body = node.child_by_field_name("body")
        if node.type != "function_definition" or body is None:
            continue
        if not any(child.type == "__global__" for child in node.children):
            continue
        name = _find_function_name(node)
        declared = _find_parameters(node)
        if name is None or declared is None or body.type != "compound_statement":
            continue
        parameters = tuple(
            _read_parameter(scan.text[child.start_byte : child.end_byte])
            for child in declared.children
            if child.type in ("parameter_declaration", "optional_parameter_declaration")
        )
        text = scan.text[name.start_byte : name.end_byte]
        line = scan.locate(name.start_byte)[0]
        found.append(Signature(text, line, body.start_byte + 1, parameters))
    return found


def _find_parameters(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.child_by_field_name("parameters") is None:
        declarator = declarator.child_by_field_name("declarator")
    return declarator.child_by_field_name("parameters") if declarator is not None else None


_QUALIFIERS = frozenset({"const", "volatile", "__grid_constant__", "__restrict__", "struct"})


def _read_parameter(text: str) -> Parameter:
    """``const float* __restrict__ a`` points to what is not written."""
    text = text.partition("=")[0]
    pointee, star, _ = text.partition("*")
    is_pointer = bool(star) or "[" in text
    words = pointee.partition("[")[0].split()
    if not star and len(words) > 1 and words[-1] not in _BUILT_IN:
        words = words[:-1]  # the parameter's own name
    kept = " ".join(word for word in words if word not in _QUALIFIERS)
    return Parameter(kept, is_pointer, is_pointer and "const" not in words)


_BUILT_IN = frozenset({"int", "char", "short", "long", "unsigned", "signed", "float", "double"})
"""Words that end a type where a parameter has no name."""


def _find_function_name(node: Node) -> Node | None:
    """The identifier in a definition's declarator, without namespaces and template arguments."""
    name = node.child_by_field_name("declarator")
    while name is not None and name.type != "identifier":
        name = name.child_by_field_name("declarator") or name.child_by_field_name("name")
    return name


def iterate_declarations(tree: Tree) -> Iterator[tuple[Node, Node | None]]:
    """Declarations and ``#define`` directives at namespace scope, in order.

    Each with the innermost preprocessor condition around it, or None.
    """
    for node, condition in _iterate_scopes(tree.root_node):
        if node.type in ("declaration", "preproc_def"):
            yield node, condition


def _iterate_scopes(root: Node) -> Iterator[tuple[Node, Node | None]]:
    """All nodes at namespace scope in order, with the preprocessor condition around each.

    By a stack of its own: the depth of a source is not bounded by Python's.
    """
    waiting: list[tuple[Node, Node | None]] = [(root, None)]
    while waiting:
        node, condition = waiting.pop()
        yield node, condition
        if node.type.startswith(_CONDITIONS):
            condition = node
        elif node.type not in _SCOPES:
            continue
        waiting += [(child, condition) for child in reversed(node.children)]
