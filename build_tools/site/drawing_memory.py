"""Which pages need not be drawn again? Those that a template would fill with the same.

A theme's template is filled in each build anew, and most of what it draws is the same on every
page. A page follows from its content and from what the template can look at beside it; so what the
template puts around a content is kept by all of that.
"""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

from jinja2 import Environment, Template
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from build_tools.claims.memo import Memo, digest_text
from build_tools.pages.compiled_templates import open_compiled_templates
from build_tools.site.describe import IndescribableError, describe_page, describe_site

NOT_FOUND = "404.html"
"""The one page of a theme that is no page of the site, and is drawn as one."""


_OF_NO_TEMPLATE = frozenset({"bytecode_cache", "cache", "template_class"})
"""What is no matter of what a template draws."""


@dataclass(frozen=True)
class Frame:
    """What a template puts before a page's content and behind it."""

    before: str
    behind: str


class DrawingMemory:
    """What is known of the drawn pages of one build."""

    def __init__(self, config: MkDocsConfig, memo: Memo) -> None:
        self.memo = memo
        self._attributes = list_attributes(config)
        self._site: str | None = None
        self._is_indescribable = False

    def name(self, template: Template, context: TemplateContext) -> Hashable:
        """The key of a page that a template draws; None when what it follows from is not known."""
        page = context["page"]
        if self._is_indescribable or (page is None and template.name != NOT_FOUND):
            return None
        content = get_content(context)
        if page is not None and not content:
            return None
        try:
            # What all pages show of the others, as their titles, is known once all are converted.
            self._site = self._site or describe_site(context, self._attributes)
        except IndescribableError:
            self._is_indescribable = True
            return None
        try:
            said = describe_page(context, self._attributes)
        except IndescribableError:
            return None
        return ("drawn", template.name, self._site, *map(digest_text, (said, content)))

    def recall(self, key: Hashable, content: str) -> str | None:
        """The page that was drawn around a content before, or None."""
        frame = self.memo.recall(key) if key is not None else None
        return f"{frame.before}{content}{frame.behind}" if isinstance(frame, Frame) else None

    def keep(self, key: Hashable, content: str, html: str) -> None:
        """Remember what stands around a content that was drawn, if it is there just once."""
        if key is None:
            return
        if not content:
            self.memo.keep(key, Frame(html, ""))
        elif html.count(content) == 1:
            self.memo.keep(key, Frame(*html.split(content)))


def remember_drawings(env: Environment, config: MkDocsConfig, memo: Memo) -> None:
    """Let the theme draw no page that it drew before around the same content.

    ``env`` is as MkDocs made it. What plugins and hooks give the templates later, until a page is
    drawn, has no description, so nothing that is drawn with it is kept.
    """
    made = _list_given(env)
    memory = DrawingMemory(config, memo)

    class Remembered(Template):
        """A template that is not filled twice with the same page."""

        def render(self, *args: Any, **kwargs: Any) -> str:
            """The page, as kept or as drawn."""
            if len(args) != 1 or kwargs or "page" not in args[0]:
                return super().render(*args, **kwargs)
            if _list_given(self.environment) != made:
                return super().render(*args, **kwargs)
            context = cast(TemplateContext, args[0])
            key, content = memory.name(self, context), get_content(context)
            html = memory.recall(key, content)
            if html is None:
                html = super().render(context)
                memory.keep(key, content, html)
            return html

    env.template_class = Remembered
    if env.bytecode_cache is None:
        env.bytecode_cache = open_compiled_templates(lambda env: _list_given(env) == made)


def get_content(context: TemplateContext) -> str:
    """The content of the page that a template is filled with; empty where it is none's."""
    page = context["page"]
    return (page.content or "") if page is not None else ""


def _list_given(env: Environment) -> dict[str, Any]:
    """All that templates are read and filled with, as it is now."""
    given = {name: value for name, value in vars(env).items() if name not in _OF_NO_TEMPLATE}
    given["loader"] = type(env.loader), repr(vars(env.loader))
    return {name: copy(value) for name, value in given.items()}


def list_attributes(config: MkDocsConfig) -> frozenset[str]:
    """The names of what MkDocs itself keeps of a page, and of what is put in its methods' place."""
    page = Page("title", File.generated(config, "page.md", content=""), config)
    later = {"links_to_anchors", "markdown", "meta", "parent", "present_anchor_ids", "render"}
    return frozenset(vars(page)) | later
