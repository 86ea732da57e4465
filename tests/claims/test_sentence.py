"""The sentence around a claim: where it begins and ends, and how it reads."""

from __future__ import annotations

import pytest

from build_tools.claims.scan import scan_page
from build_tools.claims.sentence import LONGEST_SENTENCE, find_sentence

CLAIM = '[2.1×](claim:add.speedup[:, "a. b"] > 1)'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"Before. It is {CLAIM} as fast. After.", "It is 2.1× as fast."),
        (f"{CLAIM}", "2.1×"),
        (f"One paragraph.\n\nIt is\n{CLAIM} as\nfast, truly", "It is 2.1× as fast, truly"),
        (f"- first item\n- it is {CLAIM}\n- third", "it is 2.1×"),
        (f"1. first\n2. It is {CLAIM}. More.", "It is 2.1×."),
        (f"> quoted words\n> and {CLAIM} there", "quoted words and 2.1× there"),
        (f"| a | b |\n|---|---|\n| x | {CLAIM} |\n| y | z |", "| x | 2.1× |"),
        (f"# Fast: {CLAIM} {{#fast}}", "Fast: 2.1× {#fast}"),
        (f"See [the page](other.md) and {CLAIM}.", "See the page and 2.1×."),
        (f"It is {CLAIM} or [3](stated:) of them.", "It is 2.1× or 3 of them."),
        (f"Mind e.g. {CLAIM}", "Mind e.g. 2.1×"),
        (f"Done. {CLAIM} is (really.) More", "2.1× is (really.)"),
        (f"Term\n:   it is {CLAIM} there\n", "it is 2.1× there"),
    ],
)
def test_where_a_sentence_begins_and_ends(text: str, sentence: str) -> None:
    scan = scan_page(text, "page.md")
    assert scan.claims[0].text == "2.1×"
    assert find_sentence(scan, scan.claims[0]) == sentence


def test_a_long_sentence_is_cut_around_the_claim() -> None:
    scan = scan_page("word " * 5000 + CLAIM + " word" * 5000, "page.md")
    sentence = find_sentence(scan, scan.claims[0])
    assert len(sentence) <= LONGEST_SENTENCE + 10
    assert sentence.startswith("…")
    assert sentence.endswith("…")
    assert "word 2.1× word" in sentence
