"""Courses with pages and a mkdocs.yml, built by the real MkDocs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mkdocs.__main__ import cli as mkdocs
from playwright.sync_api import Browser, Page

from tests.course_factory import make_example
from tests.site.browsing import open_browser, serve_site, watch_page

MKDOCS = """\
site_name: A course
theme:
  name: material
  font: false
  features: [content.code.copy, navigation.instant, search.highlight]
extra_css:
  - assets/course.css
extra_javascript:
  - assets/course.js
  - assets/kernels.js
plugins:
  - search
  - course
markdown_extensions:
  - admonition
  - attr_list
  - def_list
  - footnotes
  - md_in_html
  - tables
  - toc:
      permalink: true
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.inlinehilite
  - pymdownx.superfences
  - pymdownx.tabbed:
      alternate_style: true
  - build_tools.pages
"""

PAGE = """\
---
title: Adding vectors
---
# Adding vectors

Each block has [256](claim:add.source.kBlock) threads.

/// snippet | add#block
///

- In a list, the kernel:

    /// snippet | add#add-kernel
    ///

=== "Table"

    /// table | add
    ///

=== "Transcript"

    /// transcript | add
    ///

## Wide is [2.06×](claim:add.speedup["large"]) as fast {#wide}

/// program | add
///

!!! note

    It takes [0.626 ms](claim:add.time["large", "wide"]), and
    [that is faster](claim:add.time["large", "wide"] < add.time["large", "narrow"]).
"""

ASSETS = Path(__file__).parents[2] / "docs" / "assets"

Build = Callable[..., Result]


def write_pages(root: Path, page: str = PAGE, mkdocs: str = MKDOCS) -> None:
    """One lesson, a home page and a mkdocs.yml beside a course."""
    (root / "mkdocs.yml").write_text(mkdocs)
    (root / "docs" / "lessons").mkdir(parents=True)
    (root / "docs" / "index.md").write_text("# Home\n\nA course.\n")
    (root / "docs" / "lessons" / "one.md").write_text(page)
    assets = root / "docs" / "assets"
    assets.mkdir()
    for asset in ASSETS.iterdir():
        (assets / asset.name).write_bytes(asset.read_bytes())


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path from there."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def clean_environment(**extra: str) -> dict[str, str]:
    """This process's environment, without what would change a build."""
    changing = ("CI", "REPO_URL", "SITE_URL")
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith("COURSE_") and k not in changing
    }
    return kept | {"NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"} | extra


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The folder of a course without findings."""
    make_example(tmp_path)
    write_pages(tmp_path)
    return tmp_path


def build_apart(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``mkdocs build`` in a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *arguments],
        cwd=root,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Build:
    """``build(root, "--strict", CI="1")`` runs ``mkdocs build`` in a folder.

    In this process, as MkDocs' own tests do it: starting Python takes longer than the build.
    """

    def run(root: Path, *arguments: str, **environment: str) -> Result:
        with monkeypatch.context() as patch:
            patch.chdir(root)
            for name in ("CI", *(n for n in os.environ if n.startswith("COURSE_"))):
                patch.delenv(name, raising=False)
            for name, value in (environment | {"NO_MKDOCS_2_WARNING": "1"}).items():
                patch.setenv(name, value)
            done = CliRunner().invoke(mkdocs, ["build", *arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return run


@pytest.fixture(scope="session")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own site, built once."""
    from tests.site.own_site import ROOT, build_site

    folder = tmp_path_factory.mktemp("own") / "site"
    build_site(ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of a file; a second may not run beside it."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(own_site: Path) -> Iterator[str]:
    """That of our own site; a file with a course of its own serves that instead."""
    with serve_site(own_site) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that fails its test when it asks anyone else, or a script of it fails."""
    with watch_page(browser.new_context(), address) as page:
        yield page
