"""Does a built page show a number that the check of its source did not read?

The check reads Markdown, a browser HTML, and between the two stand a renderer, its extensions and
raw HTML. So numbers are looked for once more in what is shown, by the same rules, and compared
with those that were found in the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.fold_digits import fold_digits
from build_tools.claims.model import Course, PageScan
from build_tools.claims.number_rules import choose_patterns, choose_policy
from build_tools.claims.numbers import FoundNumber, find_numbers
from build_tools.claims.patterns import Pattern
from build_tools.claims.unbound import blank_bound
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.site.visible_text import read_visible

WORDS_AROUND = 30
"""Characters on each side of a number that a message quotes."""
MOST = 20
"""Numbers of one page that are told one by one."""

_DIGITS = re.compile(r"\d+")


def check_visible(course: Course, scan: PageScan, tree: LexborHTMLParser) -> list[Finding]:
    """Numbers that the page shows and that nothing checked; the page's own rules apply."""
    policy = choose_policy(course.settings, scan.options)
    if policy == "off":
        return []
    patterns = choose_patterns(course.settings, scan.options)
    # The numbers of a list are no text of the page, so what looks like one is none.
    named = [pattern for pattern in patterns if pattern.name != "list-number"]
    shown = read_visible(tree)
    read = _count_tokens(_list_told(blank_bound(scan), policy, patterns))
    findings = []
    for text in (shown.body, *shown.spoken):
        for number in _list_told(text, policy, named):
            tokens = _list_tokens(number)
            if all(read[token] > 0 for token in tokens):
                read.subtract(tokens)
            else:
                findings.append(_report_number(scan, text, number))
    for text in shown.named:
        for number in _list_told(text, policy, named):
            findings.append(_report_number(scan, text, number, named=True))
    findings = list(dict.fromkeys(findings))
    if len(findings) > MOST:
        findings = [*findings[:MOST], _report_rest(scan, len(findings) - MOST)]
    return findings


def _list_told(text: str, policy: str, patterns: Iterable[Pattern]) -> Iterator[FoundNumber]:
    """The numbers of a text that the policy tells."""
    for number in find_numbers(text, patterns):
        if policy == "all" or number.has_unit:
            yield number


def _list_tokens(number: FoundNumber) -> list[str]:
    """A number's runs of digits, or its words: what markup between them cannot change."""
    return _DIGITS.findall(fold_digits(number.text)) or [" ".join(number.text.lower().split())]


def _count_tokens(numbers: Iterable[FoundNumber]) -> Counter[str]:
    return Counter(token for number in numbers for token in _list_tokens(number))


def _report_number(
    scan: PageScan, text: str, number: FoundNumber, *, named: bool = False
) -> Finding:
    end = number.start + len(number.text)
    before = text[max(0, number.start - WORDS_AROUND) : number.start].rpartition("\n\n")[2]
    after = text[end : end + WORDS_AROUND].partition("\n\n")[0]
    around = " ".join(f"{before}{number.text}{after}".split())
    shown = " ".join(number.text.split())
    where = "the page's title or description" if named else "the page"
    advice = (
        "leave the number out: what names a page can hold no link"
        if named
        else f"write it in prose as a claim, `[{shown}](claim:…)`, where no markup hides it: no "
        "emphasis within it, no code, tooltip, raw HTML or character reference; maths is none "
        "without `pymdownx.arithmatex`"
    )
    return Finding(
        Kind.UNBOUND,
        _place_number(scan, before, number.text),
        f"`{shown}` in `{around.replace('`', '')}`",
        f"{where} shows the number, but the check of its source reads none there",
        advice,
    )


def _place_number(scan: PageScan, before: str, number: str) -> Place:
    """Where the source says it: by its words and number, by the number; else the page.

    Which of the two is meant when a number stands twice cannot be known: the words decide.
    """
    words = before.split()[-2:]
    first = number.split(maxsplit=1)[0]
    digits = re.escape(first)
    gap = r"[\W_]{1,12}"
    for parts in (
        [*map(re.escape, words), digits],
        [*map(re.escape, words[-1:]), digits],
        [digits],
    ):
        match = re.search(gap.join(parts), scan.text)
        if match:
            at = scan.text.rfind(first, match.start(), match.end())
            line = scan.text.count("\n", 0, at) + 1
            return Place(scan.path, line, at - scan.text.rfind("\n", 0, at))
    return Place(scan.path)


def _report_rest(scan: PageScan, count: int) -> Finding:
    return Finding(
        Kind.UNBOUND,
        Place(scan.path),
        f"{count} more numbers",
        "the page shows them, but the check of its source reads none there",
        "mend those that are told one by one first",
    )
