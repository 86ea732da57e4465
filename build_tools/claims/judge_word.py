"""Does a claim's text say the word that a verdict comes to?"""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.claims.deciding import MOST_TOLD, tell_number
from build_tools.claims.measured import format_keys
from build_tools.claims.model import Claim
from build_tools.claims.patch import compose_patch
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.quantity.format import choose_number_unit
from build_tools.quantity.ranking import TEXTS, Ranking, read_ranking
from build_tools.quantity.units import Unit
from build_tools.quantity.value import Several, Value, Word

Words = Mapping[tuple[str, ...], Word]
"""By the keys of a slice that tell one from the others; no keys for a verdict alone."""


def list_words(value: Value) -> Words:
    """The verdicts that a value is; empty where it is anything else."""
    if isinstance(value, Word):
        return {(): value}
    if not isinstance(value, Several):
        return {}
    labels = value.labels or tuple((str(at),) for at in range(len(value.items)))
    words = {
        label: item
        for label, item in zip(labels, value.items, strict=True)
        if isinstance(item, Word)
    }
    return words if len(words) == len(value.items) else {}


def judge_words(claim: Claim, words: Words) -> Finding | None:
    """None when the text says what all of the verdicts are."""
    said = read_ranking(claim.text)
    rankings = list(dict.fromkeys(Ranking(word.value) for word in words.values()))
    if rankings == [said]:
        return None
    stated = f"`{claim.text}`"
    if len(rankings) > 1:
        return Finding(
            Kind.FALSE,
            claim.place,
            stated,
            f"one word does not say it: {_tell_words(words, said)}",
            "leave out the keys that differ, or give each word a link of its own",
        )
    true = rankings[0]
    text = _spell_like(claim.text, TEXTS[true][0])
    if said is None:
        listed = ", ".join(f"`{text}`" for texts in TEXTS.values() for text in texts)
        return Finding(
            Kind.UNREADABLE,
            claim.place,
            stated,
            f"a verdict is told in one of the texts {listed}; this one is `{true}`",
            f"write `{text}`, and the rest of the sentence outside of the link",
            patch=compose_patch(claim, text),
        )
    is_open = true is Ranking.AMBIGUOUS
    rest = "leave it out" if is_open else "find out what changed"
    return Finding(
        Kind.AMBIGUOUS if is_open else Kind.FALSE,
        claim.place,
        stated,
        f"the verdict is `{true}`: {_tell_words(words, said)}",
        f"write `{text}`, or {rest}",
        patch=compose_patch(claim, text),
    )


def _tell_words(words: Words, said: Ranking | None) -> str:
    """Why, with the values and where: first those that are not what was said."""
    told = []
    chosen = {keys: word for keys, word in words.items() if word.value != said}
    for keys, word in list(chosen.items())[:MOST_TOLD]:
        where = f"{word.value} at {format_keys(keys)}: " if len(words) > 1 else ""
        values = " against ".join(tell_number(n, _choose_unit(word)) for n in word.measured)
        told.append(where + "; ".join(text for text in (word.reason, values) if text))
    more = len(chosen) - MOST_TOLD
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _choose_unit(word: Word) -> Unit:
    """One unit for both sides: that in which the larger reads best."""
    return choose_number_unit(max(word.measured, key=lambda number: number.shown))


def _spell_like(written: str, text: str) -> str:
    """The text, with a capital where the written one has it."""
    return text[0].upper() + text[1:] if written[:1].isupper() else text
