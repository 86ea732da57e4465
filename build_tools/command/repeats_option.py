"""How many processes are run for a record? ``10``, or ``10-20`` while claims need more."""

from __future__ import annotations

import re

import click

_AT_MOST = 1000
_RANGE = re.compile(r"(?P<least>\d{1,6})(?:-(?P<most>\d{1,6}))?", re.ASCII)


class RepeatsType(click.ParamType[tuple[int, int]]):
    """``N`` or ``N-M``: the least and the most processes."""

    name = "N[-M]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        match = _RANGE.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"`{value}` is no number; write 10, or 10-20", param, ctx)
        least = int(match["least"])
        most = int(match["most"] or least)
        if least < 1 or most > _AT_MOST:
            self.fail(f"`{value}` is not within 1 to {_AT_MOST}", param, ctx)
        if most < least:
            self.fail(f"`{value}` ends before it begins; write {most}-{least}", param, ctx)
        return least, most


repeats_option = click.option(
    "--repeats",
    type=RepeatsType(),
    metavar="N[-M]",
    help="Processes for a record: N, or from N on up to M while a claim of a page needs more; as "
    "course.toml says if unset.",
)
