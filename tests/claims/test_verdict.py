"""`verdict(a, b)`: four words, what each rests on, and the texts that may say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course, ProofKind, Verdict
from build_tools.claims.scan import scan_page
from build_tools.claims.scope import CourseScope
from build_tools.diagnostics.finding import Kind
from build_tools.quantity.clocks import Clocks
from build_tools.quantity.comparison import compare_equal, compare_numbers
from build_tools.quantity.expression import evaluate_expression
from build_tools.quantity.nearest import holds_text
from build_tools.quantity.ranking import TEXTS, rank_numbers
from build_tools.quantity.value import Number, Series, Word
from tests.course_factory import CHECK, DECLARATION, PROGRAM, add_record, make_course

ROWS = """\
case   kernel  time (ms)    GB/s
-----  ------  ---------  ------
small  narrow    {a:.5f}   {r:.3f}
small  wide      {b:.5f}   900.2
small  again     {c:.5f}   500.2
"""
TABLE = DECLARATION[: DECLARATION.index("[lines]")].replace("rows = 4", "rows = 3")
AGAIN = '\n[again.kernel]\nfirst = "narrow"\nagain = "again"\n'
NARROW, WIDE = 'add.time["small", "narrow"]', 'add.time["small", "wide"]'
SPREAD = [0.001 * i for i in range(10)]


def print_rows(narrow: Sequence[float], wide: Sequence[float], again: float = 0) -> list[str]:
    """One transcript a process."""
    return [
        ROWS.format(a=a, b=b, c=a + again, r=500 / a) for a, b in zip(narrow, wide, strict=True)
    ]


def make(root: Path, rows: Sequence[str], more: str = "") -> Course:
    make_course(
        root,
        {"add": PROGRAM.format(name="add")},
        {"add": TABLE + '[regions.add-kernel]\nneeds = ["block"]\n' + more},
        {"add": rows},
        checks={"add": CHECK},
    )
    return load_course(root)


def judge(course: Course, text: str, expression: str) -> Verdict:
    scan = scan_page(f"It is [{text}](claim:{expression}).\n", "docs/p.md")
    (verdict,) = judge_scan(course, scan)
    return verdict


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Narrow takes 1 ms, wide 0.8 ms."""
    rows = print_rows([1 + x for x in SPREAD], [0.8 + x for x in SPREAD])
    return make(tmp_path_factory.mktemp("verdict"), rows)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("faster", f"verdict({WIDE}, {NARROW})"),
        ("Faster", f"verdict({WIDE}, {NARROW})"),
        ("**faster**", f"verdict({WIDE}, {NARROW})"),
        ("slower", f"verdict({NARROW}, {WIDE})"),
        ("the same", f'verdict({NARROW}, add.time["small", "again"])'),
        ("same", f"verdict({NARROW}, {NARROW})"),
        ("as fast", f"verdict({NARROW}, {NARROW})"),
        # Of rates the higher is faster.
        ("faster", 'verdict(add.rate["small", "wide"], add.rate["small", "narrow"])'),
        ("slower", 'verdict(add.rate["small", "narrow"], add.rate["small", "wide"])'),
        # A slice has one word where all of its values do.
        ("slower", 'verdict(add.time[:, "narrow"], add.time[:, "wide"])'),
        ("slower", f"verdict(2 * {NARROW}, {WIDE})"),
        ("so", f'verdict({WIDE}, {NARROW}) == "faster"'),
    ],
)
def test_texts_that_hold(course: Course, text: str, expression: str) -> None:
    verdict = judge(course, text, expression)
    assert not verdict.findings
    assert verdict.proof is not None
    assert verdict.proof.kind is ProofKind.MEASURED
    assert verdict.proof.processes == 10


