"""How does a course look that makes each kind of finding? The example, broken in one place."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from build_tools.claims.check import check_course
from build_tools.claims.course import load_course
from build_tools.command.reference.example import PAGE, PROGRAM, Example
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.diagnostics.formats.report import Format, compose_report, format_report
from build_tools.evidence.compose import Ran, judge_runs
from build_tools.measure.campaign_findings import report_no_device
from build_tools.measure.device import NO_DRIVER
from build_tools.measure.diagnosis import read_diagnostics

_SOURCE = f"snippets/{PROGRAM}/{PROGRAM}.cu"
_DECLARATION = f"snippets/{PROGRAM}/program.toml"
_CHECK = f"snippets/{PROGRAM}/check.py"
_RECORD = f"evidence/{PROGRAM}/nvidia-h200/run-2026-11-30.json"


@dataclass(frozen=True)
class Edit:
    """A file in which ``old`` becomes ``new``; without ``old`` a new file, without both none."""

    path: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True)
class Broken:
    """The edits that make one kind of finding, and who finds it."""

    edits: tuple[Edit, ...]
    find: Callable[[Path], list[Finding]]
    index: int = 0
    """Which of the findings of the kind is shown, where there are several."""


def check_sources(root: Path) -> list[Finding]:
    """What ``course check`` finds."""
    return check_course(load_course(root))


def find_build(root: Path) -> list[Finding]:
    """What ``course compile`` makes of the compiler's words."""
    return read_diagnostics(COMPILER_SAID, root, load_course(root).programs[PROGRAM], "exit status")


def find_run(root: Path) -> list[Finding]:
    """What ``course run`` makes of a program that prints what may not be published."""
    program = load_course(root).programs[PROGRAM]
    transcript = (root / _RECORD.replace(".json", ".txt")).read_text(encoding="utf-8")
    printed = f"{transcript}GPU-12345678-90ab-cdef-1234-567890abcdef\n"
    return judge_runs(program, [Ran(("./copy_order",), printed.encode(), b"", 1.0, None)])


def find_device(root: Path) -> list[Finding]:
    """What ``course run`` says on a machine without a GPU."""
    return [report_no_device(load_course(root).programs[PROGRAM], NO_DRIVER)]


COMPILER_SAID = """\
copy_order.cu(36): error: identifier "colunm" is undefined
      if (row < n && colunm < n) {
                     ^

1 error detected in the compilation of "copy_order.cu".
"""
"""What nvcc prints for the edit of ``Kind.BUILD``."""


def _check(*edits: Edit) -> Broken:
    return Broken(edits, check_sources)


def _claim(text: str, target: str) -> Broken:
    """The lesson's claim on the gain with another text or target."""
    return _check(Edit(PAGE, _GAIN, f"[{text}](claim:{target})"))


_GAIN = f"[4.6×](claim:{PROGRAM}.gain)"
_MACRO = "#define CUDA_CHECK(call)"
_HOST = '[regions.check-macro]\nkind = "host"\n'

