"""Do the words around a claim speak of another GPU, or of other caches, than it was measured with?

Under a heading or in a sentence that names another card a number is read as that card's, however
true it is. And "no bank conflicts" is a result, which nobody believes unless it was counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from build_tools.claims.blank import blank_blocks
from build_tools.claims.lines import Lines
from build_tools.claims.model import Claim, ClaimKind, Course, Directive, PageScan, Verdict
from build_tools.claims.rests import list_expression_rests
from build_tools.claims.sentence import find_sentence
from build_tools.claims.unbound import blank_bound
from build_tools.diagnostics.finding import Finding, Kind

_GPU = re.compile(
    r"\b(?:(?:NVIDIA|GeForce|Tesla|Quadro)\s+)*(?P<model>"
    r"(?:RTX|GTX)(?:\s+(?:PRO|A))?\s?\d{3,4}(?:\s?Ti|\s?Super)?"
    r"|A(?:10G?|16|30|40|100|800|2000|4000|4500|5000|5500|6000)|H(?:20|100|200|800)|G[HB]200|GB300"
    r"|B(?:100|200|300)|L40S?|(?<=NVIDIA )L4|(?<=NVIDIA )T4|V100S?|P100|P40|K80)(?![\w-])"
)
_HEADING = re.compile(r"^[ \t]{0,3}(?P<level>#{1,6})[ \t]+(?P<words>.*)$", re.MULTILINE)
_CACHES = re.compile(r"\b(?P<word>cold|hot|warm)\b", re.IGNORECASE)
_SESSION = re.compile(r"\b(?P<program>[a-z][a-z0-9_]*)\.counters(?:\.(?P<session>[a-z]\w*))?")
_MEASURED_BLOCKS = frozenset(
    {"table", "comparison", "transcript", "chart", "counters", "sanitizers", "listing"}
)
_CONFLICTS = re.compile(
    r"\b(?:no|zero|without(?:\s+any)?|free\s+(?:of|from)|avoids?(?:\s+all)?|never\s+has)\s+"
    r"(?:\w+\s+){0,2}?(?:bank[- ])?conflicts\b|\b(?:bank[- ])?conflict[- ]free\b",
    re.IGNORECASE,
)


def check_words_around(
    course: Course, scan: PageScan, verdicts: Sequence[Verdict]
) -> list[Finding]:
    """What the words around a page's claims and tables say that the evidence does not."""
    findings: list[Finding] = []
    if _GPU.search(scan.text):
        findings += _check_devices(course, scan, verdicts)
    if _CACHES.search(scan.text):
        findings += _check_caches(course, scan, verdicts)
    if _CONFLICTS.search(scan.text):
        findings += _check_conflicts(course, scan)
    return findings


def _check_devices(
    course: Course, scan: PageScan, verdicts: Sequence[Verdict]
) -> Iterator[Finding]:
    headings = _list_headings(scan.text)
    for verdict in verdicts:
        claim, proof = verdict.claim, verdict.proof
        if claim.kind is not ClaimKind.CLAIM or proof is None or not proof.device:
            continue
        sentence = find_sentence(scan, claim)
        where = "its sentence"
        other = _find_other_device(sentence, proof.device)
        if not other and not _GPU.search(sentence):
            where = "a heading above it"
            other = _find_other_device(_find_heading(headings, claim.start), proof.device)
        if other:
            yield _report_device(claim, f"`{claim.text}`", where, other, proof.device)
    for block in scan.directives:
        device = course.settings.reference_gpu
        if block.name not in _MEASURED_BLOCKS or not device:
            continue
        other = _find_other_device(_find_heading(headings, block.start), device)
        if other:
            stated = f"`/// {block.name} | {block.argument}`"
            yield _report_device(block, stated, "a heading above it", other, device)


def _report_device(
    item: Claim | Directive, stated: str, where: str, other: str, device: str
) -> Finding:
    return Finding(
        Kind.FALSE,
        item.place,
        stated,
        f"it was measured on {_add_article(device)}, and {where} speaks of {_add_article(other)}",
        f"say there that it is of the {device}, or take the other card out",
    )


def _add_article(name: str) -> str:
    """``an H200``, ``a V100``: by how the first letter is called."""
    return f"{'an' if name[:1] in 'AEFHILMNORSX' else 'a'} {name}"


def _find_other_device(words: str, device: str) -> str:
    """Another card that words name; empty when they name the right one too, or none."""
    named = [match["model"] for match in _GPU.finditer(words)]
    is_right = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", device) for name in named)
    return "" if is_right or not named else named[0]


def _list_headings(text: str) -> list[tuple[int, int, str]]:
    """Of each heading outside of code: where it begins, its level, its words."""
    return [
        (match.start(), len(match["level"]), match["words"])
        for match in _HEADING.finditer(blank_blocks(text))
    ]


def _find_heading(headings: Sequence[tuple[int, int, str]], offset: int) -> str:
    """The words of all headings that an offset stands under."""
    words = []
    lowest = 7
    for start, level, text in reversed(headings):
        if start <= offset and level < lowest:
            words.append(text)
            lowest = level
    return " ".join(words)


def _check_caches(course: Course, scan: PageScan, verdicts: Sequence[Verdict]) -> Iterator[Finding]:
    for verdict in verdicts:
        claim = verdict.claim
        counted = {_find_caches(course, match) for match in _SESSION.finditer(claim.target)}
        if claim.kind is not ClaimKind.CLAIM or len(counted) != 1 or "" in counted:
            continue
        caches = counted.pop()
        said = {m["word"].lower() for m in _CACHES.finditer(find_sentence(scan, claim))}
        said = {"hot" if word == "warm" else word for word in said}
        if said and caches not in said:
            other = said.pop()
            yield Finding(
                Kind.FALSE,
                claim.place,
                f"`{claim.text}`",
                f"it was counted with {caches} caches, and its sentence says {other}",
                f'write {caches}, or cite a session that declares `caches = "{other}"`',
            )


def _find_caches(course: Course, match: re.Match[str]) -> str:
    """``hot`` or ``cold``, as the session that an expression cites declares; empty when unknown."""
    program = course.programs.get(match["program"])
    rules = program.declaration.parts.counters if program is not None else {}
    rule = rules.get(match["session"] or "")
    if rule is None and len(rules) == 1:
        (rule,) = rules.values()
    return rule.caches if rule is not None else ""


def _check_conflicts(course: Course, scan: PageScan) -> Iterator[Finding]:
    lines = Lines(scan.path, scan.text)
    form = '`[no bank conflicts](claim:program.counters["kernel"].conflicts == 0)`'
    for match in _CONFLICTS.finditer(blank_bound(scan)):
        yield Finding(
            Kind.UNBOUND,
            lines.place(match.start()),
            f"`{' '.join(match[0].split())}`",
            "nothing shows it: only counters see conflicts",
            f"count them and bind the words, as {form}",
            length=len(match[0]) if "\n" not in match[0] else 0,
        )
    for claim in scan.claims:
        found = _CONFLICTS.search(claim.text)
        if found and not _rests_on_counters(course, claim):
            yield Finding(
                Kind.TYPE,
                claim.place,
                f"`{claim.text}`",
                f"`{claim.target}` rests on no counter, and only counters see conflicts",
                f"count them and bind the words, as {form}",
            )


def _rests_on_counters(course: Course, claim: Claim) -> bool:
    rests = list_expression_rests(course, claim.target)
    return claim.kind is ClaimKind.CLAIM and any(r.name.startswith("counters.") for r in rests)
