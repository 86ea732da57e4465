"""Which token changed first, and what else of a program did."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.source.changes import compare_programs, find_changed_token, read_texts
from build_tools.source.programs import read_program

BEFORE = "#define N 4\nint f(int a) {\n    return a + N;\n}\n"


@pytest.mark.parametrize(
    ("after", "place", "was", "now"),
    [
        (BEFORE.replace("a + N", "a - N"), (3, 14), "+", "-"),
        (BEFORE.replace("N 4", "N 5"), (1, 11), "4", "5"),
        (BEFORE.replace("int f", "// why\n\nint f").replace("a + N", "a+M"), (5, 14), "N", "M"),
        (BEFORE + "int g;\n", (5, 1), "", "int"),
        (BEFORE.replace("}\n", ""), (3, 18), "}", ""),
        ("", (1, 1), "#", ""),
        (BEFORE.replace("4\nint f(int a)", "4 int f(int a)"), (1, 13), "\n", "int"),
    ],
)
def test_the_first_token_that_changed(
    after: str, place: tuple[int, int], was: str, now: str
) -> None:
    change = find_changed_token("a.cu", BEFORE, after)
    assert change is not None
    assert (change.place.line, change.place.column) == place
    assert (change.was, change.now) == (was, now)


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        BEFORE.replace("a + N", "a/* sum */+   N"),
        BEFORE.replace("\n    ", "\n\n// one line more\n\t"),
    ],
)
def test_comments_and_spacing_change_nothing(after: str) -> None:
    assert find_changed_token("a.cu", BEFORE, after) is None


def test_files_that_come_and_go(tmp_path: Path) -> None:
    header = "// Build: nvcc -o add add.cu\n// Run: ./add\n\n"
    roots = []
    for name, includes in (("then", ("one", "two")), ("now", ("one", "three"))):
        folder = tmp_path / name / "snippets" / "add"
        folder.mkdir(parents=True)
        lines = "".join(f'#include "{include}.cuh"\n' for include in includes)
        (folder / "add.cu").write_text(header + lines + "int main() {}\n")
        for include in includes:
            (folder / f"{include}.cuh").write_text(f"int {include};\n")
        roots.append(tmp_path / name)
    before, after = (read_program(root, "add")[0] for root in roots)
    assert before is not None
    assert after is not None
    texts = [read_texts(root, p) for root, p in zip(roots, (before, after), strict=True)]
    changes = compare_programs(before, after, *texts)
    assert [(c.what, c.place.path.rpartition("/")[2], c.was, c.now) for c in changes] == [
        ("token", "add.cu", '"two.cuh"', '"three.cuh"'),
        ("include", "three.cuh", "", "snippets/add/three.cuh"),
        ("include", "add.cu", "snippets/add/two.cuh", ""),
    ]
