"""Marks and markup that make a number read otherwise: `course check` tells each at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command.asking import ask, make_asked, write_page

SPEEDUP = 'claim:add.speedup["large"] > 1'


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("disguises")
    make_asked(root)
    return root


@pytest.mark.parametrize(
    ("text", "place", "kind", "true", "advice"),
    [
        (
            "It is \u202e[256](claim:add.source.kBlock).",
            "1:7",
            "encoding",
            "changes the order",
            "remove it",
        ),
        (
            "It is &#x202e;[256](claim:add.source.kBlock).",
            "1:7",
            "encoding",
            "changes the order",
            "remove it",
        ),
        (
            "It is [25\u200b6](claim:add.source.kBlock).",
            "1:10",
            "encoding",
            "beside a number",
            "remove it",
        ),
        (
            "It is [256&zwj;](claim:add.source.kBlock).",
            "1:11",
            "encoding",
            "beside a number",
            "remove it",
        ),
        (
            "It is [25\u09ec](claim:add.source.kBlock).",
            "1:8",
            "encoding",
            "digits are of 2 scripts; it reads as 256",
            "digits of one script",
        ),
        (
            '<bdo dir="rtl">[256](claim:add.source.kBlock)</bdo>',
            "1:1",
            "page",
            "turns the order",
            "in the order in which it is read",
        ),
        (
            "<p dir='rtl'>[256](claim:add.source.kBlock)</p>",
            "1:1",
            "page",
            "turns the order",
            "in the order in which it is read",
        ),
        (
            "It is <del>[256](claim:add.source.kBlock)</del>.",
            "1:7",
            "page",
            "strikes a number out",
            "take out the number",
        ),
        (
            'A.\n\n<style>#claim-0::after{content:"42"}</style>',
            "3:1",
            "page",
            "can show what no check reads",
            "extra_css",
        ),
        (
            "A.\n\n<script>document.write(42)</script>",
            "3:1",
            "page",
            "can show what no check reads",
            "extra_javascript",
        ),
    ],
)
def test_what_disguises_a_number_is_found(
    root: Path, text: str, place: str, kind: str, true: str, advice: str
) -> None:
    write_page(root, f"{text}\n")
    _, output = ask(root, "check", "docs/page.md")
    assert f"docs/page.md:{place}: {kind}\n" in output
    assert true in output
    assert advice in output


@pytest.mark.parametrize(
    "text",
    [
        "Words\u200bwithout a number, a soft\u00adhyphen, \u2067words\u2069.",
        "`<style>` and `\u202e 5` are code.",
        "```html\n<script>let x = 42</script>\n```",
        "<!-- <style> -->",
        "A <del>word</del> and <span>another</span>.",
        "\u0662\u0665\u0666 is [256](claim:add.source.kBlock).".replace(
            "\u0662\u0665\u0666 is ", ""
        ),
        r"An escaped \<bdo> is text.",
    ],
)
def test_what_disguises_none_is_not(root: Path, text: str) -> None:
    write_page(root, f"{text}\n")
    _, output = ask(root, "check", "docs/page.md")
    assert ": encoding\n" not in output
    assert ": page\n" not in output
