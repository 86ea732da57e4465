"""Does what Compiler Explorer is given compile alone? Each such text by the real compiler."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.pages.explorer import explore_region, read_url
from build_tools.pages.snippet import compose_unit_command
from build_tools.source.reader_unit import compose_unit

pytestmark = pytest.mark.compiler

ROOT = Path(__file__).parents[2]
COURSE: Course = load_course(ROOT)
LINKS = {
    f"{name}#{region.name}": link.url
    for name, program in COURSE.programs.items()
    for region in program.regions.values()
    if (link := explore_region(COURSE, program, region)).url
}

COMMANDS = {
    reference: command
    for reference in LINKS
    for name, _, region in [reference.partition("#")]
    if (
        command := compose_unit_command(
            COURSE.programs[name], COURSE.programs[name].regions[region]
        )
    )
}
"""What builds a unit; one without a kernel is opened with the kernel that needs it."""


def test_every_program_has_a_kernel_to_open() -> None:
    assert {reference.partition("#")[0] for reference in LINKS} == set(COURSE.programs)


@pytest.mark.parametrize("reference", LINKS)
def test_what_is_opened_elsewhere_compiles_alone(reference: str, tmp_path: Path) -> None:
    held = read_url(LINKS[reference])
    assert held is not None
    text, _, options = held
    (tmp_path / "unit.cu").write_text(text)
    command = ["nvcc", *shlex.split(options), "-ptx", "-o", "unit.ptx", "unit.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ".entry" in (tmp_path / "unit.ptx").read_text()


def test_every_program_has_a_unit_to_build() -> None:
    assert {reference.partition("#")[0] for reference in COMMANDS} == set(COURSE.programs)


@pytest.mark.parametrize("reference", COMMANDS)
def test_the_command_beside_a_unit_compiles_what_is_downloaded(
    reference: str, tmp_path: Path
) -> None:
    name, _, region = reference.partition("#")
    program = COURSE.programs[name]
    (tmp_path / f"{region}.cu").write_text(compose_unit(program, region))
    command = shlex.split(COMMANDS[reference])
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{region}.o").is_file()
