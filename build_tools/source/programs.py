"""Which programs are there? Finds them under ``snippets/`` and reads each whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.boilerplate import compare_boilerplate
from build_tools.source.constants import read_constants
from build_tools.source.declarations import read_declaration
from build_tools.source.digest import compute_code_digest
from build_tools.source.exercises import find_exercises
from build_tools.source.forks import count_jobs, share_out
from build_tools.source.header import read_header
from build_tools.source.includes import read_includes
from build_tools.source.model import Declaration, Program, Region, Settings
from build_tools.source.mutants import add_starters
from build_tools.source.names import explain_name
from build_tools.source.part_checks import check_parts
from build_tools.source.plain_files import read_plain
from build_tools.source.reader_unit import check_needs
from build_tools.source.regions import decode_source, find_regions
from build_tools.source.silent import add_silent
from build_tools.source.syntax import find_kernels, list_signatures, parse_scan
from build_tools.source.timed_calls import check_timed_calls
from build_tools.source.tokens import scan_source

SNIPPETS = "snippets"
"""The folder of the programs, each in a folder of its own."""


def read_programs(
    root: Path,
    settings: Settings,  # noqa: ARG001 - part of every stage's reading functions
) -> tuple[dict[str, Program], list[Finding]]:
    """Each ``snippets/NAME/NAME.cu`` by name, and all that is wrong with any of them.

    A program that is not UTF-8 is left out; any other is read as far as it can be.
    """
    programs: dict[str, Program] = {}
    findings: list[Finding] = []
    folders = _list_folders(root)
    held = [folder.name for folder in folders if (folder / f"{folder.name}.cu").is_file()]
    read = _read_each(root, held)
    for folder in folders:
        name = folder.name
        true = explain_name(name)
        if true:
            path = f"{SNIPPETS}/{name}"
            findings.append(
                Finding(
                    Kind.PROGRAM,
                    Place(path),
                    f"program `{name}`",
                    true,
                    "rename its folder and files",
                )
            )
        if name in read:
            program, trouble = read[name]
            findings += trouble
            if program is not None:
                programs[name] = program
    findings += _report_stray_files(root, programs.values())
    findings += compare_boilerplate(programs)
    return programs, findings


def _read_each(root: Path, names: Sequence[str]) -> dict[str, tuple[Program | None, list[Finding]]]:
    def read(part: Sequence[str]) -> dict[str, tuple[Program | None, list[Finding]]]:
        return {name: read_program(root, name) for name in part}

    found: dict[str, tuple[Program | None, list[Finding]]] = {}
    for some in share_out(names, read, count_jobs(os.environ)):
        found.update(some)
    return found | read([name for name in names if name not in found])


def list_program_folders(root: Path) -> list[str]:
    """The names of the folders of programs, of those too that cannot be read."""
    return [folder.name for folder in _list_folders(root)]


def read_program(root: Path, name: str) -> tuple[Program | None, list[Finding]]:
    """One program and what is declared about it; None when its text cannot be read."""
    folder = f"{SNIPPETS}/{name}"
    path = f"{folder}/{name}.cu"
    try:
        content = read_plain(root / path)
    except OSError as error:
        true = f"it cannot be read: {error.strerror or error}"
        return None, [Finding(Kind.PROGRAM, Place(path), path, true, "make it a readable file")]
    text, findings = decode_source(content, path)
    if text is None:
        return None, findings
    scan = scan_source(text)
    header, more = read_header(text, path)
    findings += more
    declaration, more = read_declaration(root, f"{folder}/program.toml")
    findings += more
    regions, more = find_regions(text, name, path, scan)
    findings += more
    exercises, more = find_exercises(scan, path, regions, whole=not more)
    findings += more
    needs, more = check_needs(regions, declaration)
    findings += more
    includes, more = read_includes(root, path, scan, header.build)
    findings += more
    findings += check_timed_calls(scan, path)
    tree = parse_scan(scan)
    kernels = find_kernels(tree, scan)
    parts, more = check_parts(declaration, text, regions, kernels)
    findings += more
    mutants, more = add_starters(parts.mutants, exercises)
    findings += more
    ruled = _apply_rules(regions, declaration, needs)
    mutants = add_silent(mutants, ruled.values(), list_signatures(tree, scan))
    declaration = replace(declaration, parts=replace(parts, mutants=mutants))
    check_path = f"{folder}/check.py"
    program = Program(
        name=name,
        path=path,
        text=text,
        header=header,
        regions=ruled,
        constants=read_constants(tree, scan, path, header.build),
        kernels=kernels,
        declaration=declaration,
        code_digest=compute_code_digest(
            scan.tokens, includes, header.build, header.run, declaration
        ),
        check_path=check_path if (root / check_path).is_file() else "",
        includes=tuple(included.path for included in includes),
        exercises=exercises,
    )
    return program, findings


def _apply_rules(
    regions: Mapping[str, Region],
    declaration: Declaration,
    needs: Mapping[str, tuple[str, ...]],
) -> dict[str, Region]:
    ruled = {}
    for name, region in regions.items():
        rule = declaration.regions.get(name)
        ruled[name] = replace(region, kind=rule.kind, needs=needs.get(name, ())) if rule else region
    return ruled


def _list_folders(root: Path) -> list[Path]:
    snippets = root / SNIPPETS
    if not snippets.is_dir():
        return []
    return sorted(
        folder
        for folder in snippets.iterdir()
        if folder.is_dir() and not folder.name.startswith((".", "__"))
    )


def _report_stray_files(root: Path, programs: Iterable[Program]) -> list[Finding]:
    """Folders without their program, and ``.cu`` files that no program is or includes."""
    included = {path for program in programs for path in program.includes}
    findings = []
    for folder in _list_folders(root):
        path = f"{SNIPPETS}/{folder.name}"
        is_shared = any(name.startswith(path + "/") for name in included)
        if not (folder / f"{folder.name}.cu").is_file() and not is_shared:
            findings.append(
                Finding(
                    Kind.PROGRAM,
                    Place(path),
                    f"folder `{path}`",
                    f"it holds no `{folder.name}.cu`",
                    f"add `{path}/{folder.name}.cu`, or remove the folder",
                )
            )
    for file in sorted((root / SNIPPETS).rglob("*.cu")):
        path = file.relative_to(root).as_posix()
        if path != f"{SNIPPETS}/{file.stem}/{file.stem}.cu" and path not in included:
            findings.append(
                Finding(
                    Kind.PROGRAM,
                    Place(path),
                    f"file `{path}`",
                    "it is no program, and no program includes it",
                    f"move it to `{SNIPPETS}/{file.stem}/{file.stem}.cu`, or remove it",
                )
            )
    return findings
