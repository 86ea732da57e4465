"""How do several processes work on the pages of one build? Each leaves its answers in the memo.

MkDocs converts and draws its pages one by one. Ahead of it they are shared out: what the forks
find out comes back into the memo, where MkDocs' own turn finds it. What is not there is made then,
so the site is the same with one process or many.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from jinja2 import Environment
from mkdocs.commands.build import get_context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from build_tools.claims.check import check_page
from build_tools.claims.memo import Notes
from build_tools.claims.model import Course
from build_tools.claims.page_text import list_pages
from build_tools.pages.claim_report import report_page
from build_tools.pages.highlight import add_colored, copy_colored
from build_tools.site.beside_pages import complete_head
from build_tools.site.host import name_source, strips_search_attributes
from build_tools.site.links import SiteReader
from build_tools.site.plain_site import compose_plain_page, survey_pages
from build_tools.site.search import compose_lean_html, strip_search_attributes
from build_tools.site.search_memory import SearchMemory
from build_tools.site.staging import Staging
from build_tools.site.verify import SitePage, check_html
from build_tools.source.forks import plan_jobs, share_out

Item = TypeVar("Item")

KNOWN_PLUGINS = frozenset({"course", "material/search", "material/tags", "search"})
"""Plugins that change nothing but what MkDocs holds when a page is converted or drawn."""
TAGS = "material/tags"


def may_share(config: MkDocsConfig) -> bool:
    """Whether pages can be worked on without any plugin noticing."""
    return set(config.plugins) <= KNOWN_PLUGINS


def work_ahead(
    course: Course, items: Sequence[Item], work: Callable[[Item], Any], jobs: int
) -> None:
    """Let ``work`` on each item leave its answers in the course's memo.

    Only with others: alone it would do no more than whoever asks; and where nothing is known from
    an earlier build, as there is little to do otherwise. What goes wrong meanwhile goes wrong again
    there, and is told.
    """
    if not course.memo.is_new or plan_jobs(len(items), jobs) < 2:
        return
    before = copy_colored().keys()
    # Most of what is loaded and compiled on its first use is so once, and not in each fork. A page
    # from among the first ones is a lesson: of all kinds it takes most to be made.
    first = len(items) // 4

    def leave(part: Sequence[Item]) -> tuple[Notes, Mapping[str, Any]]:
        with course.memo.note() as notes, _be_quiet():
            for item in part:
                with suppress(Exception):
                    work(item)
        return notes, {key: told for key, told in copy_colored().items() if key not in before}

    leave([items[first]])
    rest = [*items[:first], *items[first + 1 :]]
    for notes, colored in share_out(rest, leave, jobs):
        course.memo.take_notes(notes)
        add_colored(colored)


@contextmanager
def _be_quiet() -> Iterator[None]:
    """Log nothing: MkDocs says it when it comes to the same."""
    loggers = [logging.getLogger(), logging.getLogger("mkdocs")]
    held = [logger.handlers for logger in loggers]
    for logger in loggers:
        logger.handlers = [logging.NullHandler()]
    try:
        yield
    finally:
        for logger, handlers in zip(loggers, held, strict=True):
            logger.handlers = handlers


def judge_ahead(course: Course, jobs: int) -> None:
    """Judge the claims of the prose, and what is told of each of them."""

    def judge(path: str) -> None:
        check_page(course, path)
        report_page(course, path)

    work_ahead(course, list_pages(course), judge, jobs)


def convert_ahead(course: Course, files: Files, config: MkDocsConfig, jobs: int) -> None:
    """Convert the pages."""

    def convert(page: Page) -> None:
        page.read_source(config)
        page.render(config, files)

    pages = [file.page for file in files.documentation_pages() if file.page is not None]
    work_ahead(course, pages, convert, jobs)


class Drawing:
    """Draws pages as MkDocs is about to, and looks at what comes out as is done at the end."""

    def __init__(
        self,
        course: Course,
        built: Sequence[SitePage],
        staging: Staging,
        search: SearchMemory | None,
        config: MkDocsConfig,
    ) -> None:
        self.course = course
        self.search = search
        self.config = config
        self.built = {page.html: page for page in built}
        self.site = SiteReader(staging.folder)
        self.prose = frozenset(list_pages(course))
        self.around = survey_pages(built, name_source(config, course.root, ""))

    def draw_ahead(
        self, env: Environment, nav: Navigation, files: Files, wrong: frozenset[str], jobs: int
    ) -> None:
        """Draw all pages but those at ``wrong`` paths, which are looked at where that is told."""

        def draw(page: Page) -> None:
            self._look(page, self._draw(page, env, nav, files))

        sources = {html for html, page in self.built.items() if page.path not in wrong}
        pages = [
            file.page
            for file in files.documentation_pages()
            if file.page is not None and file.dest_uri in sources
        ]
        work_ahead(self.course, pages, draw, jobs)

    def _draw(self, page: Page, env: Environment, nav: Navigation, files: Files) -> str:
        whole = page.content or ""
        strips = strips_search_attributes(self.config)
        if self.search is not None:
            programs = self.course.programs if strips else None
            self.search.learn(page, lambda html: compose_lean_html(html, programs))
        page.active = True
        try:
            page.content = strip_search_attributes(whole) if strips else whole
            context = get_context(nav, files.documentation_pages(), self.config, page)
            if TAGS in self.config.plugins:
                tags: Any = self.config.plugins[TAGS]
                tags.on_page_context(context, page=page, config=self.config, nav=nav)
            template = env.get_template(page.meta.get("template", "main.html"))
            return complete_head(template.render(context), page, self.config)
        finally:
            page.content = whole
            page.active = False

    def _look(self, page: Page, html: str) -> None:
        built = self.built[page.file.dest_uri]
        compose_plain_page(self.course, built, html, self.around)
        check_html(self.course, self.site, built, html, self.prose)
