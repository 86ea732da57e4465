"""Does what a claim cites rest on anything but the literals of its expression?"""

from __future__ import annotations

from dataclasses import replace

from build_tools.claims.model import Claim
from build_tools.claims.numbers import states_choice, states_rate
from build_tools.claims.proof import list_numbers
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.quantity.fold import fold_text
from build_tools.quantity.numeral import Notation, UnreadableError
from build_tools.quantity.printed import parse_printed
from build_tools.quantity.probe import is_moved
from build_tools.quantity.value import Text, Truth, Value
from build_tools.quantity.vocabulary import Form

_MEASURED_FORMS = (Form.FACTOR, Form.PERCENT)


def judge_ground(claim: Claim, value: Value) -> Finding | None:
    """A claim whose expression would say the same whatever its names were worth.

    A count made of literals, as ``2 * 512``, may stand: that is arithmetic. A time, a rate, a
    ratio, a size, a truth or a text may not, and nothing may that names a measurement for show.
    """
    if is_moved(value):
        return None
    if isinstance(value, Text):
        return report_groundless(
            claim,
            "a text written out in the expression is its own proof",
            'cite where it comes from, as in `program.column["key"]`',
        )
    if isinstance(value, Truth):
        return report_groundless(
            claim,
            f"`{claim.target}` holds or fails whatever was measured, for no name decides it",
            "compare what the sentence speaks of: measurements, constants or cited facts",
        )
    if any(number.exact is None for number in list_numbers(value)):
        return report_groundless(
            claim,
            "nothing that was measured moves the value: it is the same for any measurement",
            "cite the measurement itself, or bind the number to what it rests on",
        )
    if not _looks_measured(claim, value):
        return None
    return report_groundless(
        claim,
        "no name moves the value, and more than a count cannot rest on literals alone",
        "bind it to a measurement or a constant, or with `given:` to a cited fact",
    )


def _looks_measured(claim: Claim, value: Value) -> bool:
    """Whether the text says more than a count."""
    if any(number.dimensions for number in list_numbers(value)):
        return True
    try:
        printed = parse_printed(claim.text)
    except UnreadableError:
        return not states_choice(fold_text(claim.text))
    if printed.form in _MEASURED_FORMS or printed.low.notation is Notation.FRACTION:
        return True
    return printed.form is not Form.SHAPE and states_rate(fold_text(claim.text))


def report_groundless(claim: Claim, true: str, advice: str) -> Finding:
    """A finding at the expression within the link."""
    at = claim.end - 1 - len(claim.target)
    place = replace(claim.place, column=claim.place.column + at - claim.start)
    stated = f"`[{claim.text}]({claim.kind}:{claim.target})`"
    return Finding(Kind.TYPE, place, stated, true, advice, length=max(1, len(claim.target)))
