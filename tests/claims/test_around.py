"""What stands right beside a link and changes what its number says."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.check import judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.patch import apply_patches
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import make_example

FACTS = """\
[share]
value = "0.1"
unit = ""
source = "x"
quote = "0.1"
date = 2026-11-01
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root: Path = tmp_path_factory.mktemp("course")
    make_example(root)
    (root / "snippets" / "quantities.toml").write_text(FACTS)
    return load_course(root)


def judge(course: Course, text: str) -> list[Finding]:
    scan = scan_page(text, "docs/page.md")
    assert not scan.findings
    return [f for verdict in judge_scan(course, scan) for f in verdict.findings]


SPEED = 'claim:add.speedup["large"]'  # 2.05
SIZE = "claim:add.source.kBlock"  # 256, exact
L2 = "claim:add.device.l2_bytes"  # 60 MiB, exact
TIME = 'claim:add.time["large", "wide"]'  # 0.626 ms


@pytest.mark.parametrize(
    ("text", "kind", "words", "mended"),
    [
        # A unit behind the link.
        (
            'It is [10](claim:given["share"]) % of it',
            Kind.UNIT,
            "%",
            'It is [10 %](claim:given["share"]) of it',
        ),
        (f"[60]({L2}) MiB", Kind.UNIT, "MiB", f"[60 MiB]({L2})"),
        (f"[60 MiB]({L2}) MiB", Kind.UNIT, "MiB", f"[60 MiB]({L2})"),
        (f"[0.63]({TIME}) ms", Kind.UNIT, "ms", f"[0.63 ms]({TIME})"),
        (f"[0.63]({TIME})ms", Kind.UNIT, "ms", f"[0.63ms]({TIME})"),
        (f"**[0.63]({TIME})** ms", Kind.UNIT, "ms", ""),
        (f"[256]({SIZE}) GB/s", Kind.UNIT, "GB/s", ""),
        (f"[256]({SIZE}) %", Kind.UNIT, "%", ""),
        (f"[256]({SIZE}) KiB", Kind.UNIT, "KiB", ""),
        (f"[256]({SIZE}) million", Kind.UNIT, "million", ""),
        (f"[256]({SIZE}) thousand", Kind.UNIT, "thousand", ""),
        (f"[2.05]({SPEED})×", Kind.UNIT, "×", f"[2.05×]({SPEED})"),
        (f"[256]({SIZE})-way", Kind.UNIT, "-way", f"[256-way]({SIZE})"),
        # Digits, signs and letters that touch it.
        (f"[256]({SIZE})²", Kind.UNREADABLE, "²", ""),
        (f"[256]({SIZE})5", Kind.UNREADABLE, "5", ""),
        (f"[256]({SIZE}).5", Kind.UNREADABLE, ".5", ""),
        (f"[256]({SIZE})<sup>2</sup>", Kind.UNREADABLE, "2", ""),
        (f"[256]({SIZE})e3", Kind.UNREADABLE, "e3", ""),
        (f"[256]({SIZE})k", Kind.UNREADABLE, "k", ""),
        (f"1[256]({SIZE}) of", Kind.UNREADABLE, "1", ""),
        (f"about 1,[256]({SIZE}) of", Kind.UNREADABLE, "1,", ""),
        (f"is -[256]({SIZE}) of", Kind.UNREADABLE, "-", ""),
        (f"is −[256]({SIZE}) of", Kind.UNREADABLE, "−", ""),
        ("1[16](stated:) of", Kind.UNREADABLE, "1", ""),
        ("[16](stated:) ms", Kind.UNIT, "ms", ""),
        ("[50](stated:)× faster", Kind.UNIT, "×", ""),
        ("[50](stated:) times faster", Kind.UNIT, "times", ""),
        (f"[256]({SIZE})[16](stated:)", Kind.UNREADABLE, "[", ""),
        (f"0.[256]({SIZE}) of", Kind.UNREADABLE, "0.", ""),
        (f"1:[256]({SIZE}) of", Kind.UNREADABLE, "1:", ""),
        (f"1e[256]({SIZE}) of", Kind.UNREADABLE, "e", ""),
        (f"[2 KiB]({L2})/s", Kind.UNREADABLE, "/s", ""),
        (f"minus [256]({SIZE}) of", Kind.UNREADABLE, "minus", ""),
        (f"**less than** [256]({SIZE})", Kind.HEDGE, "less than", ""),
        (f"<b>under</b> [256]({SIZE})", Kind.HEDGE, "under", ""),
        (f"less&nbsp;than [256]({SIZE})", Kind.HEDGE, "less than", ""),
        (f"less than: [256]({SIZE})", Kind.HEDGE, "less than", ""),
        (f"&gt; [256]({SIZE})", Kind.HEDGE, ">", ""),
        (f"less than <!-- x --> [256]({SIZE})", Kind.HEDGE, "less than", ""),
        # Hedges.
        (f"about [2.05×]({SPEED})", Kind.HEDGE, "about", f"[about 2.05×]({SPEED})"),
        (f"~[2.05×]({SPEED})", Kind.HEDGE, "~", f"[~2.05×]({SPEED})"),
        (f"*about* [2.05×]({SPEED})", Kind.HEDGE, "about", ""),
        (f"about [about 2.05×]({SPEED})", Kind.HEDGE, "about", f"[about 2.05×]({SPEED})"),
        (f"fewer than [256]({SIZE}) of", Kind.HEDGE, "fewer than", f"[fewer than 257]({SIZE}) of"),
        (f"below [2.5×]({SPEED})", Kind.HEDGE, "below", f"[below 2.5×]({SPEED})"),
        (
            f"no more than [256]({SIZE}) of",
            Kind.HEDGE,
            "no more than",
            f"[no more than 256]({SIZE}) of",
        ),
        (f"not over [256]({SIZE}) of", Kind.UNREADABLE, "not over", ""),
        (f"never more than [256]({SIZE}) of", Kind.UNREADABLE, "never more than", ""),
        (f"not [256]({SIZE}) of", Kind.UNREADABLE, "not", ""),
        (f"[2.05×]({SPEED}) or more", Kind.HEDGE, "or more", f"[at least 2.04×]({SPEED})"),
        (f"[256]({SIZE}) or fewer", Kind.HEDGE, "or fewer", f"[at most 256]({SIZE})"),
        (f"exactly [2.05×]({SPEED})", Kind.HEDGE, "exactly", ""),
        # Statements.
        ('It is not [faster](claim:add.speedup["large"] > 1)', Kind.HEDGE, "not", ""),
        # A noun that the value does not count.
        (
            f"[more than 250 registers]({SIZE}) used",
            Kind.UNIT,
            "bare number",
            f"[more than 250]({SIZE}) registers used",
        ),
    ],
)
def test_what_is_told(course: Course, text: str, kind: Kind, words: str, mended: str) -> None:
    findings = judge(course, text)
    assert len(findings) == 1, list(map(str, findings))
    (finding,) = findings
    if kind is Kind.UNREADABLE and finding.kind is Kind.HEDGE:
        assert "turns around" in finding.true
        assert finding.patch is None
    else:
        assert finding.kind is kind
    assert words in finding.true
    assert finding.place.line == 1
    line = text[finding.place.column - 1 :]
    assert line[: finding.length].strip("*_ "), "the caret shows nothing"
    if not mended:
        assert finding.patch is None or "&" in text or "<" in text or ":" in text.partition("[")[0]
        return
    assert finding.patch is not None
    patched = apply_patches(text, [finding.patch])
    assert patched == mended
    assert judge(course, patched) == []


