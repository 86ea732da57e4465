"""What does a claim's text say? A printed number, read by one closed grammar.

``[hedge] number [range number] [scale] [unit]``, after folding of Unicode digits, the micro
sign, special spaces, emphasis and code ticks. Nothing else: what is left over is an error that
shows what was understood.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from build_tools.quantity.units import ONE, Unit, UnitError, parse_unit


class Form(StrEnum):
    """What kind of number a text is."""

    NUMBER = "number"
    FACTOR = "factor"
    PERCENT = "percent"
    COUNT = "count"
    """An exact integer: ``16-way``, ``128-bit``."""
    SHAPE = "shape"


class Hedge(StrEnum):
    """How far a text stands by its number."""

    NONE = ""
    ABOUT = "about"
    NEARLY = "nearly"
    JUST_OVER = "just over"
    OVER = "over"
    AT_LEAST = "at least"
    UNDER = "under"
    AT_MOST = "at most"


@dataclass(frozen=True)
class Numeral:
    """One number as written, before scale and unit.

    ``unit`` is one unit of the last digit, zero where the number is exact (``1/16``, ``2^24``,
    ``a third``); ``round_unit`` one unit of the last digit that is not zero.
    """

    value: Fraction
    unit: Fraction
    round_unit: Fraction
    text: str
    decimals: int = 0


@dataclass(frozen=True)
class Printed:
    """A claim's text as understood. For a shape, ``shape`` holds its sides."""

    text: str
    form: Form
    low: Numeral
    high: Numeral | None
    hedge: Hedge
    multiplier: Fraction
    """What scale words and the percent sign make of the number."""
    unit: Unit
    unit_text: str
    tail: str = ""
    """Scale and unit as written, spaces and all, so that a new number can be put before it."""
    shape: tuple[int, ...] = ()

    @property
    def factor(self) -> Fraction:
        """Base units in one of the printed numbers."""
        return self.multiplier * self.unit.factor


class UnreadableError(ValueError):
    """A text that is not one printed number; ``advice`` says how to write it."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
WORD_VALUES = {word: Fraction(n) for n, word in enumerate(_WORDS)}
SHARES = {
    "half": Fraction(1, 2),
    "a half": Fraction(1, 2),
    "one half": Fraction(1, 2),
    "a third": Fraction(1, 3),
    "one third": Fraction(1, 3),
    "two thirds": Fraction(2, 3),
    "a quarter": Fraction(1, 4),
    "one quarter": Fraction(1, 4),
    "three quarters": Fraction(3, 4),
    "a fifth": Fraction(1, 5),
    "a tenth": Fraction(1, 10),
}
MULTIPLES = {"twice": Fraction(2), "double": Fraction(2), "thrice": Fraction(3)}
SCALE_WORDS = {
    "thousand": Fraction(10**3),
    "million": Fraction(10**6),
    "billion": Fraction(10**9),
    "trillion": Fraction(10**12),
}

HEDGES = {
    "about": Hedge.ABOUT,
    "around": Hedge.ABOUT,
    "roughly": Hedge.ABOUT,
    "some": Hedge.ABOUT,
    "approximately": Hedge.ABOUT,
    "~": Hedge.ABOUT,
    "≈": Hedge.ABOUT,
    "nearly": Hedge.NEARLY,
    "almost": Hedge.NEARLY,
    "just under": Hedge.NEARLY,
    "just over": Hedge.JUST_OVER,
    "over": Hedge.OVER,
    "more than": Hedge.OVER,
    ">": Hedge.OVER,
    "at least": Hedge.AT_LEAST,
    "≥": Hedge.AT_LEAST,
    "under": Hedge.UNDER,
    "less than": Hedge.UNDER,
    "<": Hedge.UNDER,
    "up to": Hedge.AT_MOST,
    "at most": Hedge.AT_MOST,
    "≤": Hedge.AT_MOST,
}
_HEDGE = re.compile(
    r"(?P<hedge>"
    + "|".join(re.escape(h) for h in sorted(HEDGES, key=len, reverse=True))
    + r")(?P<space>\s*)",
    re.IGNORECASE,
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
_NUMERAL = re.compile(
    rf"(?P<sign>[-+])?(?:"
    rf"(?P<base>\d+)(?:\^(?P<caret>-?\d+)|(?P<raised>{_SUPERSCRIPT}))"
    rf"|(?P<above>\d+)/(?P<below>\d+)(?![\d.])"
    rf"|(?P<whole>{_DIGITS})(?:\.(?P<part>\d+))?"
    rf"(?:e(?P<exponent>[-+]?\d+)|\s?[×x]\s?10(?:\^(?P<tens>-?\d+)|(?P<raisedtens>{_SUPERSCRIPT})))?"
    rf")(?![\d.,]*\d)"
)
_RANGE = re.compile(r"\s*(?:–|-(?=\d)|\s+to\s+)\s*")
_SHAPE = re.compile(r"\d+(?:\s?[x×]\s?\d+)+")
_FACTOR = re.compile(r"\s?(?:×|x(?![A-Za-z])|-?fold\b|\s?times\b)")
_COUNT = re.compile(r"-(?:way|bit)\b")
_SCALE = re.compile(r"\s(" + "|".join(SCALE_WORDS) + r")\b", re.IGNORECASE)
_PERCENT = re.compile(r"\s?%|\spercent\b")
_SPACES = re.compile(r"[\u00a0\u2007\u2009\u200a\u202f]")


def fold_text(text: str) -> str:
    """The text with digits, signs and spaces folded and emphasis and code ticks taken off."""
    folded = text
    while len(folded) > 1 and folded[0] in "*_`" and folded[-1] == folded[0]:
        folded = folded[1:-1]
    characters = []
    for character in folded:
        if character.isdecimal() and not character.isascii():
            characters.append(str(unicodedata.decimal(character)))
        elif character == "−":
            characters.append("-")
        elif character == "\N{GREEK SMALL LETTER MU}":
            characters.append("µ")
        else:
            characters.append(character)
    return _SPACES.sub(" ", "".join(characters)).strip()


def parse_printed(text: str) -> Printed:
    """Read a claim's text as one printed number. Raises UnreadableError with advice."""
    rest = fold_text(text)
    _reject_known_mistakes(rest)
    if _SHAPE.fullmatch(rest):
        sides = tuple(int(side) for side in re.findall(r"\d+", rest))
        none = Numeral(Fraction(0), Fraction(0), Fraction(0), "")
        return Printed(text, Form.SHAPE, none, None, Hedge.NONE, Fraction(1), ONE, "", "", sides)
    hedge = Hedge.NONE
    opening = _HEDGE.match(rest)
    if opening and (opening["space"] or not opening["hedge"].isalpha()):
        hedge = HEDGES[opening["hedge"].lower()]
        rest = rest[opening.end() :]
    word = _read_words(text, rest, hedge)
    if word is not None:
        return word
    low, rest = _take_numeral(rest, text)
    high: Numeral | None = None
    between = _RANGE.match(rest)
    if between and _NUMERAL.match(rest, between.end()):
        high, rest = _take_numeral(rest[between.end() :], text)
        if high.value <= low.value:
            raise UnreadableError(
                f"`{text}` reads as a range from {low.text} to {high.text}",
                "write the smaller number first: a range runs upwards, nothing is subtracted",
            )
    return _read_tail(text, low, high, hedge, rest)


