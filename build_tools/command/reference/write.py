"""Which pages has the reference, and are they what the code makes of them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path

from build_tools.command.reference import (
    blocks,
    commands,
    expressions,
    findings,
    printed_numbers,
    records,
    toml_files,
    unbound,
)
from build_tools.command.reference.example import Example, open_example
from build_tools.command.reference.template import fill_template

FOLDER = "docs/reference"
"""Where the pages lie, from the root."""

Parts = Callable[[Example], Mapping[str, str]]

PAGES: Mapping[str, Parts] = {
    "commands.md": lambda _: commands.compose_parts(),
    "printed-numbers.md": lambda _: printed_numbers.compose_parts(),
    "expressions.md": expressions.compose_parts,
    "blocks.md": blocks.compose_parts,
    "program-toml.md": toml_files.compose_program_parts,
    "quantities-toml.md": toml_files.compose_facts_parts,
    "course-toml.md": toml_files.compose_settings_parts,
    "records.md": records.compose_parts,
    "findings.md": findings.compose_parts,
    "unbound-numbers.md": lambda _: unbound.compose_parts(),
}
"""What makes the parts of each page."""


def generate_pages(root: Path) -> dict[str, str]:
    """Each page's text by its path from the root.

    Raises NoExampleError where the checkout lacks the example or one does not hold, TemplateError
    where a template and its parts do not go together.
    """
    with open_example(root) as example:
        return {
            f"{FOLDER}/{name}": fill_template(name, compose(example))
            for name, compose in PAGES.items()
        }


def write_pages(root: Path, pages: Mapping[str, str]) -> list[str]:
    """Write the pages; the paths of those that changed."""
    changed = []
    for path, text in pages.items():
        if read_page(root, path) != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def compare_pages(root: Path, pages: Mapping[str, str]) -> list[str]:
    """What differs, one message a page with the first line that does."""
    told = []
    for path, text in pages.items():
        there = read_page(root, path)
        if there is None:
            told.append(f"{path}: there is no such page")
        elif there != text:
            pairs = zip_longest(there.split("\n"), text.split("\n"))
            number, (old, new) = next((n, p) for n, p in enumerate(pairs, 1) if p[0] != p[1])
            stated = "the page has ended" if old is None else f"is `{old}`"
            true = "the page ends" if new is None else f"`{new}`"
            told.append(f"{path}:{number}: {stated}\n    from the code: {true}")
    extra = sorted(
        path.relative_to(root).as_posix() for path in (root / FOLDER).rglob("*") if path.is_file()
    )
    told += [f"{path}: the code makes no such page" for path in extra if path not in pages]
    return told


def read_page(root: Path, path: str) -> str | None:
    """A page as it is; None where there is none."""
    location = root / path
    return location.read_text(encoding="utf-8") if location.is_file() else None
