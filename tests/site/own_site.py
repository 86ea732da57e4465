"""Our own site: where its pages are, and how it is built into a folder apart."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from build_tools.claims.course import load_course
from build_tools.claims.page_text import list_pages
from build_tools.site.generate import compose_pages
from tests.site.conftest import clean_environment

ROOT = Path(__file__).parents[2]


def list_addresses() -> list[str]:
    """Where the site should hold each page of the course, written or made."""
    course = load_course(ROOT)
    sources = [p.removeprefix("docs/") for p in list_pages(course) if p.startswith("docs/")]
    sources += [page.source for page in compose_pages(course)]
    stems = (source.removesuffix(".md") for source in sources)
    return sorted({f"{s}/".removesuffix("index/") for s in stems} | {"404.html"})


def build_site(root: Path, folder: Path, *, strict: bool = True, address: str = "") -> None:
    """Build the course in ``root`` into ``folder``, which must go without a finding or warning.

    ``address`` is where the site is published, when the build is told.
    """
    strictly = ["--strict"] if strict else []
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *strictly, "--site-dir", str(folder)],
        cwd=root,
        env=clean_environment(COURSE_RUN="never", SITE_URL=address),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
