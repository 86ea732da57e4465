"""How does a claim look on a page? Its text as a link, and behind it what was measured."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from markupsafe import Markup

from build_tools.claims.model import ClaimKind, Course, Proof, ProofKind, Verdict
from build_tools.claims.parts import PART_NAMES
from build_tools.pages.behind import list_lines, list_spreads
from build_tools.pages.cases import tell_cases
from build_tools.pages.derived import describe_derivation
from build_tools.pages.hrefs import link_program, link_record
from build_tools.pages.lookup import Absence, find_record
from build_tools.pages.parts import name_part_anchor
from build_tools.pages.record import name_anchor
from build_tools.pages.template import fill_template
from build_tools.quantity.value import Text, Truth

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ADDRESS = re.compile(r"(?<![\w+.-])https?://[^\s<>\"'\x00-\x1f\x7f]+")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def name_claim(number: int) -> str:
    """The id of a claim on its page; one in a heading has none."""
    return f"claim-{number}"


def name_proof(number: int) -> str:
    """The id of the proof of a claim on its page."""
    return f"{name_claim(number)}-proof"


def name_said(number: int) -> str:
    """The id of what describes a claim in few words: its value and band, or what is wrong."""
    return f"{name_claim(number)}-said"


def list_classes(verdict: Verdict) -> str:
    """The CSS classes of a claim: what stands behind it, and whether something is wrong."""
    names = ["course-claim"]
    if verdict.proof is not None:
        names.append(f"course-claim--{verdict.proof.kind}")
    elif verdict.claim.kind is ClaimKind.STATED:
        names.append("course-claim--stated")
    if verdict.findings:
        names.append("course-claim--finding")
    return " ".join(names)


def find_target(course: Course, verdict: Verdict) -> str:
    """Where the claim's link leads: its measurement, its constant, its source; empty for nowhere."""
    proof = verdict.proof
    if proof is None or proof.kind is ProofKind.STATED:
        return ""
    if proof.source:
        return find_address(proof.source)
    if proof.record:
        return link_record(proof.record, find_anchor(course, proof))
    if proof.program:
        return link_program(proof.program, _find_line(course, proof))
    return ""


def find_address(source: str) -> str:
    """The web address that the words of a source hold, without what ends their sentence."""
    match = _ADDRESS.search(source)
    address = match[0].rstrip(".,;:!?") if match else ""
    while address.endswith(")") and address.count(")") > address.count("("):
        address = address[:-1].rstrip(".,;:!?")
    return address


def find_anchor(course: Course, proof: Proof) -> str:
    """The anchor, on the record's page, of the first thing that the expression measures."""
    record = find_record(course, proof.record)
    program = None if isinstance(record, Absence) else course.programs.get(record.record.program)
    if isinstance(record, Absence) or program is None:
        return ""
    measured = {samples.name for samples in record.record.measurements}
    quantities = program.declaration.quantities
    waiting = [proof.expression]
    seen = set()
    while waiting:
        expression = waiting.pop(0)
        for word in _list_words(expression):
            if word in measured:
                return name_anchor(word)
            if word in ("device", "check"):
                return word
            if word == "compiler":
                return "build"
            if word in PART_NAMES:
                return name_part_anchor(PART_NAMES[word])
            if word in quantities and word not in seen:
                seen.add(word)
                waiting.append(quantities[word].expression)
    return ""


def _find_line(course: Course, proof: Proof) -> int | None:
    """The line of the first constant of the program that the expression names."""
    program = course.programs.get(proof.program)
    for word in _list_words(proof.expression) if program else ():
        constant = program.constants.get(word) if program else None
        if constant is not None:
            return constant.place.line
    return None


def _list_words(expression: str) -> Iterable[str]:
    """Every name of an expression, the parts of dotted names one by one, keys left out."""
    for match in _NAME.finditer(_QUOTED.sub('""', expression)):
        yield from match[0].split(".")


def render_proof(course: Course, verdict: Verdict, number: int) -> Markup:
    """The proof of a claim, the page's ``number``-th: what stands behind it, and its findings."""
    proof = verdict.proof
    return fill_template(
        "claim",
        identity=name_proof(number),
        said=name_said(number),
        verdict=verdict,
        proof=proof,
        stated=_fold_stated(verdict),
        spreads=list_spreads(verdict.value) if proof and proof.kind is ProofKind.MEASURED else [],
        told=tell_cases(course, proof, verdict.value) if proof else [],
        derived=describe_derivation(course, verdict),
        lines=list_lines(course, verdict),
        target=find_target(course, verdict),
        of_record=bool(proof and proof.record),
    )


def _fold_stated(verdict: Verdict) -> str:
    """A number that its value may differ from, as it is read; what is exact or a word is the same."""
    exact = verdict.proof is None or verdict.proof.kind is ProofKind.EXACT
    if exact or isinstance(verdict.value, Truth | Text | None):
        return ""
    return " ".join(re.sub(r"[*_`]", "", html.unescape(verdict.claim.text)).split())


def needs_proof(verdict: Verdict) -> bool:
    """Whether anything can be said behind a claim: a choice or an example has no proof."""
    if verdict.claim.in_heading:
        return False
    if verdict.findings:
        return True
    return verdict.proof is not None and verdict.proof.kind is not ProofKind.STATED
