"""What readers take from a site is compared with the course, byte for byte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding
from build_tools.pages.explorer import compose_url
from build_tools.site.verify import verify_site
from tests.course_factory import make_example
from tests.site.conftest import PAGE, build_apart, write_pages


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copies")
    make_example(root)
    write_pages(root)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def loaded(built: Path) -> Course:
    return load_course(built)


@pytest.fixture
def verify(built: Path, loaded: Course, tmp_path: Path) -> Callable[..., list[Finding]]:
    """``verify(path, change)`` changes one file of a copy of the site, and checks that."""

    def run(path: str, change: Callable[[bytes], bytes]) -> list[Finding]:
        site = Path(shutil.copytree(built / "site", tmp_path / "site"))
        before = (site / path).read_bytes()
        assert change(before) != before
        (site / path).write_bytes(change(before))
        return verify_site(loaded, site)

    return run


def test_each_region_has_a_file_with_what_it_needs(built: Path, loaded: Course) -> None:
    regions = loaded.programs["add"].regions
    folder = built / "site/downloads/add/regions"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "block.cu": regions["block"].text.encode(),
        "add-kernel.cu": (regions["block"].text + regions["add-kernel"].text).encode(),
    }
    assert verify_site(loaded, built / "site") == []


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("downloads/add/regions/add-kernel.cu", "snippets/add/add.cu:19:1"),
        ("downloads/add/add.cu", "snippets/add/add.cu:1:1"),
        (
            "evidence/add/nvidia-h200/run-2026-12-01.txt",
            "evidence/add/nvidia-h200/run-2026-12-01.txt:1:1",
        ),
    ],
)
def test_a_file_that_was_changed_is_a_finding(
    verify: Callable[..., list[Finding]], path: str, place: str
) -> None:
    (finding,) = verify(path, lambda data: data.replace(b"\n", b"\r\n", 1))
    assert str(finding.place) == place
    assert finding.stated == f"the site holds it as {path}"
    assert finding.true == "it holds another text there"
    assert finding.advice == "build the site again"


def test_a_link_that_opens_another_text_is_a_finding(
    verify: Callable[..., list[Finding]],
) -> None:
    other = compose_url("int main() {}\n", "nvcc130u2", "").encode()
    first = r"https://godbolt.org/clientstate/[^\"]*"

    def change(data: bytes) -> bytes:
        return re.sub(first.encode(), other, data, count=1)

    (finding,) = verify("lessons/one/index.html", change)
    line = 1 + PAGE[: PAGE.index("/// snippet | add#block")].count("\n")
    assert (finding.place.path, finding.place.line) == ("docs/lessons/one.md", line)
    assert "its link opens another text in Compiler Explorer" in finding.stated
    assert finding.advice == "build the site again"
