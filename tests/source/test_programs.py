from collections.abc import Mapping
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.source.model import Program, Settings
from build_tools.source.programs import read_program, read_programs
from build_tools.source.reader_unit import compose_reader_unit, list_needed

ROOT = Path(__file__).parents[2]
HEAD = "// What it is.\n//\n// Build: nvcc -o p p.cu\n// Run:   ./p\n"
KERNEL = HEAD + (
    "// snippet: size\nconstexpr int kTile = 16;\n// end snippet\n"
    "namespace {\n"
    "  // snippet: kernel\n  __global__ void f() {\n    // snippet: body\n    int x = kTile;\n"
    "    // end snippet\n  }\n  // end snippet\n"
    "}\n"
)


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def read(root: Path, files: Mapping[str, str | bytes]) -> tuple[dict[str, Program], list[str]]:
    write(root, files)
    programs, findings = read_programs(root, Settings())
    return programs, [say(f) for f in findings]


def say(f: Finding) -> str:
    return f"{f.place} {f.kind.value}: {f.stated}; {f.true}; {f.advice}"


def test_a_program_is_read_whole(tmp_path: Path) -> None:
    programs, findings = read(
        tmp_path,
        {
            "snippets/p/p.cu": KERNEL,
            "snippets/p/program.toml": '[regions.kernel]\nneeds = ["size"]\n[regions.size]\nkind="host"\n',
            "snippets/p/check.py": "",
            "snippets/p/README.md": "",
            "snippets/quantities.toml": "",
            "snippets/__pycache__/x.pyc": "",
            "snippets/.hidden/y": "",
        },
    )
    assert findings == []
    program = programs["p"]
    assert program.path == "snippets/p/p.cu"
    assert program.header.description == "What it is."
    assert list(program.regions) == ["size", "kernel", "body"]
    assert program.regions["kernel"].needs == ("size",)
    assert program.regions["kernel"].kind == "kernel"
    assert program.regions["size"].kind == "host"
    assert program.constants["kTile"].value == 16
    assert program.kernels == {"f": 10}
    assert program.check_path == "snippets/p/check.py"
    assert len(program.code_digest) == 64


def test_a_course_without_programs_has_none(tmp_path: Path) -> None:
    assert read_programs(tmp_path, Settings()) == ({}, [])


def test_no_program_is_lost_because_another_is_broken(tmp_path: Path) -> None:
    programs, findings = read(
        tmp_path,
        {
            "snippets/a/a.cu": b"\xff",
            "snippets/b/b.cu": "",
            "snippets/c/c.cu": HEAD + "// snippet: open\nint x;\n",
            "snippets/c/program.toml": "[broken",
            "snippets/d/d.cu": KERNEL,
            "snippets/e": "",
        },
    )
    assert list(programs) == ["b", "c", "d"]
    assert programs["c"].regions == {}
    assert programs["c"].header.build == "nvcc -o p p.cu"
    assert [f.split(" ")[0] for f in findings] == [
        "snippets/a/a.cu:1:1",
        "snippets/b/b.cu:1:1",
        "snippets/b/b.cu:1:1",
        "snippets/c/program.toml:1:8",
        "snippets/c/c.cu:5:1",
    ]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"snippets/p/q.cu": HEAD},
            [
                "snippets/p:1:1 program: folder `snippets/p`; it holds no `p.cu`; add `snippets/p/p.cu`",
                "snippets/p/q.cu:1:1 program: file `snippets/p/q.cu`; it is no program",
            ],
        ),
        ({"snippets/p.cu": HEAD}, ["snippets/p.cu:1:1 program: ", "move it to `snippets/p/p.cu`"]),
        ({"snippets/p/deep/p.cu": HEAD, "snippets/p/p.cu": HEAD}, ["snippets/p/deep/p.cu:1:1"]),
        (
            {"snippets/Day1/Day1.cu": HEAD},
            ["program `Day1`; a name is small letters", "rename its"],
        ),
        ({"snippets/device/device.cu": HEAD}, ["program `device`; `device` is reserved"]),
        ({"snippets/p/p.cu/x": ""}, ["it holds no `p.cu`"]),
    ],
)
def test_what_lies_where_no_program_can_be(
    tmp_path: Path, files: dict[str, str | bytes], words: list[str]
) -> None:
    _, findings = read(tmp_path, files)
    for word in words:
        assert any(word in f for f in findings), findings


