"""What an unbound number could be bound to: found, judged, and the best first."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims import candidates, list_citables
from build_tools.claims.check import check_scan, judge_scan
from build_tools.claims.citable import index_citables
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts

FACTS = """\
[peak]
value = "4.8"
unit = "TB/s"
source = "https://example.org/datasheet"
quote = "4.8 TB/s of memory bandwidth"
date = 2026-11-01
"""
SIZES = "constexpr int kBlock = 256;\nconstexpr int kSizes[] = {96, 160};"
TABLE_CELL = "0.626"
QUANTITIES = """
[quantities]
gain = 'time[:, "narrow"] / time[:, "wide"]'
block = { expression = "source.kBlock * 4", unit = "B" }
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Two programs that measured the same, and a cited fact."""
    root: Path = tmp_path_factory.mktemp("candidates")
    names = ("add", "sub")
    text = PROGRAM.replace(
        "constexpr int kBlock = 256;", SIZES.replace("{", "{{").replace("}", "}}")
    )
    make_course(
        root,
        {name: text.format(name=name) for name in names},
        dict.fromkeys(names, DECLARATION + QUANTITIES),
        dict.fromkeys(names, make_transcripts()),
        checks=dict.fromkeys(names, CHECK),
    )
    (root / "snippets" / "quantities.toml").write_text(FACTS)
    return load_course(root)


def find_one(course: Course, text: str) -> Finding:
    found = [f for f in check_scan(course, scan_page(text, "docs/a.md")) if f.kind is Kind.UNBOUND]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("0.626 ms", 'add.time["large", "wide"]'),
        ("626 µs", 'add.time["large", "wide"]'),
        ("about 0.63 ms", 'add.time["large", "wide"]'),
        ("2.06×", 'add.speedup["large"]'),
        ("2.1 times as fast", 'add.speedup["large"]'),
        ("44.5 % less", '1 - add.rate["small", "narrow"] / add.rate["small", "wide"]'),
        ("49.9 % of it", 'add.time["large", "wide"] / add.time["large", "narrow"]'),
        ("80.0 % more", 'add.rate["small", "wide"] / add.rate["small", "narrow"] - 1'),
        ("1.5–2.1×", "add.speedup[:]"),
        ("over 2x", 'add.speedup["large"]'),
        ("256 threads", "add.source.kBlock"),
        ("160 of them", "add.source.kSizes[1]"),
        ("132 SMs", "add.device.sm_count"),
        ("60 MiB", "add.device.l2_bytes"),
        ("12 registers", 'add.compiler["add"].registers'),
        ("4.8 TB/s", "given:peak"),
        ("1 KiB", "add.block"),
        ("980.5 GB/s", 'add.rate["large", "wide"]'),
        ("256 × 256", "(add.source.kBlock, add.source.kBlock)"),
        (TABLE_CELL, 'add.time["large", "wide"]'),
    ],
)
def test_the_best_can_be_pasted_and_holds(course: Course, text: str, best: str) -> None:
    page = f"/// table | add\n///\n\nIt is {text}."
    if text == TABLE_CELL:
        page = f"/// table | add\n///\n\n| a | time (ms) |\n|---|----|\n| x | {text} |\n"
    finding = find_one(course, page)
    assert finding.candidates[0] == best
    assert f"({'' if ':' in best[:6] else 'claim:'}{best})`" in finding.advice
    link = finding.advice.partition("`")[2].partition("`")[0]
    verdicts = judge_scan(course, scan_page(link, "docs/a.md"))
    assert [verdict.findings for verdict in verdicts] == [()]


def test_the_pages_own_program_goes_first(course: Course) -> None:
    assert find_one(course, "/// table | sub\n///\n\n0.626 ms").candidates == (
        'sub.time["large", "wide"]',
        'add.time["large", "wide"]',
    )
    cited = "[256](claim:sub.source.kBlock) threads take 0.626 ms"
    assert find_one(course, cited).candidates[0].startswith("sub.")


def test_what_all_programs_know_is_offered_once(course: Course) -> None:
    assert find_one(course, "132 multiprocessors").candidates == ("add.device.sm_count",)


def test_at_most_five_are_offered_and_all_hold(course: Course) -> None:
    finding = find_one(course, "/// table | add\n///\n\n2.0× as much")
    assert 1 < len(finding.candidates) <= candidates.MOST_OFFERED
    for target in finding.candidates:
        (verdict,) = judge_scan(course, scan_page(f"[2.0×](claim:{target})", "docs/a.md"))
        assert verdict.findings == ()


@pytest.mark.parametrize(
    "text",
    ["0.777 ms", "2.15×", "257", "0.626 GB", "5 furlongs/s", "1,2345", "9" * 5000, "34567"],
)
def test_nothing_is_offered_where_nothing_fits(course: Course, text: str) -> None:
    found = check_scan(course, scan_page(f"It is {text}.", "docs/a.md"))
    assert found
    assert all(f.candidates == () for f in found)
    assert all(len(f.stated) < 80 for f in found)


def test_a_whole_number_is_no_ratio(course: Course) -> None:
    # 2.055 rounds to 2, but so does much else.
    finding = find_one(course, "/// table | add\n///\n\nin 2 of them")
    assert all(" / " not in target for target in finding.candidates)


def test_a_noun_is_taken_into_the_link_only_where_the_value_counts_it(course: Course) -> None:
    finding = find_one(course, "It has 256 threads.")
    assert finding.stated == "`256`"
    assert finding.length == 3


def test_beyond_some_numbers_of_a_page_none_is_looked_for(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MOST_SEARCHED", 2)
    scan = scan_page("17 and 18 and 256 and 17 and 0.626 ms", "docs/a.md")
    found = check_scan(course, scan)
    assert [f.candidates for f in found] == [()] * 5
    told = ["looked for 2 numbers" in f.advice for f in found]
    assert told == [False, False, True, False, True]


def test_ratios_of_a_long_table_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_citables, "MOST_RATIOS", 10)
    rows: dict[tuple[str, ...], float] = {(str(n),): float(n) for n in range(1000)}
    assert len(list(list_citables._pair_rows(rows))) == 10


def test_the_index_is_made_when_it_is_first_needed(course: Course) -> None:
    fresh = load_course(course.root)
    check_scan(fresh, scan_page("Nothing here.", "docs/a.md"))
    assert fresh.index == []
    check_scan(fresh, scan_page("It takes 5 ms.", "docs/a.md"))
    assert fresh.index == [index_citables(fresh)]


def test_keys_that_a_link_cannot_hold_are_not_offered(tmp_path: Path) -> None:
    transcripts = [text.replace("wide", "a|b") for text in make_transcripts()]
    declaration = DECLARATION.replace("wide is", "a|b is")
    make_course(
        tmp_path, {"add": PROGRAM.format(name="add")}, {"add": declaration}, {"add": transcripts}
    )
    course = load_course(tmp_path)
    targets = [c.target for c in list_citables.list_citables(course)]
    assert any("narrow" in target for target in targets)
    assert not any("|" in target for target in targets)


def test_a_record_of_few_processes_offers_nothing(tmp_path: Path) -> None:
    make_course(
        tmp_path,
        {"add": PROGRAM.format(name="add")},
        {"add": DECLARATION},
        {"add": make_transcripts(3)},
    )
    course = load_course(tmp_path)
    assert find_one(course, "It takes 0.626 ms.").candidates == ()
    assert find_one(course, "Of 256 threads.").candidates == ("add.source.kBlock",)
