"""What does a claim's text say? A printed number, read by one closed grammar.

``[hedge] number [range number] [scale] [unit]``, after folding. Nothing else: what is left over
is an error that shows what was understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from build_tools.quantity.fold import Folded, fold_original
from build_tools.quantity.numeral import (
    NUMERAL,
    Notation,
    Numeral,
    UnreadableError,
    reject_known_mistakes,
    take_numeral,
)
from build_tools.quantity.units import ONE, Unit, UnitError, parse_unit, suggest_unit
from build_tools.quantity.vocabulary import (
    HEDGES,
    MULTIPLES,
    SCALE_WORDS,
    SHARES,
    WORD_VALUES,
    Form,
    Hedge,
)

LONGEST_TEXT = 200
"""Characters of a printed number, at most: what is longer is a sentence."""


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
    folded: Folded
    tail: str = ""
    """Scale and unit as folded, spaces and all."""
    shape: tuple[int, ...] = ()

    @property
    def factor(self) -> Fraction:
        """Base units in one of the printed numbers."""
        return self.multiplier * self.unit.factor


_HEDGE = re.compile(
    r"(?P<hedge>"
    + "|".join(re.escape(h) for h in sorted(HEDGES, key=len, reverse=True))
    + r")(?P<space>\s*)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:–|-(?=\d)|\s+to\s+)\s*")
_SHAPE = re.compile(r"\d{1,12}(?:\s?[x×]\s?\d{1,12})+")
_FACTOR = re.compile(r"\s?(?:×|x(?![A-Za-z])|-?fold\b|\s?times\b)")
_COUNT = re.compile(r"-(?:way|bit)\b")
_SCALE = re.compile(r"\s(" + "|".join(SCALE_WORDS) + r")\b", re.IGNORECASE)
_PERCENT = re.compile(r"\s?%|\spercent\b")
_WORDED = re.compile(r"([a-z]+)(-?fold| times|-way|-bit)?")


def parse_printed(text: str) -> Printed:
    """Read a claim's text as one printed number. Raises UnreadableError with advice."""
    if len(text) > LONGEST_TEXT:
        raise UnreadableError(
            f"`{text[:40]}…` has {len(text)} characters", "keep only the number in the link"
        )
    folded = fold_original(text)
    reject_known_mistakes(folded.text)
    _reject_other_ranges(text, folded.text)
    if _SHAPE.fullmatch(folded.text):
        sides = tuple(int(side) for side in re.findall(r"\d+", folded.text))
        none = Numeral(Fraction(0), Fraction(0), Fraction(0), "", 0, end=len(folded.text))
        return Printed(
            text, Form.SHAPE, none, None, Hedge.NONE, Fraction(1), ONE, "", folded, "", sides
        )
    hedge, position = Hedge.NONE, 0
    opening = _HEDGE.match(folded.text)
    if opening and (opening["space"] or not opening["hedge"].isalpha()):
        hedge, position = HEDGES[opening["hedge"].lower()], opening.end()
    word = _read_words(text, folded, position, hedge)
    if word is not None:
        return word
    low = take_numeral(folded.text, position, text)
    high: Numeral | None = None
    between = _RANGE.match(folded.text, low.end)
    if between and NUMERAL.match(folded.text, between.end()):
        high = take_numeral(folded.text, between.end(), text)
        if high.value <= low.value:
            joiner = folded.text[low.end : high.start]
            turned = high.text + joiner + low.text
            raise UnreadableError(
                f"`{text}` reads as a range from {low.text} to {high.text}",
                "write the smaller number first",
                folded.text[: low.start] + turned + folded.text[high.end :],
            )
    return _read_tail(text, folded, low, high, hedge)


_END = r"(?P<{0}>[-+]?\d[\d.,]*)"
_TWO_UNITS = re.compile(
    _END.format("low")
    + r"(?P<unit>[^\d–]{1,20}?)(?P<joiner>\s*–\s*|-(?=\d)|\s+to\s+)"
    + _END.format("high")
    + r"(?P=unit)(?P<rest>.{0,20})"
)
_BETWEEN = re.compile(r"between (?P<low>.{1,40}?) and (?P<high>.{1,40})", re.IGNORECASE)


