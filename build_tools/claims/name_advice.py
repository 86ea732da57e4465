"""Where does a name that was looked for in the wrong place stand, and how is it written whole?"""

from __future__ import annotations

from build_tools.claims.measured import Measured
from build_tools.claims.model import Course
from build_tools.source.model import Program

_OF_PROGRAM = ("source", "device", "compiler", "check", "windows", "on", "records")
_MOST = 3


def name_whole(course: Course, program: Program, name: str, owner: str) -> str:
    """``write `add.source.kBlock``` for a name of the source, device or compiler; else empty.

    ``owner`` is what stands before the program's names, with its dot; empty in program.toml.
    """
    found = _find_inner(course, program, name)
    return f"write `{owner}{found}`" if found else ""


def qualify_name(course: Course, name: str) -> str:
    """The advice for a name of a program that stands without the program; else empty."""
    found = []
    for program in course.programs.values():
        inner = _find_inner(course, program, name)
        measured = Measured(program, course.shelves[program.name])
        if name in (*_OF_PROGRAM, *program.declaration.quantities, *measured.list_names()):
            inner = name
        if inner:
            found.append(f"`{program.name}.{inner}`")
    if not found:
        return ""
    more = ", …" if len(found) > _MOST else ""
    return "name its program: write " + " or ".join(found[:_MOST]) + more


def _find_inner(course: Course, program: Program, name: str) -> str:
    """A constant, a fact of the device or a kernel of this name, as written behind the program."""
    if name in program.constants:
        return f"source.{name}"
    record = course.shelves[program.name].shown_record
    if record is None:
        return ""
    if name in record.record.device.__struct_fields__:
        return f"device.{name}"
    return f'compiler["{name}"]' if name in record.record.build.kernels else ""
