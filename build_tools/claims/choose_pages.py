"""Which pages are meant by what someone types: a path, a folder, or a program that pages show?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from build_tools.claims.chart_options import list_block_programs
from build_tools.claims.drafts import find_drafts, leave_out_drafts
from build_tools.claims.model import Course
from build_tools.claims.page_text import list_pages, read_page
from build_tools.claims.rests import list_programs, list_rests
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.source.plain_files import is_file, is_folder

_PARTS = ("snippets", "evidence")
"""Folders whose own folders belong to programs."""


@dataclass(frozen=True)
class Chosen:
    """The pages that words name, and the words that name none."""

    course: Course
    """Without the drafts that nobody named."""
    pages: tuple[str, ...] | None
    """By their paths from the root, each once; None when no word was given: all of them."""
    findings: tuple[Finding, ...]
    """Each a check that could not be made."""


def choose_pages(
    course: Course, words: Sequence[str], relate: Callable[[str], str], *, drafts: bool
) -> Chosen:
    """The pages that the words name; ``relate`` turns a path as typed into one from the root.

    A draft is meant when its own path is typed, or when ``drafts`` are asked for.
    """
    files = [path for path in map(relate, words) if is_file(course.root / path)]
    full, course = course, course if drafts else leave_out_drafts(course, keep=files)
    if not words:
        return Chosen(course, None, ())
    pages: dict[str, None] = {}
    findings = []
    for word in words:
        found = list(_list_meant(full, course, word, relate(word)))
        pages |= dict.fromkeys(found)
        if not found:
            findings.append(_report(full, course, word, relate(word)))
    return Chosen(course, tuple(pages), tuple(findings))


def _list_meant(full: Course, course: Course, word: str, path: str) -> Iterator[str]:
    """The pages that a word means, as a path first."""
    target = course.root / path
    known = list_pages(course)
    if is_file(target) and (path in known or _is_page(path)):
        yield path
        return
    if is_folder(target):
        below = "" if path == "." else f"{path}/"
        inside = [page for page in known if page.startswith(below)]
        if inside:
            yield from inside
            return
    program = word if word in full.programs else _name_program(full, path)
    if program:
        yield from list_program_pages(course, program)


def _is_page(path: str) -> bool:
    """Whether this looks like a page of the course that `prose` leaves out."""
    return path.endswith(".md") and not path.startswith(("/", "../"))


def _name_program(course: Course, path: str) -> str:
    """The program that a path belongs to; empty for none."""
    parts = path.split("/")
    owned = len(parts) > 1 and parts[0] in _PARTS and parts[1] in course.programs
    return parts[1] if owned and (course.root / path).exists() else ""


def list_program_pages(course: Course, program: str) -> Iterator[str]:
    """The pages that show a program or cite it, through named quantities as well."""
    for path in list_pages(course):
        text, _ = read_page(course.root, path)
        if text is None:
            continue
        scan = scan_page(text, path)
        blocks = (*scan.directives, *scan.rejected)
        if any(program in list_block_programs(course, block) for block in blocks) or any(
            program in list_programs(list_rests(course, claim)) for claim in scan.claims
        ):
            yield path


def _report(full: Course, course: Course, word: str, path: str) -> Finding:
    """Why a word means no page, and what there is."""
    target = course.root / path
    program = word if word in full.programs else _name_program(full, path)
    below = "" if path == "." else f"{path}/"
    drafted = is_folder(target) and any(draft.startswith(below) for draft in find_drafts(full))
    if drafted or (program and program not in course.programs):
        true = "only drafts lie there" if drafted else "only drafts show it"
        advice = "add --drafts, or name a draft by its path"
    elif program:
        true, advice = "no page shows or cites it", "name a page, or show the program on one"
    elif is_folder(target):
        true = "no page of the course lies in this folder"
        advice = f"name one of {_quote(_list_folders(course))}, or add it to `prose` in course.toml"
    elif is_file(target):
        true = "this is no page of the course"
        advice = "name a Markdown file of the course, a folder of pages or a program"
    else:
        true = "there is no such page, folder or program"
        advice = suggest_names(path, [*list_pages(course), *_list_folders(course), *full.programs])
    return Finding(Kind.PAGE, Place(path), f"`{word}`", true, advice, checked=False)


def _list_folders(course: Course) -> list[str]:
    """The folders that pages lie in, those above them too."""
    folders = set()
    for page in list_pages(course):
        parts = page.split("/")[:-1]
        folders |= {"/".join(parts[: count + 1]) for count in range(len(parts))}
    return sorted(folders)


def _quote(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:6]) + (", …" if len(names) > 6 else "")
