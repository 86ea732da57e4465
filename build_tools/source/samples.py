"""What does ``[samples]`` of ``program.toml`` say of the raw samples that a program writes?"""

from __future__ import annotations

import shlex

from build_tools.source.part_rules import SamplesRule
from build_tools.source.toml_checks import TomlChecks
from build_tools.source.toml_keys import PROGRAM


def read_samples_rule(checks: TomlChecks) -> SamplesRule | None:
    """The rule, or None where there is none or something is wrong with it."""
    if checks.take("samples") is None:
        return None
    before = len(checks.findings)
    checks.take_table("samples", known=PROGRAM["samples"])
    place = checks.toml.place_key("samples")
    texts = {}
    for key in ("args", "of", "value", "unit"):
        texts[key] = checks.take_text("samples", key)
        if checks.take("samples", key) is None:
            true = f"it does not say `{key}`"
            form = (
                'write `args = "--samples {file}"`, `of = "time"`, `value = "time_ms"`, '
                '`unit = "ms"`'
            )
            checks.report(place, "`[samples]`", true, form)
    if texts["args"] and not _names_file(texts["args"]):
        form = 'write `{file}` where the file\'s name belongs: `args = "--samples {file}"`'
        checks.report_value(("samples", "args"), "no single `{file}` stands in it", form)
    if texts["unit"]:
        unit_place = checks.toml.place_value("samples", "unit")
        checks.check_unit(texts["unit"], unit_place, "the samples")
    if len(checks.findings) > before:
        return None
    return SamplesRule(
        texts["args"],
        texts["value"],
        texts["unit"],
        texts["of"],
        place,
        checks.toml.place_value("samples", "of"),
    )


def _names_file(args: str) -> bool:
    """Whether the words of a command hold ``{file}`` once."""
    try:
        return sum(word.count("{file}") for word in shlex.split(args)) == 1
    except ValueError:
        return False
