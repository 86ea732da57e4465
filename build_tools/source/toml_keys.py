"""Which keys do the course's TOML files know, and what does each mean?

The readers admit exactly these, and the reference lists them. A section is named by its route
joined with dots; a part in capitals stands for a name that the author chooses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from build_tools.source.model import Declaration, RegionRule
from build_tools.source.part_rules import LEAST_LAUNCHES


@dataclass(frozen=True)
class Key:
    """One key of a section. Ticks in ``meaning`` mark code."""

    type: str
    """What its value is, in words."""
    meaning: str
    default: str = ""
    """What holds without it, as TOML writes it; empty when nothing does."""
    required: bool = False
    """Whether the section must hold it."""


Keys = Mapping[str, Key]
"""The keys of one section by name."""

PROGRAM: Mapping[str, Keys] = {
    "": {
        "tables": Key("table", "The tables that the transcript holds, by a name of your choice."),
        "lines": Key("table", "Single lines of the transcript, by a name of your choice."),
        "quantities": Key("table", "Named expressions, which pages and other quantities cite."),
        "requires": Key("table", "What a device must have to run the program."),
        "run": Key("table", "How the program is run."),
        "runs": Key("table", "Further commands of the program, by a name of your choice."),
        "regions": Key("table", "What the source cannot say of its regions, by their names."),
        "counters": Key("table", "Sessions under the profiler, by a name of your choice."),
        "sanitizers": Key("table", "How the program runs under the tools of compute-sanitizer."),
        "mutants": Key(
            "table",
            "Planted faults that a check has to notice, by a name of your choice. Where there are "
            "any, one more is planted in each region of kernels: these write nothing.",
        ),
        "listings": Key("table", "Regions whose machine code is listed, by their names."),
        "sanity": Key("table", "What must be possible, by a name of your choice."),
        "again": Key("table", "Which kernels are timed twice, by the name of a key column."),
        "samples": Key("table", "How the program writes all its raw samples, to be kept."),
    },
    "tables.NAME": {
        "columns": Key(
            "table",
            'Every column of the table by a name of your choice: the header as printed, `"key"` '
            'for a key whose header is its name, or `{ key = "the header as printed" }`. What '
            "stands between the header's last parentheses is the unit; a header that is a unit "
            "as a whole is one.",
            required=True,
        ),
        "rows": Key(
            "whole number",
            "How many rows the table has. Another number is a finding. A table of one row needs "
            "no key.",
        ),
    },
    "tables.NAME.columns.NAME": {
        "key": Key("string", "The header as printed, of a column that tells rows apart."),
    },
    "lines.NAME": {
        "pattern": Key(
            "string",
            "The line as printed, with `{name}` for a key and `{name:g}` for a number; `{{` and "
            '`}}` are braces. A line without units may be written as `NAME = "the pattern"`.',
            required=True,
        ),
        "units": Key("table", "The units of the numbers it reads, by their names."),
    },
    "quantities.NAME": {
        "expression": Key(
            "string",
            "What it comes to. A quantity without a unit may be written as "
            '`NAME = "the expression"`.',
            required=True,
        ),
        "unit": Key(
            "string",
            "The unit that its value has; a bare value is given it, any other must have it.",
        ),
    },
    "requires": {
        "compute_capability": Key("string", 'The least compute capability, such as `"7.5"`.'),
    },
    "run": {
        "time_limit": Key(
            "number", "Seconds that one process may take.", f"{Declaration.time_limit:g}"
        ),
    },
    "runs.NAME": {
        "args": Key("string", "The arguments of the command, quoted as in a shell.", required=True),
    },
    "regions.NAME": {
        "kind": Key(
            '`"kernel"` or `"host"`',
            "A kernel region that holds a `__global__` function is tried by `check.py`; host code "
            "is not.",
            f'"{RegionRule.kind}"',
        ),
        "needs": Key(
            "array of strings",
            "The regions that a reader must copy with this one. Leaving any of them out must "
            "break the reader's check.",
            "[]",
        ),
    },
    "counters.NAME": {
        "kernels": Key(
            "array of strings", "The `__global__` functions that are profiled.", required=True
        ),
        "args": Key("string", "The arguments of the program under the profiler."),
        "caches": Key(
            '`"hot"` or `"cold"`',
            "Whether caches are left as the launch before left them, each launch in one pass, or "
            "flushed before each pass.",
            required=True,
        ),
        "launches": Key(
            "whole number", "Launches of each kernel that are counted.", f"{LEAST_LAUNCHES}"
        ),
        "metrics": Key("table", "The counters by a name of your choice.", required=True),
    },
    "counters.NAME.metrics.NAME": {
        "metric": Key(
            "string", "The profiler's name, such as `dram__bytes_read.sum`.", required=True
        ),
        "unit": Key("string", "The unit it counts in, such as `B` or `sectors`."),
    },
    "sanitizers": {
        "args": Key("string", "The program's arguments, for a small size.", required=True),
        "tools": Key(
            "array of strings",
            "Those that are used, where not all are: `memcheck`, `racecheck`, `initcheck`, "
            "`synccheck`. Each needs a mutant that proves it.",
        ),
        "without": Key(
            "table",
            "Why a tool is not used, by its name; the record's page says so: "
            '`{ racecheck = "no kernel shares memory" }`.',
        ),
    },
    "samples": {
        "args": Key(
            "string",
            "What is added to the Run command, with `{file}` for the file that the program "
            'writes: `"--samples {file}"`.',
            required=True,
        ),
        "of": Key(
            "string",
            "The measurement whose printed values are the medians of the samples; this is checked.",
            required=True,
        ),
        "value": Key(
            "string",
            "The column of the file that holds the samples. The file is comma-separated, with a "
            "header, and has a column for each key of the measurement, of the same name.",
            required=True,
        ),
        "unit": Key("string", "The unit of that column, such as `ms`.", required=True),
    },
    "mutants.NAME": {
        "region": Key("string", "The region that is changed.", required=True),
        "replace": Key(
            "string", "The text that is replaced, as it stands there exactly once.", required=True
        ),
        "with": Key("string", "The text in its place; empty for nothing.", required=True),
        "proves": Key("string", "The sanitizer's tool that must notice it, or is not believed."),
        "equivalent": Key("string", "Why no check can tell it from the program; then none must."),
        "args": Key("string", "The program's arguments, where the sanitizers' would not do."),
    },
    "listings.REGION": {
        "kernels": Key(
            "array of strings", "The kernels that are listed; without it those of the region."
        ),
    },
    "sanity.NAME": {
        "rate": Key("string", "An expression for a rate, or a slice of rates."),
        "peak": Key("string", "What no such rate may exceed."),
        "working_set": Key(
            "string", "The bytes behind a rate of DRAM, which must exceed the L2 cache."
        ),
        "formula": Key("string", "What a counter should come to."),
        "counter": Key("string", "What it came to."),
        "below": Key("string", "How far the counter may lie below the formula."),
        "above": Key("string", "How far it may lie above."),
    },
    "again.COLUMN": {
        "first": Key("string", "The key of the kernel's first row, where one is timed twice."),
        "again": Key("string", "The key of its second row."),
        "pairs": Key(
            "array of arrays",
            "Where several kernels are timed twice, in place of `first` and `again`: the two keys "
            'of each, `[["read", "read again"], ["half", "half again"]]`.',
        ),
    },
}
"""The sections of ``program.toml``."""

_FACT: Keys = {
    "value": Key(
        "string or number", "The number as the source prints it; as a string it keeps its digits."
    ),
    "unit": Key("string", 'Its unit; `""` for a bare number.'),
    "source": Key("string", "The document, or its URL, so that a reader finds it."),
    "quote": Key("string", "The source's own words with the number in them, digit for digit."),
    "date": Key("date", "The day it was read there."),
}

FACTS: Mapping[str, Keys] = {
    "FACT": {
        **_FACT,
        "gpu": Key("table", "What the fact is on single GPUs, by the name the driver gives them."),
    },
    "FACT.gpu.MODEL": _FACT,
    "quantities.NAME": PROGRAM["quantities.NAME"],
}
"""The sections of ``snippets/quantities.toml``; a fact's key is a name of the author's choice."""

SETTINGS: Mapping[str, Keys] = {
    "course.patterns.NAME": {
        "text": Key(
            "string, or array of strings",
            "What stands in the prose, `{n}` for a number, or for a list or range of numbers.",
            required=True,
        ),
        "why": Key("string", "Why such a number needs no binding.", required=True),
    },
    "course.explorer": {
        "RELEASE": Key(
            "string",
            "The site's name of a compiler, as its menu of compilers and its list at "
            "`https://godbolt.org/api/compilers/cuda` have it, for records of that release, such "
            'as `"13.0"`. What no record is of opens with the newest that is known.',
        ),
    },
}
"""The sections of ``course.toml`` below ``[course]``, whose own keys are the fields of Settings."""
