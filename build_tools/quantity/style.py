"""How is a value written in the style of an author's own number?

Digits of the same script, the same minus sign, the same grouping, the same notation, and nothing
but the number's own characters changed.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from fractions import Fraction

from build_tools.quantity.numeral import Notation, Numeral
from build_tools.quantity.printed import Printed

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_GROUPED_FROM = 1_000
"""Where the author's own number shows no habit, digits are grouped from here on."""


class Rounding(Enum):
    """To which multiple of a step a value goes."""

    NEAREST = "nearest"
    DOWN = "down"
    UP = "up"
    BELOW = "strictly below"
    ABOVE = "strictly above"


def round_value(value: Fraction, step: Fraction, rounding: Rounding) -> Fraction:
    """The multiple of ``step`` that the rounding asks for; halves go away from zero."""
    steps = value / step
    floor = steps.numerator // steps.denominator
    whole = floor == steps
    match rounding:
        case Rounding.NEAREST:
            away = int(abs(steps) + Fraction(1, 2))
            count = away if steps >= 0 else -away
        case Rounding.DOWN:
            count = floor
        case Rounding.UP:
            count = floor if whole else floor + 1
        case Rounding.BELOW:
            count = floor - 1 if whole else floor
        case _:
            count = floor + 1
    return count * step


def find_magnitude(value: Fraction) -> int:
    """The power of ten of a value's first digit; 0 for zero."""
    if value == 0:
        return 0
    size = abs(value)
    power = len(str(size.numerator)) - len(str(size.denominator))
    return power if size >= Fraction(10) ** power else power - 1


def write_numeral(numeral: Numeral, value: Fraction, step: Fraction, original: str) -> str:
    """``value``, a multiple of ``step``, in the style of ``numeral``.

    ``original`` is the numeral as the author wrote it, before folding.
    """
    if numeral.notation is Notation.SCIENTIFIC:
        text = _write_scientific(numeral, value, step)
    else:
        text = _write_decimal(numeral, value, step)
    if numeral.text.startswith("+") and value > 0:
        text = "+" + text
    return _restore_spelling(text, original)


def _write_decimal(numeral: Numeral, value: Fraction, step: Fraction) -> str:
    decimals = max(0, -find_magnitude(step))
    whole = numeral.text.lstrip("+-").partition(".")[0]
    has_habit = len(whole) > 3 and numeral.notation is Notation.DECIMAL
    grouped = "," in whole if has_habit else abs(value) >= _GROUPED_FROM
    return format_fraction(value, decimals, grouped=grouped)


def format_fraction(value: Fraction, decimals: int, *, grouped: bool) -> str:
    """A value that is a multiple of its last decimal, exactly."""
    scaled = round_value(value * 10**decimals, Fraction(1), Rounding.NEAREST)
    digits = str(abs(scaled.numerator)).rjust(decimals + 1, "0")
    whole = digits[: len(digits) - decimals]
    if grouped:
        whole = f"{int(whole):,}"
    sign = "-" if scaled < 0 else ""
    return sign + whole + ("." + digits[len(digits) - decimals :] if decimals else "")


def _write_scientific(numeral: Numeral, value: Fraction, step: Fraction) -> str:
    """A power of ten spelled as the author spells his."""
    match = re.fullmatch(
        r"(?P<mantissa>[-+]?[\d,]+(?:\.\d+)?)(?P<sign>e|\s?[×x]\s?10)(?P<power>.+)",
        numeral.text,
        re.ASCII,
    )
    if match is None:
        return _write_decimal(numeral, value, step)
    whole = match["mantissa"].lstrip("+-").partition(".")[0].replace(",", "")
    exponent = find_magnitude(value) - (len(whole) - 1)
    scale = Fraction(10) ** exponent
    decimals = max(0, find_magnitude(scale) - find_magnitude(step))
    mantissa = format_fraction(value / scale, decimals, grouped="," in match["mantissa"])
    return mantissa + match["sign"] + _write_exponent(exponent, match["sign"], match["power"])


def _write_exponent(exponent: int, sign: str, spelled: str) -> str:
    if sign == "e":
        digits = str(abs(exponent)).rjust(len(spelled.lstrip("+-")), "0")
        plus = "+" if spelled.startswith("+") else ""
        return ("-" if exponent < 0 else plus) + digits
    if spelled.startswith("^"):
        return f"^{exponent}"
    return str(exponent).translate(_RAISED)


def _restore_spelling(text: str, original: str) -> str:
    """The author's minus sign and script of digits."""
    if "-" not in original:
        text = re.sub(r"^-", "−", text)
    other = next((c for c in original if c.isdecimal() and not c.isascii()), "")
    if other:
        zero = ord(other) - unicodedata.decimal(other)
        text = "".join(chr(zero + int(c)) if c in "0123456789" else c for c in text)
    return text


def replace_folded(printed: Printed, start: int, end: int, new: str) -> str:
    """The author's text with a span of the folded text replaced.

    The span's own characters alone change; where emphasis opens or closes within it, the text is
    written without emphasis.
    """
    folded = printed.folded
    if start == end:
        at = folded.starts[start] if start < len(folded.starts) else folded.ends[-1]
        return printed.text[:at] + new + printed.text[at:]
    first, last = folded.find_original(start, end)
    inside = sum(folded.ends[i] - folded.starts[i] for i in range(start, end))
    if last - first != inside:
        return folded.text[:start] + new + folded.text[end:]
    return printed.text[:first] + new + printed.text[last:]


def read_original(printed: Printed, numeral: Numeral) -> str:
    """A numeral as the author wrote it, before folding."""
    if numeral.start == numeral.end:
        return ""
    first, last = printed.folded.find_original(numeral.start, numeral.end)
    return printed.text[first:last]
