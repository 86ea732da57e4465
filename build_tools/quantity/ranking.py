"""Is one time or rate better than another? One of four words, and how a text may say it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from build_tools.quantity.comparison import (
    Order,
    find_time_power,
    is_any_moved,
    order_numbers,
)
from build_tools.quantity.fold import fold_text
from build_tools.quantity.value import (
    Number,
    OperationError,
    Word,
    describe_value,
    require_same_dimensions,
)


class Ranking(StrEnum):
    """The first of two against the second."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    AMBIGUOUS = "ambiguous"


TEXTS: Mapping[Ranking, tuple[str, ...]] = {
    Ranking.FASTER: ("faster",),
    Ranking.SLOWER: ("slower",),
    Ranking.SAME: ("the same", "same", "as fast"),
    Ranking.AMBIGUOUS: ("ambiguous",),
}
"""What a claim's text may say for each word, whatever its case; no other text does."""

MEANINGS: Mapping[Ranking, str] = {
    Ranking.FASTER: "The bands do not meet, the first time is below the second or the first rate "
    "above it, and they differ by more than the same kernel timed twice.",
    Ranking.SLOWER: "Likewise, the other way round.",
    Ranking.SAME: "Each band holds the other's value, and both together reach over no more than a "
    "twentieth of it; or the two differ by no more than the same kernel timed twice.",
    Ranking.AMBIGUOUS: "The bands overlap, and one value lies outside of the other's, or they reach "
    "too far to show anything; or the bands do not meet, and in clock cycles it is not so.",
}
"""When each word is the one."""


def rank_numbers(left: Number, right: Number) -> Word:
    """``verdict(left, right)``: of two times the lower is faster, of two rates the higher.

    It agrees with ``<`` and ``>``; *same* says more than ``same(left, right)``: each band holds
    the other's value, or the two differ by no more than the same kernel timed twice.
    """
    require_same_dimensions(left, right, "verdict")
    power = find_time_power(left)
    if not power:
        raise OperationError(
            f"verdict compares two times or two rates, not {describe_value(left)}",
            "write a < b, a > b or same(a, b)",
        )
    order, reason = order_numbers(left, right)
    better = Order.BELOW if power > 0 else Order.ABOVE
    words = {Order.LEVEL: Ranking.SAME, Order.OPEN: Ranking.AMBIGUOUS, better: Ranking.FASTER}
    return Word(
        words.get(order, Ranking.SLOWER).value,
        not is_any_moved(left, right),
        reason,
        tuple(n for n in (left, right) if n.exact is None),
    )


def read_ranking(text: str) -> Ranking | None:
    """The word that a claim's text says; None for any other text."""
    folded = fold_text(text).casefold()
    return next((word for word, texts in TEXTS.items() if folded in texts), None)
