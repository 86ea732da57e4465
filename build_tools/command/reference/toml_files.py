"""Which keys can the TOML files of a course hold, and what holds without them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import get_type_hints

from build_tools.claims.front_matter import KEYS, TOP_KEYS
from build_tools.claims.scan import scan_page
from build_tools.command.docstrings import read_attribute_docs
from build_tools.command.reference.example import PROGRAM, Example, require_none
from build_tools.command.reference.markdown import (
    read_docstring,
    state_number,
    write_definitions,
    write_fence,
)
from build_tools.source.declarations import read_declaration
from build_tools.source.facts import FACTS_PATH, read_facts
from build_tools.source.model import NumberPattern, Settings
from build_tools.source.names import RESERVED
from build_tools.source.quantities import read_course_quantities
from build_tools.source.settings import SETTINGS_PATH, read_settings
from build_tools.source.toml_keys import FACTS, SETTINGS, Key, Keys
from build_tools.source.toml_keys import PROGRAM as PROGRAM_KEYS

_DECLARATION = f"snippets/{PROGRAM}/program.toml"

PROGRAM_EXAMPLE = """\
[tables.timings]
columns = { case = "key", kernel = "key", time = "time (ms)", rate = "GB/s" }
rows = 6

[lines]
closing = "all {cases:d} cases match"

[lines.memory]
pattern = "{case}: A, B and C take {working_set:d} B"
units = { working_set = "B" }

[quantities]
speedup = 'time["large", "naive"] / time["large", "tiled"]'
tile_bytes = { expression = "4 * source.kTile ** 2", unit = "B" }

[requires]
compute_capability = "7.5"

[run]
time_limit = 300

[runs.small]
args = "--n 67"

[regions.tiled-kernel]
needs = ["tile-size"]

[regions.timing]
kind = "host"

[counters.large]
kernels = ["naive", "tiled"]
args = "--once --n 4096"
caches = "cold"
launches = 3

[counters.large.metrics]
dram_read = { metric = "dram__bytes_read.sum", unit = "B" }

[sanitizers]
args = "--once --n 67"
tools = ["racecheck"]

[mutants.no-barrier]
region = "tiled-kernel"
replace = "__syncthreads();  // the tiles are full"
with = ""
proves = "racecheck"

[mutants.commuted]
region = "tiled-kernel"
replace = "a * b"
with = "b * a"
equivalent = "a product does not depend on its order"
args = "--once"

[listings.tiled-kernel]
kernels = ["tiled"]

[sanity.read]
formula = "tile_bytes"
counter = 'counters["tiled"].dram_read'
below = "device.l2_bytes"
above = "tile_bytes / 100"

[sanity.rate]
rate = "rate[:]"
peak = 'given["peak_bandwidth"]'
working_set = "working_set[:]"

[again.kernel]
first = "naive"
again = "naive again"
"""

FACTS_EXAMPLE = """\
[peak_bandwidth]
value = "4.8"
unit = "TB/s"
source = "NVIDIA H200 Tensor Core GPU, data sheet"
quote = "GPU Memory Bandwidth 4.8TB/s"
date = 2026-11-30

[peak_bandwidth.gpu."NVIDIA L4"]
value = "300"
unit = "GB/s"
source = "NVIDIA L4 Tensor Core GPU, data sheet"
quote = "GPU memory bandwidth 300GB/s"

[quantities]
rows_share = 'copy_order.rate["rows"] / given["peak_bandwidth"]'
"""

SETTINGS_EXAMPLE = """\
[course]
title = "Memory, measured"
reference_gpu = "NVIDIA H200"
unbound = "all"
patterns_off = ["year"]
findings = "fail"
source_url = "https://example.org/course/blob/main/{path}#L{line}"
prose = ["docs/**/*.md", "README.md"]
repeats = 20
repeats_at_most = 40

[course.patterns]
board-revision = { text = "rev {n}", why = "names of boards" }

[course.explorer]
"13.1" = "nvcc131u1"
"""

PAGE_EXAMPLE = """\
---
title: A guest's lesson
draft: true
course:
  unbound: units
  patterns_off: [year, version]
