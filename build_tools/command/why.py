"""How is the chain behind a claim printed?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from build_tools.claims.chain import (
    Chain,
    CheckLine,
    FindingLine,
    NameLine,
    ProgramChain,
    RecordChain,
    Sentence,
)
from build_tools.claims.figure import Figure, FigureKind
from build_tools.claims.find_subject import SubjectKind

_WIDTH = 12
"""Columns of the labels at the left."""
_LINE = 84
"""Columns of a list behind them."""
_MOST_MATCHES = 20
"""How many of the things that a question may mean are printed."""


def describe_chain(chain: Chain, everything: bool = False) -> Iterator[str]:
    """A chain in lines; ``everything`` adds each process's values and each record in full."""
    if chain.error:
        yield chain.error
    matches = chain.matches if everything else chain.matches[:_MOST_MATCHES]
    for match in matches:
        words = f"[{match.text}]({match.target})" if match.text else match.target
        yield f"    {match.place}  {words}" if match.text else f"    {words}"
    if len(chain.matches) > len(matches):
        yield f"    and {len(chain.matches) - len(matches)} more, which --all names"
    if chain.advice:
        yield f"    do: {chain.advice}"
    for sentence in chain.sentences:
        yield from _describe_sentence(sentence)
    if chain.figure is not None:
        yield from _describe_value(chain, chain.figure)
    for name in chain.names:
        yield from _describe_name(name, everything)
    told: set[str] = set()
    for record in chain.records:
        yield ""
        if record.program in told and not everything:
            yield _label("record", f"{record.path}  ({_name_state(record)})")
        else:
            yield from _describe_record(record)
        told.add(record.program)
    whole = everything or chain.subject is SubjectKind.PROGRAM
    for program in chain.programs:
        yield ""
        yield from _describe_program(program, whole)


def _label(label: str, text: str, indent: int = 0) -> str:
    return f"{' ' * indent}{label:<{_WIDTH - indent}}{text}"


def _describe_sentence(sentence: Sentence) -> Iterator[str]:
    place = f"{sentence.path}:{sentence.line}:{sentence.column}"
    yield f"{place}: [{sentence.text}]({sentence.kind}:{sentence.target})"
    yield f"    {sentence.outcome}"
    for finding in sentence.findings:
        yield from _describe_finding(finding)
    yield f"    {sentence.sentence}"


def _describe_finding(finding: FindingLine) -> Iterator[str]:
    yield f"    {finding.kind}: {finding.stated}"
    yield f"        true: {finding.true}"
    yield f"        do:   {finding.advice}"


def _describe_value(chain: Chain, figure: Figure) -> Iterator[str]:
    yield ""
    yield _label("expression", chain.expression)
    yield _label("value", _say_figure(figure))
    if not any(name.name == chain.expression for name in chain.names):
        yield from _describe_items(figure, _WIDTH)  # else they stand at the name
    yield _label("proof", chain.proof)


def _say_figure(figure: Figure) -> str:
    if figure.kind is FigureKind.SEVERAL and any(item.band for item in figure.items):
        return f"{len(figure.items)} values"
    return figure.shown + (f"  (band {figure.band})" if figure.band else "")


def _describe_items(figure: Figure, indent: int) -> Iterator[str]:
    """The values of several that are told apart by keys or have bands."""
    if not any(item.band for item in figure.items):
        return
    for item in figure.items:
        keys = f"[{', '.join(item.keys)}] " if item.keys else ""
        yield f"{' ' * indent}{keys}{_say_figure(item)}"


def _describe_name(name: NameLine, everything: bool) -> Iterator[str]:
    indent = "  " * name.depth
    value = "" if name.figure.kind is FigureKind.SEVERAL else f" = {_say_figure(name.figure)}"
    yield ""
    yield _label(name.kind, f"{indent}{name.name}{value}")
    margin = " " * _WIDTH + indent + "    "
    for origin in name.origins:
        if origin.process and not _is_shown(name, origin.process):
            continue
        keys = f"[{', '.join(origin.keys)}] " if origin.keys else ""
        item = next((i for i in _list_figures(name.figure) if _goes_with(i, origin.keys)), None)
        worth = ""
        if item is not None and name.figure.kind is FigureKind.SEVERAL:
            worth = f"{keys}{_say_figure(item)}"
        if worth:
            yield f"{margin}{worth}"
        process = f"  (process {origin.process})" if origin.process else ""
        yield f"{margin}{origin.path}:{origin.line}{process}"
        yield f"{margin}    {origin.text}"
        if everything and origin.process and name.kind == "measurement":
            for other in name.origins:
                if other.keys == origin.keys and other.process != origin.process:
                    said = f"process {other.process:>2}  {other.text}"
                    yield f"{margin}    {said}  {other.path}:{other.line}"
    if everything and name.kind == "quantity":
        for item in _list_figures(name.figure):
            if item.samples_shown:
                keys = f"[{', '.join(item.keys)}] " if item.keys else ""
                yield f"{margin}{keys}by process: {', '.join(item.samples_shown)}"


def _is_shown(name: NameLine, process: int) -> bool:
    """The shown process's lines come first."""
    return process == next(origin.process for origin in name.origins if origin.process)


