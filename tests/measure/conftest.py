import shutil
from pathlib import Path

import pytest

from build_tools.measure.toolchain import Toolchain, find_nvcc
from tests.course_factory import make_example


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """The nvcc that this machine's tests compile with."""
    found = find_nvcc()
    assert isinstance(found, Toolchain), found
    return found


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("example")
    make_example(root)
    return root


@pytest.fixture
def course(example: Path, tmp_path: Path) -> Path:
    """A whole course of the test's own."""
    return Path(shutil.copytree(example, tmp_path / "course"))
