"""Which numbers of prose need no binding, and why? The named patterns.

Each takes away what it matches, in this order. A course switches one off with ``patterns_off``
in course.toml, a page in its front matter; a course adds its own as templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from build_tools.claims.unit_words import COUNTED, MEASURED, UNITED
from build_tools.source.model import NumberPattern


@dataclass(frozen=True)
class Pattern:
    """A named pattern: what it takes away and why, one text that it does and one that it doesn't."""

    name: str
    why: str
    taken: str
    """An example whose numbers are all taken away."""
    left: str
    """An example that looks alike and keeps its number."""
    expression: str
    flags: re.RegexFlag = re.NOFLAG

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when it is first looked for: these are long, and a build may need none."""
        return re.compile(self.expression, self.flags)


_N = r"\d{1,12}(?:\.(?:\d{1,12}|x)){0,5}"
_JOIN = r"(?:\s*[–-]\s*|\s*,\s*(?:and\s+|or\s+)?|\s+(?:to|and|or|through|&)\s+)"
_NO_MEASURE = rf"(?![\w/]|[.,]\d|{UNITED})"
_NO_UNIT = rf"(?![\w/]|[.,]\d|{UNITED}|\s{COUNTED})"
_TIMES = r"(?:times|fold|percent|per\scent|thousand|million|billion|trillion)\b"
_NOT_COUNTED = rf"(?!{UNITED}|\s?{MEASURED}|\s(?:{COUNTED}|(?i:{_TIMES})))"
"""No unit, no noun that is counted and no word of a factor or a scale follows."""
_LIST = rf"{_N}(?:{_JOIN}{_N}{_NO_UNIT}){{0,20}}"
"""A number, or a list or range of them, of which the later ones have no unit either.

