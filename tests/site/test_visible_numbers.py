"""Numbers that a built page shows and that the check of its source did not read: none passes."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from build_tools.command.main import cli
from tests.course_factory import make_example
from tests.site.conftest import build_apart, write_pages

HIDDEN = {
    "emphasis": ("It takes 4*2* ms.", "2"),
    "underscores": ("It takes _42_ ms.", "42"),
    "strong": ("It is __50__ times as fast.", "50"),
    "strong-unit": ("It takes **42** ms.", "42"),
    "comment": ("A.\n\n<!-- note --> The kernel takes 42 ms.", "42 ms"),
    "div": ('<div class="card">\n\n    <p>It is 50 times faster.</p>\n\n</div>', "50 times"),
    "fence": ("Text.\n\n~~~ It takes 42 ms and\nis 50 times faster\n~~~", "42 ms"),
    "quote": ("1. An item.\n> A quote.\n\n    It takes 42 ms.", "42 ms"),
    "items": ("- - An item.\n\n        It takes 42 ms.", "42 ms"),
    "string": ("---\n'note: it takes 42 ms'\n---\n# Title\n", "42 ms"),
    "references": ("It takes &#52;&#50; ms.", "42 ms"),
    "hexadecimal": ("It takes 4&#x32; ms.", "42 ms"),
    "superscript": ("It takes ⁴² ms.", "⁴² ms"),
    "half": ("It takes ½ ms.", "½ ms"),
    "circled": ("It takes ④② ms.", "④② ms"),
    "roman": ("It takes Ⅻ ms.", "Ⅻ ms"),
    "subscript": ("It takes ₄₂ ms.", "₄₂ ms"),
    "maths": (r"It takes \(t = 42\,ms\).", "42"),
    "dollars": ("It costs $2 an hour, takes 42 ms, the other 1$ more.", "42 ms"),
    "display": ("A.\n\n\\[42 ms\\]", "42 ms"),
    "reference-link": ("See [all][42 ms].", "42 ms"),
    "footnote": ("See [^42 ms].", "42 ms"),
    "inline-language": ("It takes `#!text 42 ms`.", "42 ms"),
    "hedged-code": ("It takes `~42 ms`.", "42 ms"),
    "raw-code": ("It takes <code>42 ms</code>.", "42 ms"),
    "keys": ("It takes <kbd>42 ms</kbd>.", "42 ms"),
    "picture": ("A.\n\n<svg><text>42 ms</text></svg>", "42 ms"),
    "textarea": ("A.\n\n<textarea>It takes 42 ms</textarea>", "42 ms"),
    "tooltip": ('See [that](index.md "42 ms").', "42 ms"),
    "title": ('<span title="it takes 42 ms">That</span>', "42 ms"),
    "alternative": ('A <img src="x.png" alt="it takes 42 ms">', "42 ms"),
    "meta-title": ("---\ntitle: It takes 42 ms\n---\n# Title\n", "42 ms"),
    "description": ("---\ndescription: >-\n  It takes 42 ms\n---\n# Title\n", "42 ms"),
    "wrapped": ("It takes\n42. That is all.", "42"),
    "attributes": ("It is fast {#42 ms} indeed.", "42 ms"),
    "takes-42-ms": ("A page without a title.", "42 ms"),
}
"""By the page's name: what it says, and the number that a browser shows."""

HONEST = """\
---
title: Reading float4
---
# Reading float4

## 3.2 Numbers that are named

1. On Day 16 with CUDA 13.0, `float x = 42;` stands in line 12 of <kbd>F5</kbd>.
2. Each block has [256](claim:add.source.kBlock) threads, [*256*](claim:add.source.kBlock)
   of them, since 2019; see [the page](https://example.org/42 "a page") and <https://example.org/17>.

| Day | H200 |
|-----|------|
| 12  | `a[17]` |

A note[^1], _float32_ and __L2__, E = mc².

    int code = 42;

!!! note "Step 2"

    The kernel runs on sm_90 in Figure 3.

[^1]: Of 2024-05-06.

[^2]: Not named.
"""


def run_check(root: Path, command: list[str]) -> dict[str, list[dict[str, object]]]:
    """The findings of a command by the name of their page."""
    done = CliRunner().invoke(cli, ["--root", str(root), *command, "--format", "json"])
    found = defaultdict(list)
    for finding in json.loads(done.stdout)["findings"]:
        found[Path(finding["place"]["path"]).stem].append(finding)
    return found


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a page for each way to hide a number, and its site."""
    root = tmp_path_factory.mktemp("hidden")
    make_example(root)
    write_pages(root)
    (root / "docs/lessons/one.md").write_text(HONEST)
    for name, (text, _) in HIDDEN.items():
        (root / f"docs/{name}.md").write_text(text + "\n", encoding="utf-8")
    settings = (root / "course.toml").read_text()
    (root / "course.toml").write_text(settings + 'findings = "warn"\n')
    done = build_apart(root)
    assert (root / "site").is_dir(), done.stderr
    return root


@pytest.fixture(scope="module")
def verified(root: Path) -> dict[str, list[dict[str, object]]]:
    return run_check(root, ["verify", str(root / "site")])


@pytest.mark.parametrize("name", HIDDEN)
def test_a_number_that_is_shown_is_found(
    verified: dict[str, list[dict[str, object]]], name: str
) -> None:
    number = HIDDEN[name][1]
    said = [f for f in verified[name] if number in f["stated"]]  # type: ignore[operator]
    assert said, verified[name]
    assert {f["kind"] for f in said} <= {"unbound", "page"}


def test_numbers_that_are_named_or_bound_are_none(
    verified: dict[str, list[dict[str, object]]],
) -> None:
    assert verified["one"] == []


def test_a_finding_says_where_and_what_to_do(
    verified: dict[str, list[dict[str, object]]],
) -> None:
    (finding,) = verified["tooltip"]
    assert finding["kind"] == "unbound"
    assert finding["place"] == {
        "path": "docs/tooltip.md",
        "line": 1,
        "column": 22,
        "length": 5,
    }
    assert finding["stated"] == "`42 ms` in `42 ms`"
    assert finding["true"] == (
        "the page shows the number, but the check of its source reads none there"
    )
    assert "write it in prose as a claim, `[42 ms](claim:…)`" in str(finding["advice"])
    (finding,) = verified["description"]
    assert "title or description" in str(finding["true"])
    assert "leave the number out" in str(finding["advice"])
    (finding,) = verified["items"]
    assert finding["stated"] == "`42 ms` in `It takes 42 ms.`"
    assert finding["place"]["line"] == 3  # type: ignore[index]