@pytest.mark.parametrize("text", ["slower", "Slower", "the same", "as fast", "ambiguous"])
def test_another_word_is_false_and_says_why(course: Course, text: str) -> None:
    (finding,) = judge(course, text, f"verdict({WIDE}, {NARROW})").findings
    assert finding.kind is Kind.FALSE
    assert str(finding.place) == "docs/p.md:1:7"
    assert finding.stated == f"`{text}`"
    assert finding.true == (
        "the verdict is `faster`: the bands do not meet; 0.804 ms (band 0.7973 to 0.8117 ms) "
        "against 1.004 ms (band 0.9973 to 1.012 ms)"
    )
    right = "Faster" if text == "Slower" else "faster"
    assert finding.advice == f"write `{right}`, or find out what changed"
    assert finding.patch is not None
    assert (finding.patch.old, finding.patch.new) == (text, right)


@pytest.mark.parametrize("text", ["quicker", "much faster", "1.2×", "not slower", "faster than"])
def test_no_other_text_says_a_verdict(course: Course, text: str) -> None:
    (finding,) = judge(course, text, f"verdict({WIDE}, {NARROW})").findings
    assert finding.kind is Kind.UNREADABLE
    assert finding.true == (
        "a verdict is told in one of the texts `faster`, `slower`, `the same`, `same`, `as fast`, "
        "`ambiguous`; this one is `faster`"
    )
    assert finding.advice == "write `faster`, and the rest of the sentence outside of the link"


def test_a_slice_with_several_words(course: Course) -> None:
    expression = f'verdict(add.time["small", :], {NARROW})'
    (finding,) = judge(course, "faster", expression).findings
    assert finding.kind is Kind.FALSE
    assert finding.true.startswith(
        'one word does not say it: same at ["narrow"]: the bands overlap'
    )
    assert 'same at ["again"]' in finding.true
    assert "wide" not in finding.true  # that one is faster
    assert "give each word a link of its own" in finding.advice


@pytest.mark.parametrize(
    ("expression", "true", "advice"),
    [
        (
            f"verdict({WIDE} / {NARROW}, 1)",
            "verdict compares two times or two rates, not a bare number",
            "write a < b, a > b or same(a, b)",
        ),
        (f"verdict({WIDE})", "verdict takes two values, not 1", "write verdict(a, b)"),
        (
            f'verdict({WIDE}, add.rate["small", "wide"])',
            "`verdict` joins a number in s and a number in B/s",
            "bring both sides to the same unit",
        ),
    ],
)
def test_what_has_no_verdict(course: Course, expression: str, true: str, advice: str) -> None:
    (finding,) = judge(course, "faster", expression).findings
    assert finding.kind is Kind.EXPRESSION
    assert (finding.true, finding.advice) == (true, advice)


def test_bands_that_overlap(tmp_path: Path) -> None:
    wide = [0.99 + 3 * x for x in SPREAD]
    course = make(tmp_path, print_rows([1 + x for x in SPREAD], [w + 0.004 for w in wide]))
    word = evaluate_expression(f"verdict({WIDE}, {NARROW})", CourseScope(course))
    assert isinstance(word, Word)
    assert (word.value, word.reason) == (
        "same",
        "the bands overlap, and each holds the other's value",
    )
    far = make(tmp_path / "far", print_rows([1 + x for x in SPREAD], [w + 0.02 for w in wide]))
    (finding,) = judge(far, "slower", f"verdict({WIDE}, {NARROW})").findings
    assert finding.kind is Kind.AMBIGUOUS
    assert (
        "`ambiguous`: the bands overlap, and one value lies outside of the other's" in finding.true
    )
    assert finding.advice == "write `ambiguous`, or leave it out"
    assert not judge(far, "ambiguous", f"verdict({WIDE}, {NARROW})").findings
    assert not judge(far, "so", f'verdict({WIDE}, {NARROW}) == "ambiguous"').findings
    for symbol in ("==", "!="):
        (finding,) = judge(far, "so", f'verdict({WIDE}, {NARROW}) {symbol} "faster"').findings
        assert finding.kind is Kind.AMBIGUOUS
        assert "cannot be decided, the bands overlap" in finding.true


