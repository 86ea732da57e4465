"""Which parts of the evidence does a command line name?"""

from __future__ import annotations

import click

from build_tools.diagnostics.finding import suggest_names


def read_parts(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> frozenset[str] | None:
    """``run,counters`` as a set; None when the option is not given."""
    from build_tools.measure.ground import ALL_PARTS

    if value is None:
        return None
    names = [name.strip() for name in value.split(",") if name.strip()]
    for name in names:
        if name not in ALL_PARTS:
            raise click.BadParameter(f"no part `{name}`; {suggest_names(name, ALL_PARTS)}")
    if not names:
        raise click.BadParameter(f"no part at all; {suggest_names('', ALL_PARTS)}")
    return frozenset(names)


parts_option = click.option(
    "--parts",
    metavar="PART,…",
    callback=read_parts,
    help="Look at these alone: run (the timed runs), check (the reader's), counters, sanitizers, mutants, listings.",
)
"""The option of `course run` that chooses parts."""
