"""What do MkDocs' configuration and files say in the course's terms, and how are they added to?"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel, set_exclusions
from mkdocs.utils import CountHandler

from build_tools.claims.model import Course
from build_tools.claims.page_text import list_pages
from build_tools.claims.scan import scan_page
from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.site.downloads import Download
from build_tools.site.generate import (
    INDEX,
    GeneratedPage,
    add_pages_to_nav,
    compose_starters,
    list_downloads,
    list_units,
)
from build_tools.site.verify import SitePage
from build_tools.source.environment import COURSE_ENABLED
from build_tools.source.settings import SETTINGS_PATH

log = get_plugin_logger("course")

EXTENSION = "build_tools.pages"
INSTANT = "navigation.instant"


def is_switched_off(*, enabled: bool, environment: Mapping[str, str]) -> bool:
    """Whether a writer of prose has switched the checks off, in mkdocs.yml or by COURSE_ENABLED."""
    said = environment.get(COURSE_ENABLED, "").strip().lower()
    return not enabled or said in ("0", "false", "no", "off")


def is_serving(command: str) -> bool:
    """Whether pages are drawn for their writer; ``mkdocs serve --clean`` says it builds."""
    context = click.get_current_context(silent=True)
    return command == "serve" or (context is not None and context.info_name == "serve")


def find_root(config: MkDocsConfig, root: str | None) -> Path:
    """The folder of course.toml: ``root`` from the folder of mkdocs.yml, or that folder."""
    folder = Path(config.config_file_path or "mkdocs.yml").resolve().parent
    return (folder / (root or ".")).resolve()


def list_excluded(config: MkDocsConfig, course: Course) -> list[str]:
    """The pages of the prose that ``exclude_docs`` and ``draft_docs`` keep out of a build."""
    docs = name_source(config, course.root, "")
    inside = [path for path in list_pages(course) if path.startswith(f"{docs}/")]
    files = [
        File(
            path.removeprefix(f"{docs}/"), config.docs_dir, config.site_dir, use_directory_urls=True
        )
        for path in inside
    ]
    set_exclusions(files, config)
    left_out = (InclusionLevel.EXCLUDED, InclusionLevel.DRAFT)
    return [path for path, file in zip(inside, files, strict=True) if file.inclusion in left_out]


def leave_out_instant(config: MkDocsConfig) -> None:
    """Take instant navigation out of a site whose address is not known.

    The theme's script follows a link by itself only to what the sitemap names, and a sitemap holds
    whole addresses: without it each page would ask for a file that is not there.
    """
    features = config.theme.get("features")
    if not config.site_url and isinstance(features, list) and INSTANT in features:
        config.theme["features"] = [name for name in features if name != INSTANT]
        log.info("there is no `site_url`, so pages are loaded whole: no %s", INSTANT)


def check_name(config: MkDocsConfig, course: Course) -> list[Finding]:
    """A finding when course.toml and mkdocs.yml call the course by two names."""
    title, name = course.settings.title, config.site_name
    if not title or title == name:
        return []
    return [
        Finding(
            Kind.SETTINGS,
            Place(SETTINGS_PATH),
            f"the course is called `{title}`",
            f"`site_name` in mkdocs.yml is `{name}`: its data and its pages would have two names",
            "write one of them in both files, or leave `title` out",
        )
    ]


def install_extension(config: MkDocsConfig, course: Course) -> None:
    """Hand the course to the Markdown extension; add it when mkdocs.yml does not name it."""
    if EXTENSION not in config.markdown_extensions:
        config.markdown_extensions.append(EXTENSION)
    options = config.mdx_configs.setdefault(EXTENSION, {})
    options.update(course=course, root=str(course.root), hrefs="keep")


def add_files(
    files: Files, config: MkDocsConfig, course: Course, pages: Sequence[GeneratedPage]
) -> list[Finding]:
    """Add the generated pages and downloads; a finding for each whose place is taken."""
    findings = []
    for page in pages:
        if _is_taken(files, page.source):
            # An index of the author's own is as good as ours.
            findings += [] if page.source == INDEX else [_explain_taken(config, page.source)]
            continue
        level = InclusionLevel.INCLUDED if page.in_nav else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, page.source, content=page.markdown, inclusion=level))
    sources: dict[str, Path | str] = {
        **list_downloads(course),
        **list_units(course),
        **compose_starters(course),
    }
    for place, source in sources.items():
        if _is_taken(files, place):
            findings.append(_explain_taken(config, place))
            continue
        files.append(_compose_file(config, place, source))
    if config.nav is not None:
        config.nav = add_pages_to_nav(config.nav, pages)
    return findings


def _compose_file(config: MkDocsConfig, place: str, source: Path | str) -> File:
    """A file of the site, copied from a path or holding a text, in which LF stays LF."""
    level = InclusionLevel.INCLUDED
    if isinstance(source, Path):
        return Download.generated(config, place, abs_src_path=str(source), inclusion=level)
    return Download.generated(config, place, content=source.encode(), inclusion=level)


def _is_taken(files: Files, source: str) -> bool:
    return files.get_file_from_path(source) is not None


def _explain_taken(config: MkDocsConfig, source: str) -> Finding:
    return Finding(
        Kind.PAGE,
        Place(f"{Path(config.docs_dir).name}/{source}"),
        "a file of the docs folder",
        "the course generates a file of this name",
        "rename yours",
    )


def list_addresses(files: Files) -> dict[str, str]:
    """The address of each file in the site, by its source relative to the docs folder."""
    return {file.src_uri: file.url for file in files}


def list_built_pages(
    files: Files, config: MkDocsConfig, course: Course, generated: Sequence[GeneratedPage]
) -> list[SitePage]:
    """Every page this build puts into the site."""
    ours = {page.source for page in generated}
    pages = []
    for file in files.documentation_pages():
        by_course = file.generated_by is not None and file.src_uri in ours
        path = name_source(config, course.root, file.src_uri)
        pages.append(SitePage(path, file.content_string, file.dest_uri, generated=by_course))
    return pages


def name_source(config: MkDocsConfig, root: Path, source: str) -> str:
    """The path from the root of a file given relative to the docs folder."""
    return Path(os.path.relpath(config.docs_dir, root), source).as_posix()


def find_uncovered_pages(course: Course, pages: Sequence[SitePage]) -> list[Finding]:
    """Pages that are not among the prose that is checked: nobody knows whether they are true.

    What another plugin made has no file; it is told where it holds claims or directives.
    """
    covered = set(list_pages(course))
    findings = []
    for page in pages:
        if page.generated or page.path in covered:
            continue
        scan = scan_page(page.text, page.path)
        places = [item.place for item in scan.claims] + [item.place for item in scan.directives]
        if not places and not (course.root / page.path).exists():
            continue
        stated = "this page holds claims or directives" if places else "a page of the site"
        place = min(places) if places else Place(page.path)
        true = "no glob of `prose` in course.toml covers it, so nothing on it was checked"
        advice = (
            f"{_advise_cover(course, page.path)}, or leave it out with `exclude_docs` in mkdocs.yml"
        )
        findings.append(Finding(Kind.PAGE, place, stated, true, advice))
    return findings


def _advise_cover(course: Course, path: str) -> str:
    """How a page gets among the prose; a glob does not enter a folder that is a link."""
    parents = [*Path(path).parents][:-1]
    linked = next((p for p in parents if (course.root / p).is_symlink()), None)
    if linked is not None:
        return f"put the pages themselves into {linked.as_posix()}, which is a link"
    return f"add `{path}` to `prose`"


def find_bare_html(files: Files, config: MkDocsConfig, course: Course) -> list[Finding]:
    """Pages of the docs folder that are HTML already: MkDocs copies them, and nothing reads them."""
    return [
        Finding(
            Kind.PAGE,
            Place(name_source(config, course.root, file.src_uri)),
            "a page of the site",
            "it is HTML, which is copied as it is: nothing on it was checked",
            "write it in Markdown, or leave it out with `exclude_docs` in mkdocs.yml",
        )
        for file in files
        if file.src_uri.lower().endswith((".html", ".htm", ".xhtml"))
        and not file.is_documentation_page()
        and file.inclusion is not InclusionLevel.EXCLUDED
        and file.abs_src_path is not None
        and file.generated_by is None
        and Path(file.abs_src_path).is_relative_to(config.docs_dir)
    ]


def strips_search_attributes(config: MkDocsConfig) -> bool:
    """Whether the search plugin takes its own attributes out of a page: Material's does."""
    return "material/search" in config.plugins


def has_strict_warnings(config: MkDocsConfig) -> bool:
    """Whether ``mkdocs build --strict`` is about to fail for a warning of anyone's."""
    handlers = logging.getLogger("mkdocs").handlers
    counters = [handler for handler in handlers if isinstance(handler, CountHandler)]
    return config.strict and any(counter.get_counts() for counter in counters)


def list_watched(root: Path) -> list[str]:
    """What ``mkdocs serve`` watches beside the docs: sources, evidence and settings."""
    places = (root / "snippets", root / "evidence", root / "course.toml")
    return [str(place) for place in places if place.exists()]
