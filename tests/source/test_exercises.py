"""Are exercises read from their markers, each mistake told in its place, and starters made?"""

from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.part_digest import compute_part_digest
from build_tools.evidence.part_model import PartKind
from build_tools.source.exercises import find_exercises
from build_tools.source.model import Exercise, Program
from build_tools.source.mutants import compose_mutant
from build_tools.source.programs import read_program
from build_tools.source.regions import find_regions
from build_tools.source.starters import compose_starter, cut_starter, remove_solution
from build_tools.source.tokens import scan_source
from tests.course_factory import load_program, make_course

PROGRAM = """\
// SPDX-License-Identifier: MIT
//
// Day 1: add two vectors.
//
// Build: nvcc -std=c++17 -O3 -arch=sm_90
//        -o add add.cu
// Run:   ./add

#include <cstdio>

// snippet: block
constexpr int kBlock = 256;
// end snippet: block

// snippet: add-kernel
__global__ void add(const float *a, const float *b, float *c, int n) {
    // solution: index
    // starter: int i = threadIdx.x;  // Your turn: which element?
    int i = blockIdx.x * kBlock + threadIdx.x;
    // end solution: index
    // snippet: guard
    // solution: guard
    // starter: // Your turn.
    // starter:
    // starter:   c[i] = a[i] + b[i];
    if (i < n) c[i] = a[i] + b[i];
    // end solution
    // end snippet: guard
}
// end snippet: add-kernel

int main() {
    std::puts("add");
    return 0;
}
"""


def read(text: str) -> tuple[dict[str, Exercise], list[Finding]]:
    scan = scan_source(text)
    regions, wrong = find_regions(text, "add", "p.cu", scan)
    exercises, findings = find_exercises(scan, "p.cu", regions, whole=not wrong)
    return exercises, [*wrong, *findings]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    make_course(tmp_path, {"add": PROGRAM}, {}, {})
    read_back, findings = read_program(tmp_path, "add")
    assert read_back is not None
    assert not findings
    return read_back


def test_markers_belong_to_no_region(program: Program) -> None:
    assert program.regions["guard"].text == "if (i < n) c[i] = a[i] + b[i];\n"
    kernel = program.regions["add-kernel"]
    assert [line.number for line in kernel.lines] == [16, 19, 26, 29]
    assert "solution" not in kernel.text
    assert "starter" not in kernel.text


def test_exercises_know_the_regions_that_hold_them(program: Program) -> None:
    assert {name: e.regions for name, e in program.exercises.items()} == {
        "index": ("add-kernel",),
        "guard": ("guard", "add-kernel"),
    }
    assert str(program.exercises["guard"].place) == "snippets/add/add.cu:22:5"


def test_a_starter_goes_without_its_own_solution_only(program: Program) -> None:
    starter = remove_solution(program, program.exercises["guard"])
    lines = starter.text.split("\n")
    begin = lines.index("    int i = blockIdx.x * kBlock + threadIdx.x;")
    assert lines[begin + 1 : begin + 6] == [
        "    // snippet: guard",
        "    // Your turn.",
        "",
        "      c[i] = a[i] + b[i];",
        "    // end snippet: guard",
    ]
    assert "solution" not in starter.text
    assert "which element" not in starter.text
    assert starter.origins[begin : begin + 6] == (19, 21, 23, 24, 25, 28)
    assert starter.text.count("\n") + 1 == len(starter.origins)


def test_a_downloaded_starter_is_named_and_says_what_it_is(program: Program) -> None:
    text = compose_starter(program, program.exercises["index"])
    assert "//        -o index index.cu\n// Run:   ./index\n//\n// A starter of `add`:" in text
    read_back, findings = find_regions(text, "add", "index.cu")
    assert not findings
    assert "Your turn: which element?" in read_back["add-kernel"].text
    same = remove_solution(program, program.exercises["index"]).text
    codes = ([token.text for token in scan_source(t).tokens] for t in (text, same))
    assert next(codes) == next(codes)


def test_a_starter_is_not_called_verified(tmp_path: Path) -> None:
    make_course(tmp_path, {"add": PROGRAM}, {}, {"add": ["add\n"] * 10})
    program = load_program(tmp_path, "add")
    assert program.header.verified is not None
    text = compose_starter(program, program.exercises["index"])
    assert "Verified" not in text
    assert "evidence/" not in text
    assert "//\n// A starter of `add`:" in text
    assert text.count("#include <cstdio>") == 1


