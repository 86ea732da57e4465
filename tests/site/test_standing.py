"""What a built site says of how its pages stand and of other GPUs, and what happens to a changed word."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Kind
from build_tools.site.verify import verify_site
from tests.course_factory import DEVICE, add_record, make_example, make_transcripts
from tests.site.conftest import PAGE, build_apart, write_pages

BLOCKS = """
/// device | add
///

/// state | docs/lessons/one.md
///
"""
HTML = "lessons/one/index.html"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with records of two GPUs, and its clean site."""
    root = tmp_path_factory.mktemp("standing")
    make_example(root)
    other = msgspec.structs.replace(DEVICE, model="NVIDIA L4", compute_capability="8.9")
    slower = [t.replace("1.25", "5.25").replace("0.62", "2.62") for t in make_transcripts()]
    add_record(root, "add", slower, device=other, stamp=False)
    write_pages(root, PAGE + BLOCKS)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def loaded(built: Path) -> Course:
    return load_course(built)


def test_the_record_of_another_gpu_has_a_page_and_its_files(built: Path) -> None:
    page = (built / "site/records/add/nvidia-l4/run-2026-12-01/index.html").read_text()
    assert "add on NVIDIA L4, 2026-12-01" in page
    raw = "evidence/add/nvidia-l4/run-2026-12-01.txt"
    assert (built / "site" / raw).read_bytes() == (built / raw).read_bytes()


@pytest.mark.parametrize("path", [HTML, "programs/add/index.html"])
def test_lesson_and_program_have_a_tab_for_each_gpu(built: Path, path: str) -> None:
    page = (built / "site" / path).read_text()
    labels = re.findall(r'<label for="device-add-tab-[12]">([^<]*)</label>', page)
    assert labels == ["NVIDIA H200 (reference)", "NVIDIA L4"]
    assert "../records/add/nvidia-l4/run-2026-12-01/#device" in page


def test_the_clean_site_holds(built: Path, loaded: Course) -> None:
    assert verify_site(loaded, built / "site") == []


@pytest.mark.parametrize(
    ("change", "stated", "true"),
    [
        (
            lambda page: page.replace(
                "every claim of this page that", "each claim of this page that"
            ),
            "the page says 'Verified: each'",
            "it is 'Verified: every'",
        ),
        (
            lambda page: re.sub(
                r"<footer class=\"course-foot\".*?</footer>", "", page, flags=re.DOTALL
            ),
            "the page has 0 feet that say how it stands",
            "it has 1",
        ),
        (
            lambda page: page.replace("H200: 4 claims", "H200: 6 claims"),
            "`state | docs/lessons/one.md`: the page says 'on NVIDIA H200: 6'",
            "it is 'on NVIDIA H200: 4'",
        ),
        (
            lambda page: page.replace("<td>132</td>", "<td>58</td>", 1),
            "`device | add`: the page says 'wait for DRAM Multiprocessors58how'",
            "it is 'wait for DRAM Multiprocessors132how'",
        ),
    ],
    ids=["foot", "no-foot", "state", "device"],
)
def test_a_changed_word_is_found(
    built: Path,
    loaded: Course,
    tmp_path: Path,
    change: Callable[[str], str],
    stated: str,
    true: str,
) -> None:
    site = tmp_path / "site"
    shutil.copytree(built / "site", site, copy_function=os.link)
    before = (site / HTML).read_text()
    after = change(before)
    assert after != before
    (site / HTML).unlink()
    (site / HTML).write_text(after)
    (finding,) = verify_site(loaded, site)
    assert finding.kind is Kind.PAGE
    assert finding.place.path == "docs/lessons/one.md"
    assert finding.stated == stated
    assert finding.true == true
    assert finding.advice == "build the site again"