def test_a_ranking_inside_the_floor_is_a_finding(tmp_path: Path) -> None:
    """The two lie apart, but by no more than the first lies from itself."""
    narrow = [1 + i / 1e5 for i in range(10)]
    course = make(tmp_path, print_rows(narrow, [x - 0.002 for x in narrow], 0.004), AGAIN)
    (finding,) = judge(course, "faster", f"verdict({WIDE}, {NARROW})").findings
    assert finding.kind is Kind.FALSE
    said = "the verdict is `same`: they differ by no more than the same kernel timed twice; 0.998"
    assert finding.true.startswith(said)
    assert finding.advice == "write `the same`, or find out what changed"
    assert not judge(course, "the same", f"verdict({WIDE}, {NARROW})").findings
    (finding,) = judge(course, "so", f"{WIDE} < {NARROW}").findings
    assert finding.kind is Kind.AMBIGUOUS
    outside = make(tmp_path / "b", print_rows(narrow, [x - 0.006 for x in narrow], 0.004), AGAIN)
    assert not judge(outside, "faster", f"verdict({WIDE}, {NARROW})").findings


def test_too_few_processes_say_no_word(tmp_path: Path) -> None:
    course = make(tmp_path, print_rows([1, 1.001, 1.002], [0.8, 0.801, 0.802]))
    (finding,) = judge(course, "faster", f"verdict({WIDE}, {NARROW})").findings
    assert not finding.checked
    assert "the record rests on 3 processes, and a band needs 10" in finding.true


# --- clocks


@pytest.fixture
def clocked(tmp_path: Path) -> Path:
    """A second record, at a lower clock: everything takes 6 % longer, and fewer cycles."""
    make(tmp_path, print_rows([1 + x for x in SPREAD], [0.8 + x for x in SPREAD]))
    later = print_rows([1.06 + x for x in SPREAD], [0.4 + x for x in SPREAD])
    add_record(tmp_path, "add", later, started="2026-12-02T09:30:00Z", sm_clock=1_755_000_000)
    return tmp_path


def at(day: int, kernel: str) -> str:
    return f'add.records["run-2026-12-0{day}"].time["small", "{kernel}"]'


def test_times_of_two_records_are_confirmed_in_cycles(clocked: Path) -> None:
    course = load_course(clocked)
    expression = f"verdict({at(1, 'narrow')}, {at(2, 'narrow')})"
    (finding,) = judge(course, "faster", expression).findings
    assert finding.kind is Kind.AMBIGUOUS
    assert (
        "the verdict is `ambiguous`: their clocks differ, 1980 and 1755 MHz, and in cycles it is "
        "not so; 1.00" in finding.true
    )
    assert not judge(course, "ambiguous", expression).findings
    (finding,) = judge(course, "so", f"{at(1, 'narrow')} < {at(2, 'narrow')}").findings
    assert finding.kind is Kind.AMBIGUOUS
    assert "their clocks differ, 1980 and 1755 MHz, and in cycles it is not so" in finding.true
    (finding,) = judge(
        course,
        "slower",
        'verdict(add.records["run-2026-12-02"].rate["small", "narrow"], '
        'add.records["run-2026-12-01"].rate["small", "narrow"])',
    ).findings
    assert "in cycles it is not so" in finding.true


def test_what_is_faster_in_cycles_too_is_faster(clocked: Path) -> None:
    course = load_course(clocked)
    assert not judge(course, "faster", f"verdict({at(2, 'wide')}, {at(1, 'wide')})").findings
    assert not judge(course, "so", f"{at(2, 'wide')} < {at(1, 'wide')}").findings


def test_within_a_record_no_clock_counts(clocked: Path) -> None:
    course = load_course(clocked)
    for day in (1, 2):
        expression = f"verdict({at(day, 'wide')}, {at(day, 'narrow')})"
        assert not judge(course, "faster", expression).findings


def test_a_case_has_the_clock_of_its_own_windows(tmp_path: Path) -> None:
    """All windows together ran as before; those of the case ran lower, and it took fewer cycles."""
    make(tmp_path, print_rows([1 + x for x in SPREAD], [0.8 + x for x in SPREAD]))
    later = print_rows([1.06 + x for x in SPREAD], [0.4 + x for x in SPREAD])
    clocks = {"small": 1_755_000_000, "large": 1_980_000_000}
    add_record(tmp_path, "add", later, started="2026-12-02T09:30:00Z", clocks=clocks)
    course = load_course(tmp_path)
    (finding,) = judge(course, "faster", f"verdict({at(1, 'narrow')}, {at(2, 'narrow')})").findings
    assert "their clocks differ, 1980 and 1755 MHz, and in cycles it is not so" in finding.true
    assert not judge(course, "faster", f"verdict({at(2, 'wide')}, {at(2, 'narrow')})").findings


