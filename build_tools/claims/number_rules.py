"""Which rule for unbound numbers applies to a page: the course's, or its own?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from build_tools.claims.front_matter import POLICIES
from build_tools.claims.model import Course, PageOptions, PageScan
from build_tools.claims.patterns import PATTERNS, Pattern, select_patterns
from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.source.model import NumberPattern, Settings
from build_tools.source.settings import SETTINGS_PATH
from build_tools.source.toml_text import read_toml


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
    return findings


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
