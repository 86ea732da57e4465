"""What stands for a value of MkDocs' in a key? A text that is the same while the value is.

A key has to cover all that an answer follows from, so a value that cannot be described whole has
no description: what follows from it is not kept.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path, PurePath
from types import BuiltinFunctionType, FunctionType
from typing import Any

from jinja2 import Environment, TemplateSyntaxError
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin
from mkdocs.structure import StructureItem
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink
from mkdocs.theme import Theme
from mkdocs.utils.templates import TemplateContext

from build_tools.claims.memo import digest_text
from build_tools.source.store import digest_files

FROM_VERSION = ("markdown", "material", "mkdocs", "pymdownx")
"""Packages whose functions do the same while the package's version does; see ``RESTS_ON``."""
OF_NO_PAGE = frozenset(
    {
        "config_file_path",
        "dev_addr",
        "docs_dir",
        "draft_docs",
        "exclude_docs",
        "hooks",
        "markdown_extensions",
        "mdx_configs",
        "nav",
        "not_in_nav",
        "plugins",
        "site_dir",
        "strict",
        "theme",
        "watch",
    }
)
"""Settings that a template has no use for, or that are described by what became of them."""
OF_EVERY_PAGE = frozenset(
    {
        "base_url",
        "build_date_utc",
        "config",
        "extra_css",
        "extra_javascript",
        "mkdocs_version",
        "nav",
        "page",
        "pages",
    }
)
"""What MkDocs hands to a template; plugins may add to it."""
OF_ANY_BUILD = (OF_NO_PAGE - {"nav", "theme"}) | {"build_date_utc"}
"""What a template that names it may show, and no key covers: the clock, or what plugins hold."""
OF_OTHER_PAGES = frozenset(
    {"ancestors", "homepage", "nav", "next_page", "pages", "parent", "previous_page"}
)
"""By what a template that names it can reach all that there is of other pages."""
OF_A_SECTION = frozenset({"parent", *vars(Section("", [])), *vars(Link("", ""))})
"""What MkDocs keeps of a section, or of a link in the navigation."""


_WORD = re.compile(r"\w+")


class IndescribableError(Exception):
    """A value has no description that is sure to change when it does."""


def describe(value: object) -> str:
    """The description of a value. Raises IndescribableError."""
    match value:
        case Enum():
            return f"{type(value).__qualname__}.{value.name}"
        case None | bool() | int() | float() | str() | bytes() | dt.date() | dt.time():
            return repr(value)
        case PurePath():
            return repr(str(value))
        case Mapping():
            return f"{{{','.join(f'{describe(k)}:{describe(v)}' for k, v in value.items())}}}"
        case AbstractSet():
            return f"<{','.join(sorted(map(describe, value)))}>"
        case Sequence():
            return f"[{','.join(map(describe, value))}]"
        case FunctionType() | BuiltinFunctionType() | type():
            return _describe_named(value)
        case partial():
            return describe([value.func, value.args, value.keywords])
    raise IndescribableError(f"{type(value).__module__}.{type(value).__qualname__}")


def _describe_named(value: Callable[..., Any]) -> str:
    """A function or type of a package by its name; anyone else's may do something else tomorrow."""
    name = f"{value.__module__}.{value.__qualname__}"
    if name.partition(".")[0] not in FROM_VERSION or "<" in name:
        raise IndescribableError(name)
    return name


def describe_files(files: Files) -> str:
    """Where links of a page can lead: every file with its place and address."""
    return digest_text(repr([(f.src_uri, f.url, f.inclusion.name) for f in files]))


Contents = tuple[tuple[str, str, int, "Contents"], ...]
"""A table of contents: each item's title as HTML, id, level from 0 and what is below it."""


def describe_contents(items: Iterable[AnchorLink]) -> Contents:
    """A page's table of contents."""
    return tuple((a.title, a.id, a.level, describe_contents(a.children)) for a in items)


def describe_site(context: TemplateContext, known: AbstractSet[str]) -> str:
    """Everything that a template can show on any page alike. Raises IndescribableError.

    ``known`` are the attributes that MkDocs gives a page; plugins may add to them.
    """
    config = context["config"]
    named = {name for f in _list_own_folders(config.theme) for name in _list_names(f)}
    plain = vars(MkDocsConfig())
    parts = (
        describe({key: value for key, value in config.items() if key not in OF_NO_PAGE}),
        describe({key: value for key, value in vars(config).items() if key not in plain}),
        describe({name: _list_settings(plugin) for name, plugin in config.plugins.items()}),
        describe_theme(config.theme, named),
        describe(_describe_nav(context["nav"], known)),
        describe(context["mkdocs_version"]),
    )
    pages = _describe_pages(context, known) if named & OF_OTHER_PAGES else ""
    return digest_text("\n".join([*parts, pages]))