def test_two_windows_of_one_record_are_confirmed_in_cycles(tmp_path: Path) -> None:
    rows = [
        text.replace("small  again ", "large  narrow")
        for text in print_rows([1 + x for x in SPREAD], [0.8 + x for x in SPREAD], 0.06)
    ]
    make(tmp_path, rows)
    clocks = {"small": 1_980_000_000, "large": 1_755_000_000}
    add_record(tmp_path, "add", rows, started="2026-12-02T09:30:00Z", clocks=clocks)
    course = load_course(tmp_path)
    large = at(2, "narrow").replace("small", "large")
    (finding,) = judge(course, "faster", f"verdict({at(2, 'narrow')}, {large})").findings
    assert "their clocks differ, 1980 and 1755 MHz, and in cycles it is not so" in finding.true
    # In the first record no window has a name.
    large = at(1, "narrow").replace("small", "large")
    assert not judge(course, "faster", f"verdict({at(1, 'narrow')}, {large})").findings


# --- agreement with the comparisons


def measure(samples: Sequence[int], origin: str, floor: int, clock: int, power: int) -> Number:
    values = tuple(Fraction(x) for x in samples)
    hertz = tuple(Fraction(clock + i % 2) for i in range(len(values)))
    series = Series(
        frozenset({origin}),
        values[0],
        values,
        Fraction(1, 2),
        floor=Fraction(floor),
        clocks=Clocks("NVIDIA H200", hertz[0], hertz) if clock else None,
    )
    return Number((("s", power),), None, (series,))


SAMPLES = st.integers(1, 40).flatmap(
    lambda low: st.lists(st.integers(low, low + 3), min_size=10, max_size=10)
)
CLOCK = st.sampled_from([0, 8, 10, 20])


@settings(deadline=None)  # machines are shared
@given(
    SAMPLES,
    SAMPLES,
    st.integers(0, 3),
    st.sampled_from(["a", "b"]),
    CLOCK,
    CLOCK,
    st.sampled_from([1, -1]),
)
def test_a_verdict_agrees_with_the_comparisons(
    first: list[int],
    second: list[int],
    floor: int,
    origin: str,
    one: int,
    other: int,
    power: int,
) -> None:
    left = measure(first, "a", floor, one, power)
    right = measure(second, origin, floor, one if origin == "a" else other, power)
    word = rank_numbers(left, right).value
    below, above = ("faster", "slower") if power > 0 else ("slower", "faster")
    assert (word == below) == (compare_numbers(left, right, "<").value is True)
    assert (word == above) == (compare_numbers(left, right, ">").value is True)
    same = compare_equal(left, right).value
    assert word != "same" or same is True
    assert same is False or word in ("same", "ambiguous")
    turned = {"faster": "slower", "slower": "faster"}
    assert rank_numbers(right, left).value == turned.get(word, word)
    texts = [text for texts in TEXTS.values() for text in texts]
    assert [text for text in texts if holds_text(text, rank_numbers(left, right))] == list(
        next(texts for ranking, texts in TEXTS.items() if ranking == word)
    )


def test_clocks_of_two_gpus_are_not_compared() -> None:
    """What one GPU does at its own clock is what it does."""
    fast = measure([10] * 10, "a", 0, 20, 1)
    slow = measure([12] * 10, "b", 0, 10, 1)
    assert rank_numbers(fast, slow).value == "ambiguous"
    (series,) = slow.series
    assert series.clocks is not None
    other = Clocks("NVIDIA L4", series.clocks.shown, series.clocks.hertz)
    elsewhere = replace(slow, series=(replace(series, clocks=other),))
    assert rank_numbers(fast, elsewhere).value == "faster"
