"""Does the compiler's report read as each kernel's facts?"""

import time

import pytest

from build_tools.evidence.compiler import demangle_base, locate_kernel, read_resource_report


@pytest.mark.parametrize(
    ("mangled", "name", "arguments"),
    [
        ("plain", "plain", ()),
        ("_Z3addPKfS0_Pfi", "add", ()),
        ("_ZN1a1b4tileILi16EEEvPf", "tile", ("16",)),
        ("_Z4tileILin3ELb0EEvPf", "tile", ("-3", "0")),
        ("_ZN33_GLOBAL__N__544f3553_4_t_cu_plain6hiddenEPi", "hidden", ()),
        ("_ZL6staticPf", "static", ()),
        ("_Z5applyI4DoubleEvT_Pf", "apply", ()),
        ("_Z", "_Z", ()),
    ],
)
def test_plain_names_of_mangled_ones(mangled: str, name: str, arguments: tuple[str, ...]) -> None:
    assert demangle_base(mangled) == (name, arguments)


NO_SPILL = "0 bytes spill stores, 0 bytes spill loads"


def report(mangled: str, used: str, spill: str = NO_SPILL, arch: str = "sm_90") -> str:
    return (
        f"ptxas info    : Compiling entry function '{mangled}' for '{arch}'\n"
        f"ptxas info    : Function properties for {mangled}\n"
        f"    8 bytes stack frame, {spill}\n"
        f"ptxas info    : Used {used}\n"
        "ptxas info    : Compile time = 1.000 ms\n"
    )


def test_facts_of_a_kernel() -> None:
    text = "t.cu(9): warning #177-D: unused\nptxas info    : 0 bytes gmem\n"
    spill = "12 bytes spill stores, 16 bytes spill loads"
    text += report(
        "_Z3addPf",
        "255 registers, used 1 barriers, 2048 bytes smem, 380 bytes cmem[0], 8 bytes cmem[2]",
        spill,
    )
    (facts,) = read_resource_report(text).values()
    assert (facts.registers, facts.shared_bytes, facts.constant_bytes) == (255, 2048, 388)
    assert (facts.stack_bytes, facts.spill_store_bytes, facts.spill_load_bytes) == (8, 12, 16)


def test_a_templates_instances_are_told_apart() -> None:
    text = report("_Z4tileILi16EEvPf", "10 registers") + report("_Z4tileILi32EEvPf", "20 registers")
    text += report("_Z5applyI3OneEvT_", "1 registers") + report("_Z5applyI3TwoEvT_", "2 registers")
    text += report("_Z4onlyILi4EEvPf", "4 registers")
    registers = {name: facts.registers for name, facts in read_resource_report(text).items()}
    assert registers == {
        "tile<16>": 10,
        "tile<32>": 20,
        "_Z5applyI3OneEvT_": 1,
        "_Z5applyI3TwoEvT_": 2,
        "only": 4,
    }


def test_several_architectures_are_told_apart() -> None:
    text = report("add", "10 registers", arch="sm_80") + report("add", "20 registers")
    registers = {name: facts.registers for name, facts in read_resource_report(text).items()}
    assert registers == {"add@sm_80": 10, "add@sm_90": 20}


def test_a_program_without_kernels_has_no_facts() -> None:
    assert read_resource_report("") == {}


def test_the_line_of_a_kernels_registers() -> None:
    text = "t.cu(9): warning: Used 3 times\n" + report("_Z3addPf", "12 registers")
    text += report("_Z3subPf", "16 registers")
    assert locate_kernel(text, "add") == 5
    assert locate_kernel(text, "sub") == 10
    assert locate_kernel(text, "mul") == 0
    assert locate_kernel(text + "ptxas info    : Used 8 registers\n", "add") == 0


@pytest.mark.parametrize(
    "line",
    [
        f"{'1' * 200_000}",
        f"ptxas info    : Used {'1' * 5_000} registers",
        f"ptxas info    : Used 3 registers, {'1' * 5_000} bytes smem, {'2' * 200_000} bytes cmem[0]",
        f"    {'1' * 5_000} bytes stack frame, {NO_SPILL}",
    ],
)
def test_digits_of_no_compiler_are_passed_over(line: str) -> None:
    started = time.perf_counter()
    facts = read_resource_report(f"{report('_Z3addPf', '12 registers')}{line}\n")
    assert facts["add"].registers == 12
    assert time.perf_counter() - started < 2


def test_a_name_of_many_digits_is_its_own() -> None:
    long = f"_Z{'9' * 5_000}add"
    assert demangle_base(long)[1] == ()
    assert list(read_resource_report(report(long, "12 registers")))


def test_many_kernels_of_one_name_are_named_soon() -> None:
    started = time.perf_counter()
    text = "".join(report(f"_Z4tileILi{n}EEvPf", "12 registers") for n in range(5_000))
    assert len(read_resource_report(text)) == 5_000
    assert time.perf_counter() - started < 5