BROKEN: Mapping[Kind, Broken] = {
    Kind.PROGRAM: _check(Edit("snippets/copy_rows/notes.txt", "", "To be written.\n")),
    Kind.ENCODING: _check(Edit(_SOURCE, "floats of one row", "floats of\a one row")),
    Kind.MARKER: _check(Edit(_SOURCE, "// snippet: rows-kernel", "// snippet rows-kernel")),
    Kind.REGION: _check(Edit(_SOURCE, "// end snippet: rows-kernel\n", "\n")),
    Kind.EXERCISE: _check(
        Edit(_SOURCE, "// end snippet: rows-kernel\n", "// solution: rows\n// end snippet\n")
    ),
    Kind.HEADER: _check(Edit(_SOURCE, "// Run:   ./copy_order\n", "//\n")),
    Kind.DECLARATION: _check(Edit(_DECLARATION, "rows = 2", 'rows = "two"')),
    Kind.SETTINGS: _check(Edit("course.toml", '"all"', '"al"')),
    Kind.BOILERPLATE: _check(
        Edit(_SOURCE, _MACRO, f"// snippet: check-macro\n{_MACRO}"),
        Edit(_SOURCE, "while (0)\n", "while (0)\n// end snippet: check-macro\n"),
        Edit(_DECLARATION, "[quantities]", f"{_HOST}\n[quantities]"),
        Edit(
            "snippets/copy_tiles/copy_tiles.cu",
            "",
            "// Day 4: copy tiles.\n//\n"
            "// Build: nvcc -std=c++17 -o copy_tiles copy_tiles.cu\n// Run:   ./copy_tiles\n\n"
            "// snippet: check-macro\n#define CUDA_CHECK(call) (call)\n"
            "// end snippet: check-macro\n\nint main() { return 0; }\n",
        ),
        Edit("snippets/copy_tiles/program.toml", "", _HOST),
    ),
    Kind.FACT: _check(Edit("snippets/quantities.toml", "Bandwidth 4.8TB/s", "Bandwidth 4.9TB/s")),
    Kind.UNUSED: _check(Edit(PAGE, "\n/// snippet | copy_order#columns-kernel\n///\n", "")),
    Kind.RECORD: replace(
        _check(Edit(_RECORD, '"median": 0.0002156', '"median": 0.0002056')), index=-1
    ),
    Kind.TRANSCRIPT: _check(
        Edit(_DECLARATION, "[quantities]", '[lines]\nsum = "sum {total:g}"\n\n[quantities]')
    ),
    Kind.STAMP: _check(Edit(_SOURCE, "// Verified 2026-11-30", "// Verified 2026-12-01")),
    Kind.STALE: _check(Edit(_SOURCE, "kSamples = 101", "kSamples = 51")),
    Kind.MISSING: _check(Edit(f"evidence/{PROGRAM}")),
    Kind.ORPHAN: _check(Edit(f"evidence/{PROGRAM}/nvidia-h200/notes.txt", "", "A warm day.\n")),
    Kind.BUILD: Broken(
        (Edit(_SOURCE, "row < n && column < n", "row < n && colunm < n"),), find_build
    ),
    Kind.RUN: Broken((), find_run),
    Kind.DEVICE: Broken((), find_device),
    Kind.CHECK: _check(Edit(_CHECK, '("rows-kernel", "columns-kernel")', '("rows-kernel",)')),
    Kind.DIRECTIVE: _check(Edit(PAGE, "copy_order#rows-kernel", "copy_order#row-kernel")),
    Kind.LINK: _check(Edit(PAGE, "[4.6×](claim", "[4.6×] (claim")),
    Kind.EXPRESSION: _claim("4.6×", f"{PROGRAM}.gian"),
    Kind.UNREADABLE: _claim("4.6× as long", f"{PROGRAM}.gain"),
    Kind.UNIT: _claim("0.2158", f'{PROGRAM}.time["rows"]'),
    Kind.TYPE: _check(Edit(PAGE, "[256](stated:)", "[256 ms](stated:)")),
    Kind.DRIFT: _claim("32×", f"{PROGRAM}.gain"),
    Kind.OVER_PRECISE: _claim("4.5533×", f"{PROGRAM}.gain"),
    Kind.LOOSE: _claim("more than 2×", f"{PROGRAM}.gain"),
    Kind.AMBIGUOUS: _claim("more than four and a half times", f"{PROGRAM}.gain > 4.55"),
    Kind.FALSE: _claim("no longer", f'{PROGRAM}.time["rows"] > {PROGRAM}.time["columns"]'),
    Kind.HEDGE: _check(Edit(PAGE, _GAIN, f"about {_GAIN}")),
    Kind.SANITY: _check(
        Edit(
            _DECLARATION,
            "rows = 2\n",
            "rows = 2\n\n[sanity.rate]\nrate = 'rate[\"rows\"]'\npeak = 'rate[\"columns\"]'\n",
        )
    ),
    Kind.UNBOUND: _check(Edit(PAGE, _GAIN, "4.6×")),
    Kind.PAGE: _check(Edit("course.toml", "[course]", '[course]\nprose = ["pages/*.md"]')),
}
"""A way to make each kind."""


def tell_broken(example: Example, kind: Kind, form: Format = Format.TEXT) -> str:
    """A finding of the kind as it is told, from the example broken for it.

    Raises LookupError where breaking it does not make such a finding.
    """
    broken = BROKEN[kind]
    with example.copy() as root:
        for edit in broken.edits:
            apply_edit(root, edit)
        found = [finding for finding in broken.find(root) if finding.kind is kind]
        if not found:
            raise LookupError(f"the example broken for `{kind}` makes no such finding")
        return format_report(compose_report("check", [found[broken.index]], root=root), form)


def apply_edit(root: Path, edit: Edit) -> None:
    """Make the edit in the course at ``root``. Raises LookupError where ``old`` is not there once."""
    path = root / edit.path
    if not edit.old and not edit.new:
        shutil.rmtree(path)
        return
    if edit.old:
        text = path.read_text(encoding="utf-8")
        if edit.old not in text:
            raise LookupError(f"{edit.path} does not hold `{edit.old}`")
        path.write_text(text.replace(edit.old, edit.new, 1), encoding="utf-8")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(edit.new, encoding="utf-8")
