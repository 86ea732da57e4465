from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.loaded import Shelf
from build_tools.evidence.shelf import read_shelf
from build_tools.source.settings import read_settings
from tests.course_factory import load_program, make_example

ReadShelf = Callable[[], tuple[Shelf, list[Finding]]]


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole course, to be copied and not to be changed."""
    root = tmp_path_factory.mktemp("example")
    make_example(root)
    return root


@pytest.fixture
def course(example: Path, tmp_path: Path) -> Path:
    """A whole course of the test's own."""
    import shutil

    return Path(shutil.copytree(example, tmp_path / "course"))


@pytest.fixture
def shelf_of(course: Path) -> ReadShelf:
    """Reads the example program's shelf as it is now."""

    def read() -> tuple[Shelf, list[Finding]]:
        settings, _ = read_settings(course)
        return read_shelf(course, load_program(course, "add"), settings)

    return read
