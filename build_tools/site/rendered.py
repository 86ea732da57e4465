"""Is all that an element of a built page says what the course says now, captions and proofs too?

The functions of ``shown`` compare code, cells and numbers with their sources and can name what
differs. Here the whole text is compared with what the course renders, so that nothing that a
reader is told, such as the GPU of a caption or the band behind a number, escapes the check.
"""

from __future__ import annotations

from itertools import zip_longest

from selectolax.lexbor import LexborHTMLParser, LexborNode

from build_tools.claims.model import Claim, Directive
from build_tools.pages.claim import list_classes, needs_proof
from build_tools.pages.conversion import Conversion
from build_tools.site.shown import Difference, read_text
from build_tools.site.sort_keys import compare_cells, compare_keys

AROUND = 3
"""How many words before the first one that differs a message quotes."""


def compare_element(
    conversion: Conversion, directive: Directive, node: LexborNode
) -> list[Difference]:
    """What differs between the whole text of a directive's element and what it should be."""
    html = str(conversion.render_directive(directive.number))
    body = LexborHTMLParser(html).body
    if body is None:
        return _compare_words(read_text(node), "")
    return (
        _compare_words(read_text(node), read_text(body))
        or _compare_pictures(node, body)
        or compare_cells(node, body)
        or compare_keys(node)
    )


def _compare_pictures(node: LexborNode, expected: LexborNode) -> list[Difference]:
    """The first part of a drawn picture that differs: what is drawn says as much as words do."""
    left, right = _list_shapes(node), _list_shapes(expected)
    for here, there in zip_longest(left, right, fillvalue="nothing"):
        if here != there:
            return [(f"the picture draws `{here}`", f"it is `{there}`")]
    return []


def _list_shapes(node: LexborNode) -> list[str]:
    """Each figure below ``node``, and every element of the pictures with all that places it."""
    figures = [node, *node.css("[data-course-figure]")]
    told = dict.fromkeys(f.attributes.get("data-course-figure") or "" for f in figures)
    return [text for text in told if text] + [
        " ".join([shape.tag or "", *(f"{k}={v}" for k, v in sorted(shape.attributes.items()))])
        for picture in node.css("svg.course-chart__picture")
        for shape in picture.css("*")
    ]


def compare_proof(conversion: Conversion, claim: Claim, node: LexborNode) -> list[Difference]:
    """What differs between what is told behind a claim and what should be told."""
    verdict = conversion.verdicts[claim.number]
    marks, shown = list_classes(verdict), node.attributes.get("class") or ""
    if marks.split() != shown.split():
        return [(f"the claim is marked `{shown}`", f"it is `{marks}`")]
    expected = ""
    if needs_proof(verdict):
        expected = _read_html(conversion.tell_behind(claim.number)[1])
    proofs = node.css(".course-proof")
    return _compare_words("".join(map(read_text, proofs)), expected)


def compare_foot(conversion: Conversion, tree: LexborHTMLParser) -> list[Difference]:
    """What differs between what the foot of a page says and what it should say."""
    feet = tree.css("[data-course-foot]")
    expected = str(conversion.render_foot())
    wanted = 1 if expected else 0
    if len(feet) != wanted:
        return [(f"the page has {len(feet)} feet that say how it stands", f"it has {wanted}")]
    return _compare_words("".join(map(read_text, feet)), _read_html(expected))


def _read_html(html: str) -> str:
    body = LexborHTMLParser(html).body
    return read_text(body) if body is not None else ""


def _compare_words(shown: str, expected: str) -> list[Difference]:
    """The first words that differ, with those before them."""
    left, right = shown.split(), expected.split()
    for index, (here, there) in enumerate(zip_longest(left, right, fillvalue="")):
        if here != there:
            before = " ".join(left[max(0, index - AROUND) : index])
            return [
                (
                    f"the page says {f'{before} {here}'.strip()!r}",
                    f"it is {f'{before} {there}'.strip()!r}",
                )
            ]
    return []
