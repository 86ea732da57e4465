"""At which of MkDocs' events does what happen? The plugin; its hooks call free functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from jinja2 import Environment
from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from build_tools.claims.check import check_course
from build_tools.claims.course import load_course
from build_tools.claims.drafts import leave_out_drafts
from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding
from build_tools.site import draw
from build_tools.site.assets import add_chart_files
from build_tools.site.beside_pages import HAS_FILES, complete_head, lighten_page, write_beside
from build_tools.site.downloads import Placing
from build_tools.site.drafts import is_draft, remove_drafts
from build_tools.site.drawing_memory import remember_drawings
from build_tools.site.front_matter import check_front_matter
from build_tools.site.generate import GeneratedPage, compose_pages
from build_tools.site.host import (
    add_files,
    check_name,
    find_bare_html,
    find_root,
    has_strict_warnings,
    install_extension,
    is_serving,
    is_switched_off,
    leave_out_instant,
    list_addresses,
    list_built_pages,
    list_excluded,
    list_watched,
    name_source,
)
from build_tools.site.hrefs import compose_finisher
from build_tools.site.kept import Kept, keep_memo, read_kept_course, recall_memo
from build_tools.site.light_assets import lighten_assets
from build_tools.site.page_memory import remember_conversions
from build_tools.site.picture import check_picture
from build_tools.site.publish import publish_site, report_broken_build, require_staging
from build_tools.site.refresh import refresh_evidence
from build_tools.site.report import FindingsAbort, Outlet, open_outlet
from build_tools.site.search_memory import SearchMemory, remember_entries
from build_tools.site.search_turn import make_pages_lean
from build_tools.site.sharing import Drawing, convert_ahead, judge_ahead, may_share
from build_tools.site.staging import Staging, drop_staging
from build_tools.site.verify import SitePage
from build_tools.source.forks import count_jobs
from build_tools.source.garbage import ease_collector

log = get_plugin_logger("course")

LAST = -1000
"""The priority of what must come behind every other plugin; its negative comes before all."""


class CourseConfig(base.Config):  # type: ignore[no-untyped-call]  # MkDocs' own lacks types
    """What mkdocs.yml says of the plugin; everything else is in course.toml."""

    enabled = c.Type(bool, default=True)
    """Off for writers of prose, as with COURSE_ENABLED=0: nothing is checked, and pages say so."""
    root = c.Optional(c.Type(str))
    """The folder of course.toml, from that of mkdocs.yml, where it stands by default."""


class CoursePlugin(BasePlugin[CourseConfig]):  # type: ignore[no-untyped-call]
    """Checks a course before and after MkDocs renders it, and adds its pages.

    What ``_begin`` sets belongs to one build; on_config begins the next one.
    """

    def __init__(self) -> None:
        self._command = "build"
        self._restore_collector: Callable[[], None] | None = None
        self._begin(None)

    def _begin(self, course: Course | None) -> None:
        """Forget the build before; no course means that the checks are switched off."""
        self._course = course
        self._serving = is_serving(self._command)
        self._staging: Staging | None = None
        self._kept: Kept | None = None
        self._outlet = Outlet(course.root if course else Path())
        self._findings: list[Finding] = []
        self._pages: list[GeneratedPage] = []
        self._built: list[SitePage] = []
        self._addresses: dict[str, str] = {}
        self._nav: tuple[Navigation, Files] | None = None
        self._search: SearchMemory | None = None
        self._placing: Placing | None = None
        self._jobs = 1 if self._serving else count_jobs(os.environ)

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether a site is built or pages are drawn for their writer."""
        del dirty
        self._command = command

    @event_priority(LAST)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the course; under ``build``, send the site into a staging folder."""
        if is_switched_off(enabled=self.config.enabled, environment=os.environ):
            self._begin(None)
            open_outlet(Path(), os.environ)  # An earlier build's findings are not this one's.
            log.warning(draw.SWITCHED_OFF_LOG)
            return config
        root = find_root(config, self.config.root)
        if self._serving:
            self._begin(load_course(root))
        else:
            self._restore_collector = self._restore_collector or ease_collector()
            course, kept = read_kept_course(root, os.environ)
            self._begin(leave_out_drafts(course, more=list_excluded(config, course)))
            self._kept = kept
            self._outlet, self._findings = open_outlet(root, os.environ)
            self._staging = require_staging(Path(config.site_dir), self._outlet)
            config.site_dir = str(self._staging.folder)
            config.extra[HAS_FILES] = True
            leave_out_instant(config)
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Run what ``COURSE_RUN`` asks for, once, then check sources, evidence and prose."""
        if self._course is None:
            return
        if not self._serving:
            read = self._course
            self._course, found = refresh_evidence(read, os.environ)
            self._findings += found
            if self._course is not read:
                self._kept = None  # There is new evidence; the next build finds it.
            if self._kept is not None:
                recall_memo(self._kept, self._course)
            judge_ahead(self._course, self._jobs)
        self._findings += check_name(config, self._course)
        self._findings += check_course(self._course)
        self._pages = compose_pages(self._course)
        install_extension(config, self._course)

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages of programs and records, and downloads; leave drafts out of a build."""
        if not self._serving:
            for source in remove_drafts(files, config):
                log.info("the draft %s is left out", source)
        if self._course is not None:
            self._findings += add_files(files, config, self._course, self._pages)
            self._findings += add_chart_files(files, config)
            self._findings += check_picture(files, config)
        return files

    @event_priority(LAST)
    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Remember where the site holds each file; links are finished by it."""
        self._addresses = list_addresses(files)
        self._nav = (nav, files)
        if self._staging is not None:
            shared = may_share(config)
            self._placing = Placing(self._staging, files, self._jobs, is_shared=shared)
        if self._course is not None and self._kept is not None:
            finish = compose_finisher(self._addresses, name_source(config, self._course.root, ""))
            remember_conversions(files, config, self._course.memo, finish)
            if may_share(config):
                convert_ahead(self._course, files, config, self._jobs)
        return nav

    @event_priority(-LAST)
    def _begin_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Look at what templates are given before plugins and hooks give them more."""
        del files
        if self._course is not None and self._kept is not None:
            remember_drawings(env, config, self._course.memo)
        return env

    @event_priority(LAST)
    def _end_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Remember this build's pages, now that no plugin adds or moves one any more."""
        if self._course is not None:
            self._built = list_built_pages(files, config, self._course, self._pages)
            self._findings += find_bare_html(files, config, self._course)
            if self._kept is not None:
                self._search = remember_entries(config, self._course.memo)
                self._draw_ahead(env, config)
        programs = self._course.programs if self._course is not None else None
        make_pages_lean(config, programs, self._search)
        return env

    on_env = CombinedEvent(_begin_env, _end_env)

    def _draw_ahead(self, env: Environment, config: MkDocsConfig) -> None:
        if (
            self._course is None
            or self._staging is None
            or self._nav is None
            or not may_share(config)
        ):
            return
        drawing = Drawing(self._course, self._built, self._staging, self._search, config)
        wrong = frozenset(finding.place.path for finding in self._findings)
        drawing.draw_ahead(env, *self._nav, wrong, self._jobs)

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Finish the links into programs and records; draw what is wrong above the page."""
        del files
        if self._course is None:
            return draw.compose_mark(draw.SWITCHED_OFF) + html
        path = name_source(config, self._course.root, page.file.src_uri)
        self._findings += check_front_matter(path, page.file.content_string, page.meta)
        top = draw.compose_top(
            path,
            self._findings,
            policy=self._course.settings.findings,
            serving=self._serving,
            draft=is_draft(page.file.content_string),
        )
        docs = name_source(config, self._course.root, "")
        return top + compose_finisher(self._addresses, docs)(html, page)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Say in the head what a link to the page shows, and keep the page light."""
        if self._staging is None:
            return output
        return lighten_page(complete_head(output, page, config), page, Path(config.site_dir))

    @event_priority(LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write what stands beside the pages, check the staged site; clean, it takes the old one's place."""
        if (
            self._course is None
            or self._staging is None
            or self._placing is None
            or self._nav is None
        ):
            return
        folder, write = self._staging.folder, self._placing.write
        write_beside(self._course, folder, self._built, *self._nav, config, write)
        lighten_assets(config, self._staging.folder)
        config.site_dir = str(self._staging.site)
        withheld = has_strict_warnings(config)
        publish_site(
            self._course,
            self._staging,
            self._built,
            self._findings,
            self._outlet,
            withheld=withheld,
            address=config.site_url or "",
        )
        if self._kept is not None:
            keep_memo(self._kept, self._course)

    def on_build_error(self, *, error: Exception) -> None:
        """Leave nothing behind, and lose no finding to an error of another kind."""
        self.on_shutdown()
        if self._findings and not isinstance(error, FindingsAbort):
            raise report_broken_build(self._findings, error, self._outlet) from error

    def on_shutdown(self) -> None:
        """Remove the staging folder, also after Ctrl-C."""
        if self._placing is not None:
            self._placing.abandon()
        if self._restore_collector is not None:
            self._restore_collector()
            self._restore_collector = None
        if self._staging is not None:
            drop_staging(self._staging)

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[..., None]
    ) -> LiveReloadServer:
        """Watch sources, evidence and settings."""
        del builder
        for place in list_watched(find_root(config, self.config.root)):
            server.watch(place)
        return server
