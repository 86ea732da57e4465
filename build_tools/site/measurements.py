"""What was measured, as one file of data? Everything that fresh records hold, with its band."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from build_tools.claims.model import Course
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import Samples
from build_tools.quantity.units import parse_unit

DATA = "measurements.json"
SCHEMA = "measurements.schema.json"
FORMAT = 1
"""Fields are added without a new number; one that goes or changes its meaning gets one."""


@dataclass(frozen=True)
class MeasuredValue:
    """One measurement of one record."""

    program: Annotated[str, Meta(description="The program's name.")]
    name: Annotated[str, Meta(description="The measurement's name, as expressions have it.")]
    keys: Annotated[dict[str, str], Meta(description="The keys of its row, by their columns.")]
    unit: Annotated[str, Meta(description="The unit of the values below; empty for none.")]
    shown: Annotated[float, Meta(description="The value of the run that pages show.")]
    median: Annotated[float, Meta(description="The median over all processes.")]
    band: Annotated[
        tuple[float, float],
        Meta(description="Where the next process is expected: the prediction interval at 95 %."),
    ]
    processes: Annotated[int, Meta(description="How many processes were run.")]
    gpu: Annotated[str, Meta(description="The GPU's model, as its driver names it.")]
    driver: Annotated[str, Meta(description="The driver's version.")]
    cuda: Annotated[str, Meta(description="The version of the CUDA toolkit.")]
    started: Annotated[str, Meta(description="When the record was begun, UTC.")]
    record: Annotated[str, Meta(description="The record, from the root of the course.")]
    is_shown: Annotated[bool, Meta(description="Whether pages show this record of the program.")]


@dataclass(frozen=True)
class MeasuredData:
    """Everything that the fresh records of a course hold."""

    format: Annotated[int, Meta(description="The version of this form.")]
    course: Annotated[str, Meta(description="What the course is called.")]
    reference_gpu: Annotated[str, Meta(description="The GPU that the course speaks of.")]
    measurements: Annotated[
        tuple[MeasuredValue, ...], Meta(description="By program, the newest record first.")
    ]


def collect_measurements(course: Course, site: str = "") -> MeasuredData:
    """What the fresh records of every device hold; a course without a title is named as its site."""
    return MeasuredData(
        FORMAT,
        course.settings.title or site,
        course.settings.reference_gpu,
        tuple(value for record in _list_fresh(course) for value in _list_values(course, record)),
    )


def _list_fresh(course: Course) -> Iterator[LoadedRecord]:
    for name in sorted(course.programs):
        shelf = course.shelves.get(name)
        yield from shelf.fresh if shelf is not None else ()
        for _, other in sorted(course.other_shelves.get(name, {}).items()):
            yield from other.fresh


def _list_values(course: Course, loaded: LoadedRecord) -> Iterator[MeasuredValue]:
    record = loaded.record
    shelf = course.shelves.get(record.program)
    for samples in record.measurements:
        measurement = loaded.shown.measurements.get(samples.name)
        names = measurement.key_names if measurement is not None else ()
        yield MeasuredValue(
            program=record.program,
            name=samples.name,
            keys=dict(zip(names, samples.keys, strict=False)),
            unit=samples.unit,
            shown=_convert(samples.samples[record.shown], samples),
            median=_convert(samples.median, samples),
            band=(_convert(samples.band_low, samples), _convert(samples.band_high, samples)),
            processes=len(record.processes),
            gpu=record.device.model,
            driver=record.device.driver,
            cuda=record.build.cuda,
            started=record.started,
            record=loaded.path,
            is_shown=shelf is not None and loaded is shelf.shown_record,
        )


def _convert(value: float, samples: Samples) -> float:
    """From base units to the measurement's own, without the noise of binary division."""
    factor = parse_unit(samples.unit).factor if samples.unit else Fraction(1)
    return float(Fraction(repr(value)) / factor)


def format_measurements(data: MeasuredData) -> str:
    """The data as JSON, one measurement a line."""
    head: dict[str, Any] = msgspec.to_builtins(data)
    rows = ",\n".join(
        "    " + json.dumps(row, ensure_ascii=False) for row in head.pop("measurements")
    )
    fields = [
        f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in head.items()
    ]
    fields.insert(0, f'  "$schema": {json.dumps(SCHEMA)}')
    listed = f"[\n{rows}\n  ]" if rows else "[]"
    return "{\n" + ",\n".join([*fields, f'  "measurements": {listed}']) + "\n}\n"


def format_schema() -> str:
    """The JSON Schema of the data."""
    schema: dict[str, Any] = msgspec.json.schema(MeasuredData)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = f"Everything measured in a course, format {FORMAT}"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
