"""What can an expression say, and what does it come to? With examples that are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from build_tools.claims.figure import Figure, FigureKind, read_figure
from build_tools.claims.names import Names, read_check_names, read_compiler_names, read_device_names
from build_tools.claims.scope import RECORD_NAMES, CourseScope, ProgramScope
from build_tools.claims.windows import WINDOW_FIELDS
from build_tools.command.reference.example import PROGRAM, Example
from build_tools.command.reference.markdown import state_number, write_fence, write_table
from build_tools.quantity.combine import MAXIMUM_BITS
from build_tools.quantity.expression import (
    MAXIMUM_DEPTH,
    MAXIMUM_LENGTH,
    MAXIMUM_NODES,
    ExpressionError,
    Namespace,
    evaluate_expression,
)
from build_tools.quantity.functions import FUNCTIONS
from build_tools.quantity.literal import LARGEST_EXPONENT
from build_tools.quantity.operations import MAXIMUM_EXPONENT
from build_tools.quantity.ranking import MEANINGS, TEXTS

_P = PROGRAM
EXAMPLES: dict[str, tuple[str, ...]] = {
    "measurement-examples": (
        f'{_P}.time["rows"]',
        f"{_P}.time[:]",
        f'{_P}.copy["rows"]',
        f"{_P}.gain",
        f'{_P}.time["row"]',
    ),
    "constant-examples": (
        f"{_P}.source.kSide",
        f"{_P}.source.kSide ** 2",
        f"({_P}.source.kSide, {_P}.source.kSide)",
    ),
    "record-examples": (
        f"{_P}.device.sm_count",
        f'{_P}.compiler["copyRows"].registers',
        f"{_P}.check.passed",
        f'{_P}.on["NVIDIA H200"].gain',
        f'{_P}.records["run-2026-11-30"].gain',
        f'{_P}.on["NVIDIA L4"].gain',
    ),
    "course-examples": (
        'given["peak_bandwidth"]',
        "rows_share",
        f'{_P}.rate["rows"] / given["peak_bandwidth"]',
    ),
    "operator-examples": (
        f"4 * {_P}.source.kSide ** 2 / 2 ** 20",
        f"{_P}.source.kSide // 100 + {_P}.source.kSide % 100",
        f'{_P}.time["columns"] - {_P}.time["rows"]',
        f'{_P}.rate["rows"] * {_P}.time["rows"]',
        f"{_P}.time[:] / min({_P}.time[:])",
        f'{_P}.gain + {_P}.time["rows"]',
    ),
    "statement-examples": (
        f'{_P}.time["rows"] < {_P}.time["columns"]',
        f"4 < {_P}.gain < 5 and not {_P}.gain > 9",
        f"{_P}.gain > 4.55",
        f"{_P}.source.kSide == 8192",
        f"{_P}.gain == 4.55",
        f'{_P}.copy["rows"] == "rows"',
    ),
    "verdict-examples": (
        f'verdict({_P}.time["rows"], {_P}.time["columns"])',
        f'verdict({_P}.rate["columns"], {_P}.rate["rows"])',
        f'verdict({_P}.time[:], {_P}.time["rows"])',
        f"verdict({_P}.gain, 4)",
    ),
}
"""Expressions by the place where they are shown with what they come to."""


def compose_parts(example: Example) -> dict[str, str]:
    """The parts of the page on expressions."""
    course = example.course
    record = course.shelves[PROGRAM].shown_record
    assert record is not None  # noqa: S101 - the example was recorded
    local = ProgramScope(course, course.programs[PROGRAM], local=True)
    scope = CourseScope(course)
    kernel = next(iter(record.record.build.kernels))
    facts = read_compiler_names(record)[kernel]
    assert isinstance(facts, Names)  # noqa: S101 - what is said of a kernel has names
    return {
        "record-names": write_table(
            ("name", "what it is"), [(f"`{name}`", text) for name, text in RECORD_NAMES.items()]
        ),
        "device-names": write_listing(
            [f"device.{name}" for name in read_device_names(record)], local
        ),
        "compiler-names": write_listing(
            [f'compiler["{kernel}"].{name}' for name in facts.values], local
        ),
        "check-names": write_listing([f"check.{name}" for name in read_check_names(record)], local),
        "window-names": write_table(
            ("name", "unit"),
            [(f"`{name}`", unit or "a share") for name, (_, unit, _) in WINDOW_FIELDS.items()],
        ),
        "functions": write_table(
            ("function", "comes to"), [(f"`{n}`", f.meaning) for n, f in FUNCTIONS.items()]
        ),
        "function-examples": write_values([f.example for f in FUNCTIONS.values()], local),
        "verdicts": write_table(
            ("verdict", "texts that say it", "when"),
            [
                (f"`{word}`", ", ".join(f"`{text}`" for text in texts), MEANINGS[word])
                for word, texts in TEXTS.items()
            ],
        ),
        "longest": state_number(MAXIMUM_LENGTH),
        "most-nodes": state_number(MAXIMUM_NODES),
        "deepest": state_number(MAXIMUM_DEPTH),
        "largest-exponent": state_number(MAXIMUM_EXPONENT),
        "most-bits": state_number(MAXIMUM_BITS),
        "largest-magnitude": state_number(LARGEST_EXPONENT),
        **{place: write_values(texts, scope) for place, texts in EXAMPLES.items()},
    }


def write_values(expressions: Iterable[str], scope: Namespace) -> str:
    """Each expression, and under it what it comes to or why it comes to nothing."""
    return write_fence(
        "\n".join(line for text in expressions for line in (text, *evaluate(text, scope)))
    )


def write_listing(names: Sequence[str], scope: Namespace) -> str:
    """Names with their values, one a line."""
    width = max(len(name) for name in names)
    return write_fence(
        "\n".join(f"{name:<{width}}  {evaluate(name, scope)[0].strip()}" for name in names)
    )


def evaluate(expression: str, scope: Namespace) -> list[str]:
    """What an expression comes to, in indented lines."""
    try:
        figure = read_figure(evaluate_expression(expression, scope))
    except ExpressionError as error:
        return [f"    no value: {error.message}", f"    {error.advice}"]
    if figure.kind is FigureKind.SEVERAL:
        return [f"    {_name_item(item)}{_say(item)}" for item in figure.items]
    return [f"    {_say(figure)}"]


def _name_item(figure: Figure) -> str:
    return f"{', '.join(figure.keys)}: " if figure.keys else ""


def _say(figure: Figure) -> str:
    return figure.shown + (f"  (band {figure.band})" if figure.band else "")