Every repetition has a bound, so that no text, however made, can take long.
"""

_LABELS = (
    "Day|Days|Lesson|Step|Figure|Fig\\.|Table|Line|Row|Column|Thread|Warp|Block|Lane|Bank|Part|"
    "Chapter|Section|Exercise|Question|Rule|Stage|Case|Listing|Example|Version|Level|Phase|"
    "Appendix|Note|Lecture|Theorem|Lemma|Definition|Equation|Eq\\.|Algorithm|Problem|Task|Homework|"
    "Assignment|Sheet|Hint|Footnote|Page|pp?\\.|Slide|Week|Module|Session|Workshop|Machine|"
    "Element|Index|Stream|Rank|Error|Errors|Category|Issue|Item|Option|Variant|Volume|Vol\\.|No\\.|"
    "GPU|Device|Node|Channel|Room|Phone|Port|Update|Gen|Quarter"
)
_PRODUCTS = (
    "CUDA|driver|driver branch|Python|nvcc|MkDocs|Material|mkdocs-material|Debian|Ubuntu|"
    "Windows|WSL|Linux|glibc|GCC|gcc|g\\+\\+|clang|Clang|LLVM|MSVC|Zensical|Pygments|Plotly|"
    "Chromium|Node|toolkit|capability|compute capability|compute capabilities|C\\+\\+|C|HTML|TOML|"
    "MIT|format|release|releases|version|versions|tag|branch|branches|since|Nsight Compute|"
    "Nsight Systems|Nsight|FFTW|IEEE|ISO|RFC|OpenMP|MPI|Update|"
    "Gems"
)
_BUSES = "HBM|DDR|PCIe|PCI Express|NVLink|USB"
"""Of one digit are their generations."""
_DOTTED = r"\d{1,12}(?:\.(?:\d{1,12}|x)){1,5}"
_CAMEL = r"(?:[A-Z]{0,3}[a-z]{1,12}[A-Z][A-Za-z]{0,20}|[A-Z]{2,4}[a-z]{2,20})"
"""A name with a capital inside, such as PyTorch, CMake or clFFT."""

_MODELS = (
    r"(?:GeForce|Tesla|Quadro|Titan|TITAN|Radeon|Instinct|Jetson|RTX|GTX|GT|EPYC|Xeon|Ryzen|Core|"
    r"Threadripper|Grace|Intel|AMD|DGX|HGX)"
)
_CHIP = r"(?:[A-Z]{1,3}\d{1,4}[A-Za-z]*|\d{3,4}(?:\s?Ti)?)"
_UNHEDGED = "".join(
    f"(?<!(?i:{word}) )"
    for word in (
        "over",
        "than",
        "about",
        "nearly",
        "almost",
        "roughly",
        "some",
        "least",
        "most",
        "up to",
        "under",
        "factor of",
    )
)
"""Nothing before it makes a year a count."""
_TIME = r"(?:[01]?\d|2[0-4]):[0-5]\d"
_CLOCK = r"(?:am|pm|AM|PM|UTC|GMT|CET|CEST|h|o'clock)\b"
_AT = (
    "(?:"
    + "|".join(f"(?<={word} )" for word in ("at", "from", "to", "until", "by", "before", "after"))
    + r"|(?<=[,–|]\s)|(?<=[–(-])|^[ \t>*+-]*)"
)
"""What stands before a time of day and not before a ratio."""
_MONTHS = "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
_SPANS = r"min|minutes?|h|hours?|days?|weeks?|months?|years?|yrs?"


def _build() -> Iterable[Pattern]:
    yield Pattern(
        "url",
        "addresses and identifiers say where something is",
        "https://example.org/v/12?x=34, a42@example.org, doi:10.1000/182, arXiv:1804.06826, ISBN 978-0-12",
        "the site answers in 12 ms",
        r"(?:https?://|www\.)[^\s)>\]]+|\b[\w.+-]{1,64}@[\w-]+\.\w+"
        r"|\b(?:ISBN|ISSN|DOI|doi|arXiv|CVE)[:\s-]{1,2}\d[\w./-]*",
        re.IGNORECASE,
    )
    yield Pattern(
        "reference",
        "the number of an issue or a change is a name",
        "fixed in #14 and (#1882, #1907)",
        "#14 ms",
        rf"(?<!\w)#\d+\b{_NOT_COUNTED}",
    )
    yield Pattern(
        "list-number",
        "the numbers of a list are made by their order",
        "3. item\n12) item",
        "3.5 items",
        rf"^[ \t>]*(?:[-*+][ \t]+)?\d+[.)](?=\s){_NOT_COUNTED}",
        re.MULTILINE,
    )
    yield Pattern(
        "heading-number",
        "a heading's leading number is its place",
        "## 3.2 Title\n\n# 7. Other\n\n## 3.2.0 (2025-01-28)",
        "## 50 times faster",
        r"^[ \t>]*#{1,6}[ \t]+(?:§[ \t]?\d+(?:\.(?:\d+|x))*[.):]?|\d+(?:\.(?:\d+|x))+[.):]?"
        rf"|\d+(?:[.):]|(?=[ \t]+[^\sa-z]|[ \t]*$)))(?=\s|$){_NOT_COUNTED}",
        re.MULTILINE,
    )
    yield Pattern(
        "clock-time",
        "a time of day is an appointment",
        "from 9:15 to 10:45, at 23:59:59",
        "a ratio of 16:10",
        rf"(?<![\w.,:/])(?:{_TIME}:[0-5]\d|{_TIME}(?=\s?(?:[–-]|to)\s?{_TIME}\b|\s?{_CLOCK})"
        rf"|{_AT}{_TIME})\b(?!:)",
        re.MULTILINE,
    )
    yield Pattern(
        "date",
        "a date says when",
        "2026-12-01, 1 December 2026, 21 March, March 12, December 2026, Q3 2025",
        "about 12 marches",
        rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:{_MONTHS})\.?\s+\d{{1,2}}\b(?!{UNITED})(?:,?\s+\d{{4}}\b)?"
        rf"|\b\d{{1,2}}\s+(?:{_MONTHS})\b\.?(?:\s+\d{{4}}\b)?|\b(?:{_MONTHS})\.?\s+\d{{4}}\b"
        r"|\bQ[1-4]\s+\d{4}\b",
    )
    yield Pattern(
        "year",
        "a year says when",
        "in 2019 and since 2026.",
        "2019 threads, over 2000",
        rf"(?<![\w.,/^×-]){_UNHEDGED}(?:19[5-9]\d|20[0-3]\d)\b{_NOT_COUNTED}(?!-\d|\s?{COUNTED}|{UNITED}|\s?[×x^/]|[.,]\d|\s+elements)",
    )
    yield Pattern(
        "time-span",
        "minutes, hours and days are people's time",
        "6 min read, 90 minutes, 60 days, 10–16 h, a 7-year plan",
        "2.5 hours, 30 s",
        rf"(?<![\w.,])\d+(?:\s?(?:–|-|to)\s?\d+)?(?:[ \u00a0]|-)?(?:{_SPANS})\b(?!/)",
    )
    yield Pattern(
        "label",
        "a label's number is its name, with lists and ranges",
        "Day 16, Lessons 2 and 3, threads 4–7, Step 5, lines 12 to 17, bank 17, error 700",
        "per block 48 KB, each row 17",
        rf"(?<![\w-])(?=[A-Z])(?<!per )(?<!each )(?<!every )(?<!one )(?<!a )(?:{_LABELS})s?\s+§?\s?{_LIST}"
        rf"{_NO_UNIT}|§\s?{_N}",
        re.IGNORECASE,
    )
    yield Pattern(
        "product",
        "the number in a product's name is part of it, memory and all",
        "RTX 4090 or 3060, GTX 1080 Ti, EPYC 7402, A100 80GB, Tesla V100 PCIe 16GB, an 80 GB card",
        "an RTX card with 24 GB",
        rf"\b{_MODELS}\s+(?:[A-Z][A-Za-z]*\s+)?{_CHIP}(?:\s+(?:or|and)\s+\d{{3,4}})*\b{_NO_UNIT}(?:\s+(?:PCIe|SXM\d?|NVL))?(?:[ -]\d+\s?GB\b(?!/))?"
        rf"|\bRTX\s+\d\d\b{_NOT_COUNTED}"
        r"|\b[A-Z]{1,2}\d{2,4}[A-Za-z]?(?:[ -](?:PCIe|SXM\d?|NVL))?[ -]\d+\s?GB\b(?!/)"
        r"|\b\d{3,4}\sTi\b|\b\d+[ -]?GB[ -](?:cards?|GPUs?|versions?|models?|variants?|(?=[A-Z]\d{2,4}\b))",
    )
    yield Pattern(
        "version",
        "a version behind a product's name, or one that reads as no other number",
        "CUDA 11.8 – 12.6, driver 580.159.03, Python 3.11+, GCC 9+, PyTorch 2.1, release 1.6.1, compute capability 8.6 and 8.9, 2.9 branch, PCIe 4.0 x16",
        "CUDA takes 13.5 ms, matmulTiled 50",
        rf"(?<![\w-])(?:{_PRODUCTS})\s+\(?v?{_N}(?:{_JOIN}{_N}){{0,20}}\+?{_NO_MEASURE}{_NOT_COUNTED}"
        rf"|(?<![\w-])(?:{_BUSES})\s+\d(?:\.\d)?(?:{_JOIN}\d(?:\.\d)?){{0,20}}\+?{_NO_MEASURE}{_NOT_COUNTED}"
        rf"|\b{_CAMEL}\s+\(?v?{_DOTTED}(?:{_JOIN}{_DOTTED}){{0,20}}\+?{_NO_MEASURE}{_NOT_COUNTED}"
        rf"|\bv\d{{1,9}}(?:\.\d{{1,9}}){{1,5}}\b|(?<![\w.])\d{{1,9}}(?:\.\d{{1,9}}){{2,5}}\b(?!\.\d)|\b{_N}\s+(?:branch|release|series)\b"
        rf"|\b{_N}\+?\s+(?:or|and)\s+(?:newer|later)\b",
    )
    yield Pattern(
        "bit-width",
        "the width of a type is its name",
        "64-bit keys, 32-bit words, 16/32-bit",
        "4-way conflicts",
        r"(?<![\w.,/])\d{1,9}(?:/\d{1,9}){0,5}-bit\b",
    )
    yield Pattern(
        "joined-to-letters",
        "digits joined to letters are a name",
        "float32 sm_90 H200 L2 x86-64 int8 fp16 2D kTile16 cuda-13 7-point 32-byte A100-SXM4-40GB",
        "5ms 16x 3GB 2nd 1e9 3-fold, a 42-ms kernel, 50k threads",
        r"(?<![\w.+-])(?=[\w+-]{0,40}[A-Za-z_])"
        rf"(?!\d+(?:\.\d+)?(?:[kKM]?(?:{UNITED})|[kKMB](?![\w-])|-bit\b|e[-+]?\d+\b))"
        r"(?!\d+(?:x\d+)+\b|\d*(?:1st|2nd|3rd|\dth)\b)"
        r"[\w+-]*\d[\w+-]*",
    )
    yield Pattern(
        "index",
        "a tuple or a list in brackets holds indices or elements of an example",
        "element (2, 3), [4] and [5][6]",
        "a pair of (2.5), (42, 50) ms",
        rf"(?:\(\s?\d+(?:\s?,\s?(?:\d+|[a-zA-Z])\b)+\s?\)|\[\s?\d+(?:\s?,\s?\d+)*\s?\]){_NOT_COUNTED}",
    )
    yield Pattern(
        "ordinal",
        "an ordinal counts places",
        "the 1st, 2nd, 3rd and 16th",
        "16 of them",
        r"\b\d*(?:1st|2nd|3rd|\dth)\b",
    )
    yield Pattern(
        "zero-one",
        "0 and 1 are mostly words",
        "0 or 1",
        "1 ms, 1×, 0.5, 1/16",
        rf"(?<![\w.,/^])(?<!\d[–-])[01](?![\w/^⁰¹²³⁴-⁹⁻]|[.,:]\d|[–-]\d|-\w|{UNITED}|\s(?:hundred|{_TIMES}))",
    )


PATTERNS: dict[str, Pattern] = {pattern.name: pattern for pattern in _build()}
"""Each named pattern, in the order in which they are tried."""


def compile_own(own: NumberPattern) -> Pattern:
    """A pattern of a course's own: its templates as one regular expression.

    ``{n}`` in a template stands for a number, a list or a range of them; spaces stand for any,
    and letters for capitals and small ones alike. Nothing else has a meaning, so no template can
    take long.
    """
    parts = []
    for template in own.texts:
        words = [re.escape(word) for word in template.split("{n}")]
        body = _LIST.join(re.sub(r"(?:\\ )+", r"\\s+", word) for word in words)
        # A number at the end takes no measurement with it.
        closing = f"(?-i:{_NOT_COUNTED})" if template.endswith("{n}") else ""
        parts.append(rf"(?<!\w){body}(?!\w){closing}")
    return Pattern(own.name, own.why, "", "", "|".join(parts), re.IGNORECASE)


def select_patterns(own: Iterable[NumberPattern], off: Iterable[str]) -> list[Pattern]:
    """The patterns that apply: those built in, then the course's own, less those switched off."""
    without = set(off)
    every = [*(compile_own(pattern) for pattern in own), *PATTERNS.values()]
    return [pattern for pattern in every if pattern.name not in without]