def test_a_region_that_is_declared_but_not_there(tmp_path: Path) -> None:
    _, findings = read(
        tmp_path,
        {
            "snippets/p/p.cu": KERNEL,
            "snippets/p/program.toml": '[regions.kernels]\nkind = "host"\n',
        },
    )
    assert findings == [
        "snippets/p/program.toml:1:10 declaration: region `kernels`; the program has no such region; did you mean `kernel`?"
    ]


@pytest.mark.parametrize(
    ("toml", "place", "words"),
    [
        (
            'kernel.needs = ["sise"]',
            "2:17",
            "`kernel` needs `sise`; the program has no such region; did you",
        ),
        ('kernel.needs = ["size", "kernel"]', "2:25", "it is the region itself; remove it"),
        (
            'kernel.needs = ["body"]',
            "2:17",
            "the two share lines, so a reader would copy these twice",
        ),
        ('body.needs = ["kernel"]', "2:15", "the two share lines"),
        (
            'kernel.needs = ["size"]\nsize.needs = ["kernel"]',
            "2:17",
            "the needs go in a circle: `kernel` needs `size` needs `kernel`; remove one of them",
        ),
    ],
)
def test_needs_that_cannot_be_met(tmp_path: Path, toml: str, place: str, words: str) -> None:
    programs, findings = read(
        tmp_path,
        {"snippets/p/p.cu": KERNEL, "snippets/p/program.toml": f"[regions]\n{toml}\n"},
    )
    assert len(findings) == 1
    assert findings[0].startswith(f"snippets/p/program.toml:{place} declaration: ")
    assert words in findings[0]
    for region in programs["p"].regions:
        assert compose_reader_unit(programs["p"], region)


def test_a_reader_unit_is_needs_and_region_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = HEAD + "".join(
        f"// snippet: {name}\n  int {name};\n// end snippet\n" for name in ("c", "a", "d", "b")
    )
    toml = '[regions]\na.needs = ["b"]\nb.needs = ["c", "c"]\n'
    programs, findings = read(tmp_path, {"snippets/p/p.cu": text, "snippets/p/program.toml": toml})
    assert findings == []
    program = programs["p"]
    assert compose_reader_unit(program, "a") == (
        '#line 6 "p.cu"\nint c;\n#line 9 "p.cu"\nint a;\n#line 15 "p.cu"\nint b;\n'
    )
    assert compose_reader_unit(program, "a", frozenset({"b"})) == (
        '#line 6 "p.cu"\nint c;\n#line 9 "p.cu"\nint a;\n'
    )
    assert compose_reader_unit(program, "d") == '#line 12 "p.cu"\nint d;\n'
    assert list_needed(program.regions, "a") == ["a", "b", "c"]
    with pytest.raises(KeyError):
        compose_reader_unit(program, "e")