def test_a_starters_region_is_cut_from_the_file_that_is_downloaded(program: Program) -> None:
    region, text = cut_starter(program, program.exercises["guard"], "guard")
    assert region.text == "// Your turn.\n\n  c[i] = a[i] + b[i];\n"
    assert text.split("\n")[region.first - 1] == region.lines[0].text


def test_several_solutions_of_a_name_are_one_exercise() -> None:
    exercises, findings = read(
        "// snippet: a\n// solution\nint x = 1;\n// end solution\nint y;\n"
        "// solution\n// starter: int z = 0;\nint z = 1;\n// end solution\n// end snippet\n"
    )
    assert not findings
    assert list(exercises) == ["exercise"]
    assert [s.first for s in exercises["exercise"].solutions] == [2, 6]


@pytest.mark.parametrize(
    ("body", "place", "kind", "words"),
    [
        ("// solution: x\nint x;", 2, Kind.EXERCISE, ("nothing closes it", "`// end solution`")),
        ("// end solution\nint x;", 2, Kind.EXERCISE, ("no solution is open here", "remove")),
        (
            "// solution: x\nint x;\n// solution: y\nint y;\n// end solution\n// end solution",
            4,
            Kind.EXERCISE,
            ("from line 2 is still open", "do not nest"),
        ),
        (
            "// solution: x\nint x;\n// end solution: y",
            4,
            Kind.EXERCISE,
            ("is `x`, from line 2", "write its name, or none"),
        ),
        (
            "// solution: x\nint x;\n// snippet: b\nint y;\n// end solution\n// end snippet",
            4,
            Kind.EXERCISE,
            ("within the solution from line 2", "close the solution before it"),
        ),
        (
            "// solution: x\nint x;\n// end snippet\n// end solution\n// snippet: b\nint y;",
            4,
            Kind.EXERCISE,
            ("within the solution from line 2", "close the solution before it"),
        ),
        (
            "// starter: int x;\nint x;",
            2,
            Kind.EXERCISE,
            ("no solution is open here that it replaces", "move it between"),
        ),
        (
            "// solution: x\n// starter: int x;\n// only words\n// end solution\nint y;",
            2,
            Kind.EXERCISE,
            ("it holds no code", "put the lines that a reader is to write"),
        ),
        (
            "// solution: x\n// starter: int  x; // yours\nint x;\n// end solution",
            2,
            Kind.EXERCISE,
            ("the starter has the same code", "let the starter be wrong"),
        ),
        (
            "// solution\nint x;\n// end solution\n// solution: y\nint y;\n// end solution",
            2,
            Kind.EXERCISE,
            ("this one has no name", "`// solution: NAME`"),
        ),
        ("// Solution: x\nint x;", 2, Kind.MARKER, ("is none", "`// solution: NAME`")),
        ("//solution: x\nint x;", 2, Kind.MARKER, ("is none", "reword the comment")),
        ("// solution: X\nint x;", 2, Kind.MARKER, ("is none", "small letters")),
        ("// begin solution: x\nint x;", 2, Kind.MARKER, ("is none", "reword")),
        ("int x;\n// End of solution", 3, Kind.MARKER, ("is none", "`// end solution`")),
        ("/* solution: x */\nint x;", 2, Kind.MARKER, ("is none", "a line of its own")),
        ("//starter: int x;\nint x;", 2, Kind.MARKER, ("is none", "`// starter: LINE`")),
        ("int x;  // end solution", 2, Kind.MARKER, ("shares its line", "reword")),
    ],
)
def test_a_mistake_is_told_in_its_place(
    body: str, place: int, kind: Kind, words: tuple[str, ...]
) -> None:
    exercises, findings = read(f"// snippet: a\n{body}\n// end snippet\n")
    assert [(f.place.line, f.kind) for f in findings] == [(place, kind)], findings
    assert all(word in f"{findings[0].true}; {findings[0].advice}" for word in words)
    assert "x" not in exercises


