"""Which profiler, sanitizer and disassembler are there, and in which version?"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from build_tools.measure.run import execute

NCU = "ncu"
SANITIZER = "compute-sanitizer"
CUOBJDUMP = "cuobjdump"
NVDISASM = "nvdisasm"

_VERSION = re.compile(r"\bVersion (?P<a>\d[\w.]+)|\b(?P<b>V\d+\.\d+\.\d+)\b")
_LIMIT = 60.0


@dataclass(frozen=True)
class Tool:
    """A tool that was found."""

    name: str
    path: Path
    version: str
    """``2025.3.1.0`` or ``V13.0.85``, as the tool has it."""

    @property
    def environment(self) -> dict[str, str]:
        """What must be added to the environment: the tools call each other by PATH."""
        return {"PATH": f"{self.path.parent}:{os.environ.get('PATH', '')}"}


def find_tool(name: str, environment: Mapping[str, str] | None = None) -> Tool | str:
    """The first that works: of PATH, of CUDA_HOME or CUDA_PATH, of the usual place, of PyPI's wheels.

    Without one, the reason, with what was tried.
    """
    tried = []
    for path in _list_candidates(name, os.environ if environment is None else environment):
        found = _read_version(name, path)
        if isinstance(found, Tool):
            return found
        tried.append(f"{path} {found}")
    where = "; ".join(tried) or "none on PATH, in CUDA_HOME, in /usr/local/cuda, or among packages"
    return f"no {name} that works: {where}"


def _list_candidates(name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    on_path = shutil.which(name, path=environment.get("PATH", ""))
    if on_path:
        yield Path(on_path)
    homes = [environment[v] for v in ("CUDA_HOME", "CUDA_PATH") if environment.get(v)]
    for home in [*homes, "/usr/local/cuda"]:
        if (Path(home) / "bin" / name).is_file():
            yield Path(home) / "bin" / name
    if name == NCU:
        for pattern in ("/usr/local/cuda/nsight-compute-*/ncu", "/opt/nvidia/nsight-compute/*/ncu"):
            yield from sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)
    package = importlib.util.find_spec("nvidia")
    for folder in package.submodule_search_locations or [] if package else []:
        for wheel in sorted(Path(folder).glob("cu*"), reverse=True):
            if (wheel / "bin" / name).is_file():
                yield wheel / "bin" / name


def _read_version(name: str, path: Path) -> Tool | str:
    try:
        asked = execute(
            [str(path), "--version"], cwd=Path("/"), time_limit=_LIMIT, output_cap=65536
        )
    except OSError as error:
        return f"cannot be started ({error.strerror})"
    match = _VERSION.search(asked.stdout.decode("utf-8", "replace"))
    if asked.failure:
        return f"does not tell its version: {asked.failure}"
    if match is None:
        return "does not tell its version"
    return Tool(name, path, match["a"] or match["b"])