def _list_settings(plugin: object) -> dict[str, Any]:
    # A hook stands among the plugins as the module that it is, and has no settings.
    return dict(plugin.config) if isinstance(plugin, BasePlugin) else {}


def describe_theme(theme: Theme, named: AbstractSet[str]) -> str:
    """A theme's settings and its templates, which name what is ``named``.

    Raises IndescribableError.
    """
    unknown = sorted(named & OF_ANY_BUILD)
    if unknown:
        raise IndescribableError(f"what templates do with {unknown}")
    settings = {key: str(value) if key == "locale" else value for key, value in theme.items()}
    held = [digest_files(folder.parent, [folder.name]) for folder in _list_own_folders(theme)]
    return describe([theme.name, len(theme.dirs), settings, held])


def _describe_pages(context: TemplateContext, known: AbstractSet[str]) -> str:
    return describe([_describe_whole(file.page, known) for file in context["pages"]])


def _describe_whole(page: Page | None, known: AbstractSet[str]) -> list[object]:
    """All that a template can show of a page on another one."""
    if page is None:
        return []
    written = [page.file.src_uri, page.content, page.markdown, describe_contents(page.toc)]
    return [written, page.edit_url, page.update_date, _describe_item(page, known)]


def _list_own_folders(theme: Theme) -> list[Path]:
    return [folder for folder in map(Path, theme.dirs) if not _is_packaged(folder)]


def _is_packaged(folder: Path) -> bool:
    """Whether templates come with a package that is known by its version."""
    return any(folder.is_relative_to(place) for place in _list_packages())


@cache
def _list_packages() -> list[Path]:
    specs = [find_spec(name) for name in FROM_VERSION]
    return [Path(spec.origin).parent for spec in specs if spec is not None and spec.origin]


def _list_names(folder: Path) -> set[str]:
    """The names and strings in the expressions and statements of the templates in ``folder``."""
    names: set[str] = set()
    for path in folder.rglob("*"):
        text = path.read_bytes().decode(errors="replace") if path.is_file() else ""
        if "{{" in text or "{%" in text:
            names |= _list_words(text)
    return names


def _list_words(template: str) -> set[str]:
    try:
        tokens = list(Environment(autoescape=True).lex(template))
    except TemplateSyntaxError:  # It may be no template, or one with a syntax of its own.
        return set(_WORD.findall(template))
    kinds = ("name", "string")
    return {word for _, kind, token in tokens if kind in kinds for word in _list_parts(token)}


def _list_parts(token: str) -> list[str]:
    """A name, or what a string asks for, as in ``sort(attribute="page.title")``."""
    return [token] if token.isidentifier() else token.strip("'\"").split(".")


def _describe_nav(nav: Navigation, known: AbstractSet[str]) -> list[object]:
    return [_describe_item(item, known) for item in nav.items]


def _describe_item(item: StructureItem, known: AbstractSet[str]) -> list[object]:
    """A section, a page or a link, with all that a theme shows of it on other pages."""
    if isinstance(item, Page):
        return [item.title, item.url, item.canonical_url, item.meta, _list_added(item, known)]
    children = [_describe_item(child, known) for child in getattr(item, "children", None) or ()]
    url = getattr(item, "url", None)
    return [item.title, url, children, _list_added(item, OF_A_SECTION)]


def _list_added(item: StructureItem, known: AbstractSet[str]) -> dict[str, object]:
    """What plugins have added to an item of MkDocs'."""
    return {key: value for key, value in vars(item).items() if key not in known}


def describe_page(context: TemplateContext, known: AbstractSet[str]) -> str:
    """Everything that a template can show of the page it is filled with.

    ``known`` are the attributes that MkDocs gives a page; plugins may add to them. Raises
    IndescribableError.
    """
    page = context["page"]
    if page is None:
        shown: list[object] = []
    else:
        shown = [
            [page.file.src_uri, page.url, page.title, page.meta, page.is_homepage],
            [page.canonical_url, page.edit_url, page.update_date, page.file.inclusion],
            [page.file.dest_uri, page.file.generated_by, digest_text(page.markdown or "")],
            describe_contents(page.toc),
            _list_added(page, known),
        ]
    more = {key: value for key, value in context.items() if key not in OF_EVERY_PAGE}
    linked = [context["base_url"], context["extra_css"], context["extra_javascript"]]
    return describe([shown, linked, more])
