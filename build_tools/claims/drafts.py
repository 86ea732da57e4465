"""Which lessons are drafts, and what rests on them alone?

A draft may lack evidence. A build leaves it out, and with it the programs that no published page
and no other program's quantity names: what is wrong with those is told by ``course check
--drafts`` and under ``mkdocs serve``.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from urllib.parse import unquote

from build_tools.claims.blank import blank_blocks
from build_tools.claims.chart_options import list_block_programs
from build_tools.claims.front_matter import read_front_matter
from build_tools.claims.inline import blank_inline
from build_tools.claims.lines import Lines
from build_tools.claims.model import Course, PageScan
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.rests import list_programs, list_rests
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind

_LINK = re.compile(
    r"\]\(\s?<?(?P<inline>[^\s()<>]+)|^[ \t>]*\[[^\[\]\n]+\]:\s?<?(?P<reference>[^\s<>]+)"
    r"|\bhref\s?=\s?[\"']?(?P<raw>[^\s\"'<>]+)",
    re.MULTILINE,
)


def find_drafts(course: Course) -> list[str]:
    """The pages whose front matter says that they are drafts, by their paths from the root."""
    drafts = []
    for path in list_pages(course):
        text, _ = read_page(course.root, path)
        if text is not None and text.startswith("---"):
            options, _ = read_front_matter(text, Lines(path, text).place)
            if options.draft is not None:
                drafts.append(path)
    return drafts


def leave_out_drafts(
    course: Course, keep: Collection[str] = (), more: Collection[str] = ()
) -> Course:
    """The course as a build has it: without drafts, but for those to ``keep``, and without ``more``.

    Without the programs, too, that only they name, and the findings of these.
    """
    drafts = frozenset([*find_drafts(course), *more]) - frozenset(keep)
    if not drafts:
        return course
    left = replace(course, left_out=course.left_out | drafts)
    named = _list_named(left, _scan_pages(left, sorted(drafts)))
    named -= _list_in_quantities(course, named)
    if named:
        named -= _list_named(left, _scan_pages(left, list_pages(left), named))
    folders = tuple(f"{folder}/{name}/" for name in named for folder in ("snippets", "evidence"))
    return replace(
        left,
        programs={n: p for n, p in course.programs.items() if n not in named},
        shelves={n: s for n, s in course.shelves.items() if n not in named},
        other_shelves={n: s for n, s in course.other_shelves.items() if n not in named},
        findings=tuple(f for f in course.findings if not f.place.path.startswith(folders)),
    )


def scan_drafts(course: Course) -> list[PageScan]:
    """The drafts that a build leaves out: what they show and cite is not unused."""
    return list(_scan_pages(course, sorted(course.left_out)))


def _scan_pages(
    course: Course, paths: Iterable[str], words: Collection[str] = ("",)
) -> Iterator[PageScan]:
    """The pages that can be read and that hold one of the words."""
    for path in paths:
        text, _ = read_page(course.root, path)
        if text is not None and any(word in text for word in words):
            yield scan_page(text, path)


def _list_named(course: Course, scans: Iterable[PageScan]) -> set[str]:
    """The programs that pages embed or cite, through named quantities as well."""
    named: set[str] = set()
    for scan in scans:
        blocks = (*scan.directives, *scan.rejected)
        for block in blocks:
            named |= list_block_programs(course, block)
        for claim in scan.claims:
            named |= list_programs(list_rests(course, claim))
    return named & course.programs.keys()


def _list_in_quantities(course: Course, names: Collection[str]) -> set[str]:
    """Which of the programs a quantity outside of them names: it could not be checked without."""
    rules = [
        *course.quantities.values(),
        *(
            rule
            for name, program in course.programs.items()
            if name not in names
            for rule in program.declaration.quantities.values()
        ),
    ]
    return {word for rule in rules for word in _list_words(rule.expression) if word in names}


def _list_words(expression: str) -> set[str]:
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def check_links_to_drafts(course: Course, scan: PageScan) -> list[Finding]:
    """Links of a published page that lead to a draft, which the site does not hold."""
    if not course.left_out or scan.path in course.left_out:
        return []
    mask = blank_inline(blank_blocks(scan.text))
    lines = Lines(scan.path, scan.text)
    findings = []
    for match in _LINK.finditer(mask):
        kind = match.lastgroup or ""
        path = unquote(match[kind].partition("#")[0].partition("?")[0])
        target = posixpath.normpath(posixpath.join(posixpath.dirname(scan.path), path))
        if path and target in course.left_out:
            findings.append(
                Finding(
                    Kind.LINK,
                    lines.place(match.start(kind)),
                    f"a link to `{target}`",
                    "that page is a draft or excluded, and a build leaves it out",
                    "take the link out until it is published, or `draft: true` out of its "
                    "front matter, or the page out of `draft_docs` and `exclude_docs` in mkdocs.yml",
                    length=len(match[kind]),
                )
            )
    return findings
