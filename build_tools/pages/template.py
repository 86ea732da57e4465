"""Which template makes this HTML? The environment that all of them share."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from build_tools.pages import hrefs
from build_tools.pages.compiled_templates import open_compiled_templates
from build_tools.pages.compiler_words import shorten_error
from build_tools.pages.visible import mark_up, mark_up_command, mark_up_key


def mark_up_ticks(text: str) -> Markup:
    """A message as HTML: what stands between backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return mark_up(text)  # A stray tick: nothing is known to be code.
    parts = [
        Markup("<code>{}</code>").format(mark_up(piece)) if position % 2 else mark_up(piece)
        for position, piece in enumerate(pieces)
    ]
    return Markup("").join(parts)


@cache
def _load_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("build_tools.pages", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=open_compiled_templates(),
    )
    # Text that programs, headers and devices wrote: no control byte may reach the page.
    environment.filters["shown"] = mark_up
    environment.filters["command"] = mark_up_command
    environment.filters["key"] = mark_up_key
    environment.filters["ticked"] = mark_up_ticks
    environment.filters["shorten_error"] = shorten_error
    environment.globals.update(
        link_program=hrefs.link_program,
        link_record=hrefs.link_record,
        link_region=hrefs.link_region,
        link_listing=hrefs.link_listing,
        name_listing_anchor=hrefs.name_listing_anchor,
        name_region_anchor=hrefs.name_region_anchor,
        name_quantity_anchor=hrefs.name_quantity_anchor,
        link_download=hrefs.link_download,
        link_unit=hrefs.link_unit,
        link_starter=hrefs.link_starter,
        link_evidence=hrefs.link_evidence,
        link_page=hrefs.link_page,
    )
    return environment


def fill_template(name: str, **values: Any) -> Markup:
    """The HTML of ``templates/NAME.html``, without white space around it."""
    text = _load_environment().get_template(f"{name}.html").render(**values)
    return Markup(text.strip())  # noqa: S704 - the templates escape what they are given
