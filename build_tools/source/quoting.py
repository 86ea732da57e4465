"""Does a quote say the number that a fact takes from it, and in the fact's unit?

A number is in a quote only where nothing that touches it makes another of it: no digit, letter,
sign, ``/`` or ``:``, no power and no scale. Behind it stands its unit, in the source's spelling.
"""

from __future__ import annotations

import re

from build_tools.quantity.units import NOUNS, Unit, UnitError, parse_unit

_BEFORE = re.compile(r"[^\W_]$|[.,+\-−–/:^]$")
_AFTER = re.compile(
    r"[^\W_]|[\-−–/:^⁻][^\s]|[.,]\d|[²³¹⁰⁴-⁹⁻^]"
    r"|\s?[x×·*]\s?10\s?[\^⁰¹²³⁴-⁹⁻]"
    r"|\s(?:hundred|thousand|million|billion|trillion)\b"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DAY_BEFORE = re.compile(rf"\b{_MONTH}\s$")
_DAY_AFTER = re.compile(rf"(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:\W|$)")
_LISTED = re.compile(r"(?:,?\s(?:to|and|or)\s|,\s)\d+(?:,\d{3})*(?:\.\d+)?")
"""What a list or range holds between a number and the unit that stands once, at its end."""
_WORD = r"[A-Za-z\u00b5\u03bc\u00b0%][A-Za-z\u00b5\u03bc]*[\u00b2\u00b3]?"
_UNIT = re.compile(rf"[\s\-(\[]{{0,2}}({_WORD}(?:\s?/\s?{_WORD}|\s(?:per\s)?{_WORD}){{0,3}})")
_UNIT_BEFORE = re.compile(
    r"(?:\(\s*([^()]{1,24}?)\s*\)|\bin\s([^\s,;:()]{1,24}))[\s:=|,]*(?:of\s)?$"
)
_SPELLED = {
    "percent": "%",
    "per cent": "%",
    "hertz": "Hz",
    "watt": "W",
    "watts": "W",
    "joule": "J",
    "joules": "J",
    "degrees celsius": "°C",
    "degrees c": "°C",
    "sec": "s",
    "secs": "s",
    "minutes": "min",
    "minute": "min",
    "hours": "h",
    "hour": "h",
}
_PREFIXES = {"kilo": "K", "mega": "M", "giga": "G", "tera": "T", "peta": "P"}
_PREFIXES |= {"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti"}
_SPELLED |= {
    f"{word}{base}": f"{prefix}{symbol}"
    for word, prefix in _PREFIXES.items()
    for base, symbol in (("byte", "B"), ("bytes", "B"), ("hertz", "Hz"), ("flops", "FLOPS"))
    if base[0] == "b" or not prefix.endswith("i")
}
_ABOUT = 80
"""Characters behind a number in which the noun that it counts may stand."""


def explain_quote(quote: str, value: str, unit: str) -> str:
    """Why the quote does not say the value in the unit, as a phrase; empty when it does."""
    occurrences = list(_find_whole(quote, value))
    if not occurrences:
        return f"the quote does not hold the value `{value}`"
    try:
        wanted = parse_unit(unit)
    except UnitError:
        return ""  # said already, of the unit itself
    if any(_has_unit(quote, start, end, wanted) for start, end in occurrences):
        return ""
    if not unit:
        other = _read_unit(_look_around(quote, *occurrences[0])[1])
        named = f"`{other.text}`" if other is not None else "a unit"
        return f"the quote has {named} behind `{value}`, and the fact no unit"
    return f"the quote does not hold `{unit}` behind `{value}`"


def holds_number(quote: str, value: str) -> bool:
    """Whether the number stands in the quote whole: ``4.8`` is not in ``14.8`` or ``-4.8``."""
    return any(True for _ in _find_whole(quote, value))


def _find_whole(quote: str, value: str) -> list[tuple[int, int]]:
    found = []
    for match in re.finditer(re.escape(value), quote):
        before, after = _look_around(quote, *match.span())
        if _BEFORE.search(before):
            continue
        if _DAY_BEFORE.search(before) or _DAY_AFTER.match(after):
            continue
        if _AFTER.match(after) and _read_unit(after) is None:
            continue
        found.append(match.span())
    return found


def _look_around(quote: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and behind a number, as far as it matters."""
    return quote[max(0, start - _ABOUT) : start], quote[end : end + 3 * _ABOUT]


def _has_unit(quote: str, start: int, end: int, wanted: Unit) -> bool:
    before, after = _look_around(quote, start, end)
    while match := _LISTED.match(after):
        after = after[match.end() :]
    found = _read_unit(after)
    if found is not None:
        found = _drop_owner(found, wanted)
        if _is_same(found, wanted) or _is_binary_twin(found, wanted):
            return True
        return _is_plain_count(wanted) and _is_plain_count(found) and not wanted.dimensions
    if wanted.is_plain:
        return True
    if _is_plain_count(wanted):
        words = re.findall(r"[A-Za-z]+", after[:_ABOUT])
        named = [word for word in words if _names(word, wanted)]
        return bool(named)
    earlier = _UNIT_BEFORE.search(before)
    stated = _parse_spelled(earlier[1] or earlier[2]) if earlier else None
    return stated is not None and (_is_same(stated, wanted) or _is_binary_twin(stated, wanted))


def _read_unit(after: str) -> Unit | None:
    """The unit that the text behind a number begins with, in the longest reading."""
    match = _UNIT.match(after)
    if match is None:
        return None
    text = match[1]
    while text:
        following = after[match.start(1) + len(text) :]
        unit = _parse_spelled(text) if not re.match(r"[\w/]", following) else None
        if unit is not None:
            return unit
        text = re.sub(r"(?:\s*/\s*|\s)?[^\s/]+$", "", text)
    return None


def _parse_spelled(text: str) -> Unit | None:
    """A unit in the spelling of a source; None when it is none."""
    folded = " ".join(text.split())
    parts = re.split(r"\s?/\s?|\sper\s", folded)
    written = "/".join(_SPELLED.get(part.lower(), part) for part in parts)
    written = re.sub(r"^([KkMGTP]?B)ps$", r"\1/s", written)
    try:
        unit = parse_unit(written)
    except UnitError:
        return None
    return Unit(unit.factor, unit.dimensions, folded)


def _drop_owner(found: Unit, wanted: Unit) -> Unit:
    """``228 KB per SM`` is a size, where the fact does not say of what."""
    if any(name in NOUNS for name, _ in wanted.dimensions) or not found.dimensions:
        return found
    kept = tuple((n, power) for n, power in found.dimensions if n not in NOUNS or power > 0)
    return Unit(found.factor, kept, found.text)


def _is_same(one: Unit, other: Unit) -> bool:
    return (one.factor, one.dimensions) == (other.factor, other.dimensions)


def _is_binary_twin(found: Unit, wanted: Unit) -> bool:
    """Sources write KB where they count by 1,024: a fact may say KiB of it."""
    twin = re.sub(r"(?i)^([kmgt])b", lambda m: m[1].upper() + "iB", found.text)
    stated = _parse_spelled(twin) if twin != found.text else None
    return stated is not None and _is_same(_drop_owner(stated, wanted), wanted)


def _is_plain_count(unit: Unit) -> bool:
    return unit.factor == 1 and all(name in NOUNS for name, _ in unit.dimensions)


def _names(word: str, wanted: Unit) -> bool:
    unit = _parse_spelled(word) or _parse_spelled(word.lower())
    return unit is not None and unit.dimensions != () and unit.dimensions[0] in wanted.dimensions
