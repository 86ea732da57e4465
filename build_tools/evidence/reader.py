"""Does the reader's check in a record belong to the check and the regions as they are now?"""

from __future__ import annotations

import ast
import hashlib
from functools import partial
from pathlib import Path

from msgspec import UNSET

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.evidence.loaded import LoadedRecord
from build_tools.evidence.model import ReaderCheck
from build_tools.evidence.record import place_value
from build_tools.source.model import Program, Region
from build_tools.source.plain_files import read_plain
from build_tools.source.reader_unit import compose_reader_unit
from build_tools.source.tokens import scan_source

_BY_TOKENS = "tokens:"
"""What a reader's digest begins with: the word for what it covers of a region."""


def list_kernel_regions(program: Program) -> tuple[Region, ...]:
    """The regions a reader's check must cover: of kind ``kernel``, with a kernel inside."""
    return tuple(
        region
        for region in program.regions.values()
        if region.kind == "kernel" and "__global__" in region.text
    )


def compute_reader_digest(root: Path, program: Program) -> str:
    """A digest over check.py and what a reader can copy of every kernel region.

    Of the regions only the tokens count, so that a comment changes nothing, nor does a line
    added elsewhere in the program. Raises OSError when check.py cannot be read.
    """
    parts = [(root / program.check_path).read_bytes()]
    for region in list_kernel_regions(program):
        unit = compose_reader_unit(program, region.name)
        code = "\n".join(line for line in unit.split("\n") if not line.startswith("#line "))
        tokens = "\0".join(token.text for token in scan_source(code).tokens)
        parts.append(f"{region.name}\0{','.join(region.needs)}\0{tokens}".encode())
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return f"{_BY_TOKENS}{digest.hexdigest()}"


def read_covered(root: Path, program: Program) -> tuple[tuple[str, ...], list[Finding]]:
    """The regions that check.py names in ``REGIONS``, read without running it.

    Every region that holds a kernel must be among them, and no other name.
    """
    path = program.check_path
    covered: tuple[str, ...] | None = None
    line = 1
    try:
        tree = ast.parse(read_plain(root / path))
    except (RecursionError, MemoryError):  # of the parser, whose stack is short
        said = "it nests deeper than can be read"
        return (), [
            Finding(Kind.CHECK, Place(path), "a reader's check", said, "nest it less deeply")
        ]
    except (SyntaxError, ValueError, OSError) as error:
        place = Place(path, getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1)
        said = f"it cannot be read: {getattr(error, 'msg', None) or error}"
        return (), [Finding(Kind.CHECK, place, "a reader's check", said, "correct it")]
    for statement in tree.body:
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
            if isinstance(statement, ast.AnnAssign)
            else []
        )
        if any(isinstance(target, ast.Name) and target.id == "REGIONS" for target in targets):
            line = statement.lineno
            covered = _read_names(getattr(statement, "value", None))
    if covered is None:
        form = 'write REGIONS = ("NAME", …) with the names of regions'
        said = "check.py does not say in REGIONS which regions it checks"
        return (), [Finding(Kind.CHECK, Place(path, line), "a reader's check", said, form)]
    findings = [
        Finding(
            Kind.CHECK,
            Place(path, line),
            f"region `{name}`",
            "the program has no such region",
            suggest_names(name, program.regions),
        )
        for name in covered
        if name not in program.regions
    ]
    findings += [
        Finding(
            Kind.CHECK,
            region.place,
            f"region `{region.name}` holds a kernel",
            f"{path} does not check it",
            f'name it in REGIONS of {path}, or declare it with kind = "host"',
        )
        for region in list_kernel_regions(program)
        if region.name not in covered
    ]
    return covered, findings


def _read_names(value: ast.expr | None) -> tuple[str, ...] | None:
    try:
        names = ast.literal_eval(value) if value is not None else None
    except ValueError:
        return None
    if not isinstance(names, tuple | list) or not all(isinstance(n, str) for n in names):
        return None
    return tuple(names)


def is_check_current(root: Path, program: Program, check: ReaderCheck | None) -> bool:
    """Whether a reader's check was made, of check.py and the regions as they are now.

    One that was made before checks were tried on kernels that write nothing is read as it was
    meant then, and made again by the next run.
    """
    if check is None or check.could_not_check or not program.check_path:
        return False
    if not tells_rejections(check):
        return False
    try:
        return check.digest == compute_reader_digest(root, program)
    except OSError:
        return False


