"""Are the outputs of profiler, sanitizer and disassembler read as they stand, or refused?"""

from fractions import Fraction
from pathlib import Path

import pytest

from build_tools.evidence.counter_log import (
    LogError,
    list_errors,
    read_counter_log,
    read_profiler_unit,
)
from build_tools.evidence.machine_code import count_matching, count_opcodes, read_machine_code
from build_tools.evidence.sanitizer_log import read_sanitizer_log
from build_tools.quantity.units import format_dimensions

LISTING = Path(__file__).parents[1] / "cases" / "listing"

NCU = Path(__file__).parents[1] / "cases" / "ncu"
"""What ncu 2025.3.1 wrote on an H200, most of its columns left out."""

LOG = (NCU / "hot.csv").read_text()
METRICS = (
    "smsp__inst_executed_op_global_ld.sum",
    "dram__bytes_read.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
)


def test_launches_are_read_with_their_units_and_passes() -> None:
    log = read_counter_log(LOG, METRICS)
    assert log.passes == 1
    assert log.units == {
        "smsp__inst_executed_op_global_ld.sum": "inst",
        "dram__bytes_read.sum": "byte",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sector",
        "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": "%",
    }
    naive, tiled = log.launches
    assert (naive.kernel, naive.line, tiled.kernel) == ("matmulNaive", 7, "matmulTiled")
    sectors = naive.counts["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
    assert sectors is not None
    assert (sectors.value, sectors.half, sectors.text) == (16_777_216, 0, "16,777,216")
    share = tiled.counts["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"]
    assert share is not None
    assert share.half == Fraction("0.005")
    assert 50 < share.value < 100


def test_columns_that_nobody_asked_for_may_hold_words() -> None:
    assert '"NVIDIA H200"' in LOG
    log = read_counter_log(LOG, ())
    assert [launch.counts for launch in log.launches] == [{}, {}]
    with pytest.raises(LogError, match="`NVIDIA H200` of `device__attribute_display_name`"):
        read_counter_log(LOG, ("device__attribute_display_name",))


@pytest.mark.parametrize("cell", ["n/a", "N/A", "nan", "NaN", "", "no data"])
def test_a_value_that_there_is_not(cell: str) -> None:
    log = read_counter_log(LOG.replace('"16,777,216"', f'"{cell}"', 1), METRICS)
    assert log.launches[0].counts["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] is None


def test_a_metric_that_the_profiler_does_not_know_is_not_in_its_log() -> None:
    log = read_counter_log((NCU / "unknown-metric.csv").read_text(), ("no__such.sum",))
    assert (log.units, log.errors) == ({}, ())
    assert [launch.kernel for launch in log.launches] == ["matmulNaive", "matmulTiled"]


def test_kernels_have_their_plain_names_also_where_they_are_printed_whole() -> None:
    whole = "void course::matmulNaive<(int)4>(const float *, float (*)(int))"
    log = read_counter_log(LOG.replace('"matmulNaive"', f'"{whole}"'), METRICS)
    assert log.launches[0].kernel == "matmulNaive"


def test_passes_are_those_of_the_launch_that_took_most() -> None:
    rows = LOG.split("\n")
    header = rows[4].split('","')
    place = header.index("profiler__replayer_passes")
    last = rows[7][1:-1].split('","')
    last[place] = "3"
    rows[7] = '"' + '","'.join(last) + '"'
    assert read_counter_log("\n".join(rows), METRICS).passes == 3
    # As versions print it that draw their progress.
    told = '==PROF== Profiling "matmulTiled" - 1: 0%....50%....100% - 4 passes\n'
    assert read_counter_log(told + LOG, METRICS).passes == 4
    without = LOG.replace("profiler__replayer_passes", "profiler__of_another_name", 1)
    assert read_counter_log(without, METRICS).passes == 0


def test_a_log_without_a_table_has_its_words() -> None:
    text = (
        "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
        "Performance Counters on the target device 0.\n==WARNING== No kernels were profiled.\n"
    )
    log = read_counter_log(text, METRICS)
    assert not log.launches
    assert log.errors[0].startswith("ERR_NVGPUCTRPERM - The user")
    assert list_errors("nothing") == ()


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"Kernel Name"', '"Kernel"', 5, "no column `Kernel Name`"),
        ('"dram__bytes_read.avg"', '"dram__bytes_read.sum"', 5, "two columns"),
        ('\n"","","",', '\n"0","","",', 6, "units"),
        ('\n"","","",', '\n"","",', 6, "units"),
        ('"127.0.0.1",', "", 7, "52 cells and the header 53"),
        ('"16,777,216"', '"16,777,2l6"', 7, "`16,777,2l6` of `l1tex__t_sectors"),
        ('"tiled_matmul"', '"tiled_matmul', 7, "not one of a CSV table"),
    ],
)
def test_a_log_of_another_form_is_refused(old: str, new: str, line: int, said: str) -> None:
    assert old in LOG
    with pytest.raises(LogError, match=said) as caught:
        read_counter_log(LOG.replace(old, new, 1), METRICS)
    assert caught.value.line == line


def test_a_log_that_breaks_off_is_refused() -> None:
    with pytest.raises(LogError, match="ends after its header"):
        read_counter_log(LOG.partition('\n"",')[0], METRICS)


