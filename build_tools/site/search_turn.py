"""What does a search plugin see of a page? A lean one, in its own turn; all others see the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from build_tools.site.host import strips_search_attributes
from build_tools.site.search import compose_lean_html, strip_search_attributes
from build_tools.site.search_memory import PLUGIN, SearchMemory
from build_tools.site.search_ranking import weigh_sections
from build_tools.source.model import Program

Turn = Callable[..., TemplateContext | None]
"""A plugin's method for the event that fills a template's context."""


def make_pages_lean(
    config: MkDocsConfig, programs: Mapping[str, Program] | None, memory: SearchMemory | None
) -> None:
    """Let each search plugin read a lean page, or nothing where ``memory`` knows what it reads.

    ``programs`` are those of the course; None where nothing is checked.
    """
    turns = config.plugins.events["page_context"]
    for name in (PLUGIN, "search"):
        plugin = config.plugins.get(name)
        for place, turn in enumerate(turns):
            if plugin is not None and getattr(turn, "__self__", None) is plugin:
                # In its place: before and behind it other plugins look at the page, or change it.
                turns[place] = _compose_turn(turn, programs, memory if name == PLUGIN else None)


def _compose_turn(
    turn: Turn, programs: Mapping[str, Program] | None, memory: SearchMemory | None
) -> Turn:
    def read(
        context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext | None:
        strips = strips_search_attributes(config)
        whole = page.content or ""
        if memory is not None and memory.prepare(page):
            page.content = ""
        else:
            page.content = compose_lean_html(whole, programs if strips else None)
        try:
            return turn(context, page=page, config=config, nav=nav)
        finally:
            page.content = strip_search_attributes(whole) if strips else whole
            weigh_sections(config, page, programs)

    return read