def test_a_solution_outside_of_regions_can_be_shown_nowhere() -> None:
    text = "// snippet: a\nint y;\n// end snippet\n// solution: x\nint x;\n// end solution\n"
    exercises, (finding,) = read(text)
    assert not exercises
    assert finding.place.line == 4
    assert "no region holds all of it" in finding.true
    assert "between those of a region" in finding.advice


@pytest.mark.parametrize(
    "comment",
    [
        "// the solution: add them",
        "// solutions of both kinds",
        "// Solution by hand, below",
        "// a starter",
    ],
)
def test_other_comments_are_no_markers(comment: str) -> None:
    assert read(f"{comment}\nint x;  {comment}\n") == ({}, [])


def test_a_starter_goes_with_the_mutants(program: Program) -> None:
    rules = program.declaration.parts.mutants
    assert [n for n in rules if n.startswith("starter-")] == ["starter-index", "starter-guard"]
    rule = rules["starter-guard"]
    assert rule.region == "add-kernel"
    assert rule.replace == "    if (i < n) c[i] = a[i] + b[i];\n"
    starter = remove_solution(program, program.exercises["guard"]).text
    assert compose_mutant(program, rule) == starter


def test_a_mutant_may_not_go_by_a_starters_name(tmp_path: Path) -> None:
    declared = '[mutants.starter-index]\nregion = "block"\nreplace = "256"\nwith = "128"\n'
    make_course(tmp_path, {"add": PROGRAM}, {"add": declared}, {})
    _, (finding,) = read_program(tmp_path, "add")
    assert str(finding.place) == "snippets/add/program.toml:1:10"
    assert finding.kind is Kind.DECLARATION
    assert "the starter of the exercise `index` goes by this name" in finding.true
    assert finding.advice == "rename it"


def test_markers_change_no_digest(tmp_path: Path, program: Program) -> None:
    bare = "".join(
        line + "\n"
        for line in PROGRAM.splitlines()
        if not line.strip().startswith(("// solution", "// starter", "// end solution"))
    )
    make_course(tmp_path / "bare", {"add": bare}, {}, {})
    assert load_program(tmp_path / "bare", "add").code_digest == program.code_digest


SPOILED = PROGRAM.replace(
    "// snippet: add-kernel\n",
    """\
// snippet: add-kernel
// Adds two vectors.
// solution: guard
// starter: // Guard: yours.
// Guard: threads past the end leave c alone.
// end solution: guard
""",
)


def test_a_comment_that_gives_it_away_goes_with_the_solution(tmp_path: Path) -> None:
    make_course(tmp_path, {"add": SPOILED}, {}, {})
    program = load_program(tmp_path, "add")
    starter = compose_starter(program, program.exercises["guard"])
    assert "// Adds two vectors.\n// Guard: yours.\n__global__" in starter
    assert "past the end" not in starter
    other = compose_starter(program, program.exercises["index"])
    assert "// Guard: threads past the end leave c alone.\n" in other
    # The code alone says which regions hold the exercise, and where it is.
    assert program.exercises["guard"].regions == ("guard", "add-kernel")
    assert str(program.exercises["guard"].place) == "snippets/add/add.cu:27:5"
    region, _ = cut_starter(program, program.exercises["guard"], "guard")
    assert region.text == "// Your turn.\n\n  c[i] = a[i] + b[i];\n"


def test_a_comment_that_goes_along_makes_no_evidence_stale(
    tmp_path: Path, program: Program
) -> None:
    make_course(tmp_path / "spoiled", {"add": SPOILED}, {}, {})
    spoiled = load_program(tmp_path / "spoiled", "add")
    digests = [
        compute_part_digest(root, p, PartKind.MUTANTS)
        for root, p in ((tmp_path, program), (tmp_path / "spoiled", spoiled))
    ]
    assert digests[0] == digests[1]


def test_comments_alone_are_no_exercise() -> None:
    text = "// snippet: a\n// solution: x\n// Say it.\n// end solution\nint y;\n// end snippet\n"
    exercises, (finding,) = read(text)
    assert not exercises
    assert (finding.place.line, finding.stated) == (2, "`// solution: x`")
    assert finding.true == "it holds no code"
    # A starter may not add code where the solution has none.
    _, (finding,) = read(text.replace("// Say it.", "// starter: int x;\n// Say it."))
    assert finding.true == "it holds no code"
