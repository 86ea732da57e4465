"""Is PTX read function by function, each instruction with the lines that it comes from?"""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.evidence.ptx import PtxLine, read_ptx

LISTING = Path(__file__).parents[1] / "cases" / "listing"
ADD = "_Z3addPKfS0_Pfi"

INLINED = """\
.version 9.0
.visible .entry one(
.param .u64 one_param_0
)
{
.reg .f32 %f<4>;
.loc\t1 10 0
ld.param.u64 %rd1, [one_param_0];
{lines}
}
.file\t1 "/home/someone/course/snippets/add/add.cu"
.file\t2 "/usr/local/cuda/include/crt/mma.hpp"
.file\t3 "inner.hpp"
"""


def read_places(text: str, instruction: str, function: str = "one") -> list[PtxLine]:
    return [line for line in read_ptx(text)[function] if line.text.startswith(instruction)]


def inline(*lines: str) -> str:
    return INLINED.replace("{lines}", "\n".join(lines))


def test_instructions_have_lines_and_directives_are_left_out() -> None:
    functions = read_ptx((LISTING / "ptx.txt").read_text())
    assert list(functions) == [ADD]
    lines = functions[ADD]
    assert lines[0].text == f".visible .entry {ADD}("
    assert lines[-1].text == "}"
    text = "\n".join(line.text for line in lines)
    assert ".loc" not in text
    assert ".file" not in text
    assert "debug_str" not in text
    assert "\n\n\n" not in text
    found = {line.text: line.find_line("add.cu") for line in lines}
    assert found["ld.param.u64 %rd1, [_Z3addPKfS0_Pfi_param_0];"] == 18
    assert found["mov.u32 %r3, %ctaid.x;"] == 19
    assert found["@%p1 bra $L__BB0_2;"] == 20
    assert found["add.f32 %f3, %f2, %f1;"] == 16  # its own line, not that of the call
    assert found["ret;"] == 22
    for other in ("$L__BB0_2:", ".reg .pred %p<2>;", "{", "}", ")", ""):
        assert found[other] == 0
    assert {line.find_line("other.cu") for line in lines} == {0}


def test_ptx_without_lines() -> None:
    text = (LISTING / "ptx.txt").read_text()
    bare = "\n".join(line for line in text.split("\n") if not line.startswith((".loc", ".file")))
    lines = read_ptx(bare)[ADD]
    assert [line.text for line in lines] == [line.text for line in read_ptx(text)[ADD]]
    assert not any(line.places for line in lines)


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        ([".loc\t1 12 5"], [("add.cu", 12)]),
        ([".loc 1 12 5"], [("add.cu", 12)]),
        ([".loc\t1 0 5"], []),  # the compiler's own
        ([".loc\t9 12 5"], []),  # of a file that is not listed
        (
            [".loc\t1 7 3, function_name $L__info_string0, inlined_at 1 12 5"],
            [("add.cu", 7), ("add.cu", 12)],
        ),
        (
            [".loc\t2 99 5, function_name $L__info_string0+8, inlined_at 1 12 5"],
            [("mma.hpp", 99), ("add.cu", 12)],
        ),
        (
            [".loc\t2 0 5, function_name $L__info_string0, inlined_at 1 12 5"],
            [("add.cu", 12)],
        ),
        (  # a header's function in a header's function
            [
                ".loc\t1 12 5",
                ".loc\t2 99 5, function_name $L__info_string0, inlined_at 1 12 5",
                ".loc\t3 4 5, function_name $L__info_string1, inlined_at 2 99 5",
            ],
            [("inner.hpp", 4), ("mma.hpp", 99), ("add.cu", 12)],
        ),
        (  # the step between is told before, once
            [
                ".loc\t2 99 5, function_name $L__info_string0, inlined_at 1 12 5",
                "mov.u32 %r1, %r2;",
                ".loc\t1 10 0",
                "mov.u32 %r2, %r3;",
                ".loc\t3 4 5, function_name $L__info_string1, inlined_at 2 99 5",
            ],
            [("inner.hpp", 4), ("mma.hpp", 99), ("add.cu", 12)],
        ),
        (  # of two the one just before
            [
                ".loc\t2 99 5, function_name $L__info_string0, inlined_at 1 12 5",
                "mov.u32 %r1, %r2;",
                ".loc\t2 99 5, function_name $L__info_string0, inlined_at 1 13 5",
                ".loc\t3 4 5, function_name $L__info_string1, inlined_at 2 99 5",
            ],
            [("inner.hpp", 4), ("mma.hpp", 99), ("add.cu", 13)],
        ),
        (  # of two none, when neither stands just before
            [
                ".loc\t2 99 5, function_name $L__info_string0, inlined_at 1 12 5",
                "mov.u32 %r1, %r2;",
                ".loc\t2 99 5, function_name $L__info_string0, inlined_at 1 13 5",
                "mov.u32 %r2, %r3;",
                ".loc\t3 4 5, function_name $L__info_string1, inlined_at 2 99 5",
            ],
            [("inner.hpp", 4), ("mma.hpp", 99)],
        ),
        (  # nor a spot that nothing was said of
            [".loc\t3 4 5, function_name $L__info_string1, inlined_at 2 99 5"],
            [("inner.hpp", 4), ("mma.hpp", 99)],
        ),
    ],
)
def test_what_is_inlined_has_the_lines_outwards(
    lines: list[str], places: list[tuple[str, int]]
) -> None:
    (added,) = read_places(inline(*lines, "add.f32 %f3, %f2, %f1;"), "add.f32")
    assert list(added.places) == places
    own = [line for name, line in places if name == "add.cu"]
    assert added.find_line("add.cu") == (own[0] if own else 0)


