"""Does every program compile as its header says, and is every complaint at its place?"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind, compute_exit_status
from build_tools.measure.compile import Compiled, compile_program, compile_programs
from build_tools.measure.diagnosis import read_diagnostics
from build_tools.measure.toolchain import Toolchain, find_nvcc
from tests.course_factory import PROGRAM, load_program, make_course

pytestmark = pytest.mark.compiler

Compile = Callable[..., tuple[Compiled | None, list[Finding]]]
CU = "snippets/add/add.cu"


@pytest.fixture
def compile_text(tmp_path: Path, toolchain: Toolchain) -> Compile:
    """Compiles a program of this text in a course of its own."""

    def compile_it(
        text: str, arch: str | None = None, folder: str = "course"
    ) -> tuple[Compiled | None, list[Finding]]:
        root = tmp_path / folder
        make_course(root, {"add": text})
        out = tmp_path / f"{folder}-out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        return compile_program(root, load_program(root, "add"), toolchain, arch, out)

    return compile_it


def place_in(text: str, words: str) -> str:
    """``line:column`` of words in a text."""
    before = text[: text.index(words)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


TEXT = PROGRAM.format(name="add")


def test_a_build_and_what_the_compiler_says_of_it(compile_text: Compile, tmp_path: Path) -> None:
    compiled, findings = compile_text(TEXT)
    assert not findings
    assert compiled is not None
    build = compiled.build
    assert build.command == ("nvcc", "-std=c++17", "-O3", "-arch=sm_90", "-o", "add", "add.cu")
    assert build.stated_command == " ".join(build.command)
    assert build.nvcc.startswith(f"V{build.cuda}")
    assert list(build.kernels) == ["add"]
    assert build.kernels["add"].registers > 0
    assert b"ptxas info" in compiled.report
    assert str(tmp_path).encode() not in compiled.report
    assert [p.name for p in (tmp_path / "course/snippets/add").iterdir()] == ["add.cu"]


def test_machine_code_depends_on_the_code_and_not_on_the_folder(compile_text: Compile) -> None:
    hidden = TEXT.replace("__global__ void add", "namespace {\n__global__ void add")
    hidden = hidden.replace("}\n// end snippet: add-kernel", "}\n}\n// end snippet: add-kernel")
    hidden = hidden.replace('std::puts("done");', "add<<<1, 1>>>(nullptr, nullptr, nullptr, 0);")
    one, findings = compile_text(hidden, folder="one")
    assert one is not None, findings
    assert list(one.build.kernels) == ["add"]
    two, _ = compile_text(hidden.replace("Day 1", "Day 2"), folder="some/where/else")
    assert two is not None
    assert two.build.machine_code_digest == one.build.machine_code_digest
    other, _ = compile_text(hidden.replace("a[i] + b[i]", "a[i] - b[i]"), folder="other")
    assert other is not None
    assert other.build.machine_code_digest != one.build.machine_code_digest


def test_another_device_replaces_the_architecture(compile_text: Compile) -> None:
    compiled, _ = compile_text(TEXT, "sm_80")
    assert compiled is not None
    assert "-arch=sm_80" in compiled.build.command
    assert compiled.build.arch_replaced == "sm_90 -> sm_80"
    assert b"for 'sm_80'" in compiled.report


def test_several_architectures_in_one_program(compile_text: Compile) -> None:
    flags = "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90"
    compiled, findings = compile_text(TEXT.replace("-arch=sm_90", flags))
    assert compiled is not None, findings
    assert sorted(compiled.build.kernels) == ["add@sm_80", "add@sm_90"]


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        ("c[i] = a[i] + b[i];", "c[i] = a[i] + q[i];", "q[i]", 'identifier "q" is undefined'),
        ("int i = block", "\tint i = undefined + block", "undefined", '"undefined" is undefined'),
        ("__global__ void add(", "__global__ void add(nix x, ", "nix x", '"nix" is undefined'),
        ("#include <cstdio>", "#include <nowhere.h>", "<nowhere.h>", "nowhere.h"),
        ("return 0;", 'return "a";', '"a"', "return value type"),
    ],
)
def test_an_error_is_placed_and_means_that_nothing_was_checked(
    compile_text: Compile, old: str, new: str, at: str, said: str
) -> None:
    text = TEXT.replace(old, new)
    compiled, findings = compile_text(text)
    assert compiled is None
    assert str(findings[0].place) == f"{CU}:{place_in(text, at)}"
    assert said in findings[0].true
    assert findings[0].kind is Kind.BUILD
    assert findings[0].advice == "correct the program"
    assert compute_exit_status(findings) == 2


def test_a_warning_is_a_finding_and_the_build_is_there(compile_text: Compile) -> None:
    text = TEXT.replace("return 0;", "int idle; return 0;")
    compiled, (finding,) = compile_text(text)
    assert compiled is not None
    assert str(finding.place) == f"{CU}:{place_in(text, 'idle')}"
    assert '"idle" was declared but never referenced' in finding.true
    assert finding.checked


def test_what_the_linker_misses_is_placed_at_the_command(compile_text: Compile) -> None:
    text = TEXT.replace("int main() {", "int far_away();\nint main() { far_away();")
    compiled, findings = compile_text(text)
    assert compiled is None
    assert str(findings[0].place) == f"{CU}:5:11"
    assert "undefined reference to `far_away()'" in findings[0].true


def test_what_ptxas_refuses_is_said(compile_text: Compile) -> None:
    text = TEXT.replace(
        "int i = block", "__shared__ float t[99999]; t[n] = 1; c[0] = t[0]; int i = block"
    )
    compiled, findings = compile_text(text)
    assert compiled is None
    assert "shared data" in findings[0].true


def test_an_option_that_is_none_is_said(compile_text: Compile) -> None:
    compiled, findings = compile_text(TEXT.replace("-O3", "--no-such-option"))
    assert compiled is None
    assert "no-such-option" in findings[0].true
    assert findings[0].place.line == 5


def test_a_failure_that_nothing_explains(example: Path) -> None:
    program = load_program(example, "add")
    (finding,) = read_diagnostics("odd\nwords\n", example, program, "it ended with exit status 9")
    assert "exit status 9; it said: odd / words" in finding.true
    assert "by hand" in finding.advice
    assert not finding.checked
    many = "".join(f"add.cu({n}): error: wrong\n" for n in range(1, 31))
    findings = read_diagnostics(many, example, program, "it ended with exit status 1")
    assert len(findings) == 21
    assert "10 times more" in findings[-1].true


def test_the_wheels_compile_what_the_toolkit_does(
    tmp_path: Path, compile_text: Compile, toolchain: Toolchain
) -> None:
    wheels = find_nvcc({"PATH": "/usr/bin:/bin"})
    if isinstance(wheels, str) or "cu13" not in str(wheels.nvcc):
        pytest.skip("the wheels of nvcc are not installed")
    out = tmp_path / "out"
    out.mkdir()
    make_course(tmp_path, {"add": TEXT})
    compiled, findings = compile_program(tmp_path, load_program(tmp_path, "add"), wheels, None, out)
    assert compiled is not None, findings
    assert (out / "add").is_file()
    if wheels.version == toolchain.version:
        other, _ = compile_text(TEXT)
        assert other is not None
        assert compiled.build.machine_code_digest == other.build.machine_code_digest


def test_a_whole_course_is_compiled_and_told(tmp_path: Path) -> None:
    broken = TEXT.replace("add.cu", "bad.cu").replace("-o add", "-o bad").replace("./add", "./bad")
    make_course(tmp_path, {"add": TEXT, "bad": broken.replace("return 0;", "return q;")})
    programs = [load_program(tmp_path, name) for name in ("add", "bad")]
    told: list[str] = []
    count, findings = compile_programs(tmp_path, programs, told.append)
    assert count == 1
    assert [f.place.path for f in findings] == ["snippets/bad/bad.cu"]
    assert any(line.startswith("add: add: ") and "registers" in line for line in told)


EXERCISE = """\
    // solution: sum
    // starter: {starter}
    if (i < n) c[i] = a[i] + b[i];
    // end solution
