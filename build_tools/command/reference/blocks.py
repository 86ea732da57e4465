"""Which blocks can a page hold, and how are they written? With examples that are checked."""

from __future__ import annotations

from build_tools.claims.check import check_page
from build_tools.claims.course import load_course
from build_tools.claims.known_blocks import BLOCKS, Block
from build_tools.command.reference.example import (
    PAGE,
    PROGRAM,
    Example,
    NoExampleError,
    require_none,
)
from build_tools.command.reference.markdown import write_definitions, write_fence

EXERCISE = "column"
_LINE = "    const int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
_MARKED = f"""\
    // solution: {EXERCISE}
    // starter: const int column = threadIdx.x;  // Your turn.
{_LINE}    // end solution
"""
"""A line of the program, and the exercise to write it."""

EXAMPLES = {
    "snippet": f"""\
/// snippet | {PROGRAM}#rows-kernel
    title: One row after another
    dedent: true
    numbers: false
///
""",
    "exercise": f"""\
/// exercise | {PROGRAM}#{EXERCISE}
    title: One element a thread
    task: Let neighbouring threads take neighbouring columns, in every block.
    hint: `blockIdx.x` says how many blocks lie before this one.
    region: rows-kernel
///
""",
    "table": f"""\
/// table | {PROGRAM}
    table: timings
    columns: copy, rate
///
""",
    "transcript": f"/// transcript | {PROGRAM}\n///\n",
    "program": f"/// program | {PROGRAM}\n///\n",
    "comparison": f"""\
/// comparison | {PROGRAM}
    measurement: time
    of: copy
    against: rows
///
""",
    "counters": f"""\
/// counters | {PROGRAM}
    session: whole
    kernels: copyColumns
    counters: sectors
///
""",
    "listing": f"""\
/// listing | {PROGRAM}#rows-kernel
    kernel: copyRows
    code: sass
    open: true
///
""",
    "chart": f"""\
/// chart | {PROGRAM}
    x: copy
    y: rate
    title: How much either copy moves
///
""",
    "device": f"/// device | {PROGRAM}\n///\n",
    "state": f"/// state | {PAGE}\n///\n",
}
"""Each block with its options, as a page of the example course may hold it."""

LONGER = {
    "device": """\
/// device | tiling_traffic
    clock: Kernels that wait for shared memory follow it.
    l2: A larger one holds more of the matrices between two blocks.
    memory: It bounds what a copy can reach.
    multiprocessors: With fewer of them the same blocks take more turns.
    capability: Asynchronous copies need a newer one than the oldest here.
    toolkit: Another compiler may unroll the loops in another way.
    bandwidth: ceilings.bandwidth["1 GiB", "read"]
///
""",
    "chart": """\
/// chart | tiling_traffic
    kind: points
    scale: log
    x: kernel
    y: time
    by: size
    only: kernel = naive 16x16, tiled, tiled again
    without: kernel = tiled again
///

/// chart | tiling_traffic
    kind: roofline
    y: naive = gflops["4096", "naive 16x16"]; tiled = gflops["4096", "tiled"]
    x:
        naive, L2 = naive_l2_intensity; naive, DRAM = naive_dram_intensity;
        tiled, L2 = tiled_l2_intensity; tiled, DRAM = tiled_dram_intensity
    roofs: reading DRAM = ceilings.bandwidth["1 GiB", "read"]
///
""",
}
"""What the example course is too small for, of this course; a test holds it to the records."""

_DECLARED = """
[counters.whole]
kernels = ["copyRows", "copyColumns"]
caches = "cold"
[counters.whole.metrics]
sectors = { metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", unit = "sectors" }
[listings.rows-kernel]
"""
"""What counters and listing name, added to the program's declaration."""


def compose_parts(example: Example) -> dict[str, str]:
    """The parts of the page on blocks. Raises NoExampleError."""
    with example.copy() as root:
        (root / PAGE).write_text("\n".join(EXAMPLES.values()), encoding="utf-8")
        with (root / f"snippets/{PROGRAM}/program.toml").open("a", encoding="utf-8") as declared:
            declared.write(_DECLARED)
        source = root / f"snippets/{PROGRAM}/{PROGRAM}.cu"
        source.write_text(source.read_text(encoding="utf-8").replace(_LINE, _MARKED), "utf-8")
        scan, findings = check_page(load_course(root), PAGE)
    require_none(findings)
    shown = {directive.name for directive in scan.directives} if scan else set()
    if shown != BLOCKS.keys():
        raise NoExampleError(f"the blocks of the examples are {sorted(shown)}")
    return {"blocks": "\n\n".join(describe_block(name, block) for name, block in BLOCKS.items())}


def describe_block(name: str, block: Block) -> str:
    """A section: heading, what the block shows, how it is written, its options."""
    options = write_definitions(
        (
            f"`{key}`",
            option.meaning + (f" By default `{option.default}`." if option.default else ""),
        )
        for key, option in block.options.items()
    )
    parts = [
        f"## {name}",
        f"`/// {name} | {block.argument.upper()}`",
        block.shows,
        write_fence(EXAMPLES[name], "markdown"),
        *([write_fence(LONGER[name], "markdown")] if name in LONGER else []),
        options or "It takes no options.",
    ]
    return "\n\n".join(parts)