def test_braces_within_a_function_do_not_end_it() -> None:
    text = inline(
        ".loc\t1 12 5",
        "{",
        ".reg .pred p;",
        "setp.ne.b32 p, %r1, 0;",
        "}",
        "{ cvt.rn.f16.f32 %rs1, %f1;}",
        "{ // callseq 0, 0",
        ".param .b64 param0;",
        "st.param.b64 [param0+0], %rd2;",
        "call.uni (retval0),",
        "vprintf,",
        "(",
        "param0",
        ");",
        "} // callseq 0",
        ".loc\t1 13 5",
        "mov.v4.u32 {%r1, %r2, %r3, %r4}, %r5; // as is",
        "ret;",
    )
    read = read_ptx(text)["one"]
    assert [line.text for line in read][-2:] == ["ret;", "}"]
    lines = {line.text: line.find_line("add.cu") for line in read}
    assert lines["ret;"] == lines["mov.v4.u32 {%r1, %r2, %r3, %r4}, %r5; // as is"] == 13
    called = (
        "call.uni (retval0),",
        "vprintf,",
        "(",
        "param0",
        ");",
        "{ cvt.rn.f16.f32 %rs1, %f1;}",
    )
    assert {lines[text] for text in called} == {12}
    assert lines[".param .b64 param0;"] == lines["{"] == lines["} // callseq 0"] == 0


def test_declarations_and_further_modules() -> None:
    declared = ".func (.param .b32 func_retval0) two(\n.param .b32 two_param_0\n)\n;\n"
    defined = declared.replace("\n;", "\n{\n.loc 1 3 1\nret;\n}")
    one = inline(".loc 1 12 5", "ret;").replace(".visible", declared + ".visible", 1) + defined
    other = inline(".loc 1 20 5", "ret;").replace('1 "', '4 "').replace("one", "three")
    functions = read_ptx(one + one.replace("12", "14") + other)
    assert list(functions) == ["one", "two", "three"]
    assert [line.find_line("add.cu") for line in functions["one"]][-2:] == [12, 0]
    assert functions["two"][-2] == PtxLine("ret;", (("add.cu", 3),))
    assert functions["three"][-2].places == ()  # each module numbers its files by itself
