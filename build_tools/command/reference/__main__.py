"""Is the reference up to date, or made anew? ``python -m build_tools.command.reference``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from build_tools.command.reference.example import NoExampleError
from build_tools.command.reference.template import TemplateError
from build_tools.command.reference.write import compare_pages, generate_pages, write_pages
from build_tools.source.find_root import NoCourseError, find_root


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail where a page is not up to date.")
def main(check: bool) -> None:
    """Write docs/reference from the code, in the checkout that holds this folder."""
    try:
        root = find_root(Path())
        pages = generate_pages(root)
    except (NoCourseError, NoExampleError, TemplateError, LookupError) as error:
        click.echo(f"reference: {error}", err=True)
        sys.exit(2)
    if not check:
        for path in write_pages(root, pages):
            click.echo(f"wrote {path}")
        return
    told = compare_pages(root, pages)
    for line in told:
        click.echo(line)
    if told:
        click.echo("the reference is not what the code says: run `make reference`")
        sys.exit(1)


if __name__ == "__main__":
    main()
