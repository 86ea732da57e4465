"""What does ``course.toml`` say?"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path, PurePosixPath

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.find_root import PROJECT_FILE
from build_tools.source.model import Settings
from build_tools.source.number_patterns import take_patterns
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_text import TomlText, read_toml

SETTINGS_PATH = PROJECT_FILE
"""The one home of configuration, at the project's root."""

_RELEASE = re.compile(r"[1-9][0-9]*\.[0-9]+")
_COMPILER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")

KEYS = tuple(field.name for field in fields(Settings))
"""The keys of ``[course]``; their meanings stand with the fields."""


def read_settings(root: Path) -> tuple[Settings, list[Finding]]:
    """The settings of the project at ``root``; defaults where there are findings."""
    if not (root / SETTINGS_PATH).exists():
        finding = Finding(
            Kind.SETTINGS,
            Place(SETTINGS_PATH),
            "no course.toml at the project's root",
            "the reference GPU and the rules for numbers are unknown",
            'write one that holds `[course]` and `reference_gpu = "NVIDIA H200"`, or run from the root',
        )
        return Settings(), [finding]
    toml, findings = read_toml(root, SETTINGS_PATH, Kind.SETTINGS)
    if toml is None:
        return Settings(), findings
    return check_settings(toml)


def check_settings(toml: TomlText) -> tuple[Settings, list[Finding]]:
    """The settings a parsed ``course.toml`` holds, and what is wrong with it."""
    checks = TomlChecks(toml, Kind.SETTINGS)
    usual = Settings()
    checks.take_table(known=("course",))
    table = checks.take_table("course", known=KEYS)
    least = checks.take_count("course", "repeats", default=usual.repeats)
    settings = Settings(
        title=checks.take_text("course", "title"),
        reference_gpu=_take_reference_gpu(checks),
        unbound=checks.take_choice(
            "course", "unbound", choices=("off", "units", "all"), default=usual.unbound
        ),
        patterns_off=frozenset(checks.take_texts("course", "patterns_off")),
        patterns=take_patterns(checks),
        findings=checks.take_choice(
            "course", "findings", choices=("fail", "warn"), default=usual.findings
        ),
        source_url=_take_source_url(checks),
        prose=_take_globs(checks) if "prose" in table else usual.prose,
        explorer=_take_explorer(checks),
        repeats=least,
        repeats_at_most=_take_most(checks, least, usual.repeats_at_most),
    )
    return settings, checks.findings


def _take_reference_gpu(checks: TomlChecks) -> str:
    model = checks.take_text("course", "reference_gpu")
    settings = Settings(reference_gpu=model)
    advice = 'write the model as `nvidia-smi -L` names it, such as `reference_gpu = "NVIDIA H200"`'
    if checks.is_misspelt("course", "reference_gpu"):
        return model
    if checks.take("course", "reference_gpu") is None:
        place = checks.toml.place_key("course")
        checks.report(
            place, "no `reference_gpu` in `[course]`", "the course speaks of no GPU", advice
        )
    elif isinstance(checks.take("course", "reference_gpu"), str) and not settings.reference_slug:
        checks.report_value(("course", "reference_gpu"), "it names no GPU", advice)
    return model


def _take_source_url(checks: TomlChecks) -> str:
    url = checks.take_text("course", "source_url")
    route = ("course", "source_url")
    advice = 'write such as `"https://example.org/blob/main/{path}#L{line}"`'
    if not url:
        return ""
    unknown = set(re.findall(r"\{[^}]*\}?|\}", url)) - {"{path}", "{line}"}
    if unknown:
        checks.report_value(route, f"it has no `{min(unknown)}` to fill in", advice)
        return ""
    if "{path}" not in url:
        checks.report_value(route, "it does not say where the `{path}` goes", advice)
        return ""
    if not url.startswith(("https://", "http://")):
        checks.report_value(route, "it is no URL of the web", advice)
        return ""
    return url


def _take_globs(checks: TomlChecks) -> tuple[str, ...]:
    globs = checks.take_texts("course", "prose")
    for index, glob in enumerate(globs):
        path = PurePosixPath(glob)
        if not glob or path.is_absolute() or ".." in path.parts:
            checks.report_value(
                ("course", "prose", index),
                "globs of prose stay within the project",
                'write such as `"docs/**/*.md"`',
            )
            return Settings().prose
        if not path.parts or "\0" in glob or any("**" in p and p != "**" for p in path.parts):
            checks.report_value(
                ("course", "prose", index),
                "it is no glob: `**` stands alone between slashes, and a file is named",
                'write such as `"docs/**/*.md"`',
            )
            return Settings().prose
    return globs


def _take_explorer(checks: TomlChecks) -> tuple[tuple[str, str], ...]:
    """Compilers by release; one with a finding is left out."""
    compilers = []
    for release in checks.take_table("course", "explorer"):
        route = ("course", "explorer", release)
        before = len(checks.findings)
        name = checks.take_text(*route)
        if not _RELEASE.fullmatch(release):
            checks.report(
                checks.toml.place_key(*route),
                f"release `{release}`",
                "a release of CUDA is a major and a minor number",
                f'write such as `"13.0" = "{name or "nvcc130u2"}"`, the release in quotes',
            )
        elif len(checks.findings) == before and not _COMPILER.fullmatch(name):
            checks.report_value(
                route,
                "no compiler of Compiler Explorer is named so",
                'write such as `"nvcc130u2"`, as https://godbolt.org/api/compilers/cuda lists it',
            )
        if len(checks.findings) == before:
            compilers.append((release, name))
    return tuple(compilers)


def _take_most(checks: TomlChecks, least: int, usual: int) -> int:
    """The limit of processes, which is no less than those that are run in any case."""
    if checks.take("course", "repeats_at_most") is None:
        return max(usual, least)
    most = checks.take_count("course", "repeats_at_most", default=least)
    if most < least:
        true = f"`repeats` asks for {least} already"
        form = f"write {least} or more, or a smaller `repeats`"
        checks.report_value(("course", "repeats_at_most"), true, form)
        return least
    return most
