"""Which rule for unbound numbers applies to a page: the course's, or its own?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from build_tools.claims.front_matter import POLICIES, read_front_matter
from build_tools.claims.model import Course, PageOptions, PageScan
from build_tools.claims.numbers import find_numbers
from build_tools.claims.page_text import read_page
from build_tools.claims.patterns import PATTERNS, Pattern, select_patterns
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.source.model import NumberPattern, Settings
from build_tools.source.settings import SETTINGS_PATH
from build_tools.source.toml_text import read_toml

_MOST_NAMED = 3
"""How many pages with looser rules a line names."""


def choose_policy(settings: Settings, options: PageOptions) -> str:
    """``off``, ``units`` or ``all``: the page's own where it has one."""
    return options.unbound or settings.unbound


def choose_patterns(settings: Settings, options: PageOptions) -> tuple[Pattern, ...]:
    """The patterns that the page exempts."""
    off = settings.patterns_off | options.patterns_off.keys()
    return _select(settings.patterns, frozenset(off))


@lru_cache(maxsize=64)
def _select(own: tuple[NumberPattern, ...], off: frozenset[str]) -> tuple[Pattern, ...]:
    return tuple(select_patterns(own, off))


def list_pattern_names(settings: Settings) -> list[str]:
    """Every pattern that can be switched off."""
    return [*PATTERNS, *(pattern.name for pattern in settings.patterns)]


def check_pattern_names(course: Course) -> list[Finding]:
    """Patterns of course.toml that are switched off and none, or that take a name already taken."""
    settings = course.settings
    known = list_pattern_names(settings)
    unknown = settings.patterns_off.difference(known)
    places = _place_patterns_off(course) if unknown else {}
    findings = [
        _report_unknown(places.get(name, Place(SETTINGS_PATH)), name, known)
        for name in sorted(unknown)
    ]
    findings += [
        Finding(
            Kind.SETTINGS,
            pattern.place,
            f"pattern `{pattern.name}`",
            "a pattern of this name is built in",
            "choose another name",
            length=len(pattern.name),
        )
        for pattern in settings.patterns
        if pattern.name in PATTERNS
    ]
    return findings + [
        finding for pattern in settings.patterns for finding in _check_units(pattern)
    ]


def _check_units(pattern: NumberPattern) -> Iterator[Finding]:
    """A template may not hold a unit: it would take away every measurement in it."""
    for text in pattern.texts:
        filled = text.replace("{n}", "42")
        measured = next((n for n in find_numbers(filled, ()) if n.has_unit), None)
        if measured is not None:
            yield Finding(
                Kind.SETTINGS,
                pattern.place,
                f"`{text}` of the pattern `{pattern.name}`",
                f"it would leave every number as `{measured.text}` unbound: that is a measurement",
                "name by words other than a unit which numbers need no binding",
                length=len(pattern.name),
            )


def _place_patterns_off(course: Course) -> dict[str, Place]:
    """Where each pattern is named that course.toml switches off."""
    toml, _ = read_toml(course.root, SETTINGS_PATH, Kind.SETTINGS)
    if toml is None:
        return {}
    names = toml.data["course"]["patterns_off"]
    places = (toml.place_value("course", "patterns_off", at) for at in range(len(names)))
    return dict(zip(names, places, strict=True))


def check_page_rules(course: Course, scan: PageScan) -> list[Finding]:
    """Patterns that a page's front matter switches off and that are none."""
    known = list_pattern_names(course.settings)
    return [
        _report_unknown(place, name, known)
        for name, place in scan.options.patterns_off.items()
        if name not in known
    ]


def _report_unknown(place: Place, name: str, known: list[str]) -> Finding:
    return Finding(
        Kind.SETTINGS,
        place,
        f'patterns_off names "{name}"',
        "there is no such pattern of numbers",
        suggest_names(name, known),
        length=len(name),
    )


@dataclass(frozen=True)
class Looser:
    """A rule that lets more numbers pass than the course's own: it is never silent."""

    place: Place
    rule: str
    """``unbound: off``, or a pattern of the course's own."""
    detail: str
    """What is let pass, and why where that is known."""


def list_looser(course: Course, scans: Iterable[PageScan]) -> Iterator[Looser]:
    """Pages with a policy below the course's, and patterns that the course added."""
    for pattern in course.settings.patterns:
        texts = ", ".join(f"`{text}`" for text in pattern.texts)
        yield Looser(
            pattern.place, f"pattern {pattern.name}", f"{texts} need not be bound: {pattern.why}"
        )
    for scan in scans:
        if is_looser(course.settings, scan.options):
            place = scan.options.own or Place(scan.path)
            detail = f'the course says unbound = "{course.settings.unbound}"'
            yield Looser(place, f"unbound: {scan.options.unbound}", detail)


def is_looser(settings: Settings, options: PageOptions) -> bool:
    """Whether a page's policy lets numbers pass that the course's would not."""
    if not options.unbound:
        return False
    policies = list(POLICIES)
    return policies.index(options.unbound) < policies.index(settings.unbound)


def describe_loosened(course: Course, paths: Iterable[str]) -> str:
    """Which of the pages have a policy below the course's: ``1 page looser (docs/a.md: off)``.

    Empty for none.
    """
    loosened = []
    for path in paths:
        text, _ = read_page(course.root, path)
        options = PageOptions() if text is None else read_front_matter(text, _name_nothing)[0]
        if is_looser(course.settings, options):
            loosened.append(f"{path}: unbound {options.unbound}")
    if not loosened:
        return ""
    named = ", ".join(loosened[:_MOST_NAMED]) + (", …" if len(loosened) > _MOST_NAMED else "")
    pages = f"{len(loosened)} page{'s' * (len(loosened) > 1)}"
    return f"{pages} looser than the course ({named})"


def _name_nothing(offset: int) -> Place:
    """The place of nothing: what is read is not told."""
    del offset
    return Place("")
