"""Is what program.toml asks of profiler, sanitizers, mutants and listings read, or said wrong?"""

from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.part_digest import compute_part_digest
from build_tools.evidence.part_model import PartKind
from build_tools.source.model import Program
from build_tools.source.mutants import mutate_text
from build_tools.source.programs import read_program
from tests.course_factory import DECLARATION, PROGRAM, make_course

PARTS = """
[counters.small]
kernels = ["add"]
args = "--once --n '64'"
caches = "hot"
launches = 4
[counters.small.metrics]
loads = { metric = "smsp__inst_executed_op_global_ld.sum", unit = "instructions" }
dram_read = { metric = "dram__bytes_read.sum", unit = "B" }

[sanitizers]
args = "--once --n 48"
tools = ["racecheck", "memcheck"]

[mutants.no-guard]
region = "add-kernel"
replace = "    if (i < n) c[i]"
with = "    c[i]"
proves = "memcheck"

[mutants.same]
region = "add-kernel"
replace = "a[i] + b[i]"
with = "b[i] + a[i]"
equivalent = "a sum does not depend on its order"

[listings.add-kernel]

[sanity.rate]
rate = 'rate[:, "wide"]'
peak = "4.8e12"

[sanity.written]
formula = "64"
counter = "counters.small['add'].dram_read"
below = "8"

[again.kernel]
first = "narrow"
again = "wide"
"""
TOOLS = 'tools = ["racecheck", "memcheck"]\n'
PAIR = 'first = "narrow"\nagain = "wide"'

