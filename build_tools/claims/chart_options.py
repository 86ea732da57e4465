"""How are a chart's options read? Lists of names with what stands behind each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from build_tools.claims.chart_model import Problem
from build_tools.claims.model import Course, Directive
from build_tools.diagnostics.finding import suggest_names

EXPRESSIONS = ("x", "y", "roofs")
"""Options of a roofline that hold expressions."""

_OPEN, _CLOSE = "([", ")]"
_PROGRAM = re.compile(r"\b([a-z][a-z0-9_]*)\.")


def split_outside(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand outside of brackets and quotes, stripped."""
    parts, depth, quote, start = [], 0, "", 0
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == mark and depth <= 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [part for part in (*parts, text[start:].strip()) if part]


def read_named(option: str, text: str) -> tuple[list[tuple[str, str]], list[Problem]]:
    """``a = one; b = two`` as pairs, and what is wrong with how they are written."""
    pairs: list[tuple[str, str]] = []
    problems = []
    for part in split_outside(text, ";"):
        name, mark, rest = part.partition("=")
        name, rest = " ".join(name.split()), rest.strip()
        if not mark or not name or not rest or rest.startswith("="):
            advice = f"write `{option}: name = …; name = …`"
            problems.append(Problem(f"`{option}` holds `{part}`", advice))
        elif name in (known for known, _ in pairs):
            problems.append(Problem(f"`{option}` names `{name}` twice", "keep one"))
        else:
            pairs.append((name, rest))
    return pairs, problems


def read_choice(
    options: Mapping[str, str], option: str, keys: Iterable[str]
) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """``only: kernel = a, b; size = c`` as values by the key that they belong to."""
    keys = list(keys)
    pairs, problems = read_named(option, options.get(option, ""))
    for name, _ in pairs:
        if name not in keys:
            what = f"`{option}` names `{name}`, which is no key of these rows"
            problems.append(Problem(what, suggest_names(name, keys)))
    chosen = {name: tuple(split_outside(text, ",")) for name, text in pairs if name in keys}
    return chosen, problems


def read_word(
    options: Mapping[str, str], option: str, choices: Iterable[str]
) -> tuple[str, list[Problem]]:
    """An option that is one of some words; empty where it is not given or none of them."""
    word, known = options.get(option, ""), list(choices)
    if not word or word in known:
        return word, []
    advice = "write " + " or ".join(f"`{option}: {choice}`" for choice in known)
    return "", [Problem(f"`{option}` is `{word}`", advice)]


def list_expressions(directive: Directive) -> list[str]:
    """What a block's options cite: the expressions of a roofline, none of other blocks."""
    if directive.name != "chart" or directive.options.get("kind") != "roofline":
        return []
    options = (directive.options.get(option, "") for option in EXPRESSIONS)
    return [rest for text in options for _, rest in read_named("", text)[0]]


def list_block_programs(course: Course, directive: Directive) -> set[str]:
    """The programs that a block shows, those that its expressions name among them."""
    words = {directive.argument.partition("#")[0]}
    for expression in list_expressions(directive):
        words.update(_PROGRAM.findall(expression))
    return words & course.programs.keys()
