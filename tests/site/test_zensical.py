"""The same pages under Zensical, which runs the Markdown extension and skips the plugin."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.course import load_course
from build_tools.site.verify import verify_site
from tests.site.conftest import Build, clean_environment

HTML = "lessons/one/index.html"


def list_parts(path: Path) -> list[str]:
    """What the course put on a page, in order, without the addresses that its host chose."""
    tree = LexborHTMLParser(path.read_text(encoding="utf-8"))
    # Its tables of contents repeat headings, claims and all.
    tree.strip_tags(["nav"], recursive=True)
    nodes = tree.css("[data-course-directive], [data-course-claim]")
    return [re.sub(r'\shref="[^"]*"', "", node.html or "") for node in nodes]


def test_zensical_builds_the_same_pages(course: Path, build: Build) -> None:
    settings = course / "course.toml"
    url = 'source_url = "https://example.org/blob/main/{path}#L{line}"'
    settings.write_text(settings.read_text().replace("[course]\n", f"[course]\n{url}\n"))
    assert build(course, "--strict").exit_code == 0
    (course / "site").rename(course / "by-mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "-f", "mkdocs.yml"],
        cwd=course,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ours = list_parts(course / "by-mkdocs" / HTML)
    theirs = list_parts(course / "site" / HTML)
    assert len(ours) == 9
    assert theirs == ours
    text = (course / "site" / HTML).read_text()
    assert 'href="https://example.org/blob/main/snippets/add/add.cu#L16"' in text
    # The page check is not MkDocs' own: it holds for this site as well, and finds what changed.
    assert verify_site(load_course(course), course / "site") == []
    (course / "site" / HTML).write_text(text.replace(">256</a>", ">257</a>"))
    findings = verify_site(load_course(course), course / "site")
    assert [str(f.place) for f in findings] == ["docs/lessons/one.md:6:16"]
