"""Which element of a built page shows which claim or directive of its source?

By the numbers that the renderer gave them, where the page shows what the source holds. A page that
was built whole from another text has numbers of its own: then elements and source are aligned by
what they show, so that one claim more or less is one finding and not one for each that follows.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from build_tools.claims.model import Claim, Directive, PageScan
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.site.shown import fold_claim, fold_shown

REBUILD = "build the site again"
OTHER_TEXT = "the site was built from another text of this page; build it again"

CLAIM = "data-course-claim"
DIRECTIVE = "data-course-directive"

MOST_COMPARED = 1_000_000
"""Pairs of an element and an item that are compared at most; beyond, a page is told as a whole."""

Item = Claim | Directive
_Key = tuple[str, str]

_NAMED = {
    "snippet": "data-course-region",
    "exercise": "data-course-exercise",
    "table": "data-course-table",
    "transcript": "data-course-transcript",
    "program": "data-course-program",
    "program-source": "data-course-program-source",
    "program-quantities": "data-course-quantities",
    "record": "data-course-record",
    "device": "data-course-device",
    "chart": "data-course-chart",
    "comparison": "data-course-comparison",
}
"""The attribute in which a directive's element says what it shows."""


@dataclass(frozen=True)
class Pairing:
    """A page's elements of one kind, and what each of them shows."""

    nodes: Sequence[LexborNode]
    attribute: str
    items: Mapping[int, Item]
    """What the element of a number shows."""
    findings: tuple[Finding, ...]
    """What is missing on the page, too much, or in another order."""

    def find_item(self, node: LexborNode) -> Item | None:
        """What an element shows; None for one that the source knows nothing of."""
        return self.items.get(read_number(node, self.attribute))


def pair_claims(scan: PageScan, tree: LexborHTMLParser) -> Pairing:
    """The page's elements of claims with the claims of its source."""
    return _pair(scan, scan.claims, tree, CLAIM)


def pair_directives(scan: PageScan, tree: LexborHTMLParser) -> Pairing:
    """The page's elements of directives with the directives of its source."""
    return _pair(scan, scan.directives, tree, DIRECTIVE)


def read_number(node: LexborNode, attribute: str) -> int:
    """The number that the renderer gave an element; -1 for none."""
    text = node.attributes.get(attribute) or ""
    return int(text) if text.isdecimal() else -1


def _pair(
    scan: PageScan, written: Sequence[Item], tree: LexborHTMLParser, attribute: str
) -> Pairing:
    nodes = tree.css(f"[{attribute}]")
    # A table of contents holds copies of headings, claims and all.
    shown = [node for node in nodes if not _stands_in(node, _is_navigation)]
    numbers = [read_number(node, attribute) for node in shown]
    by_number = {item.number: item for item in written}
    wanted = [_key_item(item) for item in written]
    found = [_key_node(node, attribute) for node in shown]
    if numbers != list(range(len(shown))) or wanted == found:
        # A footnote is shown at the page's end, wherever it is written.
        in_place = [
            number
            for node, number in zip(shown, numbers, strict=True)
            if not _stands_in(node, _is_footnotes)
        ]
        findings = _check_numbers(scan, written, numbers, in_place, attribute)
        return Pairing(nodes, attribute, by_number, tuple(findings))
    items, aligned = _align(scan, written, (wanted, found), attribute)
    return Pairing(nodes, attribute, items, tuple(aligned))


def _stands_in(node: LexborNode, holds: Callable[[LexborNode], bool]) -> bool:
    """Whether an element around this one is such a one."""
    parent = node.parent
    while parent is not None and not holds(parent):
        parent = parent.parent
    return parent is not None


def _is_navigation(node: LexborNode) -> bool:
    return node.tag == "nav"


def _is_footnotes(node: LexborNode) -> bool:
    return "footnote" in (node.attributes.get("class") or "").split()


def _key_item(item: Item) -> _Key:
    if isinstance(item, Claim):
        return "", fold_claim(item)
    if item.name not in _NAMED:
        return "", ""
    return _NAMED[item.name], item.argument.removeprefix("evidence/")