"""


def compile_with_starter(root: Path, starter: str) -> tuple[int, list[Finding], list[str]]:
    text = TEXT.replace("    if (i < n) c[i] = a[i] + b[i];\n", EXERCISE.format(starter=starter))
    make_course(root, {"add": text})
    told: list[str] = []
    count, findings = compile_programs(root, [load_program(root, "add")], told.append)
    return count, findings, told


def test_the_starter_of_an_exercise_is_compiled_too(tmp_path: Path) -> None:
    count, findings, told = compile_with_starter(tmp_path, "if (i < n) c[i] = a[i];")
    assert (count, findings) == (1, [])
    assert "add: starters compile: sum" in told


@pytest.mark.parametrize(
    ("starter", "said"),
    [("if (i < n) c[i] = d[i];", "is undefined"), ("// Your turn.", "never referenced")],
)
def test_what_is_wrong_with_a_starter_is_placed_at_its_line(
    tmp_path: Path, starter: str, said: str
) -> None:
    count, (finding,), told = compile_with_starter(tmp_path, starter)
    assert count == 0
    assert finding.kind is Kind.BUILD
    assert finding.stated.startswith("the starter of `sum`: ")
    assert said in finding.true
    text = (tmp_path / CU).read_text()
    words = "int i" if starter.startswith("//") else "// starter"
    assert finding.place.path == CU
    assert str(finding.place.line) == place_in(text, words).partition(":")[0]
    assert not any("starters compile" in line for line in told)
