"""Which files of the tree does a program include, and what are their tokens?"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.regions import decode_source
from build_tools.source.tokens import Scan, Token, TokenKind, scan_source


@dataclass(frozen=True)
class Included:
    """A file of the tree that is included with quotes, directly or by another."""

    path: str
    tokens: tuple[Token, ...]


def read_includes(
    root: Path, path: str, scan: Scan, build: str
) -> tuple[tuple[Included, ...], list[Finding]]:
    """The files ``path`` includes with quotes, in the order the compiler meets them, each once.

    A quoted name is looked up beside the file that includes it, then in the folders the Build
    command names with ``-I``. One that is not there, or lies outside the tree, is a finding.
    """
    folders = [(root / path).parent / folder for folder in find_include_folders(build)]
    reader = _IncludeReader(root, folders)
    reader.read(path, scan)
    return tuple(reader.included.values()), reader.findings


def find_include_folders(build: str) -> list[str]:
    """The folders of ``-I`` and ``--include-path`` in a command, as written."""
    try:
        words = shlex.split(build)
    except ValueError:
        return []
    folders = []
    for word, following in zip(words, [*words, ""][1:], strict=True):
        if word in ("-I", "--include-path"):
            folders.append(following)
        elif word.startswith("-I"):
            folders.append(word[2:])
        elif word.startswith("--include-path="):
            folders.append(word.partition("=")[2])
    return [folder for folder in folders if folder]


def find_quoted_includes(scan: Scan) -> list[Token]:
    """The string of each ``#include "…"``."""
    return [
        string
        for hash_sign, word, string in zip(
            scan.tokens, scan.tokens[1:], scan.tokens[2:], strict=False
        )
        if hash_sign.text == "#" and word.text == "include" and string.kind is TokenKind.STRING
    ]


class _IncludeReader:
    def __init__(self, root: Path, folders: list[Path]) -> None:
        self.root = root.resolve()
        self.folders = folders
        self.included: dict[str, Included] = {}
        self.findings: list[Finding] = []

    def read(self, path: str, scan: Scan) -> None:
        for token in find_quoted_includes(scan):
            name = token.text.strip('"')
            place = Place(path, *scan.locate(token.start))
            found = self._find((self.root / path).parent, name)
            if found is None:
                self._report(
                    place,
                    name,
                    "no such file beside it",
                    "add the file, or write `<…>` for a header of the toolkit",
                )
            elif not found.is_relative_to(self.root):
                self._report(
                    place,
                    name,
                    "it lies outside the project's tree",
                    "keep what a program includes within the project",
                )
            else:
                self._read_file(found.relative_to(self.root).as_posix(), found)

    def _find(self, beside: Path, name: str) -> Path | None:
        for folder in (beside, *self.folders):
            candidate = (folder / PurePosixPath(name)).resolve()
            if candidate.is_file():
                return candidate
        return None

    def _read_file(self, path: str, file: Path) -> None:
        if path in self.included:
            return
        text, findings = _read_text(file, path)
        self.findings += findings
        scan = scan_source(text or "")
        self.included[path] = Included(path, scan.tokens)
        self.read(path, scan)

    def _report(self, place: Place, name: str, true: str, advice: str) -> None:
        self.findings.append(Finding(Kind.PROGRAM, place, f'#include "{name}"', true, advice))


def _read_text(file: Path, path: str) -> tuple[str | None, list[Finding]]:
    try:
        content = file.read_bytes()
    except OSError as error:
        true = f"it cannot be read: {error.strerror or error}"
        return None, [Finding(Kind.PROGRAM, Place(path), path, true, "make it a readable file")]
    return decode_source(content, path)
