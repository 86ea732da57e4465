"""How may a number be printed, and against which value does it hold? With judged examples."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from fractions import Fraction

from build_tools.claims.model import ClaimKind
from build_tools.claims.scan import LONGEST_TARGET
from build_tools.command.docstrings import read_attribute_docs
from build_tools.command.reference.markdown import (
    WIDTH,
    read_docstring,
    state_number,
    write_definitions,
    write_fence,
    write_table,
)
from build_tools.quantity.format import format_band, format_number
from build_tools.quantity.nearest import explain_value
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.units import NOUNS, SYMBOLS, format_unit_of, parse_unit
from build_tools.quantity.value import (
    Number,
    Series,
    Several,
    Text,
    Value,
    describe_value,
    make_exact,
)
from build_tools.quantity.vocabulary import (
    HEDGES,
    MULTIPLES,
    NUMBER_WORDS,
    SCALE_WORDS,
    SHARES,
    Form,
    Hedge,
)

_EXAMPLES = re.compile(r": `[^`]*`(?:, `[^`]*`)*")
_SPREAD = (-15, -10, -5, -3, 0, 0, 3, 5, 10, 15)
"""How ten processes scatter, in tenths of their standard deviation, or nearly so."""


def measure(shown: str, unit: str = "", spread: str = "0.005") -> Number:
    """A number measured in ten processes; ``spread`` is their deviation as a share of it."""
    scale = parse_unit(unit)
    value = Fraction(shown) * scale.factor
    samples = tuple(value * (1 + Fraction(spread) * step / 10) for step in _SPREAD)
    return Number(
        scale.dimensions, None, (Series(frozenset({"record"}), value, samples, Fraction(0)),)
    )


def count(value: str, unit: str = "") -> Number:
    """An exact number: a count, a constant or a formula of these."""
    scale = parse_unit(unit)
    return make_exact(Fraction(value) * scale.factor, scale.dimensions)


_GAIN = measure("1.638")
_TIME = measure("26.429", "ms", "0.002")
_RATE = measure("4.81", "TB/s", "0.002")
_TILE = Several((count("16"), count("16")))
_ENDS = Several((measure("1.29", "", "0.002"), measure("1.52", "", "0.002")))

EXAMPLES: dict[str, Sequence[tuple[Value, Sequence[str]]]] = {
    "rounding-examples": (
        (_GAIN, ("1.64×", "1.6×", "1.65×", "1.638×", "2×")),
        (measure("1.97"), ("2×", "twice")),
        (count("549755813888", "B"), ("550 GB", "549 GB", "512 GiB", "550 GiB")),
        (measure("0.0101", "ms"), ("0.010 ms", "0.011 ms")),
    ),
    "form-examples": (
        (count("16"), ("16×", "16x", "16-fold", "sixteen-fold", "16 times", "16-way", "17-way")),
        (count("0.397"), ("40 %", "39.7 percent", "40", "about two fifths")),
        (_TILE, ("16 x 16", "16×16", "16 x 8", "256")),
        (Text("611x613x617"), ("611 × 613 × 617", "611x613")),
    ),
    "notation-examples": (
        (count("0.00368"), ("3.7e-03", "3.7×10⁻³", "0.0037", "0.004")),
        (count("16777216"), ("2^24", "2²⁴", "16,777,216", "16.8 million", "17 million", "2^25")),
        (count("0.0625"), ("1/16", "0.0625", "0.06")),
        (count("1024"), ("1,024", "1024", "1 024", "0x400", "1,0240")),
        (count("0.5"), ("0.5", ".5", "half", "a half")),
    ),
    "range-examples": (
        (_GAIN, ("1.6–1.7×", "1.6 to 1.7×", "1.64–1.7×", "1.7–1.6×")),
        (_ENDS, ("1.3–1.5×", "1.3×", "1.2–1.5×")),
    ),
    "hedge-examples": (
        (count("34.36", "GB"), ("about 34 GB", "~34 GB", "about 30 GB")),
        (_RATE, ("nearly 5 TB/s", "just over 4.8 TB/s", "just over 5 TB/s")),
        (_GAIN, ("more than 1.6×", "over 1.64×", "at least 1.5×", "under 1.7×")),
        (count("49152", "B"), ("up to 48 KiB", "under 48 KiB", "≤ 48 KiB", "at most 200 KB")),
        (measure("650"), ("over 600×", "over 100×")),
    ),
    "unit-examples": (
        (_TIME, ("26.4 ms", "26400 µs", "26.4", "26.4 GB", "about 26 ms")),
        (_RATE, ("4.8 TB/s", "4.8 terabytes a second")),
        (count("233472", "B"), ("228 KiB", "228 KB")),
        (count("0.25", "FLOP/byte"), ("0.25 FLOP/byte", "0.25 FLOP/s")),
        (count("32", "float/thread"), ("32 floats/thread", "32 loads/thread")),
    ),
    "spelling-examples": (
        (_GAIN, ("**1.64×**", "`1.64×`", "1.64&nbsp;×", "１.６４×", "1.64× faster")),
    ),
}
"""Texts by the value against which they are judged, by the place where they are shown."""


def compose_parts() -> dict[str, str]:
    """The parts of the page on links and printed numbers."""
    links = read_attribute_docs(ClaimKind)
    return {
        "link-kinds": write_definitions(
            (f"`{kind}:`", read_docstring(links[kind.name])) for kind in ClaimKind
        ),
        "longest-target": state_number(LONGEST_TARGET),
        "forms": write_forms(),
        "hedges": write_hedges(),
        "number-words": _list_words(NUMBER_WORDS),
        "shares": _list_words(SHARES),
        "multiples": _list_words(MULTIPLES),
        "scale-words": _list_words(SCALE_WORDS),
        "units": write_units(),
        "nouns": ", ".join(NOUNS),
        **{place: write_examples(groups) for place, groups in EXAMPLES.items()},
    }


def write_forms() -> str:
    """What kinds of number a text can be."""
    meanings = read_attribute_docs(Form)
    # Examples of numbers stand in a fence, where they are judged.
    return write_table(
        ("kind", "what it is"),
        [(form.value, _EXAMPLES.sub("", read_docstring(meanings[form.name]))) for form in Form],
    )


def write_hedges() -> str:
    """Hedges that mean the same, and what they mean."""
    meanings = read_attribute_docs(Hedge)
    return write_table(
        ("written", "holds when"),
        [
            (
                _list_words(w for w, h in HEDGES.items() if h is hedge),
                read_docstring(meanings[hedge.name]),
            )
            for hedge in Hedge
            if hedge is not Hedge.NONE
        ],
    )


def write_units() -> str:
    """Every unit that is no noun, by what it measures."""
    groups: dict[str, list[str]] = {}
    for symbol, unit in SYMBOLS.items():
        if not any(name in NOUNS for name, _ in unit.dimensions):
            groups.setdefault(format_unit_of(unit.dimensions), []).append(symbol)
    return write_table(
        ("base unit", "written"),
        [
            (f"`{base}`" if " " not in base else base, _list_words(symbols))
            for base, symbols in groups.items()
        ],
    )


def _list_words(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def write_examples(groups: Sequence[tuple[Value, Sequence[str]]]) -> str:
    """Texts under the value they are judged against, each with what the judge says."""
    lines = []
    for value, texts in groups:
        width = max(len(text) for text in texts)
        lines += ["", f"against {tell_value(value)}"]
        for text in texts:
            before = f"    {text:<{width}}  "
            said = textwrap.wrap(judge_text(text, value), WIDTH - len(before))
            lines.append(before + said[0])
            lines += [" " * len(before) + more for more in said[1:]]
    return write_fence("\n".join(lines[1:]))


def tell_value(value: Value) -> str:
    """A value as messages tell it, with its band where it was measured."""
    match value:
        case Number():
            band = format_band(value)
            spread = f", band {band}" if band else ", exact" if value.exact is not None else ""
            return format_number(value) + spread
        case Several():
            return " and ".join(tell_value(item) for item in value.items)
        case Text():
            return f"the key {value.value}"
    return describe_value(value)


def judge_text(text: str, value: Value) -> str:
    """``agrees``, or the kind of the finding and what to write."""
    try:
        judgement = explain_value(parse_printed(text), value)
    except UnreadableError as error:
        return f"unreadable: {error.advice}"
    if judgement is None:
        return "agrees"
    nearest = f"write `{judgement.nearest}`" if judgement.nearest else judgement.advice
    return f"{judgement.kind}: {nearest}"
