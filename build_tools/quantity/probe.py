"""Does a value rest on anything but the literals of its expression? Probes, that names move.

Beside its value each number carries what it would be if every name it rests on were worth a
little more. Where the two are equal, no name moves the value: ``time * 0 + 42`` and
``max(50, speedup)`` prove as little as ``42``.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from build_tools.quantity.value import Number, Several, Text, Truth, Value

_WIDEST = Fraction(1, 16)
"""The largest share by which a probe lies above its value."""

_Found = TypeVar("_Found")


def place_probes(
    found: _Found, written: str, name: str, keys: tuple[str | None, ...] = ()
) -> _Found | Number | Several:
    """What a name stands for, its numbers with probes; those that have one keep it.

    ``written`` is the name as the expression has it, ``name`` its last word, ``keys`` what stands
    in brackets, None for each that is open.
    """
    match found:
        case Number():
            return _place_probe(found, written, name, keys)
        case Several():
            labels = found.labels or tuple((str(at),) for at in range(len(found.items)))
            items = tuple(
                place_probes(item, written, name, _fill(keys, label) if found.labels else label)
                for item, label in zip(found.items, labels, strict=True)
            )
            return replace(found, items=items)
    return found


def _fill(keys: tuple[str | None, ...], label: tuple[str, ...]) -> tuple[str | None, ...]:
    """The keys with those of one item in the place of the open ones."""
    rest = iter(label)
    return tuple(next(rest, None) if key is None else key for key in keys)


def _place_probe(number: Number, written: str, name: str, keys: tuple[str | None, ...]) -> Number:
    """The same name is moved by the same share, so that what cancels out is seen to.

    Two names are never moved alike. A measurement is known by its last word, keys, record and
    value, since a quantity of its program writes it in fewer words than a page does.
    """
    if number.probe is not None:
        return number
    identity: tuple[object, ...] = (written, keys)
    if number.exact is None:
        newest = number.series[0]
        identity = (name, keys, sorted(newest.origins), newest.shown)
    digest = hashlib.blake2b(repr(identity).encode(errors="backslashreplace"), digest_size=4)
    share = _WIDEST * Fraction(int.from_bytes(digest.digest()) + 1, 2**32)
    return replace(number, probe=number.shown * (1 + share) or share)


def carry_probe(result: Number, *operands: Number) -> Number:
    """The result of rounding: what moves an operand counts as moving it, for the steps hide that."""
    if any(operand.probe is None for operand in operands) or result.probe is None:
        return replace(result, probe=None)
    moved = sum((operand.probe or 0) - operand.shown for operand in operands)
    return replace(result, probe=result.shown + moved)


def is_moved(value: Value) -> bool:
    """Whether anything that a name stands for moves the value, or any of several."""
    match value:
        case Number() | Truth():
            return value.is_moved
        case Text():
            return not value.is_literal
        case Several():
            return any(is_moved(item) for item in value.items)
