"""How is the state of the course printed?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from build_tools.claims.chain import FindingLine
from build_tools.claims.status import CourseStatus, ProgramStatus, RecordStatus
from build_tools.command.why import say_age


def describe_status(status: CourseStatus) -> Iterator[str]:
    """The state of the course in lines."""
    pages = _count(status.pages, "page")
    programs = _count(len(status.programs), "program")
    yield f"{status.reference_gpu}, {status.date}: {programs}, {pages}"
    for program in status.programs:
        yield ""
        yield from _describe_program(program)
    yield ""
    claims = []
    for count in status.claims:
        wrong = [
            f"{number} {word}"
            for number, word in (
                (count.findings if count.kind != "none" else 0, "wrong"),
                (count.unchecked, "not checked"),
            )
            if number
        ]
        kind = "without a value" if count.kind == "none" else count.kind
        total = count.agrees + count.findings + count.unchecked
        claims.append(f"{total} {kind}" + (f" ({', '.join(wrong)})" if wrong else ""))
    yield _label("claims", ", ".join(claims) or "none")
    yield from _list_lines(
        "waived", [f"{w.path}:{w.line}: {w.what}: {w.detail}" for w in status.waived]
    )
    yield from _list_lines("unused", [_say_finding(finding) for finding in status.unused])
    yield from _list_lines("orphans", [_say_finding(finding) for finding in status.orphans])
    kinds = ", ".join(f"{count.count} {count.kind}" for count in status.findings)
    yield _label(
        "findings", f"{kinds} in sources and evidence" if kinds else "none in sources and evidence"
    )


def _label(label: str, text: str) -> str:
    return f"{label:<10}{text}"


def _list_lines(label: str, lines: Sequence[str]) -> Iterator[str]:
    for index, line in enumerate(lines or ["none"]):
        yield _label(label if index == 0 else "", line)


def _say_finding(finding: FindingLine) -> str:
    return f"{finding.path}:{finding.line}:{finding.column}: {finding.stated}: {finding.true}"


def _count(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def _describe_program(program: ProgramStatus) -> Iterator[str]:
    yield _label(program.state, f"{program.name}  ({program.path})")
    for reason in program.reasons:
        place = f"{reason.path}:{reason.line}:{reason.column}"
        yield _label("", f"{place}: {reason.what} {reason.detail}")
    for record in program.records:
        yield _label("  record", record.path)
        yield _label("", _say_record(record))
    for part in program.parts:
        detail = f": {part.detail}" if part.detail else ""
        where = f"  {part.path}, {part.date}" if part.path else ""
        yield _label("  part", f"{part.part} {part.state}{detail}{where}")


def _say_record(record: RecordStatus) -> str:
    words = [record.state.value]
    if record.is_shown:
        words.append("shown")
    if record.is_pooled:
        words.append("newest pool")
    device = record.device if record.is_reference else f"{record.device} (not the reference)"
    return (
        f"{record.date}, {say_age(record.age_days)}; {device}, driver {record.driver}; "
        f"{_count(record.processes, 'process')}; {', '.join(words)}; "
        f"in {_count(len(record.claims), 'claim')}"
    )