def _reject_other_ranges(text: str, folded: str) -> None:
    """Raise UnreadableError for ranges spelled otherwise, with the spelling that is read."""
    between = _BETWEEN.fullmatch(folded)
    if between:
        raise UnreadableError(
            f"`{text}` is not read: a range is written with a dash or `to`",
            f"write `{between['low']} to {between['high']}`",
            f"{between['low']} to {between['high']}",
        )
    twice = _TWO_UNITS.search(folded)
    if twice and twice["unit"].strip():
        remedy = (
            folded[: twice.start()]
            + twice["low"]
            + twice["joiner"]
            + twice["high"]
            + twice["unit"]
            + twice["rest"]
        )
        raise UnreadableError(
            f"`{text}` is not read: a range has its unit once, behind the second number",
            f"write `{remedy}`",
            remedy,
        )


def _read_tail(
    text: str, folded: Folded, low: Numeral, high: Numeral | None, hedge: Hedge
) -> Printed:
    """What follows the number: scale, percent sign, unit."""
    rest = tail = folded.text[(high or low).end :]
    form, multiplier = Form.NUMBER, Fraction(1)
    scale = _SCALE.match(rest)
    if scale:
        multiplier = SCALE_WORDS[scale[1].lower()]
        rest = rest[scale.end() :]
    if match := _COUNT.match(rest):
        form, rest = Form.COUNT, rest[match.end() :]
        if low.value.denominator != 1 or high is not None:
            raise UnreadableError(
                f"`{text}` counts, and a count is one whole number",
                f"write a whole number before `{match[0]}`",
            )
    elif match := _FACTOR.match(rest):
        form, rest = Form.FACTOR, rest[match.end() :]
    elif match := _PERCENT.match(rest):
        form, multiplier, rest = Form.PERCENT, Fraction(1, 100), rest[match.end() :]
    unit_text = rest.strip()
    unit = _read_unit(folded.text, unit_text, rest)
    if form is not Form.NUMBER and unit_text:
        raise UnreadableError(
            f"`{text}` is a {form.value} followed by `{unit_text}`",
            "keep only the number in the link and put the words after it",
        )
    return Printed(text, form, low, high, hedge, multiplier, unit, unit_text, folded, tail)


_KEEP_THE_NUMBER = "keep only the number and its unit in the link"


def _read_unit(text: str, unit_text: str, rest: str) -> Unit:
    """The unit after a number; prose there is an error that shows what was understood."""
    try:
        return parse_unit(unit_text)
    except UnitError as error:
        words = unit_text.split(" ")
        understood = text[: len(text) - len(rest)]
        for count in range(len(words) - 1, 0, -1):
            try:
                parse_unit(" ".join(words[:count]))
            except UnitError:
                continue
            understood += " " + " ".join(words[:count])
            break
        meant = suggest_unit(unit_text)
        advice = f"write `{understood} {meant}`" if meant else _KEEP_THE_NUMBER
        raise UnreadableError(
            f"`{text}` reads as `{understood.strip()}`, then something else: {error}",
            advice,
            f"{understood} {meant}" if meant else "",
        ) from None


def _read_words(text: str, folded: Folded, position: int, hedge: Hedge) -> Printed | None:
    """``twice``, ``a third``, ``sixteen-fold``, ``three times``, ``three``."""
    lowered = folded.text[position:].lower()
    value = SHARES.get(lowered)
    if value is not None:
        return _make_word(text, folded, position, Form.FACTOR, value, Fraction(0), hedge)
    value = MULTIPLES.get(lowered)
    if value is not None:
        return _make_word(text, folded, position, Form.FACTOR, value, Fraction(1), hedge)
    match = _WORDED.fullmatch(lowered)
    if match and match[1] in WORD_VALUES:
        form = Form.NUMBER
        if match[2]:
            form = Form.COUNT if match[2] in ("-way", "-bit") else Form.FACTOR
        value = WORD_VALUES[match[1]]
        return _make_word(text, folded, position, form, value, Fraction(1), hedge)
    return None


def _make_word(
    text: str,
    folded: Folded,
    position: int,
    form: Form,
    value: Fraction,
    unit: Fraction,
    hedge: Hedge,
) -> Printed:
    end = len(folded.text)
    numeral = Numeral(value, unit, unit, folded.text[position:], 0, Notation.WORD, position, end)
    return Printed(text, form, numeral, None, hedge, Fraction(1), ONE, "", folded)
