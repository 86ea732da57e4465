"""What a page's front matter says to the course, and every way of saying it wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.check import check_course
from build_tools.claims.course import load_course
from build_tools.claims.model import PageOptions
from build_tools.claims.number_rules import is_looser, list_looser
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Kind
from build_tools.source.model import Settings
from tests.course_factory import make_example


def read(text: str) -> PageOptions:
    scan = scan_page(text, "docs/a.md")
    assert scan.findings == ()
    return scan.options


@pytest.mark.parametrize(
    ("lines", "draft"),
    [
        ("draft: true", True),
        ("draft: True  # not yet", True),
        ("draft: yes", True),
        ('"draft": true', True),
        ("title: x\ndraft: on\ntags: [a]", True),
        ("draft: false", False),
        ("title: draft", False),
        ("extra:\n  draft: true", False),
        ("description: draft: true", False),
        ("# draft: true\ntitle: x", False),
        ("weight: 3", False),
    ],
)
def test_drafts(lines: str, draft: bool) -> None:
    assert (read(f"---\n{lines}\n---\nText.").draft is not None) is draft


@pytest.mark.parametrize(
    "text", ["draft: true\n\nText.", "---\ndraft: true", "\n---\ndraft: true\n---\n"]
)
def test_what_is_no_front_matter_makes_no_draft(text: str) -> None:
    assert scan_page(text, "docs/a.md").options.draft is None


@pytest.mark.parametrize(
    "lines",
    [
        "course:\n  unbound: units\n  patterns_off: [year, label]",
        "course:\n    patterns_off: ['year', \"label\"]  # both\n    unbound: 'units'",
        "title: x\ncourse:\n  patterns_off:\n    - year\n    - label\n  unbound: units\nother: y",
        "course:\n  patterns_off:\n  - year\n  - label\n  unbound: units",
        "course: {unbound: units, patterns_off: [year, label]}",
    ],
)
def test_rules_of_a_page(lines: str) -> None:
    options = read(f"---\n{lines}\n---\nText.")
    assert options.unbound == "units"
    assert list(options.patterns_off) == ["year", "label"]
    assert options.own is not None
    text = f"---\n{lines}\n---\nText.".split("\n")
    for name, place in options.patterns_off.items():
        shown = text[place.line - 1][place.column - 1 :].lstrip("'\"")
        assert shown.startswith(name), (lines, place)


def test_off_is_a_word_to_us_and_a_truth_to_yaml() -> None:
    assert read("---\ncourse:\n  unbound: off\n---\n").unbound == "off"


@pytest.mark.parametrize(
    ("lines", "place", "stated", "true", "advice"),
    [
        ("draft: maybe", "2:1", "draft: maybe", "is a draft or is none", "write `draft: true`"),
        ("draft:", "2:1", "draft:", "is a draft or is none", "write `draft: true`"),
        ("draft: true\ndraft: false", "3:1", "`draft`", "twice", "keep one"),
        ("Draft: true", "2:1", "`Draft`", "nothing reads this key", "`draft`"),
        ("drafts: true", "2:1", "`drafts`", "nothing reads this key", "`draft`"),
        ("{draft: true, title: x}", "2:1", "in braces", "not read", "a line of its own"),
        ("course: strict", "2:1", "course: strict", "holds keys", "indented by two"),
        ("course:\n  unbound: al", "3:3", "unbound: al", "no policy", "did you mean `all`?"),
        ("course:\n  unbound:", "3:3", "unbound:", "no policy", "off, units, all"),
        ("course:\n  unbund: all", "3:3", "`unbund`", "no such key", "`unbound`"),
        ("course:\n  - all", "3:3", "- all", "not read", "each on one line"),
        ("course:\n  patterns_off: year", "3:3", "patterns_off: year", "not read", "[name, name]"),
        ("course:\n  patterns_off: [year", "3:3", "[year", "not read", "[name, name]"),
        ("course:\n  patterns_off: >\n    year", "3:3", "patterns_off: >", "not read", "one line"),
        ("course: {unbound: al}", "2:10", "unbound: al", "no policy", "`all`"),
    ],
)
def test_what_is_wrong_is_placed_and_advised(
    lines: str, place: str, stated: str, true: str, advice: str
) -> None:
    findings = scan_page(f"---\n{lines}\n---\nText.", "docs/a.md").findings
    assert findings
    finding = findings[0]
    assert finding.kind is Kind.SETTINGS
    assert str(finding.place) == f"docs/a.md:{place}"
    assert stated in finding.stated
    assert true in finding.true
    assert advice in finding.advice


def test_a_draft_that_is_misspelt_is_one_until_it_is_put_right() -> None:
    assert scan_page("---\ndraft: ture\n---\n", "docs/a.md").options.draft is not None


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("course")
    make_example(root)
    settings = root / "course.toml"
    settings.write_text(
        settings.read_text()
        + 'patterns_off = ["year"]\n\n[course.patterns]\n'
        + 'board = { text = "rev {n}", why = "names of boards" }\n'
    )
    (root / "docs").mkdir()
    return root


def list_findings(root: Path, front: str, text: str) -> list[str]:
    page = root / "docs" / "page.md"
    page.write_text(f"---\n{front}\n---\n{text}\n\n/// snippet | add#add-kernel\n///\n")
    return [f"{f.kind}: {f.stated}" for f in check_course(load_course(root))]


def test_a_page_may_have_a_policy_and_patterns_of_its_own(example: Path) -> None:
    text = "Of 17 boards, rev 2 and rev 3–4 ran 12 ms on Day 3 in 2019."
    assert list_findings(example, "title: x", text) == [
        *("unbound: `17`", "unbound: `12 ms`", "unbound: `2019`")
    ]
    units = "course:\n  unbound: units"
    assert list_findings(example, units, text) == ["unbound: `12 ms`"]
    off = "course:\n  patterns_off: [board, label]"
    assert list_findings(example, off, text) == [
        *("unbound: `17`", "unbound: `2`", "unbound: `3–4`"),
        *("unbound: `12 ms`", "unbound: `3`", "unbound: `2019`"),
    ]


def test_a_pattern_of_a_page_that_is_none(example: Path) -> None:
    page = example / "docs" / "page.md"
    page.write_text("---\ncourse:\n  patterns_off: [label, bord]\n---\n")
    (finding,) = (f for f in check_course(load_course(example)) if f.kind is Kind.SETTINGS)
    assert str(finding.place) == "docs/page.md:3:25"
    assert "`board`" in finding.advice


def test_what_is_looser_than_the_course_is_listed(example: Path) -> None:
    course = load_course(example)
    scans = [
        scan_page(f"---\ncourse:\n  unbound: {policy}\n---\n", f"docs/{policy}.md")
        for policy in ("off", "units", "all")
    ]
    found = [(str(f.place), f.rule, f.detail) for f in list_looser(course, scans)]
    assert found == [
        ("course.toml:8:1", "pattern board", "`rev {n}` need not be bound: names of boards"),
        ("docs/off.md:2:1", "unbound: off", 'the course says unbound = "all"'),
        ("docs/units.md:2:1", "unbound: units", 'the course says unbound = "all"'),
    ]
    assert not is_looser(Settings(unbound="off"), scans[2].options)
