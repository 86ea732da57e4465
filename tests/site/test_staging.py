from __future__ import annotations

import errno
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding
from build_tools.site.staging import Staging, drop_staging, open_staging, promote_staging


def open_for(site: Path) -> Staging:
    staging = open_staging(site)
    assert isinstance(staging, Staging), staging
    return staging


def list_left_behind(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if "-staging-" in p.name or "-old-" in p.name)


def test_the_staged_site_takes_the_old_ones_place(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "gone.html").write_text("old")
    staging = open_for(site)
    (staging.folder / "index.html").write_text("new")
    assert (site / "gone.html").exists()
    assert promote_staging(staging) is None
    assert [p.name for p in site.iterdir()] == ["index.html"]
    assert list_left_behind(tmp_path) == []


def test_hidden_files_at_the_top_of_the_old_site_stay(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / ".git").mkdir(parents=True)
    (site / ".git" / "HEAD").write_text("ref")
    (site / ".nojekyll").write_text("old")
    staging = open_for(site)
    (staging.folder / ".nojekyll").write_text("new")
    assert promote_staging(staging) is None
    assert (site / ".git" / "HEAD").read_text() == "ref"
    assert (site / ".nojekyll").read_text() == "new"


def test_a_site_whose_hidden_files_cannot_be_moved_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    for name in (".first", ".git", ".last"):
        (site / name).mkdir(parents=True)
    (site / "index.html").write_text("old")
    staging = open_for(site)
    (staging.folder / "index.html").write_text("new")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == ".git":  # As when its folder is another user's.
            raise PermissionError(errno.EACCES, "Permission denied", f"{self}")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    refusal = promote_staging(staging)
    assert isinstance(refusal, Finding)
    assert "Permission denied" in refusal.true
    held = sorted(path.name for path in site.iterdir())
    assert held == [".first", ".git", ".last", "index.html"]
    assert (site / "index.html").read_text() == "old"
    assert list_left_behind(tmp_path) == []


def test_hidden_files_of_a_site_that_a_killed_build_replaced_are_found_again(
    tmp_path: Path,
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / ".site-old-1-0" / ".git").mkdir(parents=True)
    (tmp_path / ".site-old-1-0" / ".git" / "HEAD").write_text("ref")
    (tmp_path / ".site-old-1-0" / "index.html").write_text("old")
    drop_staging(open_for(site))
    assert (site / ".git" / "HEAD").read_text() == "ref"
    assert [path.name for path in site.iterdir()] == [".git"]
    assert list_left_behind(tmp_path) == []


def test_nothing_is_left_of_a_site_that_was_read_only(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "lessons").mkdir(parents=True)
    (site / "lessons" / "index.html").write_text("old")
    (site / "lessons").chmod(0o500)
    site.chmod(0o500)
    assert promote_staging(open_for(site)) is None
    assert list(site.iterdir()) == []
    assert list_left_behind(tmp_path) == []


def test_a_dropped_site_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    staging = open_for(site)
    (staging.folder / "index.html").write_text("new")
    drop_staging(staging)
    drop_staging(staging)
    assert list(site.iterdir()) == []
    assert list_left_behind(tmp_path) == []


def test_a_site_is_as_readable_as_any_folder(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    staging = open_for(tmp_path / "site")
    assert promote_staging(staging) is None
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("site", "other")}
    assert len(modes) == 1


def test_a_link_to_a_site_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "disk" / "real"
    real.mkdir(parents=True)
    (tmp_path / "site").symlink_to(real)
    staging = open_for(tmp_path / "site")
    (staging.folder / "index.html").write_text("new")
    assert promote_staging(staging) is None
    assert (tmp_path / "site").is_symlink()
    assert (real / "index.html").read_text() == "new"


def test_what_a_killed_build_left_is_removed_and_a_living_ones_folder_stays(
    tmp_path: Path,
) -> None:
    script = (
        "import os, sys; from pathlib import Path\n"
        "from build_tools.site.staging import open_staging\n"
        "held = open_staging(Path(sys.argv[1]))\n"
        "print(held.folder.name, flush=True)\n"
        "os._exit(9) if sys.argv[2] == 'die' else sys.stdin.read()\n"
    )
    site = str(tmp_path / "site")
    dead = subprocess.run(
        [sys.executable, "-c", script, site, "die"], capture_output=True, text=True, check=False
    )
    alive = subprocess.Popen(
        [sys.executable, "-c", script, site, "live"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert alive.stdout is not None
    living = alive.stdout.readline().strip()
    staging = open_for(tmp_path / "site")
    try:
        assert not (tmp_path / dead.stdout.strip()).exists()
        assert (tmp_path / living).is_dir()
    finally:
        alive.communicate("")
        drop_staging(staging)


def test_an_old_site_that_lost_its_name_is_put_back(tmp_path: Path) -> None:
    (tmp_path / ".site-old-1-aa").mkdir()
    (tmp_path / ".site-old-1-aa" / "index.html").write_text("old")
    drop_staging(open_for(tmp_path / "site"))
    assert (tmp_path / "site" / "index.html").read_text() == "old"


def test_builds_at_once_each_end_well(tmp_path: Path) -> None:
    site = tmp_path / "site"
    results: list[Finding | None] = []

    def build(number: int) -> None:
        staging = open_for(site)
        for index in range(20):
            (staging.folder / f"{index}.html").write_text(str(number))
        results.append(promote_staging(staging))

    threads = [threading.Thread(target=build, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [None] * 6
    assert len({p.read_text() for p in site.iterdir()}) == 1
    assert list_left_behind(tmp_path) == []


def test_a_place_where_nothing_can_be_written_could_not_be_checked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refusal = open_staging(tmp_path / "file" / "site")
    assert isinstance(refusal, Finding)
    assert not refusal.checked
    assert str(tmp_path / "file") in refusal.true
    assert "--site-dir" in refusal.advice
