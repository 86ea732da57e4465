"""What does Lighthouse say of our site on a phone? Its four scores for each of a few pages.

    python tests/benchmarks/lighthouse.py SITE COMMAND...

serves the built site in the folder SITE on this machine, compressed as hosts of pages do it, and
runs COMMAND, a Lighthouse of Node's, on each page, three times, of which the middle counts. A phone
is this machine slowed down, by as much as Lighthouse's own benchmark of it says: a slow or busy
machine is slowed down less. It ends with status 1 where a score is under the least, and 2 where
Lighthouse could not say.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from email.utils import formatdate
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LEAST = 95
RUNS = 3
FULL_SPEED = 1500
"""The benchmark of a machine that is four times as fast as a phone in the middle of the range."""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
LESSON = "lessons/day-16-tiled-matmul/"
FLAGS = "--headless=new --no-sandbox --disable-gpu"


class CompressingHandler(SimpleHTTPRequestHandler):
    """Serves files compressed, to be kept for an hour."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        body = gzip.compress(path.read_bytes(), 9)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Last-Modified", formatdate(path.stat().st_mtime, usegmt=True))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


def list_paths(site: Path) -> list[str]:
    """The home page, a lesson and a record."""
    records = sorted(site.glob("records/*/*/*/index.html"))
    shown = [f"{path.parent.relative_to(site).as_posix()}/" for path in records[:1]]
    return ["", LESSON, *shown]


def measure_page(command: Sequence[str], address: str) -> dict[str, int]:
    """The scores of a page, in per cent: of each category the middle of several runs.

    Raises ValueError with Lighthouse's own words.
    """
    speed, first = run_once(command, address, 4)
    slowdown = max(1.0, 4 * min(1.0, speed / FULL_SPEED))
    runs = [run_once(command, address, slowdown)[1] for _ in range(RUNS - (slowdown == 4))]
    runs += [first] if slowdown == 4 else []  # Slowed down too much, it does not count.
    return {name: sorted(scores[name] for scores in runs)[len(runs) // 2] for name in CATEGORIES}


def run_once(command: Sequence[str], address: str, slowdown: float) -> tuple[float, dict[str, int]]:
    """The machine's benchmark and a page's scores, the processor being slowed down."""
    only = ",".join(CATEGORIES)
    done = subprocess.run(
        [
            *command,
            address,
            "--quiet",
            "--output=json",
            f"--only-categories={only}",
            f"--throttling.cpuSlowdownMultiplier={slowdown:.2f}",
            f"--chrome-flags={FLAGS}",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CHROME_PATH": os.environ.get("CHROMIUM", "/usr/bin/chromium")},
    )
    try:
        report = json.loads(done.stdout)
        found = {name: report["categories"][name] for name in CATEGORIES}
    except (ValueError, KeyError):
        raise ValueError(done.stderr.strip() or done.stdout.strip()) from None
    speed = report["environment"]["benchmarkIndex"]
    sys.stderr.write(
        f"    this machine's benchmark: {speed:.0f}, slowed down {slowdown:.2f} times\n"
    )
    for audit in report["audits"].values():
        if audit["score"] is not None and audit["score"] < 0.9:
            said = audit.get("displayValue", "")
            sys.stderr.write(f"    {audit['id']}: {audit['title']} {said}\n")
    return speed, {name: round(100 * (part["score"] or 0)) for name, part in found.items()}


def main(site: Path, command: Sequence[str]) -> int:
    """Print a line for each page; the exit status."""
    handler = functools.partial(CompressingHandler, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    worst = 100
    for path in list_paths(site):
        try:
            scores = measure_page(command, address + path)
        except ValueError as error:
            sys.stderr.write(f"/{path}: Lighthouse could not say: {error}\n")
            return 2
        worst = min(worst, *scores.values())
        said = ", ".join(f"{name} {score}" for name, score in scores.items())
        sys.stdout.write(f"/{path}: {said}\n")
        sys.stdout.flush()
    return int(worst < LEAST)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(str(__doc__))
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
