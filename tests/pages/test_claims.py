"""A claim shows its text and, behind it, what stands for it; a refused one pretends nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from tests.course_factory import add_record, make_example, make_transcripts
from tests.pages.conftest import Page

Convert = Callable[..., Page]

MEASURED = '[1.5×](claim:add.speedup["small"])'
EXACT = "[256](claim:add.source.kBlock)"

FACTS = """\
[l2]
value = "50"
unit = "MB"
source = "https://example.org/h200?a=1&b=2"
quote = "The L2 cache holds 50 MB <in all>"
date = "2026-11-01"

[book]
value = "32"
unit = ""
source = "A book, page 7"
quote = "A warp has 32 lanes"
date = "2026-11-02"
"""


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root: Path = tmp_path_factory.mktemp("facts")
    make_example(root)
    (root / "snippets" / "quantities.toml").write_text(FACTS)
    return load_course(root)


def test_a_measured_claim_links_to_its_measurement_and_says_what_was_measured(
    convert: Convert,
) -> None:
    page = convert(f"It is {MEASURED} as fast.")
    claim = page.one("p > .course-claim")
    assert claim.attributes["class"] == "course-claim course-claim--measured"
    assert claim.attributes["data-course-claim"] == "0"
    link = page.one(".course-claim > a")
    assert link.text() == "1.5×"
    assert link.attributes["href"] == (
        "course:record/add/nvidia-h200/run-2026-12-01#measurement-speedup"
    )
    proof = page.one(".course-claim > .course-proof")
    # Described in few words, not by all that stands behind it.
    described = page.one(f"#{link.attributes['aria-describedby']}")
    assert " ".join(described.text().split()) == (
        "Measured: 1.525 Next process: 1.517 to 1.532, from 10 processes"
    )
    assert proof.attributes["role"] == "group"
    assert "data-search-exclude" in proof.attributes
    said = " ".join(proof.text().split())
    for part in (
        "Measured: 1.525",
        "Next process: 1.517 to 1.532, from 10 processes",
        "NVIDIA H200, driver 580.159.03, 2026-12-01",
        'add.speedup["small"]',
        "Record",
        "Program",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("text", "expression", "told"),
    [
        ("62.9 MB", "add.device.l2_bytes", "Exact: 62.915 MB "),
        ("60 MiB", "add.device.l2_bytes", "Exact: 60 MiB "),
        (
            "1,253 µs",
            'add.time["large", "narrow"]',
            "Measured: 1252.5 µs Next process: 1252 to 1253 µs, ",
        ),
        (
            "1.253 ms",
            'add.time["large", "narrow"]',
            "Measured: 1.2525 ms Next process: 1.252 to 1.253 ms",
        ),
        (
            "50 %",
            'add.time["large", "wide"] / add.time["large", "narrow"]',
            "Measured: 49.94 % Next process: 49.85 to 50.01 %, ",
        ),
        ("over 100", "add.device.sm_count", "Exact: 132 "),
        (
            "0.6 to 1.3 ms",
            'add.time["large", :]',
            "Measured: 1.2525 ms, 0.6255 ms Next process: 1.252 to 1.253 ms, 0.6247 ",
        ),
    ],
)
def test_what_is_shown_speaks_in_the_unit_of_the_text(
    convert: Convert, text: str, expression: str, told: str
) -> None:
    page = convert(f"It is [{text}](claim:{expression}).")
    said = " ".join(page.one(".course-proof").text().split())
    stated = f"Stated: {text} " if told.startswith("Measured") else ""
    assert said.startswith(stated + told)


def test_the_links_of_a_proof_lead_to_record_and_program(convert: Convert) -> None:
    page = convert(MEASURED)
    assert [a.attributes["href"] for a in page.tree.css(".course-proof a")] == [
        "course:record/add/nvidia-h200/run-2026-12-01#T10",
        "course:record/add/nvidia-h200/run-2026-12-01#measurement-speedup",
        "course:program/add",
    ]


def test_the_anchors_that_claims_lead_to_are_on_the_records_page(convert: Convert) -> None:
    claims = [
        MEASURED,
        '[0.0125 ms](claim:add.time["small", "narrow"])',
        "[132](claim:add.device.sm_count)",
        '[12](claim:add.compiler["add"].registers)',
    ]
    page = convert(" ".join(claims))
    hrefs = [a.attributes["href"] or "" for a in page.tree.css(".course-claim > a")]
    anchors = [href.partition("#")[2] for href in hrefs]
    assert anchors == ["measurement-speedup", "measurement-time", "device", "build"]
    record = convert("/// record | add/nvidia-h200/run-2026-12-01\n///\n")
    for anchor in anchors:
        record.one(f"#{anchor}")


def test_a_named_quantity_leads_to_what_it_is_made_of(example: Course, convert: Convert) -> None:
    program = example.programs["add"]
    rule = type(next(iter(program.declaration.quantities.values()), None))
    assert rule is type(None)
    from build_tools.source.model import QuantityRule

    place = program.regions["block"].place
    quantities = {
        "gain": QuantityRule("gain", "outer + 0", "", place, place, place),
        "outer": QuantityRule(
            "outer",
            'time["small", "narrow"] / time["small", "wide"]',
            "",
            place,
            place,
            place,
        ),
    }
    declaration = replace(program.declaration, quantities=quantities)
    course = replace(example, programs={"add": replace(program, declaration=declaration)})
    page = convert("[2.3×](claim:add.gain)", course=course)
    assert (page.one(".course-claim > a").attributes["href"] or "").endswith("#measurement-time")


def test_an_exact_claim_links_to_the_constants_line(example: Course, convert: Convert) -> None:
    page = convert(EXACT)
    line = example.programs["add"].constants["kBlock"].place.line
    assert page.one(".course-claim--exact > a").attributes["href"] == f"course:program/add#L{line}"
    assert "Exact: 256" in page.text(".course-proof")


def test_a_cited_fact_shows_source_quote_and_date(cited: Course, convert: Convert) -> None:
    page = convert("[50 MB](given:l2)", course=cited)
    assert page.one(".course-claim--cited > a").attributes["href"] == (
        "https://example.org/h200?a=1&b=2"
    )
    said = page.text(".course-proof")
    assert "The L2 cache holds 50 MB <in all>" in said
    assert "Read on 2026-11-01" in said


def test_a_fact_from_print_has_no_link_but_can_be_focused(cited: Course, convert: Convert) -> None:
    page = convert("[32](given:book)", course=cited)
    assert not page.tree.css(".course-claim--cited > a")
    text = page.one(".course-claim--cited > span.course-claim__text")
    assert text.attributes["tabindex"] == "0"
    assert text.attributes["aria-describedby"] == "claim-0-said"
    assert "A book, page 7" in page.text(".course-proof")


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("A guide, section 2: https://example.org/a#b", "https://example.org/a#b"),
        ("A guide (https://example.org/a_(b)), section 2", "https://example.org/a_(b)"),
        ("See https://example.org/a. Section 2", "https://example.org/a"),
    ],
)
def test_the_address_among_the_words_of_a_source_is_a_link(
    cited: Course, convert: Convert, source: str, address: str
) -> None:
    fact = replace(cited.facts["book"], source=source)
    page = convert("[32](given:book)", course=replace(cited, facts={"book": fact}))
    assert [a.attributes["href"] for a in page.tree.css("a")] == [address, address]
    assert page.text(".course-proof a") == address
    assert source in page.text(".course-proof")


@pytest.mark.parametrize("scheme", ["javascript:alert(1)", "data:text/html,x", "//example.org"])
def test_only_web_addresses_become_links(cited: Course, convert: Convert, scheme: str) -> None:
    fact = replace(cited.facts["book"], source=scheme)
    page = convert("[32](given:book)", course=replace(cited, facts={"book": fact}))
    assert not page.tree.css("a")


def test_a_stated_number_has_no_proof_mark(convert: Convert) -> None:
    page = convert("Take [7](stated:) rows.")
    claim = page.one(".course-claim")
    assert claim.attributes["class"] == "course-claim course-claim--stated"
    assert claim.text() == "7"
    assert not page.tree.css("a, .course-proof")


def test_a_finding_is_drawn_and_said_in_the_proof(convert: Convert) -> None:
    page = convert('[9.9×](claim:add.speedup["small"])')
    assert "course-claim--finding" in (page.one(".course-claim").attributes["class"] or "")
    said = page.text(".course-proof__finding")
    assert "drift: 1.525 (band 1.517 to 1.532) does not round to it; write 1.5×" in said


def test_a_claim_that_cannot_be_evaluated_still_comes_out_once(convert: Convert) -> None:
    page = convert("[3×](claim:add.nothing) [3 ms](stated:)")
    assert page.rendered.is_whole
    assert len(page.tree.css(".course-claim--finding .course-proof")) == 2
    assert not page.tree.css(".course-claim > a")


def test_a_stray_hedge_is_judged_as_the_check_does(convert: Convert) -> None:
    page = convert(f"It is about {MEASURED} as fast.")
    assert "hedge" in page.text(".course-proof__finding")


def test_a_claim_in_a_heading_is_a_plain_span_and_keeps_the_anchor(convert: Convert) -> None:
    page = convert(f"# Fast: {MEASURED} {{#fast}}\n\nText.")
    heading = page.one("h1#fast")
    assert not page.tree.css("h1 .course-proof, h1 .course-claim a")
    assert heading.css_first("span.course-claim--measured") is not None
    assert page.rendered.claims == (0,)
    assert [entry["name"] for entry in page.md.toc_tokens] == ["Fast: 1.5×"]  # type: ignore[attr-defined]


def test_a_claims_text_may_hold_emphasis_and_code(convert: Convert) -> None:
    page = convert("[`256`](claim:add.source.kBlock) and [**256**](claim:add.source.kBlock)")
    assert page.text(".course-claim a > code") == "256"
    assert page.text(".course-claim a > strong") == "256"
    assert page.rendered.is_whole


PLACES = {
    "list": f"- a {MEASURED}\n- b",
    "table": f"| a | b |\n|---|---|\n| x | {EXACT} |\n",
    "emphasis": f"**It is {MEASURED} as fast**",
    "quote": f"> {MEASURED}",
    "footnote": f"Text[^1].\n\n[^1]: It is {MEASURED}.",
    "admonition": f"!!! note\n\n    {MEASURED}\n",
    "admonition's title": f'!!! note "Title"\n    {MEASURED}\n',
    "definition": f"Term\n:   {MEASURED}\n",
    "brackets": f"[see {MEASURED} there]",
    "other links": f"[a](https://example.org) {MEASURED} [b](https://example.org)",
    "raw HTML": f'<div markdown="1">\n\n{MEASURED}\n\n</div>',
    "side by side": f"{MEASURED}{MEASURED}",
    "strong inside a word": f"x**{MEASURED}**y",
    "quotes and parentheses": "[5](claim:max(3, (1 + (4))))",
    "angle": "[faster](claim:add.speedup[\"large\"] > add.speedup['small'])",
}


@pytest.mark.parametrize("place", PLACES)
def test_each_claim_comes_out_once_wherever_prose_may_stand(convert: Convert, place: str) -> None:
    page = convert(PLACES[place])
    assert page.rendered.scan.claims
    assert page.rendered.is_whole
    assert "claim:" not in page.html
    assert page.tree.css(".course-claim")


def test_syntax_shown_in_code_stays_as_it_is(convert: Convert) -> None:
    page = convert(
        "`[1.5×](claim:add.speedup)`\n\n```\n[1.5×](claim:add.speedup)\n/// table | add\n///\n```\n"
    )
    assert page.rendered.scan.claims == ()
    assert page.rendered.scan.directives == ()
    assert page.tree.css("pre code")[0].text() == (
        "[1.5×](claim:add.speedup)\n/// table | add\n///\n"
    )


def test_a_refused_claim_looks_like_no_link_and_no_claim(convert: Convert) -> None:
    page = convert("[1.5×](claim:add.speedup$) and [2](given:) and ![3](claim:x)")
    assert page.rendered.scan.claims == ()
    assert len(page.rendered.scan.findings) == 3
    assert not page.tree.css("a[href^='claim:'], a[href^='given:'], [data-course-claim]")
    assert page.tree.css(".course-claim--refused")


def test_what_looks_like_a_token_in_the_source_is_none(convert: Convert) -> None:
    page = convert(f"{MEASURED} course-directive-0-0123456789ab [x](claim:#0.0123456789ab)")
    # The second is a claim of an odd expression, number 1: it does not become number 0 again.
    assert page.rendered.claims == (0, 1)
    assert "course-claim--finding" in (page.tree.css(".course-claim")[1].attributes["class"] or "")
    assert page.rendered.directives == ()
    assert "course-directive-0-0123456789ab" in page.html


def test_a_claim_that_markdown_never_reaches_is_put_back_as_written(convert: Convert) -> None:
    # The scanner reads prose inside raw HTML; Markdown leaves it alone.
    page = convert(f"<div>\nIt is {MEASURED} as fast.\n</div>")
    assert not page.rendered.is_whole
    assert page.text("div") == f"\nIt is {MEASURED} as fast.\n"


def test_a_converter_can_be_used_again(convert: Convert) -> None:
    page = convert(MEASURED)
    page.md.reset()
    again = page.md.convert(f"Other {EXACT}")
    assert "course-claim--exact" in again
    assert "course-claim--measured" not in again
    assert page.rendered.claims == (0,)


def test_a_band_of_two_records_says_so(convert: Convert, tmp_path: Path) -> None:
    make_example(tmp_path)
    add_record(tmp_path, "add", make_transcripts(10), started="2026-12-02T09:30:00Z")
    page = convert('[1.5x](claim:add.speedup["small"])\n', course=load_course(tmp_path))
    assert ", from 20 processes of 2 records" in page.text(".course-proof")


def test_a_proof_leads_to_the_same_line_of_the_program_as_its_number(convert: Convert) -> None:
    page = convert("Of [256](claim:add.source.kBlock).")
    number = page.one("a.course-claim__text").attributes["href"] or ""
    (program,) = page.tree.css(".course-proof__links > a")
    assert re.fullmatch(r"course:program/add#L[0-9]+", number)
    assert program.attributes["href"] == number
