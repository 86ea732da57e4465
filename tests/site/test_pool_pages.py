"""Whatever a band is taken from has a page and its files on the site."""

from __future__ import annotations

from pathlib import Path

from build_tools.claims.course import load_course
from build_tools.site.generate import compose_pages, list_downloads
from tests.course_factory import add_record, make_example, make_transcripts


def test_each_record_of_the_pool_is_published(tmp_path: Path) -> None:
    make_example(tmp_path)
    add_record(tmp_path, "add", make_transcripts(10), started="2026-12-02T09:30:00Z")
    # Another machine code is history: it speaks for nothing that pages say today.
    add_record(
        tmp_path,
        "add",
        make_transcripts(10),
        started="2026-11-01T09:30:00Z",
        machine_code="6" * 64,
        stamp=False,
    )
    course = load_course(tmp_path)
    sources = {page.source for page in compose_pages(course)}
    downloads = list_downloads(course)
    for run, is_there in (("2026-12-02", True), ("2026-12-01", True), ("2026-11-01", False)):
        assert (f"records/add/nvidia-h200/run-{run}.md" in sources) == is_there
        assert (f"evidence/add/nvidia-h200/run-{run}.json" in downloads) == is_there
        assert (f"evidence/add/nvidia-h200/run-{run}.txt" in downloads) == is_there