@pytest.mark.parametrize(
    "text",
    [
        f"[256]({SIZE}) threads",
        f"[256]({SIZE}), and more",
        f"([256]({SIZE}))",
        f"[256]({SIZE}) × [2.05×]({SPEED})",
        f"[256]({SIZE}) x [256]({SIZE})",
        f"kernel-[256]({SIZE})",
        f"- [256]({SIZE}) threads",
        f"1. [256]({SIZE}) threads",
        f"| a |\n|---|\n| [256]({SIZE}) |",
        f"what this is about\n\n[256]({SIZE}) threads",
        f"exactly [256]({SIZE}) threads",
        f"only [256]({SIZE}) threads, not more",
        f"[256]({SIZE})[^1]",
        f"**[256]({SIZE})** threads",
        f"three times [256]({SIZE})",
        f"[256]({SIZE}) times",
        'about [a kernel that wins](claim:add.speedup["large"] > 1)',
        "[NVIDIA H200](claim:add.device.model)'s",
        f"It ends with one. [256]({SIZE}) threads",
    ],
)
def test_what_is_left_alone(course: Course, text: str) -> None:
    findings = judge(course, text)
    assert findings == [], list(map(str, findings))


@pytest.mark.parametrize("text", ["> [2.1×]({})", "It is\n> [2.1×]({}) as fast", " > > [2.1×]({})"])
def test_the_mark_of_a_quoted_line_is_no_hedge(course: Course, text: str) -> None:
    assert judge(course, text.format(SPEED)) == []
    (finding,) = judge(course, f"Faster by > [2.1×]({SPEED})")
    assert finding.kind is Kind.HEDGE


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        (f"[0.63]({TIME})", None),
        (f"[0.64]({TIME})", Kind.DRIFT),
        (f"[626 µs]({TIME})", None),
        (f"[256]({SIZE})", Kind.UNIT),
        ('[2.05×](claim:add.speedup["large"])', None),
    ],
)
def test_a_columns_unit_is_part_of_its_numbers(
    course: Course, cell: str, kind: Kind | None
) -> None:
    text = f"| kernel | time (ms) |\n|---|---|\n| wide | {cell} |\n"
    findings = judge(course, text)
    assert [f.kind for f in findings] == ([kind] if kind else [])
    if kind is Kind.DRIFT:
        assert findings[0].patch is not None
        assert findings[0].patch.new == "0.63"
        assert "under `ms`" in findings[0].stated


@pytest.mark.parametrize(
    "words",
    [
        "50 times",
        "50X",
        "1:50",
        "1/50",
        "½ ms",
        "42 GBps",
        "42 images per second",
        "42 fps",
        "42 TOPS",
        "50-ms",
        "50‰",
        "thirty times faster",
        "twice as fast",
        "50 мs",
        "42 ms",
        "50 %",
    ],
)
def test_no_rate_is_a_choice(course: Course, words: str) -> None:
    (finding,) = judge(course, f"It is [{words}](stated:).")
    assert finding.kind is Kind.TYPE
    assert "not a choice" in finding.true


@pytest.mark.parametrize(
    "words", ["16 x 16", "16", "1,024 threads", "48 KiB", "three", "2^24", "16–32"]
)
def test_counts_sizes_and_shapes_are_choices(course: Course, words: str) -> None:
    assert judge(course, f"Take [{words}](stated:).") == []