Read = Callable[..., tuple[Program, list[Finding]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads the example with these parts, one text of them replaced."""

    def read_it(old: str = "", new: str = "") -> tuple[Program, list[Finding]]:
        assert old in PARTS
        text = PARTS.replace(old, new, 1) if old else PARTS
        declared = {"add": DECLARATION + text}
        make_course(tmp_path, {"add": PROGRAM.format(name="add")}, declared)
        program, findings = read_program(tmp_path, "add")
        assert program is not None
        return program, findings

    return read_it


def quote(root: Path, finding: Finding) -> str:
    """The declaration from the finding's place on, to its line's end."""
    line = (root / finding.place.path).read_text().split("\n")[finding.place.line - 1]
    return line[finding.place.column - 1 :]


def test_everything_is_read(read: Read) -> None:
    program, findings = read()
    assert findings == []
    parts = program.declaration.parts
    session = parts.counters["small"]
    assert (session.kernels, session.args) == (("add",), ("--once", "--n", "64"))
    assert (session.caches, session.launches) == ("hot", 4)
    assert session.metrics["dram_read"].metric == "dram__bytes_read.sum"
    assert session.metrics["loads"].unit == "instructions"
    assert parts.sanitizers is not None
    assert parts.sanitizers.tools == ("memcheck", "racecheck")
    assert parts.mutants["no-guard"].proves == "memcheck"
    assert parts.mutants["same"].equivalent.startswith("a sum")
    assert parts.listings["add-kernel"].kernels == ("add",)
    assert parts.sanity["rate"].peak is not None
    assert parts.sanity["written"].above is None
    assert parts.again["kernel"].pairs == (("narrow", "wide"),)


def test_several_kernels_may_be_timed_twice(read: Read) -> None:
    program, findings = read(PAIR, 'pairs = [["narrow", "wide"], ["a", "b"]]')
    assert findings == []
    pairs = program.declaration.parts.again["kernel"].pairs
    assert pairs == (("narrow", "wide"), ("a", "b"))


def test_parts_are_no_part_of_the_code(read: Read) -> None:
    with_parts, _ = read()
    without, _ = read(PARTS, "")
    assert with_parts.code_digest == without.code_digest


def test_a_mutant_changes_its_text_and_nothing_else(read: Read) -> None:
    program, _ = read()
    rule = program.declaration.parts.mutants["no-guard"]
    mutated = mutate_text(program.text, program.regions["add-kernel"], rule)
    assert mutated == program.text.replace("    if (i < n) c[i]", "    c[i]")


@pytest.mark.parametrize(
    ("old", "new", "at", "true", "advice"),
    [
        # counters
        ('kernels = ["add"]', 'kernels = ["ad"]', '"ad"', "no `__global__`", "`add`"),
        ('kernels = ["add"]', "", "small]", "names no kernels", "kernels ="),
        ('caches = "hot"', "", "small]", "`hot` or `cold`", "caches ="),
        ('caches = "hot"', 'caches = "warm"', '"warm"', 'one of "hot", "cold"', "hot"),
        ("launches = 4", "launches = 2", "2", "nothing of spread", "3 or more"),
        ('"dram__bytes_read.sum"', '"dram bytes"', '"dram bytes"', "no metric's name", "dram__"),
        ('metric = "dram__bytes_read.sum", ', "", "dram_read", "names no metric", "metric ="),
        ('unit = "B" }', 'unit = "bits/tick" }', '"bits/tick"', "unknown unit", ""),
        ("dram_read =", "source =", "source", "is reserved", "rename"),
        ("args = \"--once --n '64'\"", 'args = "--n \'64"', '"--n', "split into words", "quote"),
        ("launches = 4", "lunches = 4", "lunches", "no such key", "launches"),
        # sanitizers
        ('args = "--once --n 48"', "", "sanitizers]", "small size", "args ="),
        ('["racecheck", ', '["racechek", ', '"racechek"', "no such tool", "racecheck"),
        ('["racecheck", "memcheck"]', "[]", "[]", "no tool", "leave `tools` out"),
        (TOOLS, TOOLS + 'without.racechek = "no"\n', "racechek", "no such tool", "racecheck"),
        (TOOLS, TOOLS + 'without.memcheck = "no"\n', "memcheck", "among the tools", "one of the"),
        (TOOLS, TOOLS + 'without.synccheck = " "\n', '" "', "no reason is given", "say why"),
        # mutants
        ("no-guard]", '"no guard"]', '"no guard"', "small letters", "rename"),
        ('region = "add-kernel"', 'region = "add"', '"add"', "no region `add`", "add-kernel"),
        ("    if (i < n) c[i]", "    if (i<n) c[i]", '"    if', "nowhere", "quote it"),
        ("    if (i < n) c[i]", "if  (i < n) c[i]", '"if', "nowhere", "line 17 has it with other"),
        ("    if (i < n) c[i]", "i", '"i"', "times", "enough of it to be one"),
        ('with = "    c[i]"', "", "no-guard]", "what stands there instead", "with ="),
        ('with = "    c[i]"', 'with = "    if (i < n) c[i]"', '"    if', "what it replaces", ""),
        ('"    c[i]"', '"if (i < n)  c[i]"', '"    if', "comments or spacing", "code itself"),
        ('proves = "memcheck"', 'proves = "memchek"', '"memchek"', "no such tool", "memcheck"),
        ('proves = "memcheck"', 'proves = "synccheck"', '"sync', "not among the tools", "name it"),
        ('"a sum does not depend on its order"', '" "', '" "', "an argument is missing", "why"),
        # listings
        ("listings.add-kernel]", "listings.block]", "block]", "defines no `__global__`", "kernels"),
        ("listings.add-kernel]", "listings.add]", "add]", "no such region", "add-kernel"),
        # sanity
        ('peak = "4.8e12"', "", "rate]", "nothing to check", "`rate` with `peak`"),
        ('formula = "64"', "", "written]", "nothing to check", "`formula` with `counter`"),
        ('peak = "4.8e12"', 'peak = ""', '""', "empty", "what it comes to"),
        ("[again.kernel]", "[again.kernl]", "kernl]", "no table and no line has a key", "kernel"),
        ('again = "wide"', 'again = "narrow"', "kernel]", "two keys", "as the transcript"),
        (PAIR, "pairs = []", "[]", "no pairs of keys", 'write `[["read", "read again"]'),
        (PAIR, 'pairs = [["a"]]', '["a"]', "not two keys of the same", 'write `[["read"'),
        (PAIR, 'pairs = [["a", "a"]]', '["a", "a"]', "not two keys of the same", 'write `[["read"'),
        (
            PAIR,
            'pairs = [["a", "b"], ["b", "c"]]',
            '["b", "c"]',
            "`b` stands in another pair already",
            "each row in one pair",
        ),
        (
            'again = "wide"',
            'pairs = [["narrow", "wide"]]',
            '"narrow"',
            "`pairs` names the keys already",
            "keep one of the two",
        ),
    ],
)
def test_what_is_wrong_is_placed(
    read: Read, tmp_path: Path, old: str, new: str, at: str, true: str, advice: str
) -> None:
    _, findings = read(old, new)
    assert len(findings) == 1, "\n".join(map(str, findings))
    (finding,) = findings
    assert finding.kind is Kind.DECLARATION
    assert quote(tmp_path, finding).startswith(at), finding
    assert true in finding.true
    assert advice in finding.advice


def test_a_proof_needs_sanitizers(read: Read, tmp_path: Path) -> None:
    section = '[sanitizers]\nargs = "--once --n 48"\ntools = ["racecheck", "memcheck"]\n'
    _, (finding,) = read(section, "")
    assert quote(tmp_path, finding).startswith('"memcheck"')
    assert "declares no `[sanitizers]`" in finding.true


def test_a_tool_may_be_left_out_with_a_reason(read: Read, tmp_path: Path) -> None:
    plain, _ = read()
    before = compute_part_digest(tmp_path, plain, PartKind.SANITIZERS)
    program, findings = read(TOOLS, TOOLS + 'without = { synccheck = "no barrier" }\n')
    assert findings == []
    sanitizers = program.declaration.parts.sanitizers
    assert sanitizers is not None
    assert sanitizers.without == {"synccheck": "no barrier"}
    assert compute_part_digest(tmp_path, program, PartKind.SANITIZERS) == before


def test_what_is_equivalent_proves_nothing(read: Read, tmp_path: Path) -> None:
    _, (finding,) = read('proves = "memcheck"', 'proves = "memcheck"\nequivalent = "it is"')
    assert quote(tmp_path, finding).startswith('"it is"')
    assert "not equivalent" in finding.true


def test_names_that_no_expression_could_use(tmp_path: Path) -> None:
    text = PARTS.replace("counters.small", "counters.Small").replace("dram_read =", "on =")
    make_course(tmp_path, {"add": PROGRAM.format(name="add")}, {"add": DECLARATION + text})
    _, findings = read_program(tmp_path, "add")
    assert {quote(tmp_path, f).split()[0] for f in findings} == {"Small]", "on"}


@pytest.mark.parametrize("section", ["counters", "mutants", "listings", "sanity", "again"])
def test_an_entry_that_is_no_table(tmp_path: Path, section: str) -> None:
    text = f"{DECLARATION}\n[{section}]\nx = 1\n"
    make_course(tmp_path, {"add": PROGRAM.format(name="add")}, {"add": text})
    _, (finding,) = read_program(tmp_path, "add")
    assert quote(tmp_path, finding) == "1"
    assert "must be a table" in finding.true
    assert f"[{section}.x]" in finding.advice
