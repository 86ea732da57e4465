"""What does an expression say? A closed language over names: arithmetic, comparison, a few functions.

The syntax is a small part of Python's, parsed by ``ast`` and never compiled or run: nothing but
what is listed here can be reached, and size, depth and magnitude are bounded.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, runtime_checkable

from build_tools.diagnostics.finding import suggest_names
from build_tools.quantity.cases import lacks_cases, note_comparison, note_truth
from build_tools.quantity.combine import bound_value, combine_numbers
from build_tools.quantity.comparison import compare_numbers
from build_tools.quantity.functions import FUNCTIONS
from build_tools.quantity.literal import read_decimal
from build_tools.quantity.operations import (
    COMPARING,
    Key,
    apply_binary,
    apply_function,
    broadcast,
    broadcast_equal,
    join_truths,
    map_value,
    negate,
    pick_labelled,
)
from build_tools.quantity.probe import place_probes
from build_tools.quantity.syntax_advice import explain_syntax
from build_tools.quantity.value import (
    Number,
    OperationError,
    Several,
    Text,
    Truth,
    Value,
    describe_value,
    make_exact,
)

_SYMBOLS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

MAXIMUM_LENGTH = 500
MAXIMUM_NODES = 200
MAXIMUM_DEPTH = 30


class Namespace(Protocol):
    """Something with names in it, or with keys: a program, its source, a measurement."""

    def get_attribute(self, name: str) -> Value | Namespace:
        """What ``.name`` is. Raises OperationError with near matches."""

    def get_item(self, keys: tuple[Key, ...]) -> Value | Namespace:
        """What ``[keys]`` is. Raises OperationError."""

    def describe(self) -> str:
        """What this is, for the message when it stands where a value should."""


@runtime_checkable
class Guide(Protocol):
    """A namespace that can say which values are in it."""

    def guide(self, written: str) -> str:
        """Some values of what was written so far, as they are written: ``write `x["a"]```."""


@dataclass
class ExpressionError(ValueError):
    """Why an expression has no value: message, advice, and the column from 0 within it."""

    message: str
    advice: str
    column: int

    def __str__(self) -> str:
        return self.message


def evaluate_expression(text: str, scope: Namespace) -> Value:
    """The value of an expression whose first names are looked up in ``scope``.

    Raises ExpressionError with the column where it went wrong.
    """
    tree = _parse(text)
    return _Evaluation(text, scope).finish(tree.body)


@lru_cache(maxsize=1024)
def _parse(text: str) -> ast.Expression:
    """The tree of an expression, which nobody changes. Raises ExpressionError."""
    if len(text) > MAXIMUM_LENGTH:
        raise ExpressionError(
            f"the expression has {len(text)} characters",
            f"name parts of it as quantities; {MAXIMUM_LENGTH} characters at most",
            MAXIMUM_LENGTH,
        )
    if not text.strip():
        raise ExpressionError("the expression is empty", "write what the number is", 0)
    depth = deepest = 0
    for character in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        deepest = max(deepest, depth)
    if deepest > MAXIMUM_DEPTH:
        raise ExpressionError(f"brackets nest {deepest} deep", "name parts of it as quantities", 0)
    try:
        tree = ast.parse(text, mode="eval")
        count = sum(1 for _ in ast.walk(tree))
    except SyntaxError as error:
        column = error.offset - 1 if error.offset else len(text)
        raise ExpressionError(*explain_syntax(text, error.msg, column)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"not an expression: {error}", "simplify it", 0) from None
    if count > MAXIMUM_NODES:
        raise ExpressionError(
            f"the expression has {count} parts",
            f"name parts of it as quantities; {MAXIMUM_NODES} at most",
            0,
        )
    return tree


class _Evaluation:
    """One evaluation: the text for columns, the scope for names."""

    def __init__(self, text: str, scope: Namespace) -> None:
        self.text = text
        self.scope = scope

    def finish(self, node: ast.expr) -> Value:
        """The value of a node; a bare namespace is an error."""
        found = self.visit(node)
        if isinstance(found, (Number, Truth, Text, Several)):
            return note_truth(found, self.snip(node)) if lacks_cases(found) else found
        raise self.problem(
            node,
            f"`{self.snip(node)}` is {found.describe()}, not a value",
            found.guide(self.snip(node))
            if isinstance(found, Guide)
            else "say which value of it is meant",
        )

    def visit(self, node: ast.expr) -> Value | Namespace:
        """The value or namespace of a node."""
        try:
            return self.dispatch(node)
        except OperationError as problem:
            raise self.problem(node, str(problem), problem.advice) from problem
        except ZeroDivisionError:
            raise self.problem(node, "division by zero", "guard or change the divisor") from None
        except (OverflowError, RecursionError):
            raise self.problem(node, "the numbers grow beyond all use", "simplify it") from None

    def dispatch(self, node: ast.expr) -> Value | Namespace:
        match node:
            case ast.Constant(value=value):
                return self.read_literal(node, value)
            case ast.Name(id=name):
                return place_probes(self.scope.get_attribute(name), self.snip(node), name)
            case ast.Attribute(value=inner, attr=name):
                found = self.require_namespace(inner).get_attribute(name)
                return place_probes(found, self.snip(node), name)
            case ast.Subscript(value=inner, slice=keys):
                return self.take_item(inner, keys)
            case ast.UnaryOp(op=op, operand=operand):
                return self.apply_unary(node, op, self.finish(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return apply_binary(op, self.finish(left), self.finish(right))
            case ast.BoolOp(op=op, values=values):
                truths = [self.require_truth(v) for v in values]
                return join_truths(truths, isinstance(op, ast.And))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compare(node, left, ops, others)
            case ast.Call():
                return self.call(node)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return Several(tuple(self.finish(item) for item in items))
        raise self.problem(
            node,
            f"`{self.snip(node)}` is not part of the language",
            "use arithmetic, comparison and " + ", ".join(FUNCTIONS),
        )

    def problem(self, node: ast.expr, message: str, advice: str) -> ExpressionError:
        # ast counts columns in UTF-8 bytes; the place is in characters.
        before = self.text.encode()[: node.col_offset].decode(errors="ignore")
        return ExpressionError(message, advice, len(before))

    def snip(self, node: ast.expr) -> str:
        return ast.get_source_segment(self.text, node) or self.text

    def read_literal(self, node: ast.expr, value: object) -> Value:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise self.problem(
                node, f"`{self.snip(node)}` is not a number or a key", "write a number or a key"
            )
        if isinstance(value, str):
            return Text(value, is_literal=True)
        exact = read_decimal(self.snip(node)) if isinstance(value, float) else Fraction(value)
        return replace(make_exact(bound_value(exact)), probe=exact)

    def require_namespace(self, node: ast.expr) -> Namespace:
        found = self.visit(node)
        if isinstance(found, (Number, Truth, Text, Several)):
            raise self.problem(
                node,
                f"`{self.snip(node)}` is {describe_value(found)} and has no names",
                "end the expression there",
            )
        return found

    def require_truth(self, node: ast.expr) -> Truth:
        found = self.finish(node)
        if isinstance(found, Truth):
            return found
        raise self.problem(
            node, f"`{self.snip(node)}` is {describe_value(found)}", "join statements only"
        )

    def take_item(self, inner: ast.expr, keys: ast.expr) -> Value | Namespace:
        parts = keys.elts if isinstance(keys, ast.Tuple) else [keys]
        found = self.visit(inner)
        if isinstance(found, Several):
            return self.take_from_several(found, parts)
        if isinstance(found, (Number, Truth, Text)):
            raise self.problem(
                inner,
                f"`{self.snip(inner)}` is {describe_value(found)} and has no keys",
                "leave the brackets out",
            )
        asked = tuple(self.read_key(part) for part in parts)
        name = inner.attr if isinstance(inner, ast.Attribute) else self.snip(inner)
        return place_probes(found.get_item(asked), self.snip(inner), name, asked)

    def read_key(self, node: ast.expr) -> Key:
        match node:
            case ast.Slice(lower=None, upper=None, step=None):
                return None
            case ast.Constant(value=str(text)):
                return text
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                return str(number)
        raise self.problem(
            node,
            f"`{self.snip(node)}` is not a key",
            f'write a key in quotes, `"{self.snip(node)}"`, or : for all of them'
            if isinstance(node, ast.Name)
            else 'write a key as "text", or : for all of them',
        )

    def take_from_several(self, found: Several, parts: list[ast.expr]) -> Value:
        """Items by position (arrays of the source) or by the keys they came by."""
        if len(parts) == 1 and isinstance(parts[0], ast.Constant):
            index = parts[0].value
            if isinstance(index, int) and not found.labels:
                if 0 <= index < len(found.items):
                    return found.items[index]
                raise self.problem(parts[0], f"there are {len(found.items)} values", "count from 0")
        keys = tuple(self.read_key(part) for part in parts)
        return pick_labelled(found, keys)

    def apply_unary(self, node: ast.expr, op: ast.unaryop, value: Value) -> Value:
        if isinstance(op, ast.Not):
            if isinstance(value, Truth):
                return negate(value)
            raise self.problem(node, f"`not` before {describe_value(value)}", "negate statements")
        if isinstance(op, ast.USub):
            return map_value(value, lambda n: combine_numbers(operator.neg, [n], n.dimensions))
        if isinstance(op, ast.UAdd):
            return value
        raise self.problem(node, "`~` is not part of the language", "use arithmetic")

    def compare(
        self, node: ast.expr, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]
    ) -> Value:
        values = [self.finish(left)] + [self.finish(other) for other in others]
        outcomes = []
        sides = [
            (self.snip(side), value) for side, value in zip([left, *others], values, strict=True)
        ]
        for first, op, second in zip(sides, ops, sides[1:], strict=False):
            outcome = self.compare_pair(node, first[1], op, second[1])
            outcomes.append(note_comparison(outcome, _SYMBOLS[type(op)], first, second))
        if len(outcomes) == 1:
            return outcomes[0]
        truths = [o for o in outcomes if isinstance(o, Truth)]
        if len(truths) != len(outcomes):
            raise self.problem(node, "a chain compares several values", "use all(…) on each part")
        return join_truths(truths, True)

    def compare_pair(self, node: ast.expr, left: Value, op: ast.cmpop, right: Value) -> Value:
        symbol = _SYMBOLS.get(type(op), "")
        if symbol in ("==", "!="):
            equal = broadcast_equal(left, right)
            return negate(equal) if symbol == "!=" else equal
        if symbol:
            return broadcast(left, right, lambda a, b: compare_numbers(a, b, symbol))
        raise self.problem(
            node,
            f"`{self.snip(node)}` is not a comparison of numbers",
            "use < <= > >=, == on exact things, or same(a, b)",
        )

    def call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            return self.call_method(node, node.func)
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            name = self.snip(node.func)
            raise self.problem(node, f"no function `{name}`", suggest_names(name, FUNCTIONS))
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.problem(node, "functions take plain values", "write the values in order")
        values = [self.finish(argument) for argument in node.args]
        outcome = apply_function(node.func.id, values)
        if node.func.id in COMPARING:
            left, right = zip(map(self.snip, node.args), values, strict=True)
            return note_comparison(outcome, node.func.id, left, right)
        return outcome

    def call_method(self, node: ast.Call, method: ast.Attribute) -> Value:
        """``listing["r"].count("LDS")``: what the name holds under these keys."""
        if node.keywords or not node.args or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.problem(node, f"`{self.snip(method)}` takes keys", 'write `("key")`')
        name = self.snip(method)
        found = self.visit(method)
        if isinstance(found, (Number, Truth, Text, Several)):
            raise self.problem(
                node, f"`{name}` is {describe_value(found)}, nothing to call", "leave the call out"
            )
        asked = tuple(self.read_key(argument) for argument in node.args)
        value = place_probes(found.get_item(asked), name, method.attr, asked)
        if isinstance(value, (Number, Truth, Text, Several)):
            return value
        raise self.problem(node, f"`{name}(…)` is {value.describe()}", "say which value is meant")
