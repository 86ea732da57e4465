"""What does each command do, and which options does it take? As the command line itself says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from build_tools.command.answers import SHAPES
from build_tools.command.main import INTERRUPTED, cli
from build_tools.command.reference.markdown import (
    escape_words,
    state_number,
    write_code,
    write_definitions,
    write_fence,
    write_table,
)
from build_tools.command.review_ask import CHOICES
from build_tools.source.environment import VARIABLES

_DETAIL = re.compile(r"\s*\[([^\]]+)\]$")


def compose_parts() -> dict[str, str]:
    """The parts of the page on commands."""
    commands = dict(walk_commands(cli, "course"))
    return {
        "overview": write_table(
            ("command", "does"),
            [
                (
                    f"[`{name}`](#{name.replace(' ', '-')})",
                    escape_words(command.get_short_help_str(200)),
                )
                for name, command in commands.items()
            ],
        ),
        "common": write_options(cli, "course"),
        "interrupted": f"`exit {INTERRUPTED}`",
        "commands": "\n\n".join(describe_command(n, c) for n, c in commands.items()),
        "review-keys": write_review_keys(),
        "answers": write_table(
            ("command", "its answer is"),
            [(f"`course {name} --json`", what) for name, (_, _, what) in sorted(SHAPES.items())],
        ),
        "variables": write_definitions(
            (f"`{name}`", f"{variable.meaning} Read by {variable.read_by}.")
            for name, variable in VARIABLES.items()
        ),
    }


def write_review_keys() -> str:
    """The keys of ``course review``; what one does to different findings stands together."""
    keys: dict[str, list[str]] = {}
    for choice in CHOICES:
        keys.setdefault(choice.keys, []).append(choice.explained)
    return write_table(
        ("key", "does"), [(f"`{key}`", "; or ".join(texts)) for key, texts in keys.items()]
    )


def walk_commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command below a group with its words, sorted; hidden ones left out."""
    for name, command in sorted(group.commands.items()):
        words = f"{path} {name}"
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from walk_commands(command, words)
        else:
            yield words, command


def describe_command(words: str, command: click.Command) -> str:
    """A section: heading, usage, what it does, and its options."""
    context = click.Context(command, info_name=words)
    usage = " ".join([words, *command.collect_usage_pieces(context)])
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    said = "\n\n".join(escape_words(" ".join(text.split())) for text in paragraphs)
    # What stands in capitals is to be filled in: nothing to copy.
    parts = [
        f"### {words}",
        write_fence(usage, " { .sh .no-copy }"),
        said,
        write_options(command, words),
    ]
    return "\n\n".join(part for part in parts if part)


def write_options(command: click.Command, words: str) -> str:
    """The options as a definition list; empty when there is none but ``--help``."""
    context = click.Context(command, info_name=words)
    items = []
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Argument) or record is None or parameter.name == "help":
            continue  # Arguments are told in the command's own words.
        items.append((write_code(record[0]), _write_help(record[1])))
    return write_definitions(items)


def _write_help(text: str) -> str:
    """An option's help; the default and range that click adds in brackets in words."""
    detail = _DETAIL.search(text)
    if detail is None:
        return escape_words(text)
    words = [escape_words(text[: detail.start()])]
    for part in detail[1].split("; "):
        label, _, value = part.rpartition(": ")
        said = state_number(int(value)) if value.isdecimal() else write_code(value)
        words.append(f"By default {said}." if label == "default" else f"Allowed is {said}.")
    return " ".join(words)
