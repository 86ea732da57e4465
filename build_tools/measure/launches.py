"""What does a check.py launch: with which arguments, and what if nothing right were written?

Stands between check.py and CuPy in the process of one trial. Arguments that CuPy would pass as
another type than the kernel's are refused. What kernels are given says whether sizes and inputs
differ; and behind kernels that write nothing it fills their outputs itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from build_tools.source.silent import list_kernel_signatures
from build_tools.source.syntax import Parameter

NOTHING, ZEROS, NAN = "nothing", "zeros", "NaN"
LEFT = (NOTHING, ZEROS, NAN)
"""What kernels may leave in their outputs that a check must reject."""

_BYTES = {ZEROS: 0x00, NAN: 0xFF}
"""All bits set is NaN of every floating type, and -1 of every signed one."""
_KERNEL_NAME = re.compile(r"(?:.*::)?\s*(?P<name>\w+)\s*(?:<.*>)?\s*", re.DOTALL)
_PASSED_AS = {bool: "one byte", int: "64 bits", float: "a double", complex: "two doubles"}
_NUMPY_NAMES = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "__half": "float16",
}
"""The NumPy types whose bytes a kernel takes for its own."""


class ArgumentError(Exception):
    """A launch passes something else than the kernel takes; its text says what to pass."""


@dataclass
class Launches:
    """What the launches of one trial were."""

    parameters: Mapping[str, tuple[Parameter, ...]]
    left: str = ""
    """What is put into outputs: one of ``LEFT``, or nothing for the kernels as they are."""
    count: int = 0
    filled: int = 0
    """Outputs that were filled."""
    sizes: set[tuple[str, ...]] = field(default_factory=set)
    """Each launch's scalars, and the bytes of its arrays."""
    has_inputs: bool = False
    varied: bool = False
    """Whether any input held two different values."""
    inputs: list[str] = field(default_factory=list)
    """A digest over all inputs, one a seed."""


def open_launches(text: str, left: str = "") -> Launches:
    """What is to be known of a text's kernels; of several with one name nothing is."""
    signatures = list_kernel_signatures(text)
    names = [signature.name for signature in signatures]
    return Launches({s.name: s.parameters for s in signatures if names.count(s.name) == 1}, left)


def watch_launches(cupy: Any, check: ModuleType, launches: Launches) -> None:
    """Have every kernel that check.py gets from CuPy tell its launches."""
    originals = {name: getattr(cupy, name) for name in ("RawModule", "RawKernel")}

    def make_module(*args: Any, **options: Any) -> _Watched:
        return _WatchedModule(originals["RawModule"](*args, **options), cupy, launches)

    def make_kernel(code: str, name: str, *args: Any, **options: Any) -> _Watched:
        kernel = originals["RawKernel"](code, name, *args, **options)
        return _WatchedKernel(kernel, cupy, launches, name)

    replaced = {"RawModule": make_module, "RawKernel": make_kernel}
    for name, original in originals.items():
        setattr(cupy, name, replaced[name])
        for known, value in list(vars(check).items()):
            if value is original:  # from cupy import RawModule
                setattr(check, known, replaced[name])


class _Watched:
    """Something of CuPy's, its attributes read and set as they are."""

    def __init__(self, original: Any, cupy: Any, launches: Launches, name: str = "") -> None:
        self.__dict__.update(_original=original, _cupy=cupy, _launches=launches, _name=name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._original, name, value)


class _WatchedModule(_Watched):
    def get_function(self, name: str) -> _WatchedKernel:
        kernel = self._original.get_function(name)
        return _WatchedKernel(kernel, self._cupy, self._launches, name)


class _WatchedKernel(_Watched):
    def __call__(self, grid: Any, block: Any, args: Sequence[Any], **options: Any) -> None:
        launches, array = self._launches, self._cupy.ndarray
        found = _KERNEL_NAME.fullmatch(self._name)
        name = found["name"] if found else self._name
        parameters = launches.parameters.get(name)
        check_arguments(name, args, parameters, array)
        note_launch(launches, args, parameters, array)
        self._original(grid, block, args, **options)
        if launches.left in _BYTES and parameters is not None:
            for argument, parameter in zip(args, parameters, strict=True):
                if parameter.is_written and isinstance(argument, array):
                    fill_output(launches, argument)


def check_arguments(
    name: str, args: Sequence[Any], parameters: Sequence[Parameter] | None, array: type[Any]
) -> None:
    """Raises ArgumentError for what CuPy would pass as something else than the kernel takes."""
    for number, argument in enumerate(args, 1):
        passed = _PASSED_AS.get(type(argument))
        if passed is not None:
            raise ArgumentError(
                f"`{name}` is launched with the Python {type(argument).__name__} {argument} as "
                f"argument {number}, which CuPy passes as {passed}: pass a NumPy scalar of the "
                "parameter's type, such as numpy.int32(…) or numpy.float32(…)"
            )
    if parameters is None:
        return
    if len(args) != len(parameters):
        raise ArgumentError(
            f"`{name}` is launched with {len(args)} arguments and takes {len(parameters)}"
        )
    for number, (argument, parameter) in enumerate(zip(args, parameters, strict=True), 1):
        if isinstance(argument, array) and not parameter.is_pointer:
            raise ArgumentError(
                f"`{name}` is launched with an array as argument {number}, and takes "
                f"`{parameter.type}` there"
            )
        wanted = _NUMPY_NAMES.get(parameter.type)
        given = getattr(getattr(argument, "dtype", None), "name", None)
        if parameter.is_pointer or wanted is None or given is None or given == wanted:
            continue
        raise ArgumentError(
            f"`{name}` is launched with a numpy.{given} as argument {number}, and takes "
            f"`{parameter.type}` there: pass numpy.{wanted}(…)"
        )


def note_launch(
    launches: Launches,
    args: Sequence[Any],
    parameters: Sequence[Parameter] | None,
    array: type[Any],
) -> None:
    """Take note of a launch's sizes and, of kernels as they are, of its inputs."""
    launches.count += 1
    launches.sizes.add(tuple(str(a.nbytes if isinstance(a, array) else a) for a in args))
    if launches.left or parameters is None:
        return
    for argument, parameter in zip(args, parameters, strict=True):
        if not isinstance(argument, array) or parameter.is_written:
            continue
        launches.has_inputs = True
        data = argument.get().tobytes()
        width = int(argument.itemsize)
        launches.varied = launches.varied or data != data[:width] * (len(data) // width)
        launches.inputs[-1] = hashlib.sha256(launches.inputs[-1].encode() + data).hexdigest()


def fill_output(launches: Launches, output: Any) -> None:
    """Every byte of an output as kernels would have left it."""
    if not output.nbytes or not (output.flags.c_contiguous or output.flags.f_contiguous):
        return
    output.data.memset_async(_BYTES[launches.left], output.nbytes)
    launches.filled += 1


def explain_launches(launches: Launches, seeds: int) -> str:
    """What a check that agrees has not tried; empty when nothing is amiss."""
    if not launches.count:
        return "check.py launches no kernel through cupy.RawModule or cupy.RawKernel"
    if len(launches.sizes) == 1:
        return (
            "every launch has the same sizes, so no guard is tried: add some that the block does "
            "not divide"
        )
    if launches.has_inputs and not launches.varied:
        return (
            "every input holds one number again and again, which hides wrong indices: draw "
            "random numbers"
        )
    digests = launches.inputs
    if launches.has_inputs and len(digests) == seeds > len(set(digests)):
        return "two seeds give the same inputs: draw them from numpy.random.default_rng(seed)"
    return ""
