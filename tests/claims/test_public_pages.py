"""Pages in the manner of public ones: how many findings are false, how many numbers are missed?

The pages of tests/cases/pages were written before the patterns were, each in the manner of
another kind of page. The list beside each was made by reading it: what states something that
may be false or change, of the class ``unit`` (a measurement, size, rate, share or factor) or
``count``. Names, versions, dates, places, indices, mathematics and appointments are in none.

Run with ``-s`` to see the counts.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from build_tools.claims.scan import scan_page
from build_tools.claims.unbound import find_unbound

PAGES = Path(__file__).parents[1] / "cases" / "pages"
NAMES = sorted(path.stem for path in PAGES.glob("*.md"))
NUMERAL = re.compile(r"\d[\d.,]*\d|\d")


@dataclass(frozen=True)
class Counted:
    """What a policy makes of a page."""

    words: int
    found: int
    false: tuple[str, ...]
    missed: tuple[str, ...]
    wanted: int


def list_numerals(text: str) -> list[str]:
    """The numbers of a text, hedge and unit left out; its first word when it has no digits."""
    return NUMERAL.findall(text) or [text.strip("`").split()[0]]


@cache
def count_page(name: str, policy: str) -> Counted:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    with (PAGES / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    truth = [(int(row["line"]), row["class"], row["number"]) for row in rows]
    open_ = Counter((line, n) for line, _, number in truth for n in list_numerals(number))
    met: Counter[tuple[int, str]] = Counter()
    findings = find_unbound(scan_page(text, name), policy)
    false = []
    for finding in findings:
        line = finding.place.line
        known = [n for n in list_numerals(finding.stated) if open_[line, n] > met[line, n]]
        met.update((line, n) for n in known)
        if not known:
            false.append(f"{line}: {finding.stated}")
    missed = []
    wanted = [t for t in truth if policy == "all" or t[1] == "unit"]
    for line, kind, number in truth:
        hit = [n for n in list_numerals(number) if met[line, n]]
        met.subtract((line, n) for n in hit)
        if not hit and (policy == "all" or kind == "unit"):
            missed.append(f"{line}: {number}")
    return Counted(len(text.split()), len(findings), tuple(false), tuple(missed), len(wanted))


def write_counts(policy: str, counted: dict[str, Counted]) -> str:
    """The counts as a table."""
    rows = [f"\n{'page':24} {'policy':6} {'words':>6} {'found':>6} {'false':>6} {'missed':>7} of"]
    for name, page in counted.items():
        false, missed = len(page.false), len(page.missed)
        rows.append(
            f"{name:24} {policy:6} {page.words:6} {page.found:6} {false:6} {missed:7} {page.wanted}"
        )
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_number_stands_where_the_list_says(name: str) -> None:
    lines = (PAGES / f"{name}.md").read_text(encoding="utf-8").split("\n")
    for row in (PAGES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        line, kind, number = row.split("\t")
        assert number in lines[int(line) - 1], row
        assert kind in ("unit", "count")


def test_there_are_enough_pages_of_enough_words() -> None:
    assert len(NAMES) >= 10
    assert all(count_page(name, "units").words > 500 for name in NAMES)


@pytest.mark.parametrize(
    ("policy", "false_a_page", "missed_share"),
    [("units", 1.0, 0.01), ("all", 10.0, 0.01)],
)
def test_few_findings_are_false_and_few_numbers_missed(
    policy: str, false_a_page: float, missed_share: float
) -> None:
    counted = {name: count_page(name, policy) for name in NAMES}
    sys.stdout.write(write_counts(policy, counted))
    false = [f"{name}:{text}" for name, page in counted.items() for text in page.false]
    missed = [f"{name}:{text}" for name, page in counted.items() for text in page.missed]
    wanted = sum(page.wanted for page in counted.values())
    assert len(false) / len(NAMES) < false_a_page, false
    assert len(missed) / wanted < missed_share, missed


@pytest.mark.parametrize("name", NAMES)
def test_no_page_has_an_error_of_form(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert scan_page(text, name).findings == ()
