"""Where are a page's blocks, and are they written as they must be?

The block syntax is that of pymdownx.blocks, which says nothing of any mistake: an unknown name
or an unclosed block leaves its text on the page or swallows the rest. So every line that starts
with ``///`` is accounted for here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from build_tools.claims.known_blocks import BLOCKS, GENERATED_BLOCKS
from build_tools.claims.model import Directive
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names

OPTIONS = {name: tuple(block.options) for name, block in BLOCKS.items()}
"""The directives of lessons, each with its options."""

GENERATED_OPTIONS = {name: tuple(block.options) for name, block in GENERATED_BLOCKS.items()}
"""The directives kept for generated pages."""

LONG = {
    name: frozenset(key for key, option in block.options.items() if option.long)
    for name, block in BLOCKS.items()
}
"""The options whose value may go on in lines that are indented further."""

FOREIGN = frozenset(
    [
        "admonition",
        "note",
        "abstract",
        "info",
        "tip",
        "success",
        "question",
        "warning",
        "failure",
        "danger",
        "bug",
        "example",
        "quote",
        "attention",
        "caution",
        "error",
        "hint",
        "important",
        "details",
        "tab",
        "html",
        "caption",
        "figure-caption",
        "table-caption",
        "define",
        "definition",
        "new",
    ]
)
"""Blocks of pymdownx.blocks, left alone."""

_LINE = re.compile(r"^(?P<indent>[ \t>]*)(?P<marks>/{3,})(?P<rest>[^\n]*)$", re.MULTILINE)
_HEAD = re.compile(r"(?P<name>[A-Za-z][\w-]*)(?:\s*\|\s*(?P<argument>.*))?")
_OPTION = re.compile(r"(?P<key>[A-Za-z][\w-]*):(?:\s+(?P<value>.*))?")


@dataclass
class _Open:
    """A block whose closing line has not come yet."""

    name: str
    argument: str
    indent: str
    marks: str
    place: Place
    start: int
    body: int
    ours: bool
    problems: list[Finding] = field(default_factory=list)


@dataclass
class BlockScan:
    """What the scan of a page's blocks has gathered."""

    directives: list[Directive] = field(default_factory=list)
    rejected: list[Directive] = field(default_factory=list)
    """Blocks with wrong options."""
    findings: list[Finding] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """What is not prose: the lines of slashes, and the bodies of our blocks."""


def scan_directives(
    text: str, mask: str, place: Callable[[int], Place], generated: bool
) -> BlockScan:
    """The blocks of a page. ``mask`` is its text with fences, code and comments blanked."""
    scan = BlockScan()
    stack: list[_Open] = []
    known = OPTIONS | (GENERATED_OPTIONS if generated else {})
    for match in _LINE.finditer(mask):
        scan.spans.append((match.start("marks"), match.end()))
        where = place(match.start("marks"))
        if match["rest"].strip():
            if stack and stack[-1].ours:
                _report_unclosed(stack.pop(), scan, f": another opens in it, in line {where.line}")
            opened = _open_block(match, where, known, scan.findings)
            if opened:
                stack.append(opened)
        elif stack:
            block = stack.pop()
            if block.ours:
                _close_block(block, match, text, place, known[block.name], scan)
        else:
            advice = "remove the line, or open a block above it"
            scan.findings.append(_report(where, "`///`", "no block is open here", advice))
    for block in stack:
        _report_unclosed(block, scan)
    return scan


def _report_unclosed(block: _Open, scan: BlockScan, reason: str = "") -> None:
    """A block without its end; what it names is there all the same."""
    stated = f"`/// {block.name}`" if not block.ours or not block.argument else ""
    stated = stated or f"`/// {block.name} | {block.argument}`"
    advice = "write a line `///` after it"
    scan.findings.append(_report(block.place, stated, f"the block is not closed{reason}", advice))
    if block.ours and block.argument:
        end = block.body
        scan.rejected.append(
            Directive(-1, block.name, block.argument, {}, block.place, block.start, end)
        )


def _close_block(
    block: _Open,
    closing: re.Match[str],
    text: str,
    place: Callable[[int], Place],
    allowed: tuple[str, ...],
    scan: BlockScan,
) -> None:
    """Take a block of ours into the scan, accepted or rejected."""
    scan.spans.append((block.body, closing.start()))
    body = text[block.body : closing.start()]
    options, good = _read_options(body, block, place, allowed, scan.findings)
    accepted = good and not block.problems
    directive = Directive(
        len(scan.directives) if accepted else -1,
        block.name,
        block.argument,
        options,
        block.place,
        block.start,
        closing.end(),
        block.indent,
    )
    if accepted:
        scan.directives.append(directive)
    elif block.argument:
        scan.rejected.append(directive)


def _report(place: Place, stated: str, true: str, advice: str) -> Finding:
    return Finding(Kind.DIRECTIVE, place, stated, true, advice)


def _open_block(
    match: re.Match[str], place: Place, known: dict[str, tuple[str, ...]], findings: list[Finding]
) -> _Open | None:
    """The block that a line opens; None when the line opens nothing that could be closed."""
    head = _HEAD.fullmatch(match["rest"].strip())
    if head is None:
        findings.append(
            _report(
                place, f"`{match[0].strip()}`", "this opens no block", "write `/// name | argument`"
            )
        )
        return None
    name, argument = head["name"], (head["argument"] or "").strip()
    ours = name in known
    if not ours and name not in FOREIGN:
        findings.append(
            _report(place, f"`/// {name}`", "there is no such block", suggest_names(name, known))
        )
    if ours and not argument:
        findings.append(
            _report(
                place,
                f"`/// {name}`",
                "it names nothing",
                f"write `/// {name} | program{'#region' if name == 'snippet' else ''}`",
            )
        )
    opened = _Open(
        name,
        argument,
        match["indent"],
        match["marks"],
        place,
        match.start(),
        min(match.end() + 1, len(match.string)),
        ours,
    )
    if ours and not argument:
        opened.problems.append(findings[-1])
    return opened


def _read_options(
    body: str,
    block: _Open,
    place: Callable[[int], Place],
    allowed: tuple[str, ...],
    findings: list[Finding],
) -> tuple[dict[str, str], bool]:
    """The options under a block's first line, as strings, and whether all are right."""
    options: dict[str, str] = {}
    good = True
    offset = block.body
    last, depth = "", 0
    for line in body.split("\n"):
        stripped = line.lstrip(" \t>").rstrip()
        indent = len(line) - len(line.lstrip(" \t>"))
        where = place(offset + indent)
        offset += len(line) + 1
        if not stripped:
            continue
        match = _OPTION.fullmatch(stripped)
        if match is None and indent > depth and last in LONG.get(block.name, ()):
            options[last] = f"{options[last]} {stripped}".strip()
            continue
        last, depth = match["key"] if match else "", indent
        if match is None:
            good = False
            findings.append(
                _report(
                    where,
                    f"`{stripped}`",
                    f"a `{block.name}` block holds options only",
                    "write `key: value`, indented by four, or move the text out",
                )
            )
            continue
        key, value = match["key"], match["value"] or ""
        if key not in allowed:
            good = False
            advice = suggest_names(key, allowed) if allowed else f"`{block.name}` takes no options"
            findings.append(
                _report(where, f"`{key}`", f"`{block.name}` has no such option", advice)
            )
        elif key in options:
            good = False
            findings.append(_report(where, f"`{key}`", "the option is given twice", "keep one"))
        else:
            options[key] = _unquote(value)
    return options, good


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        return value[1:-1]
    return value