def _key_node(node: LexborNode, attribute: str) -> _Key:
    if attribute == CLAIM:
        return "", fold_shown(node)
    for name in _NAMED.values():
        value = node.attributes.get(name)
        if value is not None:
            if name == "data-course-table":
                value = value.partition(".")[0]
            return name, re.sub(r"^evidence/|\.json$", "", value)
    return "", ""


def _check_numbers(
    scan: PageScan,
    written: Sequence[Item],
    shown: Sequence[int],
    in_place: Sequence[int],
    attribute: str,
) -> Iterator[Finding]:
    """Each written directive or claim must be on the page once, in the order of the source.

    ``in_place`` are the numbers of ``shown`` that the page shows where they are written.
    """
    word = attribute.rpartition("-")[2]
    for item in written:
        count = shown.count(item.number)
        if count != 1:
            true = "the page does not show it" if count == 0 else f"the page shows it {count} times"
            yield _report(item.place, f"the {word} `{_name(item)}`", true)
    numbers = {item.number for item in written}
    for number in shown:
        if number not in numbers:
            true = f"the source has no such {word}"
            yield _report(Place(scan.path), f"the page shows {word} {number}", true)
    known = [number for number in dict.fromkeys(in_place) if number in numbers]
    if known != sorted(known):
        stated = f"the page shows its {word}s in the order {', '.join(map(str, known))}"
        yield _report(Place(scan.path), stated, "the source has them in rising order")


def _align(
    scan: PageScan,
    written: Sequence[Item],
    keys: tuple[list[_Key], list[_Key]],
    attribute: str,
) -> tuple[dict[int, Item], list[Finding]]:
    """What each element shows by its content, and what stands on one side alone."""
    wanted, found = keys
    word = attribute.rpartition("-")[2]
    items: dict[int, Item] = {}
    findings: list[Finding] = []
    for tag, first, last, start, end in _list_changes(wanted, found):
        if tag == "equal" or last - first == end - start:
            items |= dict(zip(range(start, end), written[first:last], strict=True))
        elif tag == "all":
            stated = f"the page shows {end - start} {word}s from its number {start + 1} on"
            true = f"the source has {last - first} others there"
            findings.append(_report(Place(scan.path), stated, true, OTHER_TEXT))
        else:
            for item in written[first:last]:
                true = "the page does not show it"
                findings.append(
                    _report(item.place, f"the {word} `{_name(item)}`", true, OTHER_TEXT)
                )
            near = written[min(first, len(written) - 1)].place if written else Place(scan.path)
            for _, text in found[start:end]:
                stated, true = (
                    f"the page shows the {word} `{text}`",
                    f"the source has no such {word}",
                )
                findings.append(_report(near, stated, true, OTHER_TEXT))
    return items, findings


def _list_changes(wanted: list[_Key], found: list[_Key]) -> list[tuple[str, int, int, int, int]]:
    """What is equal, replaced, only wanted or only found, as ``difflib`` says it.

    ``all`` is said of two sides that are too long to be compared.
    """
    begin = 0
    while begin < min(len(wanted), len(found)) and wanted[begin] == found[begin]:
        begin += 1
    rest = min(len(wanted), len(found)) - begin
    same = 0
    while same < rest and wanted[-1 - same] == found[-1 - same]:
        same += 1
    left, right = wanted[begin : len(wanted) - same], found[begin : len(found) - same]
    changes = [("equal", 0, begin, 0, begin)]
    if len(left) * len(right) > MOST_COMPARED:
        changes.append(("all", begin, begin + len(left), begin, begin + len(right)))
    else:
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        changes += [
            (tag, begin + a, begin + b, begin + c, begin + d)
            for tag, a, b, c, d in matcher.get_opcodes()
        ]
    ends = begin + len(left), begin + len(right)
    return [*changes, ("equal", ends[0], len(wanted), ends[1], len(found))]


def _name(item: Item) -> str:
    return item.text if isinstance(item, Claim) else f"{item.name} | {item.argument}"


def _report(place: Place, stated: str, true: str, advice: str = REBUILD) -> Finding:
    return Finding(Kind.PAGE, place, stated, true, advice)
