"""What does the compiler's report say of each kernel: registers, shared memory, spills?"""

from __future__ import annotations

import re
from collections import Counter

from build_tools.evidence.model import KernelFacts

_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)' for '(?P<arch>[^']+)'")
# A report comes from elsewhere as well: longer digits are no compiler's, and take long to try.
_STACK = re.compile(
    r"(?<!\d)(?P<stack>\d{1,12}) bytes stack frame, (?P<store>\d{1,12}) bytes spill stores, "
    r"(?P<load>\d{1,12}) bytes spill loads"
)
_REGISTERS = re.compile(r"Used (?P<registers>\d{1,12}) registers")
_SHARED = re.compile(r"(?<!\d)(?P<bytes>\d{1,12})(?:\+\d{1,12})? bytes smem")
_CONSTANT = re.compile(r"(?<!\d)(?P<bytes>\d{1,12}) bytes cmem\[\d{1,3}\]")
_LENGTH = re.compile(r"\d{1,6}")
_LITERAL = re.compile(r"L[a-z](?P<minus>n?)(?P<digits>\d{1,40})E")


def read_resource_report(text: str) -> dict[str, KernelFacts]:
    """The facts of each kernel by its plain name, from what ``ptxas -v`` prints.

    A template's instances are told apart by their literal arguments, ``tile<16>``, or by the
    mangled name when those do not suffice; builds for several architectures, ``tile@sm_90``.
    """
    by_arch = _read_entries(text)
    named = {arch: _name_kernels(entries) for arch, entries in by_arch.items()}
    if len(named) == 1:
        return next(iter(named.values()))
    return {f"{n}@{arch}": facts for arch, kernels in named.items() for n, facts in kernels.items()}


def list_functions(text: str) -> dict[str, str]:
    """The name in the machine code of each kernel, by the plain name that reports give it."""
    functions: dict[str, str] = {}
    for entries in _read_entries(text).values():
        for name, (mangled, _) in zip(_name_kernels(entries), entries, strict=True):
            functions.setdefault(name, mangled)
    return functions


def _read_entries(text: str) -> dict[str, list[tuple[str, KernelFacts]]]:
    """The kernels of each architecture by their names in the machine code."""
    by_arch: dict[str, list[tuple[str, KernelFacts]]] = {}
    name = arch = ""
    stack = (0, 0, 0)
    for line in text.splitlines():
        entry = _ENTRY.search(line)
        if entry:
            name, arch, stack = entry["name"], entry["arch"], (0, 0, 0)
            continue
        frame = _STACK.search(line)
        if frame:
            stack = (int(frame["stack"]), int(frame["store"]), int(frame["load"]))
        used = _REGISTERS.search(line)
        if used and name:
            shared = _SHARED.search(line)
            facts = KernelFacts(
                registers=int(used["registers"]),
                shared_bytes=int(shared["bytes"]) if shared else 0,
                constant_bytes=sum(int(m["bytes"]) for m in _CONSTANT.finditer(line)),
                stack_bytes=stack[0],
                spill_store_bytes=stack[1],
                spill_load_bytes=stack[2],
            )
            by_arch.setdefault(arch, []).append((name, facts))
            name = ""
    return by_arch


def locate_kernel(text: str, kernel: str) -> int:
    """The line of the report, from 1, that tells a kernel's registers; 0 when none is sure to."""
    names = list(read_resource_report(text))
    lines = [n for n, line in enumerate(text.split("\n"), 1) if _REGISTERS.search(line)]
    if kernel not in names or len(lines) != len(names):
        return 0
    return lines[names.index(kernel)]


def demangle_base(mangled: str) -> tuple[str, tuple[str, ...]]:
    """A function's plain name and its literal template arguments, from its Itanium mangling.

    ``_ZN1a4tileILi16EEvPf`` is ``("tile", ("16",))``; what is not mangled is its own name.
    Source: Itanium C++ ABI, 5.1.
    """
    if not mangled.startswith("_Z"):
        return mangled, ()
    rest = mangled[2:].lstrip("NKVrRO")
    name = ""
    while rest.startswith(("L", "St")):
        rest = rest[1:] if rest.startswith("L") else rest[2:]
    while match := _LENGTH.match(rest):
        length = int(match[0])
        name = rest[match.end() : match.end() + length]
        rest = rest[match.end() + length :]
    if not name:
        return mangled, ()
    arguments: list[str] = []
    if rest.startswith("I"):
        rest = rest[1:]
        while literal := _LITERAL.match(rest):
            arguments.append(("-" if literal["minus"] else "") + literal["digits"])
            rest = rest[literal.end() :]
    return name, tuple(arguments)


def _name_kernels(entries: list[tuple[str, KernelFacts]]) -> dict[str, KernelFacts]:
    kernels: dict[str, KernelFacts] = {}
    plain = [demangle_base(mangled) for mangled, _ in entries]
    names = Counter(name for name, _ in plain)
    instances = Counter(plain)
    for (mangled, facts), (name, arguments) in zip(entries, plain, strict=True):
        named = f"{name}<{','.join(arguments)}>" if arguments else name
        if names[name] == 1:
            kernels[name] = facts
        elif instances[name, arguments] == 1:
            kernels[named] = facts
        else:
            kernels[mangled] = facts
    return kernels
