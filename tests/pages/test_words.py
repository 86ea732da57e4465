"""Where may a command or a row's key be broken, and does it read back as what it is?"""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from build_tools.pages.visible import mark_up_command, mark_up_key


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("nvcc -O3 -arch=sm_90 -o add add.cu", ["-O3", "-arch=sm_90", "-o"]),
        ("./two-per-thread --once\n./add --n 48", ["./two-per-thread", "--once", "--n"]),
        ("./add <in >out", []),
        ("./add '-<b>'\x07", ["'-<b>'␇"]),
    ],
)
def test_a_commands_words_with_hyphens_are_held_together(text: str, held: list[str]) -> None:
    tree = LexborHTMLParser(f"<pre>{mark_up_command(text)}</pre>")
    assert [node.text() for node in tree.css(".course-word")] == held
    (pre,) = tree.css("pre")
    assert pre.text(deep=True) == text.replace("\x07", "␇")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("1024x512x8", "1024<wbr>x512<wbr>x8"),
        ("matrix x", "matrix x"),
        ("<3x4>", "&lt;3<wbr>x4&gt;"),
    ],
)
def test_a_key_is_broken_between_its_factors(text: str, html: str) -> None:
    assert mark_up_key(text) == html
