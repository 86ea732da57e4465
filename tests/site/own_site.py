"""Our own site: built into a folder apart, served on this machine, opened in a browser."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from build_tools.claims.course import load_course
from build_tools.claims.page_text import list_pages
from build_tools.site.generate import compose_pages
from tests.site.browsing import QuietHandler, find_browser
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


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """The address at which a folder is served meanwhile."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


@contextmanager
def open_browser(*arguments: str) -> Iterator[Browser]:
    """A browser, started with ``arguments`` of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu", *arguments]
        )
        yield browser
        browser.close()
