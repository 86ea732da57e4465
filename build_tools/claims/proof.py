"""What stands behind an expression's value, as a reader is shown it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from build_tools.claims.model import Course, Proof, ProofKind
from build_tools.claims.parts import PART_NAMES
from build_tools.diagnostics.finding import Basis
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.part_model import LoadedPart
from build_tools.evidence.parts import find_newest
from build_tools.quantity.format import (
    choose_number_unit,
    format_band,
    format_number,
    format_plain,
)
from build_tools.quantity.judge import choose_told_unit
from build_tools.quantity.numeral import UnreadableError
from build_tools.quantity.printed import Printed, parse_printed
from build_tools.quantity.value import Number, Several, Text, Truth, Value, Word


def list_numbers(value: Value) -> list[Number]:
    """All numbers that a value holds or rests on."""
    match value:
        case Number():
            return [value]
        case Truth() | Word():
            return list(value.measured)
        case Several():
            return [number for item in value.items for number in list_numbers(item)]
    return []


def build_proof(course: Course, expression: str, value: Value) -> Proof:
    """What a reader is shown behind an expression's value."""
    numbers = list_numbers(value)
    measured = [n for n in numbers if n.exact is None]
    origins = sorted({o for n in measured for o in n.series[0].origins})
    kind = ProofKind.MEASURED if measured else ProofKind.EXACT
    if not measured and any(n.cited for n in numbers):
        kind = ProofKind.CITED
    named = sorted(set(re.findall(r"\w+", expression)) & course.programs.keys())
    proof = Proof(
        kind,
        describe_shown(value),
        describe_band(value),
        expression,
        program=named[0] if len(named) == 1 else "",
    )
    device_named = re.search(r"\.(?:device|compiler|check)\b", expression)
    part = _find_part(course, proof, origins)
    if part is not None:
        return _describe_part(course, proof, part, measured)
    if not origins and not (device_named and proof.program):
        return proof
    # evidence/<program>/…: the records of all other programs need not be looked at.
    owners = {origin.split("/")[1] for origin in origins} or {proof.program}
    loaded = [
        record
        for name in sorted(owners & course.shelves.keys())
        for record in course.shelves[name].fresh
        if record.path in origins or (not origins and record is course.shelves[name].shown_record)
    ]
    if not loaded:
        return proof
    record = loaded[0].record
    pool = _find_pool(course, measured, proof.program) or loaded[:1]
    is_of_one = bool(measured) and len(owners) == 1 and isinstance(value, Number | Several)
    return replace(
        proof,
        device=record.device.model,
        driver=record.device.driver,
        date=record.started[:10],
        processes=sum(len(each.record.processes) for each in pool),
        records=len(pool),
        process=record.shown + 1 if is_of_one else 0,
        shown_of=len(record.processes),
        median=describe_median(value) if is_of_one else "",
        record=loaded[0].path.removesuffix(".json") if len(loaded) == 1 else "",
    )


def _find_pool(course: Course, measured: Sequence[Number], program: str) -> list[LoadedRecord]:
    """The records of one program whose processes a value's band is taken from, newest first."""
    paths = {o for n in measured for s in n.series if s.pooled for o in s.origins}
    shelf = course.shelves.get(program)
    return [record for record in shelf.fresh if record.path in paths] if shelf else []


def _find_part(course: Course, proof: Proof, origins: Sequence[str]) -> LoadedPart | None:
    """The one part that all of a value rests on; None when it rests on records or on several."""
    shelf = course.shelves.get(proof.program)
    paths = {origin.partition("#")[0] for origin in origins}
    if shelf is None:
        return None
    if paths:
        found = [part for part in shelf.parts if part.path in paths]
        return found[0] if len(found) == 1 and len(paths) == 1 else None
    named = re.search(rf"\b{proof.program}\.({'|'.join(PART_NAMES)})\b", proof.expression)
    return find_newest(shelf, PART_NAMES[named[1]]) if named else None


def _describe_part(
    course: Course, proof: Proof, part: LoadedPart, measured: Sequence[Number]
) -> Proof:
    shown = course.shelves[proof.program].shown_record
    return replace(
        proof,
        device=part.part.device.model,
        driver=part.part.device.driver,
        date=part.part.started[:10],
        launches=len(measured[0].series[0].samples) if measured else 0,
        record=shown.path.removesuffix(".json") if shown else "",
    )


def speak_as(proof: Proof, value: Value, text: str) -> Proof:
    """The proof in the unit in which a claim's text speaks, where it speaks in one.

    A size told in MiB behind a text in MB would leave the reader to convert.
    """
    if proof.kind is ProofKind.STATED or isinstance(value, (Truth, Text)):
        return proof
    try:
        printed = parse_printed(text)
    except UnreadableError:
        return proof
    return replace(
        proof,
        value=describe_shown(value, printed),
        band=describe_band(value, printed),
        median=describe_median(value, printed) if proof.median else "",
    )


def describe_shown(value: Value, like: Printed | None = None) -> str:
    """A value as the proof prints it, in the unit of ``like`` where that has one."""
    match value:
        case Number():
            return format_number(value, unit=choose_told_unit(like, value) if like else None)
        case Truth():
            return {True: "true", False: "false", None: "ambiguous"}[value.value]
        case Text():
            return value.value
        case Several():
            return ", ".join(describe_shown(item, like) for item in value.items)
    raise AssertionError(value)


def describe_band(value: Value, like: Printed | None = None) -> str:
    """A value's band as the proof prints it; empty for exact things."""
    match value:
        case Number():
            return format_band(value, unit=choose_told_unit(like, value) if like else None)
        case Several():
            bands = [describe_band(item, like) for item in value.items]
            return ", ".join(band for band in bands if band)
    return ""


def describe_median(value: Value, like: Printed | None = None) -> str:
    """The median over the processes of the newest record; empty for what is not one number."""
    samples = value.series[0].samples if isinstance(value, Number) and value.series else ()
    if not isinstance(value, Number) or len(samples) < 2:
        return ""
    unit = (choose_told_unit(like, value) if like else None) or choose_number_unit(value)
    return f"{format_plain(median(samples) / unit.factor)} {unit.text}".strip()


def compose_basis(proof: Proof, value: Value) -> Basis:
    """What a finding's true value rests on; whether a statement is true is said by the finding."""
    record = f"{proof.record}.json" if proof.record else ""
    shown = "" if isinstance(value, Truth) else proof.value
    return Basis(shown, proof.band, proof.device, record)
