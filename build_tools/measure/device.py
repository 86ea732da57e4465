"""Which GPU is this, with which driver, clocks and limits, as NVML and the CUDA driver say?"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from build_tools.evidence.model import Device

_ATTRIBUTES = {
    "threads_per_block": 1,
    "shared_bytes_per_block": 8,
    "warp_size": 10,
    "sm_clock_khz": 13,
    "sm_count": 16,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "threads_per_sm": 39,
    "major": 75,
    "minor": 76,
    "shared_bytes_per_sm": 81,
    "registers_per_sm": 82,
    "shared_bytes_per_block_optin": 97,
}
"""CUdevice_attribute in cuda.h of CUDA 13: cudaDeviceProp has no clock rates any more."""

NO_DRIVER = "there is no NVIDIA driver: libcuda.so.1 cannot be loaded"


class CudaError(Exception):
    """What the CUDA driver's interface could not do, with its own word for it."""


@dataclass(frozen=True)
class _DriverFacts:
    """What the CUDA driver says of the first device that it shows this process."""

    name: str
    bus: str
    driver_cuda: str
    memory_bytes: int
    attributes: dict[str, int]


def describe_device() -> Device | str:
    """The first GPU that this process may use, or why there is none.

    Facts that NVML will not tell are zero or false, and named in ``unknown`` with its reason.
    """
    try:
        facts = _ask_driver()
    except CudaError as error:
        return str(error)
    try:
        with open_nvml(facts.bus) as (nvml, handle):
            return _describe(facts, nvml, handle)
    except NvmlMissing as error:
        return str(error)


class NvmlMissing(Exception):  # noqa: N818 - it says what is missing
    """NVML or its Python bindings cannot be used; the message says why."""


@contextlib.contextmanager
def open_nvml(bus: str) -> Iterator[tuple[Any, Any]]:
    """NVML's module and the handle of the GPU at this PCI address. Raises NvmlMissing."""
    try:
        import pynvml
    except ImportError as error:
        raise NvmlMissing(
            "NVML's Python bindings are missing: pip install 'cuda-course[gpu]'"
        ) from error
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise NvmlMissing(f"NVML cannot be used: {error}") from error
    try:
        handle = pynvml.nvmlDeviceGetHandleByPciBusId(bus.encode())
    except pynvml.NVMLError as error:
        pynvml.nvmlShutdown()
        raise NvmlMissing(f"NVML does not know the GPU that CUDA shows: {error}") from error
    try:
        yield pynvml, handle
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def find_bus() -> str:
    """The PCI address of the first GPU that CUDA shows. Raises CudaError."""
    return _ask_driver().bus


def _describe(facts: _DriverFacts, nvml: Any, handle: Any) -> Device:
    unknown: dict[str, str] = {}

    def ask(field: str, call: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return call()
        except nvml.NVMLError as error:
            unknown[field] = str(error)
            return otherwise

    def tell_text(value: Any) -> str:
        return value.decode() if isinstance(value, bytes) else str(value)

    given = facts.attributes
    sm_clock = ask(
        "max_sm_clock_hz",
        lambda: nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM) * 1_000_000,
        given["sm_clock_khz"] * 1000,
    )
    memory_clock = ask(
        "max_memory_clock_hz",
        lambda: nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_MEM) * 1_000_000,
        given["memory_clock_khz"] * 1000,
    )
    limit = ask(
        "power_limit_watts",
        lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000,
        0.0,
    )
    # A GPU that has no ECC or MIG at all says "not supported": that is off, not unknown.
    off = nvml.NVML_ERROR_NOT_SUPPORTED

    def ask_switch(field: str, call: Callable[[], Any]) -> bool:
        try:
            return bool(call())
        except nvml.NVMLError as error:
            if error.value != off:
                unknown[field] = str(error)
            return False

    return Device(
        model=facts.name,
        compute_capability=f"{given['major']}.{given['minor']}",
        driver=ask("driver", lambda: tell_text(nvml.nvmlSystemGetDriverVersion()), "0"),
        driver_cuda=facts.driver_cuda,
        memory_bytes=facts.memory_bytes,
        l2_bytes=given["l2_bytes"],
        sm_count=given["sm_count"],
        shared_bytes_per_block=given["shared_bytes_per_block"],
        shared_bytes_per_block_optin=given["shared_bytes_per_block_optin"],
        shared_bytes_per_sm=given["shared_bytes_per_sm"],
        registers_per_sm=given["registers_per_sm"],
        threads_per_sm=given["threads_per_sm"],
        threads_per_block=given["threads_per_block"],
        warp_size=given["warp_size"],
        max_sm_clock_hz=sm_clock,
        max_memory_clock_hz=memory_clock,
        memory_bus_bits=given["memory_bus_bits"],
        power_limit_watts=float(limit),
        ecc=ask_switch("ecc", lambda: nvml.nvmlDeviceGetEccMode(handle)[0]),
        mig=ask_switch("mig", lambda: nvml.nvmlDeviceGetMigMode(handle)[0]),
        persistence=ask_switch("persistence", lambda: nvml.nvmlDeviceGetPersistenceMode(handle)),
        unknown=unknown,
    )


def _ask_driver() -> _DriverFacts:
    """Everything through libcuda, which needs no context and no toolkit. Raises CudaError."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise CudaError(NO_DRIVER) from error

    def call(name: str, *arguments: Any) -> None:
        status = getattr(cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            cuda.cuGetErrorString(status, ctypes.byref(text))
            said = text.value.decode() if text.value else f"error {status}"
            raise CudaError(f"the CUDA driver shows no GPU ({name}: {said})")

    call("cuInit", 0)
    count = ctypes.c_int()
    call("cuDeviceGetCount", ctypes.byref(count))
    if count.value == 0:
        raise CudaError("the CUDA driver shows no GPU")
    device = ctypes.c_int()
    call("cuDeviceGet", ctypes.byref(device), 0)
    name = ctypes.create_string_buffer(256)
    call("cuDeviceGetName", name, len(name), device)
    bus = ctypes.create_string_buffer(64)
    call("cuDeviceGetPCIBusId", bus, len(bus), device)
    memory = ctypes.c_size_t()
    call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
    version = ctypes.c_int()
    call("cuDriverGetVersion", ctypes.byref(version))
    attributes = {}
    value = ctypes.c_int()
    for attribute, number in _ATTRIBUTES.items():
        call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        attributes[attribute] = value.value
    return _DriverFacts(
        name=name.value.decode(),
        bus=bus.value.decode(),
        driver_cuda=f"{version.value // 1000}.{version.value % 1000 // 10}",
        memory_bytes=memory.value,
        attributes=attributes,
    )
