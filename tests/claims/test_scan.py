"""Claims and directives of a page: found with their places, or told what is wrong."""

from __future__ import annotations

import pytest

from build_tools.claims.model import ClaimKind
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Kind


def scan_claims(text: str) -> list[tuple[str, str, str, int, int]]:
    scan = scan_page(text, "docs/a.md")
    assert not scan.findings, scan.findings
    return [(c.kind.value, c.text, c.target, c.place.line, c.place.column) for c in scan.claims]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[2](claim:a > b)", "a > b"),
        ("[2](claim:a < b and c > d)", "a < b and c > d"),
        ('[2](claim:time["a(b", "c)d"])', 'time["a(b", "c)d"]'),
        ("[2](claim:time['x', \"y\"])", "time['x', \"y\"]"),
        ("[2](claim:max(min(a), (b)))", "max(min(a), (b))"),
        ("[2](claim: a )", "a"),
        ('[2](claim:time[:, "tiled"])', 'time[:, "tiled"]'),
        ("[*2*](claim:a)", "a"),
        ("[`2`](claim:a)", "a"),
        ("[[2]](claim:a)", "a"),
        ("- x [2](claim:a)", "a"),
        ("> x [2](claim:a)", "a"),
        ("!!! note\n\n    x [2](claim:a)", "a"),
        ('=== "Tab"\n\n    x [2](claim:a)', "a"),
        ("1. one\n\n    x [2](claim:a)", "a"),
        ("text[^1]\n\n[^1]: a note [2](claim:a)", "a"),
        ("Term\n:   meaning [2](claim:a)", "a"),
        ("x `code` [2](claim:a) `code`", "a"),
        ("## Heading [2](claim:a) {#heading}", "a"),
        ("[see](other.md) [2](claim:a) [more](x)", "a"),
    ],
)
def test_forms_that_are_read(text: str, target: str) -> None:
    claims = scan_claims(text)
    assert [claim[2] for claim in claims] == [target]


@pytest.mark.parametrize(
    "text",
    [
        "`[2](claim:a)`",
        "```\n[2](claim:a)\n```",
        "~~~ md\n[2](claim:a)\n~~~",
        "````\n```\n[2](claim:a)\n```\n````",
        "    [2](claim:a)",
        "text\n\n    [2](claim:a)\n    more",
        "<!-- [2](claim:a) -->",
        "---\ntitle: '[2](claim:a)'\n---\ntext",
        "``a ` [2](claim:a)``",
        "- item\n\n    ```\n    [2](claim:a)\n    ```",
    ],
)
def test_code_and_comments_hold_no_claims(text: str) -> None:
    assert scan_claims(text) == []


def test_places_and_kinds() -> None:
    text = "---\ntitle: t\n---\n\nA [1×](claim:a) and [2](given:k) and\n  [3](stated:)."
    assert scan_claims(text) == [
        ("claim", "1×", "a", 5, 3),
        ("given", "2", "k", 5, 21),
        ("stated", "3", "", 6, 3),
    ]
    scan = scan_page(text, "docs/a.md")
    assert [text[c.start : c.end] for c in scan.claims] == [
        "[1×](claim:a)",
        "[2](given:k)",
        "[3](stated:)",
    ]
    assert [c.number for c in scan.claims] == [0, 1, 2]
    assert scan.claims[1].kind is ClaimKind.GIVEN


@pytest.mark.parametrize(
    ("text", "line", "column", "true", "advice"),
    [
        ("x [2](claim:a", 1, 3, "not closed", "the whole link on one line"),
        ("x [2](claim:a *\nb)", 1, 3, "not closed", "the whole link on one line"),
        ('x [2](claim:time["a)', 1, 18, 'the quote `"` is not', "close the quote"),
        ('x [2](claim:time["a", "b)', 1, 23, 'the quote `"` is not', "close the quote"),
        ('x [2](claim:max(time["a"]', 1, 16, "the bracket `(` is not", "close the bracket"),
        ('x [2](claim:time"a"])', 1, 20, "`]` closes nothing", "take it out"),
        ("x [2\ny](claim:a)", 2, 2, "same line", "one line"),
        ("x [2] (claim:a)", 1, 5, "not a link", "nothing between"),
        ("x ![2](claim:a)", 1, 4, "image", "link in the sentence"),
        ("x [a [2](claim:a) b](http://x)", 1, 6, "inside another link", "end before"),
        ("x [2](claim:a or b | c)", 1, 3, "`|`", "[quantities]"),
        ("x [$2$](claim:a)", 1, 3, "`$`", "[quantities]"),
        ("x [2](claim:)", 1, 3, "nothing follows", "claim:name"),
        ("x [ ](claim:a)", 1, 3, "empty", "between the brackets"),
        ("x [2][r]\n\n[r]: claim:a", 3, 1, "reference definition", "where the number stands"),
        ('x <a href="claim:a">2</a>', 1, 6, "raw HTML", "where the number stands"),
        ("x <claim:a>", 1, 3, "raw HTML", "where the number stands"),
        ("# Fast by [2](claim:a)", 1, 11, "anchor", "{#speed-up}"),
        ("Fast by [2](claim:a)\n====", 1, 9, "anchor", "{#speed-up}"),
    ],
)
def test_forms_that_are_refused(text: str, line: int, column: int, true: str, advice: str) -> None:
    scan = scan_page(text, "docs/a.md")
    assert len(scan.findings) == 1, scan.findings
    finding = scan.findings[0]
    assert finding.kind is Kind.LINK
    assert (finding.place.line, finding.place.column) == (line, column)
    assert true in finding.true
    assert advice in finding.advice


