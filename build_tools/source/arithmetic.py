"""What is the value of a constant expression, by the rules of C++?

Division of integers cuts, unsigned values wrap, a signed value that does not fit is no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from build_tools.source.numeric_types import (
    BOOL,
    FLOAT,
    INT,
    UNSIGNED_LONG,
    CType,
    Known,
    Number,
    UnreadableError,
    convert,
    read_literal,
    read_type,
)
from build_tools.source.tokens import Token, TokenKind

_SIZES = {"float": 4, "double": 8}
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_DEEPEST = 30


def evaluate(tokens: Sequence[Token], known: Known) -> Number:
    """The value of an expression whose macros are expanded. Raises UnreadableError."""
    parser = _Parser(tokens, known)
    number = parser.read_expression()
    parser.expect_end()
    return number


class _Parser:
    """Reads an expression token by token and computes as it goes."""

    def __init__(self, tokens: Sequence[Token], known: Known) -> None:
        self.tokens = tokens
        self.known = known
        self.position = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> str:
        index = self.position + ahead
        return self.tokens[index].text if index < len(self.tokens) else ""

    def take(self, text: str) -> None:
        if self.peek() != text:
            raise UnreadableError(f"`{self.peek() or 'the end'}` stands where `{text}` should")
        self.position += 1

    def expect_end(self) -> None:
        if self.position < len(self.tokens):
            raise UnreadableError(f"`{self.peek()}` is beyond the arithmetic that is read")

    def read_expression(self) -> Number:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableError("the expression is nested too deeply")
        condition = self.read_binary(0)
        if self.peek() == "?":
            self.take("?")
            chosen = self.read_expression()
            self.take(":")
            other = self.read_expression()
            common = _find_common_type(chosen.type, other.type)
            condition = convert(chosen if condition.value else other, common)
        self.depth -= 1
        return condition

    def read_binary(self, level: int) -> Number:
        if level == len(_LEVELS):
            return self.read_unary()
        left = self.read_binary(level + 1)
        while self.peek() in _LEVELS[level]:
            operator = self.peek()
            self.position += 1
            left = _apply(operator, left, self.read_binary(level + 1))
        return left

    def read_unary(self) -> Number:
        operator = self.peek()
        if operator in ("+", "-", "~", "!"):
            self.position += 1
            self.depth += 1
            if self.depth > _DEEPEST:
                raise UnreadableError("the expression is nested too deeply")
            number = self.read_unary()
            self.depth -= 1
            return _apply_unary(operator, number)
        if operator == "(":
            wanted, end = read_type(self.tokens, self.position + 1)
            if wanted is not None and end < len(self.tokens) and self.tokens[end].text == ")":
                self.position = end + 1
                return convert(self.read_unary(), wanted)
        return self.read_primary()

    def read_primary(self) -> Number:
        if self.position >= len(self.tokens):
            raise UnreadableError("the expression ends too early")
        token = self.tokens[self.position]
        if token.kind is TokenKind.NUMBER:
            self.position += 1
            return read_literal(token.text)
        if token.text == "(":
            return self.read_enclosed("(", ")")
        if token.text in ("true", "false"):
            self.position += 1
            return Number(Fraction(token.text == "true"), BOOL)
        if token.text == "sizeof":
            return self.read_sizeof()
        if token.text == "static_cast":
            self.position += 1
            self.take("<")
            wanted = self.read_named_type()
            self.take(">")
            return convert(self.read_enclosed("(", ")"), wanted)
        wanted_type, end = read_type(self.tokens, self.position)
        if wanted_type is not None:
            self.position = end
            closing = {"(": ")", "{": "}"}.get(self.peek(), "")
            return convert(
                self.read_enclosed(self.peek() if closing else "(", closing), wanted_type
            )
        if token.kind is TokenKind.WORD:
            return self.read_constant()
        if token.kind in (TokenKind.STRING, TokenKind.RAW, TokenKind.CHARACTER):
            raise UnreadableError("it is text, not a number")
        raise UnreadableError(f"`{token.text}` is beyond the arithmetic that is read")

    def read_enclosed(self, opening: str, closing: str) -> Number:
        self.take(opening)
        number = self.read_expression()
        self.take(closing)
        return number

    def read_named_type(self) -> CType:
        wanted, end = read_type(self.tokens, self.position)
        if wanted is None:
            raise UnreadableError(f"`{self.peek()}` is no arithmetic type")
        self.position = end
        return wanted

    def read_sizeof(self) -> Number:
        self.take("sizeof")
        self.take("(")
        first = self.peek()
        wanted = self.read_named_type()
        self.take(")")
        size = _SIZES.get(first, max(wanted.bits // 8, 1))
        return Number(Fraction(size), UNSIGNED_LONG)

    def read_constant(self) -> Number:
        while self.peek(1) == "::":  # the scope; constants are known by their last name
            self.position += 2
        name = self.peek()
        found = self.known.get(name)
        self.position += 1
        if self.peek() in ("(", "{", "<"):
            raise UnreadableError(f"`{name}` is called or is a template")
        if found is None:
            raise UnreadableError(f"`{name}` is no constant declared above")
        if isinstance(found, str):
            raise UnreadableError(f"`{name}` has no value: {found}")
        if isinstance(found, Number):
            return found
        self.take("[")
        index = self.read_expression()
        self.take("]")
        if index.type.is_float or not 0 <= index.value < len(found.values):
            raise UnreadableError(f"the index is outside of `{name}`")
        return Number(found.values[int(index.value)], found.type)


def _promote(ctype: CType) -> CType:
    return INT if 0 < ctype.bits < INT.bits else ctype


def _find_common_type(left: CType, right: CType) -> CType:
    """The usual arithmetic conversions."""
    if left.is_float or right.is_float:
        return FLOAT
    one, other = _promote(left), _promote(right)
    if one.is_signed == other.is_signed or one.bits != other.bits:
        return max(one, other, key=lambda t: t.bits)
    return other if one.is_signed else one


def _apply_unary(operator: str, number: Number) -> Number:
    if operator == "!":
        return Number(Fraction(number.value == 0), BOOL)
    promoted = convert(number, _promote(number.type))
    if operator == "+":
        return promoted
    if operator == "-":
        return convert(Number(-promoted.value, promoted.type), promoted.type)
    if promoted.type.is_float:
        raise UnreadableError("`~` of a floating-point number")
    return convert(Number(Fraction(~int(promoted.value)), promoted.type), promoted.type)


def _apply(operator: str, left: Number, right: Number) -> Number:
    if operator in ("&&", "||"):
        pair = (left.value != 0, right.value != 0)
        return Number(Fraction(all(pair) if operator == "&&" else any(pair)), BOOL)
    if operator in ("<<", ">>"):
        return _shift(operator, left, right)
    common = _find_common_type(left.type, right.type)
    a, b = convert(left, common).value, convert(right, common).value
    if operator in ("==", "!=", "<", ">", "<=", ">="):
        outcomes = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
        return Number(Fraction(outcomes[operator]), BOOL)
    if operator in ("/", "%") and b == 0:
        raise UnreadableError("it divides by zero")
    if common.is_float:
        if operator in ("%", "&", "|", "^"):
            raise UnreadableError(f"`{operator}` of floating-point numbers")
        value = {"+": a + b, "-": a - b, "*": a * b}.get(operator)
        return convert(Number(a / b if value is None else value, common), common)
    return convert(Number(Fraction(_compute_whole(operator, int(a), int(b))), common), common)


def _compute_whole(operator: str, a: int, b: int) -> int:
    if operator in ("/", "%"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - b * quotient
    outcomes = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
    return outcomes[operator]


def _shift(operator: str, left: Number, right: Number) -> Number:
    wanted = _promote(left.type)
    if wanted.is_float or right.type.is_float:
        raise UnreadableError("a shift of a floating-point number")
    value, count = int(left.value), int(right.value)
    if not 0 <= count < wanted.bits:
        raise UnreadableError(f"a shift by {count} of {wanted.name}")
    shifted = value << count if operator == "<<" else value >> count
    return convert(Number(Fraction(shifted), wanted), wanted)
