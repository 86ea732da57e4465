"""How does a comparison look on a page? A table of rows, each beside the one it is held against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from markupsafe import Markup

from build_tools.claims.comparisons import Compared, ComparedRow, compare_rows, list_comparable
from build_tools.claims.model import Course, Directive
from build_tools.claims.names import NoEvidenceError
from build_tools.evidence.loaded import LoadedRecord, State
from build_tools.pages.floor import write_share
from build_tools.pages.lookup import Absence, find_program, find_shown_record
from build_tools.pages.printed import format_date
from build_tools.pages.template import fill_template
from build_tools.quantity.spread import MINIMUM_PROCESSES
from build_tools.quantity.value import (
    OperationError,
)
from build_tools.source.model import Program


@dataclass(frozen=True)
class ComparedLine:
    """A row as it is printed."""

    keys: tuple[str, ...]
    printed: str
    ratio: str
    band: str
    verdict: str
    why: str = ""
    factor: float = 1.0
    """The ratio, by which rows are sorted."""

    @property
    def cells(self) -> tuple[str, ...]:
        """All that stands in the row."""
        return (*self.keys, self.printed, self.ratio, self.verdict, self.band)


@dataclass(frozen=True)
class ComparisonView:
    """A comparison as a table."""

    compared: Compared
    lines: tuple[ComparedLine, ...]

    @property
    def what(self) -> str:
        """``time, each kernel against tiled in the same size``."""
        found = self.compared
        others = [name for name in found.measurement.key_names if name != found.column]
        case = f" in the same {', '.join(others)}" if others else ""
        return f"{found.measurement.name}, each {found.column} against {found.against}{case}"

    @property
    def floor(self) -> str:
        """What is no ranking, in words."""
        found = self.compared
        if found.floor is None:
            return "no kernel was timed twice, so what is noise is not known"
        count = f"{found.within} of {found.pairs}"
        if found.within == found.pairs:
            count = f"all {found.pairs}"
        share = write_share(found.floor)
        return (
            f"the same kernel, timed twice in a process, differs by at most {share} in {count} "
            "pairs of all cases; each verdict takes those of its own kernel or case"
        )

    @property
    def left_out(self) -> str:
        """What is not in the table, in words; empty when all is."""
        count = self.compared.left_out
        rows = f"{count} row{'' if count == 1 else 's'}"
        stand = "stands" if count == 1 else "stand"
        return f"{rows} without such a row in the same case {stand} apart." if count else ""


def render_comparison(course: Course, directive: Directive, identity: str) -> Markup | Absence:
    """A measurement of ``directive``'s program, its rows held against one of them."""
    program = find_program(course, directive.argument)
    if isinstance(program, Absence):
        return program
    record = find_shown_record(course, program)
    if isinstance(record, Absence):
        return record
    try:
        compared = compare_rows(program, course.shelves[program.name], directive.options)
    except (OperationError, NoEvidenceError) as error:
        return Absence(str(error), error.advice)
    return fill_template(
        "comparison",
        directive=directive,
        identity=identity,
        program=program,
        record=record,
        date=format_date(record.record.started),
        view=compose_view(compared),
    )


def list_comparisons(
    course: Course, program: Program, record: LoadedRecord
) -> list[ComparisonView]:
    """For each kernel that is timed twice, what a record alone says of all beside it."""
    if not record.transcripts or record.state is not State.FRESH:
        return []
    shelf = replace(course.shelves[program.name], records=(record,))
    names = list_comparable(record.shown.measurements)
    views = []
    for rule in program.declaration.parts.again.values():
        for first, _ in rule.pairs:
            options = {"of": rule.column, "against": first}
            for name in names:
                measurement = record.shown.measurements[name]
                if rule.column not in measurement.key_names:
                    continue
                at = measurement.key_names.index(rule.column)
                if any(row[at] == first for row in measurement.readings):
                    compared = compare_rows(program, shelf, {**options, "measurement": name})
                    views.append(compose_view(compared))
                    break  # the others follow from it, or are its least and its most
    return views


def compose_view(compared: Compared) -> ComparisonView:
    """A comparison, every number printed."""
    return ComparisonView(compared, tuple(_compose_line(row) for row in compared.rows))


def _write_ratio(value: Fraction) -> str:
    """Four digits that count, zeros too: ratios of a column are read against each other."""
    return f"{float(value):#.4g}".rstrip(".")


def _compose_line(row: ComparedRow) -> ComparedLine:
    if row.ratio is None:
        return ComparedLine(row.keys, row.printed, "1×", "", "reference")
    ratio = f"{_write_ratio(row.ratio.shown)}×"
    factor = float(row.ratio.shown)
    ends = row.ratio.band
    band = f"{_write_ratio(ends.low)} to {_write_ratio(ends.high)}" if ends else ""
    if row.word is None:
        why = f"a band needs {MINIMUM_PROCESSES} processes"
        return ComparedLine(row.keys, row.printed, ratio, "", "not judged", why, factor)
    word, why = row.word.value, row.word.reason
    return ComparedLine(row.keys, row.printed, ratio, band, word, why, factor)
