"""How do drafts leave a build: from MkDocs' files, and from its navigation without a warning?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from build_tools.claims.front_matter import read_front_matter
from build_tools.claims.lines import Lines


def list_drafts(files: Files) -> list[File]:
    """The pages whose front matter says that they are drafts, among the prose or not."""
    return [file for file in files.documentation_pages() if is_draft(file.content_string)]


def is_draft(text: str) -> bool:
    """Whether a page's text says that it is a draft."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.startswith("---"):
        return False
    options, _ = read_front_matter(text, Lines("", text).place)
    return options.draft is not None


def remove_drafts(files: Files, config: MkDocsConfig) -> list[str]:
    """Take drafts out of the files of a build and out of its navigation; which these were."""
    drafts = list_drafts(files)
    for file in drafts:
        files.remove(file)
    if config.nav is not None and drafts:
        config.nav = prune_nav(config.nav, {file.src_uri for file in drafts})
    return sorted(file.src_uri for file in drafts)


def prune_nav(nav: list[Any], sources: Collection[str]) -> list[Any]:
    """``nav`` of mkdocs.yml without some pages, and without sections that held nothing else."""
    kept = []
    for entry in nav:
        match entry:
            case str() if entry in sources:
                continue
            case Mapping():
                items = {
                    title: prune_nav(value, sources) if isinstance(value, list) else value
                    for title, value in entry.items()
                    if not (isinstance(value, str) and value in sources)
                }
                items = {t: v for t, v in items.items() if v != [] or entry[t] == []}
                if items or not entry:
                    kept.append(items)
            case _:
                kept.append(entry)
    return kept