@pytest.mark.parametrize(
    ("text", "factor", "dimensions"),
    [
        ("byte", 1, "B"),
        ("Kbyte", 1000, "B"),
        ("Gbyte/second", 10**9, "B/s"),
        ("byte/s", 1, "B/s"),
        ("ns", Fraction(1, 10**9), "s"),
        ("usecond", Fraction(1, 10**6), "s"),
        ("hz", 1, "1/s"),
        ("Ghz", 10**9, "1/s"),
        ("%", Fraction(1, 100), "a bare number"),
    ],
)
def test_units_that_are_more_than_a_noun(text: str, factor: Fraction, dimensions: str) -> None:
    unit = read_profiler_unit(text)
    assert unit is not None
    assert (unit.factor, format_dimensions(unit)) == (factor, dimensions)


@pytest.mark.parametrize("text", ["", "sector", "inst", "request", "inst/cycle", "cycle"])
def test_nouns_are_only_counted(text: str) -> None:
    assert read_profiler_unit(text) is None


# --- the sanitizer

CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
RACE = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at matmulTiled+0x240 in tiled.cu:106
=========     and Read access at matmulTiled+0x2d0 in tiled.cu:112 [4096 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
REFUSAL = """\
========= COMPUTE-SANITIZER
========= Error: process didn't terminate successfully
=========     The application may have hit an error when dereferencing Unified Memory.
========= Error: Target application terminated before first instrumented API call
"""


def test_a_clean_log_passes_and_only_then() -> None:
    verdict = read_sanitizer_log(CLEAN, 0)
    assert (verdict.passed, verdict.errors, verdict.could_not_check) == (True, 0, "")
    failed = read_sanitizer_log(CLEAN, 1)
    assert (failed.passed, failed.could_not_check) == (False, "")
    assert failed.said == "ERROR SUMMARY: 0 errors, and the program ended with exit status 1"
    cut = read_sanitizer_log(CLEAN, -9, "it took longer than 120 s and was killed")
    assert (cut.passed, cut.could_not_check) == (False, "it took longer than 120 s and was killed")


def test_what_is_found_is_counted_with_its_first_words() -> None:
    verdict = read_sanitizer_log(RACE, 86)
    assert (verdict.errors, verdict.warnings, verdict.passed) == (1, 0, False)
    assert verdict.said.startswith("Error: Race reported between Write access at matmulTiled")
    warned = RACE.replace("(1 error, 0 warnings)", "(0 errors, 1 warning)")
    assert read_sanitizer_log(warned, 86).warnings == 1


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (REFUSAL, 255, "terminated before first instrumented API call"),
        ("", 1, "it printed no summary; it ended with exit status 1"),
        (CLEAN + CLEAN, 0, "ERROR SUMMARY: 0 errors ERROR SUMMARY"),
        (CLEAN.replace("0 errors", "0 errors injected"), 0, "0 errors injected"),
        ("========= COMPUTE-SANITIZER\n========= Target application doesn't exist\n", 1, "exist"),
    ],
)
def test_a_log_without_one_summary_is_no_verdict(text: str, status: int, said: str) -> None:
    verdict = read_sanitizer_log(text, status)
    assert not verdict.passed
    assert said in verdict.could_not_check


# --- machine code


def test_both_tools_list_the_same_instructions() -> None:
    sass, lines = (
        read_machine_code((LISTING / f"{name}.txt").read_text()) for name in ("sass", "lines")
    )
    assert list(sass) == list(lines) == ["_Z3addPKfS0_Pfi"]
    code = sass["_Z3addPKfS0_Pfi"]
    assert [i.address for i in code] == [i.address for i in lines["_Z3addPKfS0_Pfi"]]
    assert [i.opcode for i in code] == [i.opcode for i in lines["_Z3addPKfS0_Pfi"]]
    assert code[-1].opcode == "EXIT"  # what follows is padding
    assert code[7].text == "@P0 BRA 0x130"
    added = next(i for i in lines["_Z3addPKfS0_Pfi"] if i.opcode == "FADD")
    assert (added.file, added.line, added.operands) == ("add.cu", 16, "R9, R4, R3")


def test_counts_go_by_whole_parts_of_an_opcode() -> None:
    opcodes = {"LDS": 16, "LDS.128": 4, "LDSM.16.M88.4": 2, "LDG.E": 1}
    assert count_matching(opcodes, "LDS") == 20
    assert count_matching(opcodes, "LDS.128") == 4
    assert count_matching(opcodes, "LDSM") == 2
    assert count_matching(opcodes, "LD") == 0
    code = read_machine_code((LISTING / "sass.txt").read_text())["_Z3addPKfS0_Pfi"]
    assert count_opcodes(code)["LDG.E"] == 2
    assert sum(count_opcodes(code).values()) == len(code) == 22


def test_a_loop_at_the_end_is_no_padding() -> None:
    text = "\t\tFunction : f\n        /*0000*/   EXIT ;\n        /*0010*/   BRA 0x0 ;\n"
    assert [i.opcode for i in read_machine_code(text)["f"]] == ["EXIT", "BRA"]
    text = text.replace("BRA 0x0", "BRA 0x10")
    assert [i.opcode for i in read_machine_code(text)["f"]] == ["EXIT"]
