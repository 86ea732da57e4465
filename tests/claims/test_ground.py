"""A claim must rest on more than the literals of its expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.claims.check import check_quantities, judge_scan
from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind
from tests.course_factory import DECLARATION, make_example

QUANTITIES = """\
[quantities]
count = "2 * 512"
plain = "42"
literal_size = { expression = "42", unit = "B" }
label = '"42 ms"'
laundered = 'add.speedup["large"] * 0 + 42'
lie_time = { expression = "42", unit = "ms" }
lie_rate = { expression = "add.source.kBlock / add.source.kBlock * 42", unit = "GB/s" }
work = { expression = "2 * add.source.kBlock", unit = "FLOP" }
moved = { expression = "8 * add.source.kBlock", unit = "B" }
intensity = "work / moved"
"""

OWN = """
[quantities]
mine = 'speedup["large"]'
"""

SPEED = 'add.speedup["large"]'  # 2.05
BLOCK = "add.source.kBlock"  # 256


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root: Path = tmp_path_factory.mktemp("course")
    make_example(root)
    declaration = root / "snippets" / "add" / "program.toml"
    assert declaration.read_text() == DECLARATION
    declaration.write_text(DECLARATION + OWN)
    (root / "snippets" / "quantities.toml").write_text(QUANTITIES)
    return load_course(root)


def judge(course: Course, text: str) -> list[Finding]:
    scan = scan_page(text, "docs/page.md")
    assert not scan.findings
    return [f for verdict in judge_scan(course, scan) for f in verdict.findings]


@pytest.mark.parametrize(
    "text",
    [
        "[1,024](claim:2 * 512)",
        "[1,024](claim:count)",
        "[16 x 16](claim:(16, 16))",
        "[16×16](claim:(16, 16))",
        "[2^24](claim:2 ** 24)",
        "[3×10⁶](claim:3 * 10 ** 6)",
        f"[256](claim:{BLOCK})",
        f"[2.1×](claim:max(1, {SPEED}))",
        f'[2.1×](claim:max({SPEED}, add.speedup["small"]))',
        f"[8](claim:ceil({BLOCK} / 33))",
        f"[24](claim:{BLOCK} % 29)",
        # The constant cancels out, and was not put there to do so.
        "[0.25 FLOP/byte](claim:intensity)",
        f"[1.33×](claim:(8 + 2 * {BLOCK}) / (6 + 3 * {BLOCK} / 2))",
        f"[faster](claim:{SPEED} > 1)",
        f"[a multiple of a warp](claim:{BLOCK} % add.device.warp_size == 0)",
        '[large](claim:add.case["large"])',
        '[the large one](claim:add.case["large"] == "large")',
        '[1.0–1.3×](claim:add.speedup[:] / add.speedup["small"])',
    ],
)
def test_what_rests_on_something_holds(course: Course, text: str) -> None:
    assert list(map(str, judge(course, text))) == []


@pytest.mark.parametrize(
    ("text", "true", "advice"),
    [
        ('[42 ms](claim:"42 ms")', "its own proof", "cite where it comes from"),
        ('[16 x 16](claim:"16x16")', "its own proof", "cite where"),
        ("[42 B](claim:literal_size)", "more than a count", "bind it"),
        ("[42 ms](claim:label)", "its own proof", "cite where"),
        ("[50×](claim:50)", "more than a count", "bind it to a measurement"),
        ("[50 %](claim:1 / 2)", "more than a count", "bind it"),
        ("[1/50](claim:1 / 50)", "more than a count", "bind it"),
        ("[twice](claim:2)", "more than a count", "bind it"),
        ("[thirty times faster](claim:30)", "more than a count", "bind it"),
        ("[42×](claim:plain)", "more than a count", "bind it"),
        ("[50 times](claim:25 * 2)", "more than a count", "bind it"),
        (f"[50×](claim:{BLOCK} * 0 + 50)", "more than a count", "bind it"),
        (f"[50×](claim:{BLOCK} / {BLOCK} * 50)", "more than a count", "bind it"),
        ("[tiled is always faster](claim:1 < 2)", "holds or fails whatever", "compare what"),
        ("[never slower](claim:not 2 < 1)", "holds or fails whatever", "compare what"),
        ('[it agrees](claim:"a" == "a")', "holds or fails whatever", "compare what"),
        (f"[faster](claim:{SPEED} * 0 < 1)", "holds or fails whatever", "compare what"),
        (f"[faster](claim:all([{SPEED} * 0 < 1, 1 < 2]))", "holds or fails", "compare what"),
        (f"[so](claim:any({SPEED} * 0 < 1, {SPEED} > 5))", "holds or fails", "compare what"),
        ("[so](claim:len([1, 2]) == 2)", "holds or fails", "compare what"),
        (f"[42](claim:{SPEED} * 0 + 42)", "nothing that was measured", "cite the measurement"),
        ("[42](claim:laundered)", "nothing that was measured", "cite the measurement"),
        (f"[42](claim:{SPEED} ** 0 * 42)", "nothing that was measured", "cite the measurement"),
        (f"[50×](claim:max(50, {SPEED}))", "nothing that was measured", "cite the measurement"),
        (f"[1×](claim:min(1, {SPEED}))", "nothing that was measured", "cite the measurement"),
        (f"[42](claim:{SPEED} - {SPEED} + 42)", "nothing that was measured", "cite"),
        (f"[42](claim:add.mine / {SPEED} * 42)", "nothing that was measured", "cite"),
        (
            f'[42](claim:add.speedup[:]["large"] / {SPEED} * 42)',
            "nothing that was measured",
            "cite",
        ),
    ],
)
def test_what_rests_on_literals_is_told_at_the_expression(
    course: Course, text: str, true: str, advice: str
) -> None:
    findings = judge(course, "It is so: " + text)
    assert [f.kind for f in findings] == [Kind.TYPE], findings
    finding = findings[0]
    assert true in finding.true
    assert advice in finding.advice
    before = text[: text.index("claim:") + len("claim:")]
    assert finding.place.column == len("It is so: " + before) + 1


def test_no_unit_makes_a_measurement_of_a_literal(course: Course) -> None:
    found = {str(f.place): f for f in check_quantities(course)}
    assert list(found) == ["snippets/quantities.toml:7:40", "snippets/quantities.toml:8:80"]
    for finding in found.values():
        assert "rests on literals alone" in finding.true
        assert "cite what the value rests on" in finding.advice
    assert judge(course, "[42 ms](claim:lie_time)") != []
