"""Which blocks are there, what does each show, and which options does it take?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Option:
    """An option of a block. Ticks mark code."""

    meaning: str
    default: str = ""
    """What holds without it, as a page writes it; empty where that is told in ``meaning``."""
    long: bool = False
    """Whether its value may go on in lines below, which are indented further."""


@dataclass(frozen=True)
class Block:
    """A block: what follows its name, what it shows, and its options by name."""

    argument: str
    shows: str
    options: Mapping[str, Option] = field(default_factory=dict)


BLOCKS: Mapping[str, Block] = {
    "snippet": Block(
        "program#region",
        "The region's lines as they stand in the program, character for character. Under them stand "
        "links to the regions that it needs, where and when it was run, and whether the reader's "
        "check passed for it, to its machine code on the program's page where that is recorded, and "
        "one that opens it in Compiler Explorer with the flags of the Build line; what is no kernel "
        "itself has both of the kernel that it is in, or that needs it. *Copy* gives exactly those lines, tabs and the last line's end "
        "included, each ended by LF. *Take it along* unfolds the rest: the region with what it "
        "needs, which is the text that the reader's check compiles, and the whole program, both "
        "to copy or download, and the build command.",
        {
            "dedent": Option(
                "Whether the white space that all lines begin with is left out.", "true"
            ),
            "title": Option("What stands above the lines; the region's name without it."),
            "numbers": Option("Whether the program's own line numbers are shown.", "true"),
        },
    ),
    "exercise": Block(
        "program#exercise",
        "What a reader is to write: the task, a hint, folded, the starter with a link to download "
        "it, and the solution, folded. Under the starter stands which check rejects it, and a link "
        "that opens its kernel with what it needs in Compiler Explorer. A program's only exercise "
        "need not be named.",
        {
            "task": Option(
                "What to do, as plain text; ticks mark code. It must be given.", long=True
            ),
            "hint": Option("What helps who is stuck, likewise. It must be given.", long=True),
            "title": Option("What the exercise is called; its name without it."),
            "region": Option(
                "The region of which starter and solution are shown; the shortest that holds the "
                "exercise without it."
            ),
        },
    ),
    "table": Block(
        "program",
        "A declared table of the shown run's transcript, digits as printed, each measured cell "
        "with its band at hand. Its headers sort the rows, as those of `comparison` and `counters` do.",
        {
            "table": Option("Which table, where the program declares several."),
            "columns": Option(
                "The declared names of the columns to show, joined by commas, in the order to "
                "show them; without it all, in the transcript's order."
            ),
        },
    ),
    "transcript": Block("program", "All that the shown run printed, as it was printed."),
    "program": Block(
        "program",
        "A card: what the program is about, how it is built and run, who verified it and when, "
        "and a link to the whole of it, which can be copied and downloaded. Its page opens all its "
        "kernels, with what they need, in Compiler Explorer.",
    ),
    "comparison": Block(
        "program",
        "Each row of a time or a rate beside one of them in the same case: the ratio, its band, and "
        "the verdict in a word. The caption says how far the same kernel, timed twice, lies from "
        "itself.",
        {
            "measurement": Option(
                "What is compared; without it the first time that the program prints with keys, or "
                "else the first such rate."
            ),
            "of": Option(
                "The key column that holds what is compared; without it the only one, or that in "
                "which a kernel is declared to be timed twice."
            ),
            "against": Option("The key of the rows that all others are compared with."),
        },
    ),
    "counters": Block(
        "program",
        "What the profiler counted of the program's kernels: the shown launch, which is the one that "
        "claims take too, each cell with the spread over the launches at hand. Each kernel has a "
        "row, or each counter where there are more counters than kernels.",
        {
            "session": Option("Which session, where the program declares several."),
            "kernels": Option("The kernels to show, joined by commas; without it all."),
            "counters": Option("The counters to show, joined by commas; without it all."),
        },
    ),
    "listing": Block(
        "program#region",
        "The machine code of the region's kernels, folded, beside the lines of the source that it "
        "comes from. A line and its instructions light up together, under the mouse or by the "
        "arrow keys, in SASS as in PTX. The program's own page shows the same for every recorded region.",
        {
            "kernel": Option("Which kernel, where the region has several; without it all."),
            "code": Option(
                "`sass` for machine code, `ptx` for the virtual one before it, `both` to choose "
                "from on the page. PTX recorded without lines of the source says so.",
                "sass",
            ),
            "open": Option("Whether it is shown unfolded.", "false"),
        },
    ),
    "chart": Block(
        "program",
        "What the shown run measured, drawn: on the page at once as a picture, which is also what "
        "stands there without JavaScript and in print, and as a Plotly chart where it scrolls into "
        "view. Error bars are the band of the next process, and the numbers stand below as a "
        "table, folded.",
        {
            "x": Option(
                "The key column along the horizontal axis. Of a roofline, the FLOP per byte of "
                "each kernel at each level of memory, as `kernel, level = expression`, joined by "
                "semicolons.",
                long=True,
            ),
            "y": Option(
                "What is drawn: a measured column, or a field of a line. Of a roofline, the FLOP/s "
                "of each kernel, as `kernel = expression`, joined by semicolons.",
                long=True,
            ),
            "by": Option("The key column that tells colours apart; one colour without it."),
            "only": Option(
                "The rows to draw, as `kernel = tiled, naive; size = 4096`; without it all."
            ),
            "without": Option("The rows to leave out, written likewise; without it none."),
            "kind": Option(
                "`bars`, `points`, `lines` or `roofline`. Without it lines where the keys of `x` "
                "are three numbers or more, points on a log axis, and bars otherwise."
            ),
            "scale": Option(
                "`linear` or `log`, of the values. Without it `log` for a ratio, which has no unit "
                "and is no count, and `linear` for all else. The numbers that lines are drawn over "
                "stand on a log axis where they reach over a power of ten or more."
            ),
            "roofs": Option(
                "The limits of a roofline, bandwidths or rates, as `name = expression`, joined by "
                "semicolons. Expressions are written as in a quantity of the program.",
                long=True,
            ),
            "title": Option("What stands above the chart; nothing without it."),
        },
    ),
    "device": Block(
        "program",
        "The GPU that the program's numbers are of: its clock, L2 cache, path to memory, number of "
        "multiprocessors and toolkit, and what each of them changes; how to run the program on "
        "another GPU, and how to add a record of that. Where there are records of several GPUs, "
        "each has a tab with what it measured; a sentence speaks of the first, the reference "
        "device. Options say what each fact changes in this lesson, without numbers: those belong "
        "into the prose, where they are checked.",
        {
            "clock": Option("What another clock changes in this lesson."),
            "l2": Option("What another L2 cache changes in this lesson."),
            "memory": Option("What another path to memory changes in this lesson."),
            "multiprocessors": Option("What another number of them changes in this lesson."),
            "capability": Option("What another compute capability changes in this lesson."),
            "toolkit": Option("What another toolkit changes in this lesson."),
            "bandwidth": Option(
                "A measured bandwidth, as an expression; it stands beside what the path to memory "
                "could move, with a link to its record.",
                long=True,
            ),
        },
    ),
    "state": Block(
        "path of a page",
        "How a page of the prose stands, in one line: verified when and on what, or how many of its "
        "claims do not hold or could not be checked. The foot of each page with claims says the "
        "same at length, unasked.",
    ),
}
"""The blocks of lessons by name."""

GENERATED_BLOCKS: Mapping[str, Block] = {
    "program-entry": Block("program", "A program in the index: what it is about, who verified it."),
    "program-head": Block("program", "How a program is built and run, above its source."),
    "program-source": Block("program", "The whole program, its regions marked."),
    "program-quantities": Block("program", "A program's quantities: name, formula, value, unit."),
    "record": Block("path of a record", "A record with all that it holds."),
    "claims": Block("path of a page", "Every claim of a page, and what is behind each."),
    "claims-summary": Block("course", "How many claims there are, by kind and by page."),
}
"""The blocks kept for generated pages."""