---
"""

_TYPES = {
    str: "string",
    int: "whole number",
    tuple[NumberPattern, ...]: "tables",
    tuple[tuple[str, str], ...]: "table",
}


def compose_program_parts(example: Example) -> dict[str, str]:
    """The parts of the page on a program. Raises NoExampleError."""
    with example.copy() as root:
        _write(root / _DECLARATION, PROGRAM_EXAMPLE)
        declaration, findings = read_declaration(root, _DECLARATION)
    require_none(findings)
    del declaration
    header = (example.root / f"snippets/{PROGRAM}/{PROGRAM}.cu").read_text(encoding="utf-8")
    return {
        "header": write_fence(header.split("\n\n", 1)[0], "cpp"),
        "example": write_fence(PROGRAM_EXAMPLE, "toml"),
        "keys": write_sections(PROGRAM_KEYS),
        "reserved": ", ".join(f"`{name}`" for name in sorted(RESERVED)),
    }


def compose_facts_parts(example: Example) -> dict[str, str]:
    """The parts of the page on facts and quantities of the course. Raises NoExampleError."""
    with example.copy() as root:
        _write(root / FACTS_PATH, FACTS_EXAMPLE)
        _, findings = read_facts(root)
        _, more = read_course_quantities(root, [PROGRAM])
    require_none(findings + more)
    return {"example": write_fence(FACTS_EXAMPLE, "toml"), "keys": write_sections(FACTS)}


def compose_settings_parts(example: Example) -> dict[str, str]:
    """The parts of the page on course.toml. Raises NoExampleError."""
    with example.copy() as root:
        _write(root / SETTINGS_PATH, SETTINGS_EXAMPLE)
        _, findings = read_settings(root)
    require_none(findings)
    require_none(scan_page(PAGE_EXAMPLE, "page.md").findings)
    return {
        "example": write_fence(SETTINGS_EXAMPLE, "toml"),
        "keys": write_keys(read_setting_keys()),
        "sections": write_sections(SETTINGS),
        "page-example": write_fence(PAGE_EXAMPLE, "yaml"),
        "page-keys": write_definitions(
            [(f"`{name}`", said) for name, said in TOP_KEYS.items()]
            + [(f"`{name}` below `course`", said) for name, said in KEYS.items()]
        ),
    }


def read_setting_keys() -> Keys:
    """The keys of ``[course]`` as the fields of Settings say them."""
    meanings = read_attribute_docs(Settings)
    types = get_type_hints(Settings)
    keys = {}
    for field in fields(Settings):
        assert field.default is not MISSING  # noqa: S101 - a course may lack its course.toml
        value = field.default
        keys[field.name] = Key(
            _TYPES.get(types[field.name], "array of strings"),
            read_docstring(meanings[field.name]),
            _write_value(value),
            required=field.name == "reference_gpu",
        )
    return keys


def _write_value(value: object) -> str:
    """A default as TOML writes it; empty where there is none to speak of."""
    match value:
        case str():
            return f'"{value}"' if value else ""
        case tuple() | frozenset() if not value:
            return ""
        case tuple() | frozenset():
            return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    return str(value)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def write_sections(sections: Mapping[str, Keys]) -> str:
    """A heading and a definition list for each section."""
    parts: list[str] = []
    told: dict[str, Keys] = {}
    for name, keys in sections.items():
        parts.append(f"### {f'`[{name}]`' if name else 'The top level'}")
        like = next((n for n, other in told.items() if keys.items() <= other.items()), None)
        names = ", ".join(f"`{key}`" for key in keys)
        parts.append(f"{names}, as in `[{like}]`." if like else write_keys(keys))
        told[name] = keys
    return "\n\n".join(parts)


def write_keys(keys: Keys) -> str:
    """Each key with its type, its meaning, and what holds without it."""
    return write_definitions((f"`{name}`", _describe_key(key)) for name, key in keys.items())


def _describe_key(key: Key) -> str:
    words = [f"*{key.type}{', must be there' if key.required else ''}.*", key.meaning]
    if key.default:
        number = key.default.isdecimal()
        words.append(
            f"By default {state_number(int(key.default)) if number else f'`{key.default}`'}."
        )
    return " ".join(words)
