"""What each page loads is shorter on the site, and does the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from build_tools.site.slim import slim_css, slim_js
from tests.site.conftest import ASSETS, Build

STYLES = """\
/* One. */
a::after {
  content: "/* no comment */ \\"";  /* Two,
  over lines. */
  background: url(data:image/svg+xml,/*kept*/);
}

"""
SCRIPT = """\
// Says so.
(() => {
  "use strict";

  const address = "https://example.org"; // behind code
  // A line.
  const text = `${address} // kept`;
})();
"""


def test_a_style_sheet_loses_comments_and_no_text() -> None:
    assert slim_css(STYLES) == (
        'a::after {\ncontent: "/* no comment */ \\"";  \n'
        "background: url(data:image/svg+xml,/*kept*/);\n}\n"
    )


def test_a_script_loses_lines_that_are_comments() -> None:
    assert slim_js(SCRIPT) == (
        '(() => {\n"use strict";\nconst address = "https://example.org"; // behind code\n'
        "const text = `${address} // kept`;\n})();\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "const a = `\n  // of a text\n`;\n",
        "/*\n  // of a comment\n*/\n",
        'const a = "\\\n  // of a text";\n',
        "  // Copyright somebody\n",
        "  // SPDX-License-Identifier: MIT\n",
    ],
)
def test_a_script_that_may_go_on_over_lines_stays_as_it_is(text: str) -> None:
    assert slim_js(text) == text


@pytest.mark.parametrize("text", ["/*! kept */\n  a {}\n", '  a { content: "\\\n  b" }\n'])
def test_a_style_sheet_with_terms_or_long_texts_stays_as_it_is(text: str) -> None:
    assert slim_css(text) == text


def test_the_site_holds_the_shorter_files_and_the_docs_their_own(
    course: Path, build: Build
) -> None:
    (course / "docs" / "assets" / "other.js").write_text(SCRIPT)
    before = {path.name: path.read_text() for path in (course / "docs" / "assets").iterdir()}
    assert build(course, "--strict").exit_code == 0
    for name, text in before.items():
        shown = (course / "site" / "assets" / name).read_text()
        assert (course / "docs" / "assets" / name).read_text() == text
        if name == "other.js":  # which no page loads
            assert shown == text
        else:
            assert len(shown) < 0.9 * len(text)
            assert shown == (slim_css if name.endswith(".css") else slim_js)(text)


@pytest.mark.parametrize("path", sorted(ASSETS.glob("*.js")), ids=lambda path: path.name)
def test_a_script_of_ours_is_the_same_program_without_comments(path: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node reads the scripts")
    text = path.read_text()
    (tmp_path / "slim.js").write_text(slim_js(text))
    assert slim_js(text) != text
    done = subprocess.run([node, "--check", tmp_path / "slim.js"], check=False)
    assert done.returncode == 0
