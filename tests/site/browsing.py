"""A built site in a real browser: who serves it, and which browser is taken."""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


def find_browser() -> str:
    names = ("chromium", "google-chrome", "chromium-browser", "chrome")
    found = [os.environ.get("CHROMIUM"), *map(shutil.which, names)]
    for path in found:
        if path:
            return path
    pytest.fail("no Chromium here; install it (Debian: apt-get install chromium), or set CHROMIUM")


@contextmanager
def serve_site(folder: Path) -> Iterator[str]:
    """The address of the site in a folder, served while the context lasts."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


@contextmanager
def open_browser(*arguments: str) -> Iterator[Browser]:
    """Chromium, which asks nobody by itself, started with ``arguments`` of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", *arguments],
        )
        yield browser
        browser.close()


@contextmanager
def watch_page(context: BrowserContext, address: str) -> Iterator[Page]:
    """A page that fails its test when it asks anyone else, or a script of it fails."""
    page = context.new_page()
    host = urlsplit(address).netloc
    foreign: list[str] = []
    errors: list[str] = []
    page.on(
        "request",
        lambda request: (
            foreign.append(request.url)
            if urlsplit(request.url).scheme.startswith("http")
            and urlsplit(request.url).netloc != host
            else None
        ),
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert foreign == []
    assert errors == []
