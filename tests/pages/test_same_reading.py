"""The prose that the scanner reads is the prose that the page shows: random pages, both ways.

Pages are made of blocks within blocks, each with numbers of its own in prose, code, comments and
the like, and converted by the real Markdown extensions. A number that the page shows as prose
must be one that the scanner reads, and no other; claims come out once each, in order.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import count

import pytest

from build_tools.claims.scan import scan_page
from build_tools.claims.unbound import blank_bound
from tests.pages.conftest import Page

Convert = Callable[..., Page]
PAGES = 30
"""Pages a seed."""


class Writer:
    """Writes pages at random; each number stands in one place only."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)  # noqa: S311 - the same pages each time
        self.numbers = count(210_001)

    def number(self) -> str:
        return str(next(self.numbers))

    def inline(self) -> str:
        """A line of prose with code, comments and markup in it."""
        forms = (
            "so {n}",
            "so {n}, and",
            "`y = {n}`",
            "``a ` {n}``",
            "*{n}*",
            "**of {n}**",
            "<!-- {n} -->",
            "[{n}](https://example.org/{n})",
            "[{n}](page.md#at-{n} 'title {n}')",
            "<span title='{n}'>{n}</span>",
            "<code>{n} + y</code>",
            r"\`{n}\`",
            "({n})",
            "&amp; {n}",
            "<br>{n}",
            "_{n}_{{: .x{n} }}",
            "`a` {n} `b`",
            "{n}[^1]",
            "[256](claim:add.source.kBlock)",
            "**[`256`](claim:add.source.kBlock)**",
            "`[256](claim:add.source.kBlock)`",
            "<!-- [256](claim:add.source.kBlock) -->",
        )
        parts = self.random.choices(forms, k=self.random.randint(1, 4))
        return (
            " ".join(re.sub(r"\{n\}", lambda _: self.number(), p) for p in parts)
            .replace("{{", "{")
            .replace("}}", "}")
        )

    def paragraph(self) -> list[str]:
        if self.random.random() < 0.1:
            # Alone, since a library pairs it with ticks of another number.
            return [f"a ` of {self.number()}"]
        return [self.inline() for _ in range(self.random.randint(1, 3))]

    def block(self, depth: int) -> list[str]:
        """The lines of one block; at some depth only plain ones are left."""
        plain = (self.paragraph, self.paragraph, self.fence, self.code, self.table, self.comment)
        nested = (self.items, self.items, self.quote, self.box, self.tabs)
        if depth > 2 or self.random.random() < 0.5:
            return self.random.choice(plain)()
        if depth == 0 and self.random.random() < 0.2:
            # Below others Python-Markdown takes a second block of a definition for code.
            return self.terms(depth)
        return self.random.choice(nested)(depth)

    def blocks(self, depth: int, most: int = 3) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, most)):
            lines += [*self.block(depth), ""]
        return lines[:-1]

    def fence(self) -> list[str]:
        marks = self.random.choice(["```", "~~~", "````"])
        info = self.random.choice(["", "cpp", "text"])
        inner = [
            "[256](claim:x)" + self.number(),
            "",
            "- `" + self.number(),
            "    y " + self.number(),
        ]
        return [marks + info, *inner, marks]

    def code(self) -> list[str]:
        return ["Text.", "", *(f"    x {self.number()}" for _ in range(2)), "", "Text."]

    def table(self) -> list[str]:
        rows = [[self.inline().replace("``` ", "").replace(" ```", "") for _ in "ab"] for _ in "ab"]
        return ["| a | b |", "|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]

    def comment(self) -> list[str]:
        return ["<!-- " + self.number(), "", self.number() + " -->"]

    def items(self, depth: int) -> list[str]:
        mark = self.random.choice(["- ", "* ", "1. "])
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines.append(mark + self.inline())
            if self.random.random() < 0.5:
                lines += ["", *indent(self.blocks(depth + 1, 2)), ""]
        return lines if lines[-1] else lines[:-1]

    def quote(self, depth: int) -> list[str]:
        return [f"> {line}".rstrip() for line in self.blocks(depth + 1, 2)]

    def box(self, depth: int) -> list[str]:
        mark = self.random.choice(["!!! note", '??? tip "T"', "???+ tip"])
        return [mark, "", *indent(self.blocks(depth + 1, 2))]

    def tabs(self, depth: int) -> list[str]:
        first, second = self.blocks(depth + 1, 2), self.blocks(depth + 1, 1)
        return ['=== "A"', "", *indent(first), "", '=== "B"', "", *indent(second)]

    def terms(self, depth: int) -> list[str]:
        first = f":   {self.inline()}"
        return ["Term", first, "", *indent(self.blocks(depth + 1, 2))]

    def page(self) -> str:
        lines = self.blocks(0, 6)
        return "\n".join([*lines, "", "[^1]: A note " + self.number(), ""])


def indent(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def list_shown(page: Page) -> set[str]:
    """The numbers that the built page shows outside of code."""
    tree = page.tree.clone()
    tree.strip_tags(["pre", "code", "script", "style"], recursive=True)
    body = tree.body
    return set(re.findall(r"\d{6}", body.text(separator=" ") if body else ""))


@pytest.mark.parametrize("seed", range(8))
def test_what_is_read_is_what_is_shown(convert: Convert, seed: int) -> None:
    for index in range(PAGES):
        text = Writer(f"{seed}.{index}").page()
        page = convert(text)
        scan = scan_page(text, "docs/a.md")
        read = set(re.findall(r"\d{6}", blank_bound(scan)))
        assert read == list_shown(page), f"{seed}.{index}\n{text}"
        assert page.rendered.is_whole, f"{seed}.{index}\n{text}"
        assert not page.tree.css(".course-claim--refused"), f"{seed}.{index}\n{text}"
        assert scan.findings == (), f"{seed}.{index}\n{text}"