def _read_tail(text: str, low: Numeral, high: Numeral | None, hedge: Hedge, rest: str) -> Printed:
    """What follows the number: scale, percent sign, unit."""
    form, multiplier, tail = Form.NUMBER, Fraction(1), rest
    scale = _SCALE.match(rest)
    if scale:
        multiplier = SCALE_WORDS[scale[1].lower()]
        rest = rest[scale.end() :]
    if match := _COUNT.match(rest):
        form, rest = Form.COUNT, rest[match.end() :]
    elif match := _FACTOR.match(rest):
        form, rest = Form.FACTOR, rest[match.end() :]
    elif match := _PERCENT.match(rest):
        form, multiplier, rest = Form.PERCENT, Fraction(1, 100), rest[match.end() :]
    unit_text = rest.strip()
    unit = _read_unit(text, unit_text, rest)
    if form is not Form.NUMBER and unit_text:
        raise UnreadableError(
            f"`{text}` is a {form.value} followed by `{unit_text}`",
            "keep only the number in the link and put the words after it",
        )
    return Printed(text, form, low, high, hedge, multiplier, unit, unit_text, tail)


def _read_unit(text: str, unit_text: str, rest: str) -> Unit:
    """The unit after a number; prose there is an error that shows what was understood."""
    try:
        return parse_unit(unit_text)
    except UnitError as error:
        words = unit_text.split(" ")
        understood = text.strip()[: len(text.strip()) - len(rest)]
        for count in range(len(words) - 1, 0, -1):
            try:
                parse_unit(" ".join(words[:count]))
            except UnitError:
                continue
            understood += " " + " ".join(words[:count])
            break
        raise UnreadableError(
            f"`{text}` reads as `{understood.strip()}`, then something else: {error}",
            "keep only the number and its unit in the link",
        ) from None


