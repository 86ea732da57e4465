"""Where is a site built before it is known to be clean, and how does it take the old one's place?

A build goes into a folder beside the site, on the same file system, so that the site is swapped
by renaming. A lock file, also beside it, is held while a folder is claimed or swapped; each
staging folder has a lock of its own, held while its build lives, by which a later build knows
what a killed one left behind.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from build_tools.diagnostics.finding import Finding, Kind, Place

LOCK_SECONDS = 60.0
"""How long a build waits for another one that is just taking its place; that takes a moment."""


@dataclass(frozen=True)
class Staging:
    """A folder that a build writes into, and the site whose place it will take."""

    folder: Path
    site: Path
    life: BaseFileLock
    """Held as long as the build lives."""


def open_staging(site: Path) -> Staging | Finding:
    """An empty folder beside ``site``; what killed builds left there is removed.

    A finding (could not check) says why no folder can be written there.
    """
    site = site.resolve()
    folder = _name_folder(site)
    staging = Staging(folder, site, FileLock(_life_path(folder)))
    try:
        site.parent.mkdir(parents=True, exist_ok=True)
        with _lock_site(site):
            _sweep(site)
            staging.life.acquire(timeout=0)
            folder.mkdir()
    except (OSError, Timeout) as error:
        drop_staging(staging)
        return _explain_refusal(site, error)
    except BaseException:  # Ctrl-C, too: nobody else knows of the folder yet.
        drop_staging(staging)
        raise
    return staging


def promote_staging(staging: Staging) -> Finding | None:
    """Put the staged site in the old one's place; when that fails the old one stays.

    What stands at the top of the old site under a name that starts with a dot (``.git``,
    ``.nojekyll``) moves along, as MkDocs itself leaves it alone.
    """
    site = staging.site
    old = staging.folder.with_name(staging.folder.name.replace("-staging-", "-old-"))
    try:
        with _lock_site(site):
            if site.exists():
                site.rename(old)
            try:
                staging.folder.rename(site)
                _move_hidden(old, site)
            except OSError:
                if site.exists():
                    site.rename(staging.folder)
                if old.exists():
                    old.rename(site)
                raise
            _remove(old)
    except (OSError, Timeout) as error:
        return _explain_refusal(site, error)
    finally:
        drop_staging(staging)
    return None


def drop_staging(staging: Staging) -> None:
    """Remove the staging folder, if it is still there, and let go of its lock."""
    shutil.rmtree(staging.folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        _life_path(staging.folder).unlink(missing_ok=True)
    staging.life.release()


def _lock_site(site: Path) -> BaseFileLock:
    return FileLock(site.with_name(f".{site.name}.lock"), timeout=LOCK_SECONDS)


def _life_path(folder: Path) -> Path:
    return folder.with_name(folder.name + ".lock")


def _name_folder(site: Path) -> Path:
    """A folder of its own; mkdtemp's would hide the site by its permissions."""
    return site.with_name(f".{site.name}-staging-{os.getpid()}-{secrets.token_hex(4)}")


def _sweep(site: Path) -> None:
    """Remove the staging folders whose builds are dead; the site's lock is held."""
    for folder in site.parent.glob(f".{site.name}-staging-*"):
        if folder.suffix == ".lock" or not folder.is_dir():
            continue
        life = FileLock(_life_path(folder))
        try:
            life.acquire(timeout=0)
        except Timeout:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        _life_path(folder).unlink(missing_ok=True)
        life.release()
    for folder in site.parent.glob(f".{site.name}-old-*"):
        # Killed between its two renames: the old site is better than none. Killed behind them: what
        # has no copy may not have moved along yet.
        if site.exists():
            with contextlib.suppress(OSError):
                _move_hidden(folder, site)
                _remove(folder)
        else:
            folder.rename(site)


def _move_hidden(old: Path, site: Path) -> None:
    """Move along what a build leaves alone at the top of a site: all of it, or nothing."""
    entries = old.iterdir() if old.is_dir() else ()
    moved: list[str] = []
    try:
        for entry in entries:
            if entry.name.startswith(".") and not (site / entry.name).exists():
                entry.rename(site / entry.name)
                moved.append(entry.name)
    except OSError:
        for name in moved:
            (site / name).rename(old / name)
        raise


def _remove(folder: Path) -> None:
    """Remove a folder, its read-only ones too; those of others may have to stay."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for inside, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                Path(inside).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def _explain_refusal(site: Path, error: OSError | Timeout) -> Finding:
    if isinstance(error, Timeout):
        true = f"another build holds {site.with_name(f'.{site.name}-lock')}"
        advice = "wait for the other build, or end it"
    else:
        true = f"{error.strerror or error}: {error.filename or site.parent}"
        advice = (
            "make that folder writable, or name a site folder in one that is: "
            "mkdocs build --site-dir DIR"
        )
    return Finding(
        Kind.PAGE,
        Place(str(site)),
        "a site is built beside the old one and takes its place when it is clean",
        true,
        advice,
        checked=False,
    )