def tells_rejections(check: ReaderCheck) -> bool:
    """Whether the check was tried on kernels that write nothing."""
    return all(verdict.rejects is not UNSET for verdict in check.regions)


def list_acceptances(check: ReaderCheck) -> list[tuple[int, str, str]]:
    """What the check accepts and must not: index and name of the region, what its kernels left."""
    return [
        (index, verdict.region, left)
        for index, verdict in enumerate(check.regions)
        for left, failure in (verdict.rejects or {}).items()
        if not failure
    ]


def say_acceptance(region: str, left: str) -> tuple[str, str, str]:
    """What is stated of a check that accepts what nobody wrote, what is true, what to do."""
    how = {"nothing": "writes nothing", "zeros": "leaves zeros", "NaN": "leaves NaN"}[left]
    return (
        f"check.py rejects a wrong result of `{region}`",
        f"it accepts a kernel that {how}",
        _ADVICE_ON[left],
    )


_ADVICE_ON = {
    "nothing": "fill the output with NaN before the launch, and compare with "
    "`not (abs(got - want) <= tolerance)`",
    "zeros": "draw inputs whose result is not zero, and compare every element",
    "NaN": "compare with `not (abs(got - want) <= tolerance)`: a NaN is in no order, so "
    "`abs(got - want) > tolerance` lets it pass",
}


def check_reader(root: Path, program: Program, loaded: LoadedRecord, text: str) -> list[Finding]:
    """What is wrong with the record's reader's check; ``text`` is the record's JSON.

    One that was made again since has passed, or it would not have been kept.
    """
    check = loaded.reader_check
    advice = f"run the reader's check again: course run --parts check {program.name}"
    if not program.check_path:
        if not list_kernel_regions(program):
            return []
        names = ", ".join(f"`{region.name}`" for region in list_kernel_regions(program))
        return [
            Finding(
                Kind.CHECK,
                Place(program.path),
                f"regions that readers copy: {names}",
                "there is no check.py beside the program, so nobody has tried them",
                'write a check.py, or declare regions that hold host code with kind = "host"',
            )
        ]
    covered, findings = read_covered(root, program)
    if findings:
        return findings
    if check is None:
        return [
            Finding(
                Kind.CHECK,
                Place(program.check_path),
                "a reader's check",
                f"{loaded.path} was recorded without it",
                advice,
            )
        ]
    if check.digest != compute_reader_digest(root, program):
        return [
            Finding(
                Kind.STALE,
                Place(program.check_path),
                f"the reader's check passed on {loaded.record.started[:10]}",
                "check.py, a region or its needs changed since",
                advice,
            )
        ]
    return _report_verdicts(check, covered, loaded.path, text, advice)


def _report_verdicts(
    check: ReaderCheck, covered: tuple[str, ...], path: str, text: str, advice: str
) -> list[Finding]:
    # Places are looked for only where something is wrong: each takes a reading of the record.
    place = partial(place_value, text, path, "reader_check", "could_not_check")
    if check.could_not_check:
        return [
            Finding(
                Kind.CHECK,
                place(),
                "the reader's check",
                check.could_not_check,
                advice,
                checked=False,
            )
        ]
    findings = [
        Finding(
            Kind.CHECK,
            place_value(text, path, "reader_check", "regions", index),
            f"region `{verdict.region}` works as a reader copies it",
            verdict.said,
            "correct the region, its needs or check.py, and measure again",
        )
        for index, verdict in enumerate(check.regions)
        if not verdict.passed
    ]
    for index, verdict in enumerate(check.regions):
        findings += [
            Finding(
                Kind.CHECK,
                place_value(text, path, "reader_check", "regions", index),
                f"region `{verdict.region}` needs `{need}`",
                "it passes its check without",
                f"take `{need}` out of the needs in program.toml",
            )
            for need, failure in verdict.needs_shown_necessary.items()
            if not failure
        ]
    for index, region, left in list_acceptances(check):
        where = place_value(text, path, "reader_check", "regions", index)
        findings.append(Finding(Kind.CHECK, where, *say_acceptance(region, left)))
    judged = {verdict.region for verdict in check.regions}
    findings += [
        Finding(
            Kind.CHECK,
            place(),
            f"region `{name}` was checked",
            "the record has no verdict on it",
            advice,
        )
        for name in covered
        if name not in judged
    ]
    if not findings and not check.passed:
        said = "the reader's check", "it did not pass"
        findings.append(Finding(Kind.CHECK, place(), *said, advice))
    return findings