def _read_words(text: str, rest: str, hedge: Hedge) -> Printed | None:
    """``twice``, ``a third``, ``sixteen-fold``, ``three times``, ``three``."""
    lowered = rest.lower()
    value = SHARES.get(lowered)
    if value is not None:
        return _make_word(text, Form.FACTOR, value, Fraction(0), hedge)
    value = MULTIPLES.get(lowered)
    if value is not None:
        return _make_word(text, Form.FACTOR, value, Fraction(1), hedge)
    match = re.fullmatch(r"([a-z]+)(-?fold| times|-way|-bit)?", lowered)
    if match and match[1] in WORD_VALUES:
        form = Form.NUMBER
        if match[2]:
            form = Form.COUNT if match[2] in ("-way", "-bit") else Form.FACTOR
        return _make_word(text, form, WORD_VALUES[match[1]], Fraction(1), hedge)
    return None


def _make_word(text: str, form: Form, value: Fraction, unit: Fraction, hedge: Hedge) -> Printed:
    numeral = Numeral(value, unit, unit, text)
    return Printed(text, form, numeral, None, hedge, Fraction(1), ONE, "")


def _take_numeral(rest: str, text: str) -> tuple[Numeral, str]:
    """The number at the start of ``rest``, and what follows it."""
    match = _NUMERAL.match(rest)
    if match is None:
        raise UnreadableError(
            f"`{text}` does not start with a number",
            "write one number with its unit, such as `1.6×`, `26.4 ms` or `16 x 16`; "
            "a statement needs an expression that is true or false",
        )
    sign = -1 if match["sign"] == "-" else 1
    exponent_text = match["caret"] or (match["raised"] or "").translate(_SUPERSCRIPTS)
    if match["base"]:
        exponent = _bound_exponent(exponent_text, text)
        if match["base"].strip("0") == "" and exponent < 0:
            raise UnreadableError(f"`{text}` divides by zero", "write the number meant")
        value = sign * Fraction(int(match["base"])) ** exponent
        numeral = Numeral(value, Fraction(0), abs(value), match[0])
    elif match["above"]:
        if int(match["below"]) == 0:
            raise UnreadableError(f"`{text}` divides by zero", "write the number meant")
        value = sign * Fraction(int(match["above"]), int(match["below"]))
        numeral = Numeral(value, Fraction(0), abs(value), match[0])
    else:
        numeral = _make_decimal(match, sign, text)
    return numeral, rest[match.end() :]


def _bound_exponent(digits: str, text: str) -> int:
    exponent = int(digits)
    if abs(exponent) > 400:
        raise UnreadableError(
            f"`{text}` has an exponent of {exponent}", "write a number of this world"
        )
    return exponent


def _make_decimal(match: re.Match[str], sign: int, text: str) -> Numeral:
    """A decimal number, with or without a power of ten."""
    whole = match["whole"].replace(",", "")
    part = match["part"] or ""
    written = (
        match["exponent"]
        or match["tens"]
        or (match["raisedtens"] or "").translate(_SUPERSCRIPTS)
        or "0"
    )
    power = Fraction(10) ** _bound_exponent(written, text)
    digits = whole + part
    unit = power / Fraction(10) ** len(part)
    value = sign * int(digits) * unit
    zeros = len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return Numeral(value, unit, unit * 10**zeros, match[0], len(part))


_MISTAKES = (
    (
        re.compile(r"\d{1,3}(?: \d{3})+(?!\d)"),
        "spaces group its digits",
        lambda m: m[0].replace(" ", ","),
    ),
    (re.compile(r"(?<![\d.])\.\d+"), "no digit stands before the point", lambda m: "0" + m[0]),
    (re.compile(r"\d+\.(?!\d)"), "no digit stands after the point", lambda m: m[0][:-1]),
    (
        re.compile(r"(?<![\d.,])(?<!e)(?<!e[-+])0+(?=\d)\d*"),
        "it starts with a zero",
        lambda m: str(int(m[0])),
    ),
    (re.compile(r"0[xX][0-9a-fA-F]+"), "it is hexadecimal", lambda m: str(int(m[0], 16))),
)


def _reject_known_mistakes(text: str) -> None:
    """Numbers people write that are not in the grammar, each with the form that is."""
    for pattern, what, remedy in _MISTAKES:
        match = pattern.search(text)
        if match:
            raise UnreadableError(f"`{match[0]}` is not read: {what}", f"write `{remedy(match)}`")
    badly_grouped = re.search(r"\d+(?:,\d+)+", text)
    if badly_grouped and not re.fullmatch(r"\d{1,3}(?:,\d{3})+", badly_grouped[0]):
        digits = badly_grouped[0].replace(",", "")
        raise UnreadableError(
            f"`{badly_grouped[0]}` is not read: commas group three digits",
            f"write `{int(digits):,}`",
        )
