"""How does a program with another text get a tree of its own, to be compiled and run there?"""

from __future__ import annotations

import shutil
from pathlib import Path

from build_tools.source.model import Program
from build_tools.source.programs import read_program
from build_tools.source.settings import SETTINGS_PATH


def plant_text(root: Path, program: Program, text: str, tree: Path) -> Program | None:
    """The program with ``text`` for its own, read from the folder ``tree`` that is made for it.

    All that compiling and checking it needs lies there too. None when it cannot be read.
    """
    _copy_sources(root, program, tree)
    (tree / program.path).write_text(text, encoding="utf-8")
    planted, _ = read_program(tree, program.name)
    return planted


def _copy_sources(root: Path, program: Program, tree: Path) -> None:
    folder = Path(program.path).parent
    for source in sorted((root / folder).iterdir()):
        if source.is_file():
            _copy_file(source, tree / folder / source.name)
    for path in (*program.includes, SETTINGS_PATH):
        if (root / path).is_file():
            _copy_file(root / path, tree / path)


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