BOILERPLATE = HEAD + "// snippet: macro\nint a;\nint b;\n\n// end snippet\n"
AS_HOST = "[regions.macro]\nkind = 'host'\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "int b;",
            "int bb;",
            "7:6 boilerplate: line 2 of region `macro`: `int bb;`; `int b;` at snippets/p/p.cu:7:6; make the host regions",
        ),
        (
            "int a;\nint b;\n",
            "  int a;\n   int b;\n",
            "7:3 boilerplate: line 2 of region `macro`: `int b;`; `int b;` at snippets/p/p.cu:7:1",
        ),
        (
            "\n// end",
            "// end",
            "7:1 boilerplate: line 3 of region `macro`: the region has ended; `` at snippets/p/p.cu:8:1",
        ),
        (
            "\n// end",
            "\nint c;\n// end",
            "9:1 boilerplate: line 4 of region `macro`: `int c;`; the region has ended at snippets/p/p.cu:8:1",
        ),
    ],
)
def test_host_regions_of_one_name_must_be_identical(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    files = {
        "snippets/p/p.cu": BOILERPLATE,
        "snippets/p/program.toml": AS_HOST,
        "snippets/q/q.cu": BOILERPLATE.replace(old, new),
        "snippets/q/program.toml": AS_HOST,
        "snippets/r/r.cu": BOILERPLATE.replace("int a;", "another kernel;"),
    }
    _, findings = read(tmp_path, files)
    assert len(findings) == 1
    assert findings[0].startswith(f"snippets/q/q.cu:{words}")


def test_indented_boilerplate_is_the_same(tmp_path: Path) -> None:
    indented = BOILERPLATE.replace("int", "\t int")
    _, findings = read(
        tmp_path,
        {
            "snippets/p/p.cu": BOILERPLATE,
            "snippets/p/program.toml": AS_HOST,
            "snippets/q/q.cu": indented,
            "snippets/q/program.toml": AS_HOST,
        },
    )
    assert findings == []


def test_included_files_belong_to_the_program(tmp_path: Path) -> None:
    programs, findings = read(
        tmp_path,
        {
            "snippets/p/p.cu": HEAD.replace("nvcc", "nvcc -I ../more -I../most --include-path=../x")
            + '#include "a.cuh"\n#include "../shared/b.cuh"\n#include "c.cu"\n#include "m.h"\n'
            + "#include <cstdio>\n",
            "snippets/p/a.cuh": '#include "a.cuh"\n#include "../shared/b.cuh"\nint a;\n',
            "snippets/p/c.cu": "int c;\n",
            "snippets/shared/b.cuh": "int b;\n",
            "snippets/more/m.h": "int m;\n",
        },
    )
    assert findings == []
    assert programs["p"].includes == (
        "snippets/p/a.cuh",
        "snippets/shared/b.cuh",
        "snippets/p/c.cu",
        "snippets/more/m.h",
    )


def test_includes_that_cannot_be_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, {"outside.h": "int x;\n"})
    _, findings = read(
        root,
        {
            "snippets/p/p.cu": HEAD + '#include "no.h"\n  # include "../../../outside.h"\n'
            '#include "latin.h"\n#include "deep.h"\n',
            "snippets/p/latin.h": b"int x; // \xe9\n",
            "snippets/p/deep.h": '#include "cuda_runtime.h"\n',
        },
    )
    beside = "no such file beside it; add the file, or write `<…>` for a header of the toolkit"
    outside = "it lies outside the project's tree; keep what a program includes within the project"
    latin = (
        "byte 11 of the file is 0xe9; the text is not UTF-8 from there on; save the file as UTF-8"
    )
    assert findings == [
        f'snippets/p/p.cu:5:10 program: #include "no.h"; {beside}',
        f'snippets/p/p.cu:6:13 program: #include "../../../outside.h"; {outside}',
        f"snippets/p/latin.h:1:11 encoding: {latin}",
        f'snippets/p/deep.h:1:10 program: #include "cuda_runtime.h"; {beside}',
    ]


def test_a_file_that_cannot_be_opened_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"snippets/p/p.cu": HEAD + '#include "a.h"\n', "snippets/p/a.h": ""})
    original = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name in refused:
            raise PermissionError(13, "Permission denied")
        return original(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    refused = {"p.cu"}
    program, findings = read_program(tmp_path, "p")
    assert program is None
    assert say(findings[0]).startswith(
        "snippets/p/p.cu:1:1 program: snippets/p/p.cu; it cannot be read"
    )
    refused = {"a.h"}
    program, findings = read_program(tmp_path, "p")
    assert program is not None
    assert say(findings[0]).endswith("Permission denied; make it a readable file")


def test_crlf_and_bom_change_neither_text_nor_digest(tmp_path: Path) -> None:
    write(tmp_path, {"snippets/p/p.cu": KERNEL})
    plain, _ = read_program(tmp_path, "p")
    write(tmp_path, {"snippets/p/p.cu": "\ufeff" + KERNEL.replace("\n", "\r\n")})
    other, findings = read_program(tmp_path, "p")
    assert findings == []
    assert other == plain


def test_the_projects_own_programs_are_clean() -> None:
    programs, findings = read_programs(ROOT, Settings())
    assert findings == []
    program = programs["tiled_matmul"]
    assert program.kernels.keys() >= {"matmulNaive", "matmulTiled"}
    assert program.constants["kTile"].value == 16
    assert program.header.description.startswith("Day 16: ")
    unit = compose_reader_unit(program, "tiled-kernel")
    assert unit.index("kTile = 16") < unit.index("matmulTiled")
    for region in program.regions.values():
        assert (
            region.undedented.replace("\n", "") in program.text.replace("\n", "")
            or any(
                other.place.line in range(region.first, region.last)
                for other in program.regions.values()
            )
            or any(
                solution.first in range(region.first, region.last)
                for exercise in program.exercises.values()
                for solution in exercise.solutions
            )
        )


def test_kinds_are_those_of_the_source_stage(tmp_path: Path) -> None:
    _, findings = read(tmp_path, {"snippets/p/p.cu": "// snippet a\n// end snippet: b\n"})
    kinds = {f.split(" ")[1].rstrip(":") for f in findings}
    assert kinds <= {k.value for k in (Kind.MARKER, Kind.HEADER)}
