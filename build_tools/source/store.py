"""What was computed before and need not be computed again? Entries under ``.cache/course/site``.

An entry is named by a digest of everything that its content follows from, so it never goes out of
date: what changed is looked for under another name. It is written beside its place and renamed,
and begins with a digest of itself, so that half an entry, or a scrambled one, is none. Nothing
may depend on an entry being there.
"""

from __future__ import annotations

import contextlib
import copyreg
import hashlib
import io
import os
import pickle
import secrets
import stat
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from build_tools.source.environment import may_keep
from build_tools.source.garbage import pause_collector

FOLDER = ".cache/course/site"
MOST_ENTRIES = 16
MOST_BYTES = 256 * 1024 * 1024
"""Of all entries together; the ones used last stay."""
PACKAGE = Path(__file__).parents[1]
RESTS_ON = (
    "msgspec",
    "Jinja2",
    "MarkupSafe",
    "Pygments",
    "selectolax",
    "plotly",
    "Markdown",
    "pymdown-extensions",
    "mkdocs",
    "mkdocs-material",
)
"""Packages that what is kept was made with."""

_MARK = b"course 1\n"
_DIGEST = 32


@dataclass(frozen=True)
class Store:
    """A folder of entries."""

    folder: Path


def open_store(root: Path, environment: Mapping[str, str]) -> Store | None:
    """The course's entries; None where ``COURSE_CACHE`` says that nothing is kept."""
    return Store(root / FOLDER) if may_keep(environment) else None


def read_entry(store: Store, kind: str, key: str) -> Any:
    """What was kept under a key; None when nothing was, or when it is no longer what was kept."""
    path = _name_entry(store, kind, key)
    try:
        data = path.read_bytes()
        body = memoryview(data)[len(_MARK) + _DIGEST :]
        if data[: len(_MARK) + _DIGEST] != _MARK + hashlib.sha256(body).digest():
            return None
        with pause_collector():
            value = _Reader(io.BytesIO(body)).load()
        os.utime(path)
    except Exception:  # noqa: BLE001 - whatever stands there, it is made again
        return None
    return value


def write_entry(store: Store, kind: str, key: str, value: object) -> None:
    """Keep a value under a key, whole or not at all; a folder that cannot be written stays so."""
    path = _name_entry(store, kind, key)
    new = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    body = pack(value)
    if len(body) > MOST_BYTES // 4:
        return
    try:
        store.folder.mkdir(parents=True, exist_ok=True)
        with new.open("xb") as file:
            file.write(_MARK + hashlib.sha256(body).digest())
            file.write(body)
        new.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
    _drop_oldest(store)


def pack(value: object) -> bytes:
    """A value as bytes that ``pickle`` reads."""
    file = io.BytesIO()
    _Writer(file).dump(value)
    return file.getvalue()


def digest_files(root: Path, starts: Iterable[str]) -> str:
    """SHA-256 of all files under some folders of ``root``: names, kinds and bytes."""
    total = hashlib.sha256()
    for start in starts:
        place = root / start
        if place.is_file():
            _add_file(total, start, f"{place}")
        for folder, folders, names in os.walk(place):
            folders.sort()
            inside = folder.removeprefix(f"{root}")
            # A link to a folder is listed among the folders, and not entered.
            for name in sorted([*names, *folders]):
                _add_file(total, f"{inside}/{name}", f"{folder}/{name}")
    return total.hexdigest()


def _add_file(total: Any, name: str, path: str) -> None:
    """Count in a file, or that a folder, a link or something that cannot be read stands there."""
    # No Path: a course has thousands of files, and this runs in every build.
    said = name.encode("utf-8", "surrogateescape") + b"\0"
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            said += b"link " + os.readlink(os.fsencode(path))  # noqa: PTH115
            mode = os.stat(path).st_mode  # noqa: PTH116
        if stat.S_ISREG(mode):
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123
                said += hashlib.sha256(file.read()).digest()
        else:
            said += f"kind {stat.S_IFMT(mode)}".encode()
    except OSError as error:
        said += f"unread {error.errno}".encode()
    total.update(hashlib.sha256(said).digest())


@cache
def digest_tools() -> str:
    """SHA-256 of what computes: our own files, Python's version and the packages beneath."""
    total = hashlib.sha256(sys.version.encode())
    for folder, folders, names in os.walk(PACKAGE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            _add_file(total, folder.removeprefix(f"{PACKAGE}") + "/" + name, f"{folder}/{name}")
    for name in RESTS_ON:
        try:
            total.update(f"{name} {metadata.version(name)}\n".encode())
        except metadata.PackageNotFoundError:
            total.update(f"{name} none\n".encode())
    return total.hexdigest()


def _reduce_fraction(number: Fraction) -> tuple[type[Fraction], tuple[int, int]]:
    return Fraction, (number.numerator, number.denominator)


class _Writer(pickle.Pickler):
    """Writes a fraction as two whole numbers: of itself it would be a text, which takes longer."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.dispatch_table = {**copyreg.dispatch_table, Fraction: _reduce_fraction}


class _Reader(pickle.Unpickler):
    """Makes values of our own types alone: an entry can name no function to be called."""

    def find_class(self, module: str, name: str) -> Any:
        """The type of a value. Raises UnpicklingError for anything that is none of ours."""
        if (module, name) in _ALLOWED:
            return super().find_class(module, name)
        if (module, name) == ("builtins", "getattr"):
            return _pick_member  # how early Pythons 3.11 write a member of an enumeration
        if module.startswith("build_tools."):
            found = super().find_class(module, name)
            if isinstance(found, type) and (
                is_dataclass(found) or issubclass(found, (Enum, tuple, msgspec.Struct))
            ):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is none of ours")


def _pick_member(owner: object, name: object) -> Enum:
    """A member of an enumeration of ours, and nothing else that an attribute could be."""
    if isinstance(owner, type) and issubclass(owner, Enum) and name in owner.__members__:
        return owner[str(name)]
    raise pickle.UnpicklingError(f"{name} is no member of an enumeration")


_ALLOWED = frozenset(
    {
        ("fractions", "Fraction"),
        ("msgspec._core", "UNSET"),
        ("msgspec._utils", "rebuild"),
        ("pathlib", "PosixPath"),
        ("pathlib", "WindowsPath"),
        ("pathlib._local", "PosixPath"),
        ("pathlib._local", "WindowsPath"),
    }
)


def _name_entry(store: Store, kind: str, key: str) -> Path:
    return store.folder / f"{kind}-{key[:40]}"


def _drop_oldest(store: Store) -> None:
    """Remove what is beyond the bounds, and what killed builds left half-written."""
    with contextlib.suppress(OSError):
        held = []
        for path in store.folder.iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                held.append((status.st_mtime_ns, status.st_size, path))
        total = 0
        for position, (_, size, path) in enumerate(sorted(held, reverse=True)):
            total += size
            if position >= MOST_ENTRIES or total > MOST_BYTES:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