def _list_figures(figure: Figure) -> tuple[Figure, ...]:
    return figure.items if figure.kind is FigureKind.SEVERAL else (figure,)


def _goes_with(figure: Figure, keys: tuple[str, ...]) -> bool:
    """Whether an item's keys are those of a row that a slice left open."""
    if not figure.keys:
        return figure.shown in keys or not keys
    rest = iter(keys)
    return all(key in rest for key in figure.keys)


def _name_state(record: RecordChain) -> str:
    words = [record.state]
    if not record.is_reference:
        words.append("not of the reference device")
    if record.is_shown:
        words.append("shown on pages")
    if record.is_pooled:
        words.append("in the newest pool")
    return ", ".join(words)


def say_age(days: int) -> str:
    """``today``, ``3 days ago``, ``in 1 day``."""
    count = f"{abs(days)} day{'' if abs(days) == 1 else 's'}"
    return "today" if days == 0 else f"{count} ago" if days > 0 else f"in {count}"


def _describe_record(record: RecordChain) -> Iterator[str]:
    device, build = record.device, record.build
    yield _label("record", record.path)
    yield _label("state", _name_state(record), 2)
    yield _label("recorded", f"{record.started}, {say_age(record.age_days)}", 2)
    processes = f"{record.processes} processes; shown is process {record.shown_process}"
    yield _label("run", f"{record.run}  ({processes})", 2)
    yield _label("printed", record.transcript, 2)
    yield _label(
        "device",
        f"{device.model} (compute capability {device.compute_capability}), driver {device.driver}",
        2,
    )
    yield _label("build", build.command, 2)
    replaced = f", {build.arch_replaced}" if build.arch_replaced else ""
    yield _label("", f"CUDA {build.cuda} ({build.nvcc}){replaced}", 2)
    yield _label("", f"machine code {build.machine_code_digest[:16]}", 2)
    if build.report:
        yield _label("", f"the compiler's report: {build.report}", 2)
    same = "as the program's is now"
    if record.code_digest != record.code_digest_now:
        same = f"the program's is now {record.code_digest_now[:16] or 'unknown'}"
    yield _label("code", f"digest {record.code_digest[:16]}, {same}", 2)
    yield _label("check", _say_check(record.check), 2)
    for finding in record.findings:
        yield _label("wrong", f"{finding.path}:{finding.line}:{finding.column}: {finding.true}", 2)
    now = [condition for condition in record.conditions if condition.so]
    for index, condition in enumerate(now):
        where = f"{condition.path}:{condition.line}:{condition.column}"
        detail = f" {condition.detail}" if condition.detail else ""
        yield _label("stale by" if index == 0 else "", f"{condition.what}: {where}{detail}", 2)
    others = [condition.what for condition in record.conditions if not condition.so]
    yield from _list_wrapped("stale if", others, "; ")


def _list_wrapped(label: str, parts: Sequence[str], joint: str) -> Iterator[str]:
    """Parts one behind the other in as many lines as they need, none of them broken."""
    line = ""
    for index, part in enumerate(parts):
        piece = part + (joint if index + 1 < len(parts) else "")
        if line and len(line) + len(piece.rstrip()) > _LINE:
            yield _label(label, line.rstrip(), 2)
            label, line = "", ""
        line += piece
    if line:
        yield _label(label, line, 2)


def _say_check(check: CheckLine) -> str:
    if check.outcome == "none":
        return "the record was made without a reader's check"
    if check.outcome == "could not check":
        return f"could not be made: {check.said}"
    stale = "; stale since" if check.is_stale else ""
    if check.outcome == "failed":
        return f"failed: {check.said}{stale}"
    seeds = ", ".join(str(seed) for seed in check.seeds)
    regions = ", ".join(check.regions) or "no region"
    return f"passed for {regions} with the seeds {seeds} (CuPy {check.cupy}){stale}"


def _describe_program(program: ProgramChain, whole: bool) -> Iterator[str]:
    """A program; ``whole`` says of each region where it stands and is shown."""
    yield _label("program", f"{program.path}  ({program.state})")
    yield _label("Build", program.build, 2)
    yield _label("Run", program.run, 2)
    yield _label("code", f"digest {program.code_digest[:16]}", 2)
    if not whole:
        names = [region.reference.partition("#")[2] for region in program.regions]
        yield from _list_wrapped("regions", names, ", ")
    for index, region in enumerate(program.regions if whole else ()):
        needs = f", needs {' '.join(region.needs)}" if region.needs else ""
        shown = f", shown at {', '.join(region.shown_at)}" if region.shown_at else ", not shown"
        lines = f"lines {region.first}-{region.last}"
        text = f"{region.reference}  {lines}, {region.kind}{needs}{shown}"
        yield _label("regions" if index == 0 else "", text, 2)
    for index, path in enumerate(program.records):
        yield _label("records" if index == 0 else "", path, 2)
    if program.claims:
        count = len(program.claims)
        first = ", ".join(program.claims[:3]) + (", …" if count > 3 else "")
        yield _label("cited by", f"{count} claim{'' if count == 1 else 's'}: {first}", 2)
