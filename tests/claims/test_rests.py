"""What claims rest on: names of expressions followed to what was measured, stated or cited."""

from __future__ import annotations

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.claims.rests import (
    find_companions,
    index_rests,
    list_expression_rests,
    list_programs,
    list_rests,
)
from build_tools.claims.scan import scan_page
from tests.course_factory import DECLARATION, PROGRAM, make_course

MORE = """
[quantities]
gain = 'time["large", "narrow"] / time["large", "wide"]'
gains = "gain * kBlocks + source.kBlock"
kBlocks = 'given["peak"] + other.source.kBlock'
round = "round_b"
round_b = "round + 1"
"""
SHARED = """\
[quantities]
both = 'add.gain + other.speedup["small"]'

[peak]
value = "4.8"
unit = "TB/s"
source = "https://example.org/datasheet"
quote = "4.8 TB/s of memory bandwidth"
date = 2026-11-01
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("rests")
    make_course(
        root,
        {name: PROGRAM.format(name=name) for name in ("add", "other")},
        {"add": DECLARATION + MORE.replace("kBlocks", "blocks"), "other": DECLARATION},
    )
    (root / "snippets" / "quantities.toml").write_text(SHARED)
    return load_course(root)


@pytest.mark.parametrize(
    ("expression", "rests"),
    [
        ('add.time["large", "wide"]', ["add time large|wide"]),
        ("add.time[:, 'wide']", ["add time :|wide"]),
        ("add.timings.time[:]", ["add time :"]),
        ("add.source.kBlock", ["add source.kBlock"]),
        ("add.device.sm_count * 2", ["add device.sm_count"]),
        ('add.compiler["add"].registers', ["add compiler.add.registers"]),
        ('add.compiler["add"]', ["add compiler.add"]),
        ("add.check.passed", ["add check.passed"]),
        ('given["peak"] / 2', [" peak"]),
        ("given.peak", [" peak"]),
        ("add.gain", ["add time large|narrow", "add time large|wide"]),
        (
            "add.gains",
            [
                " peak",
                "add source.kBlock",
                "add time large|narrow",
                "add time large|wide",
                "other source.kBlock",
            ],
        ),
        ("both", ["add time large|narrow", "add time large|wide", "other speedup small"]),
        (
            'all(add.speedup[:] > 1) and other.rate["a", "b"] < 3',
            ["add speedup :", "other rate a|b"],
        ),
        ('add.on["NVIDIA L4"].time["a", "b"]', ["add on.NVIDIA L4.time a|b"]),
        (
            'add.records["run-2026-12-01"].gain',
            [
                "add records.run-2026-12-01.time large|narrow",
                "add records.run-2026-12-01.time large|wide",
            ],
        ),
        ("add.round", []),
        ("2 ** 24", []),
        ("nothing.here", []),
        ("add", []),
        ("add[:]", []),
        ("given", []),
        ("1 +", []),
        ("(" * 5000, []),
        ("\0", []),
        (" add.source.kBlock", ["add source.kBlock"]),
    ],
)
def test_what_an_expression_reads(course: Course, expression: str, rests: list[str]) -> None:
    found = sorted(list_expression_rests(course, expression))
    assert [f"{r.program} {r.name} {'|'.join(r.keys)}".rstrip() for r in found] == rests


def test_links_of_each_kind(course: Course) -> None:
    text = "[1](given:peak) [1](stated:x) [1](claim:add.gain + other.source.kBlock)"
    given, stated, claim = scan_page(text, "a.md").claims
    assert [r.name for r in list_rests(course, given)] == ["peak"]
    assert list_rests(course, stated) == frozenset()
    assert list_programs(list_rests(course, claim)) == {"add", "other"}
    assert list_programs(list_rests(course, given)) == frozenset()


def test_companions_are_those_that_read_a_value_in_common(course: Course) -> None:
    pages = {
        "a.md": '[1](claim:add.time["large", "wide"]) [2](claim:add.time["large", "narrow"])',
        "b.md": '[3](claim:add.time["small", "wide"]) [4](claim:add.time[:, "wide"])\n'
        '[5](claim:add.gain) [6](claim:add.time["large", "wide"]) [7](claim:add.time[:])',
        "c.md": '[8](claim:other.time["large", "wide"]) [9](stated:) [10](given:peak)',
        "d.md": '[11](claim:given["peak"])',
    }
    scans = {path: scan_page(text, path).claims for path, text in pages.items()}
    index = index_rests(course, scans.items())

    def find(path: str, number: int) -> list[tuple[str, bool]]:
        found = find_companions(course, index, path, scans[path][number])
        return [(c.claim.text, c.same_expression) for c in found]

    same = [("6", True), ("4", False), ("5", False), ("7", False)]
    assert find("a.md", 0) == same
    assert find("a.md", 1) == [("5", False), ("7", False)]
    assert find("c.md", 0) == []
    assert find("c.md", 1) == []
    assert find("c.md", 2) == [("11", False)]