def test_directives() -> None:
    text = (
        "Text.\n\n/// snippet | add#kernel\n    dedent: false\n    title: 'A: b'\n///\n\n"
        "- item\n\n    /// table | add\n    ///\n\n```\n/// snippet | no#no\n///\n```\n"
    )
    scan = scan_page(text, "docs/a.md")
    assert not scan.findings
    assert [
        (d.number, d.name, d.argument, d.place.line, d.place.column, d.indent)
        for d in scan.directives
    ] == [
        (0, "snippet", "add#kernel", 3, 1, ""),
        (1, "table", "add", 10, 5, "    "),
    ]
    assert scan.directives[0].options == {"dedent": "false", "title": "A: b"}
    first = scan.directives[0]
    assert text[first.start : first.end].startswith("/// snippet")
    assert text[first.start : first.end].endswith("\n///")


@pytest.mark.parametrize(
    ("text", "line", "column", "true", "advice"),
    [
        ("/// snipet | a#b\n///", 1, 1, "no such block", "`snippet`"),
        ("/// snippet | a#b\n\ntext", 1, 1, "not closed", "`///`"),
        ("/// snippet\n///", 1, 1, "names nothing", "program#region"),
        ("/// table | a\n    colums: x\n///", 2, 5, "no such option", "`columns`"),
        ("/// table | a\n    columns: x\n    columns: y\n///", 3, 5, "twice", "keep one"),
        ("/// table | a\n    just text\n///", 2, 5, "options only", "key: value"),
        ("text\n\n///", 3, 1, "no block is open", "remove the line"),
        ("/// table | a\n/// table | b\n///", 1, 1, "opens in it, in line 2", "`///` after"),
        ("/// transcript | a\n    x: y\n///", 2, 5, "no such option", "takes no options"),
        ("/// record | a\n///", 1, 1, "no such block", "known"),
        ("/// | a\n///", 1, 1, "opens no block", "name | argument"),
    ],
)
def test_directives_that_are_refused(
    text: str, line: int, column: int, true: str, advice: str
) -> None:
    findings = scan_page(text, "docs/a.md").findings
    assert findings, text
    finding = findings[0]
    assert finding.kind is Kind.DIRECTIVE
    assert (finding.place.line, finding.place.column) == (line, column)
    assert true in finding.true
    assert advice in finding.advice


def test_blocks_of_others_are_left_alone() -> None:
    scan = scan_page("/// note | Title\n\n[2](claim:a)\n///\n", "docs/a.md")
    assert not scan.findings
    assert len(scan.claims) == 1


def test_generated_pages_have_directives_of_their_own() -> None:
    scan = scan_page("/// program-source | add\n///", "programs/add.md", generated=True)
    assert [d.name for d in scan.directives] == ["program-source"]


def test_a_page_of_brackets_is_scanned_in_linear_time() -> None:
    scan = scan_page("[" * 20_000 + "](claim:" * 5_000, "docs/a.md")
    assert scan.findings


@pytest.mark.parametrize(
    ("text", "column", "stated", "advice"),
    [
        ("[65](clam:2 * x.y)", 6, "`(clam:`", "(claim:"),
        ("a [9](Claim:x.y ** 2)", 7, "`(Claim:`", "(claim:"),
        ("[65](claims:x)", 6, "`(claims:`", "(claim:"),
        ("[65]( claim:x)", 7, "`( claim:`", "(claim:"),
        ("[65](claim :x)", 6, "`(claim :`", "(claim:"),
        ("[65](givn:x)", 6, "`(givn:`", "(given:"),
        ("[65](state:)", 6, "`(state:`", "(stated:"),
    ],
)
def test_misspelt_kinds_of_link(text: str, column: int, stated: str, advice: str) -> None:
    findings = scan_page(text, "docs/page.md").findings
    assert [f.kind for f in findings] == [Kind.LINK], list(map(str, findings))
    assert findings[0].place.column == column
    assert findings[0].stated == stated
    assert advice in findings[0].advice


@pytest.mark.parametrize(
    "text",
    ["[a](mailto:x@y.org)", "[a](https://x.org)", "[a](tel:123)", "[a](page.md)", "`](clam:`"],
)
def test_other_schemes_are_left_alone(text: str) -> None:
    assert scan_page(text, "docs/page.md").findings == ()


@pytest.mark.parametrize("marks", ["~~~", "```"])
def test_a_fence_with_other_words_behind_it_is_text(marks: str) -> None:
    text = f"Text.\n\n{marks} It takes a while and\nis fast\n{marks}\n\nMore.\n"
    (finding,) = scan_page(text, "docs/a.md").findings
    assert str(finding.place) == "docs/a.md:3:1"
    assert "this is text" in finding.true
    assert finding.advice == 'write the language alone, or options as `title="…"` behind it'
    for info in ("cpp", ' cpp title="a.cu" hl_lines="2"', " { .cpp .copy }", "c++", ""):
        assert scan_page(f"{marks}{info}\nx\n{marks}\n", "docs/a.md").findings == ()
