"""Courses with pages and a mkdocs.yml, built by the real MkDocs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.course_factory import make_example

MKDOCS = """\
site_name: A course
theme:
  name: material
  font: false
extra_css:
  - assets/course.css
extra_javascript:
  - assets/course.js
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

Build = Callable[..., subprocess.CompletedProcess[str]]


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


def clean_environment(**extra: str) -> dict[str, str]:
    """This process's environment, without what would change a build."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("COURSE_") and k != "CI"}
    return kept | {"NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"} | extra


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The folder of a course without findings."""
    make_example(tmp_path)
    write_pages(tmp_path)
    return tmp_path


@pytest.fixture
def build() -> Build:
    """``build(root, "--strict", CI="1")`` runs ``mkdocs build`` in a folder."""

    def run(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", *arguments],
            cwd=root,
            env=clean_environment(**environment),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run
