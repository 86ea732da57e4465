"""A claim is found by the scanner and rendered by the extension wherever Markdown has a link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from build_tools.claims.check import check_scan
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding, Kind
from tests.pages.conftest import Page

Convert = Callable[..., Page]

TRUE = "[256](claim:add.source.kBlock)"
FALSE = "[257](claim:add.source.kBlock)"


@dataclass(frozen=True)
class Place:
    """A page with ``@`` where the claim stands, and what must hold it on the built page."""

    text: str
    within: str


PLACES = {
    "paragraph": Place("It is @ wide.", "p"),
    "alone": Place("@", "p"),
    "line start": Place("@ is wide.", "p"),
    "line end": Place("It is @\n", "p"),
    "after a soft break": Place("It is\n@ wide.", "p"),
    "before a soft break": Place("It is @\nwide.", "p"),
    "after a hard break": Place("It is  \n@ wide.", "p"),
    "indented by three": Place("Text.\n\n   @ wide.", "p"),
    "parentheses": Place("It is (@).", "p"),
    "quotes": Place("It is \"@\" or 'so'.", "p"),
    "typographic quotes": Place("It is “@”.", "p"),
    "comma and stop": Place("Of @, no.", "p"),
    "dash": Place("Of—@—no.", "p"),
    "colon": Place("It is:@;", "p"),
    "behind a word and a hyphen": Place("x-@.", "p"),
    "slash": Place("a / @ / b", "p"),
    "square brackets": Place("[see @ there]", "p"),
    "after a link": Place("[a](https://example.org)@", "p"),
    "before a link": Place("@ [a](https://example.org)", "p"),
    "after a reference": Place("[a][r] @\n\n[r]: https://example.org", "p"),
    "after an image": Place("![a](a.png) @", "p"),
    "after an exclamation mark": Place("Look! @", "p"),
    "after code": Place("`a[1](b)` @ `c`", "p"),
    "between ticks of two kinds": Place("``a ` b`` @ `c`", "p"),
    "after a tick that is alone": Place("a ` b @ wide", "p"),
    "after escapes": Place(r"\[a\] \` \* @ \`", "p"),
    "after an entity": Place("a&nbsp;@ &amp; b", "p"),
    "after a dollar": Place("costs $5 and @ wide", "p"),
    "after a comment": Place("a <!-- no --> @", "p"),
    "under a comment": Place("<!-- no\n\n@ no -->\n\nIt is @", "p"),
    "under a comment mark in code": Place("`<!--` is one\n\nIt is @ `-->`", "p"),
    "inline HTML": Place("a <kbd>x</kbd> <span>@</span>", "p span"),
    "inline code in HTML": Place("a <code>@</code>", "p code"),
    "emphasis around": Place("It is *@*.", "p > em"),
    "strong around": Place("It is **@**.", "p > strong"),
    "both around": Place("It is ***@***.", "p em"),
    "underscores around": Place("It is __@__ and _so_.", "p > strong"),
    "emphasis that goes on": Place("It *is @ wide* so.", "p > em"),
    "strong behind a hyphen": Place("x-**@**.", "p > strong"),
    "list": Place("- a @\n- b", "li"),
    "list's start": Place("- @\n- b", "li"),
    "ordered list": Place("1. a\n2. b @", "ol > li"),
    "list's paragraph": Place("- a\n\n    b @\n\n- c", "li > p"),
    "nested list": Place("- a\n    - b\n        - c @", "li li li"),
    "list in a list of numbers": Place("1. a\n\n    - b @", "ol li li"),
    "list after a fence in it": Place("- a\n\n    ```\n    x\n    ```\n\n    b @", "li > p"),
    "list after code in it": Place("- a\n\n        x\n\n    b @", "li > p"),
    "lazy line of a list": Place("- a\nb @", "li"),
    "after a list": Place("- a\n\nb @", "body > main > p"),
    "table": Place("| a | b |\n|---|---|\n| x | @ |\n", "td"),
    "table's head": Place("| a | @ |\n|---|---|\n| x | y |\n", "th"),
    "table without bars around": Place("a | b\n--|--\n@ | y\n", "tbody th"),
    "table cell with a bar": Place("| a | b |\n|---|---|\n| `x|y` | @ |\n", "td"),
    "table cell with an escaped bar": Place("| a | b |\n|---|---|\n| x \\| y | @ |\n", "td"),
    "table in a list": Place("- a\n\n    | a | b |\n    |---|---|\n    | x | @ |\n", "li td"),
    "table aligned": Place("| a | b |\n|:--|--:|\n| x | **@** |\n", "td strong"),
    "quotation": Place("> a @", "blockquote"),
    "quotation in a quotation": Place("> > a @", "blockquote blockquote"),
    "list in a quotation": Place("> - a @", "blockquote li"),
    "quotation in a list": Place("- a\n\n    > b @", "li blockquote"),
    "lazy line of a quotation": Place("> a\nb @", "blockquote"),
    "quotation after code in it": Place(">     x\n>\n> b @", "blockquote > p"),
    "heading": Place("## Of @ {#of}\n\nText.", "h2#of"),
    "heading with marks behind": Place("## Of @ {#of} ##\n\nText.", "h2#of"),
    "heading underlined": Place("Of @ {#of}\n========\n\nText.", "h1#of"),
    "heading with more attributes": Place("# Of @ {: #of .x }\n", "h1#of"),
    "admonition": Place("!!! note\n\n    a @\n", ".admonition"),
    "admonition without a gap": Place("!!! note\n    a @\n", ".admonition"),
    "admonition under a title": Place('!!! note "Title"\n    a @\n', ".admonition"),
    "admonition in a list": Place("- a\n\n    !!! tip\n\n        b @\n", "li .admonition"),
    "list in an admonition": Place("!!! tip\n\n    - a\n        - b @\n", ".admonition li li"),
    "details": Place('??? note "More"\n\n    a @\n', "details"),
    "open details": Place('???+ note "More"\n\n    a @\n', "details[open]"),
    "tab": Place('=== "A"\n\n    a @\n\n=== "B"\n\n    b\n', ".tabbed-block"),
    "second tab": Place('=== "A"\n\n    a\n\n=== "B"\n\n    b @\n', ".tabbed-block"),
    "tab in a list": Place('- a\n\n    === "A"\n\n        b @\n', "li .tabbed-block"),
    "table in a tab": Place(
        '=== "A"\n\n    | a | b |\n    |---|---|\n    | x | @ |\n', ".tabbed-block td"
    ),
    "footnote": Place("Text[^1].\n\n[^1]: a @", ".footnote li"),
    "footnote's paragraph": Place("Text[^1].\n\n[^1]:\n    a\n\n    b @\n", ".footnote li"),
    "after a footnote's mark": Place("Text[^1] @.\n\n[^1]: a", "p"),
    "definition": Place("Term\n:   a @\n", "dd"),
    "definition's paragraph": Place("Term\n\n:   a\n\n    b @\n", "dd > p"),
    "second definition": Place("Term\n:   a\n:   b @\n", "dd"),
    "term": Place("Of @\n:   a\n", "dt"),
    "list in a definition": Place("Term\n:   a\n\n    - b @\n", "dd li"),
    "Markdown in HTML": Place('<div markdown="1">\n\na @\n\n</div>', "div > p"),
    "Markdown in an HTML block": Place('<div markdown="block">\na @\n</div>', "div"),
    "Markdown in an HTML line": Place('<p markdown="span">a @</p>', "p"),
    "Markdown in HTML details": Place(
        '<details markdown="1">\n<summary>s</summary>\n\na @\n\n</details>', "details > p"
    ),
    "beside a block": Place("/// snippet | add#block\n///\n\nIt is @", "p"),
    "under a fence": Place("```\n[1](claim:x)\n```\n\nIt is @", "p"),
    "under code": Place("Text.\n\n    [1](claim:x)\n\nIt is @", "p"),
    "under a fence that is none": Place("Text ``` a\n\nIt is @", "p"),
    "attributes behind": Place("It is @{: .x } wide.", "p"),
    "paragraph with attributes": Place("It is @ wide.\n{: #of }", "p#of"),
}


def put(place: Place, claim: str) -> str:
    return place.text.replace("@", claim)


@pytest.mark.parametrize("name", PLACES)
def test_it_agrees(example: Course, convert: Convert, name: str) -> None:
    place = PLACES[name]
    page = convert(put(place, TRUE))
    scan = page.rendered.scan
    assert check_claims(example, page) == []
    assert len(scan.claims) == 1
    assert page.rendered.is_whole
    claim = page.one(f"{place.within} .course-claim")
    classes = (claim.attributes["class"] or "").split()
    assert classes[:2] == ["course-claim", "course-claim--exact"]
    assert "course-claim--finding" not in classes
    assert not page.tree.css(".course-claim--refused")


@pytest.mark.parametrize("name", PLACES)
def test_it_disagrees(example: Course, convert: Convert, name: str) -> None:
    place = PLACES[name]
    text = put(place, FALSE)
    page = convert(text)
    (finding,) = check_claims(example, page)
    assert finding.kind is Kind.DRIFT
    # The claim that Markdown reads is the last: others stand in comments.
    at = text.rindex(FALSE)
    line = text.count("\n", 0, at) + 1
    assert (finding.place.line, finding.place.column) == (line, at - text.rfind("\n", 0, at))
    assert "write `256`" in finding.advice
    classes = page.one(f"{place.within} .course-claim").attributes["class"] or ""
    assert "course-claim--finding" in classes.split()


TEXTS = {
    "plain": "256",
    "spaces": " 256 ",
    "emphasis": "*256*",
    "strong": "**256**",
    "both": "***256***",
    "underscores": "__256__",
    "code": "`256`",
    "strong code": "**`256`**",
    "shown as code and strong": "`256`",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("around", ["It is @.", "- **@**", "| a |\n|---|\n| @ |\n", "# @ {#x}"])
def test_the_text_may_be_marked_up(
    example: Course, convert: Convert, name: str, around: str
) -> None:
    for digits, findings in (("256", 0), ("257", 1)):
        text = TEXTS[name].replace("256", digits)
        page = convert(around.replace("@", f"[{text}](claim:add.source.kBlock)"))
        assert page.rendered.is_whole
        assert len(check_claims(example, page)) == findings
        shown = page.one(".course-claim").text(deep=True, strip=True)
        assert shown.startswith(digits)


def check_claims(course: Course, page: Page) -> list[Finding]:
    """Findings of the page's claims and of its form; other numbers do not matter here."""
    found = check_scan(course, page.rendered.scan)
    return [f for f in found if f.kind not in (Kind.UNBOUND, Kind.HEDGE)]


ELSEWHERE = {
    "code": "`@`",
    "code of two ticks": "``a ` @``",
    "fence": "```\n@\n```",
    "fence in a list": "- a\n\n    ```\n    @\n    ```",
    "fence in a quotation": "> ```\n> @\n> ```",
    "fence of tildes": "~~~\n@\n~~~",
    "longer fence": "````\n```\n@\n```\n````",
    "code by indent": "Text.\n\n    @",
    "code by indent in a list": "- a\n\n        @",
    "code by indent in a quotation": ">     @",
    "code by a tab": "Text.\n\n\t@",
    "comment": "<!-- @ -->",
    "comment of lines": "<!--\n\n@\n\n-->",
    "comment in a line": "a <!-- @ --> b",
    "comment in a list": "- a <!-- @ -->",
    "pre": "<pre>\n@\n</pre>",
    "script": "<script>\n@\n</script>",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_where_markdown_has_no_link_neither_sees_one(convert: Convert, name: str) -> None:
    page = convert(ELSEWHERE[name].replace("@", TRUE))
    assert page.rendered.scan.claims == ()
    assert page.rendered.scan.findings == ()
    assert page.rendered.claims == ()
    assert not page.tree.css(".course-claim")
