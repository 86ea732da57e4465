"""Which picture stands beside a link to the site, and is it there? `extra.course_card` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

from build_tools.diagnostics.finding import Finding, Kind, Place

KEY = "course_card"
FORM = "`image: assets/card.png` and `alt: what it shows`"


@dataclass(frozen=True)
class Picture:
    """A picture of the site's own, the same for each page."""

    image: str
    """Its place in the site."""
    alt: str
    """What it shows, in words."""


def read_picture(config: MkDocsConfig) -> Picture | None:
    """The picture that mkdocs.yml names; None where it names none, or not as it should."""
    stated: Any = config.extra.get(KEY)
    if not isinstance(stated, dict) or stated.keys() != {"image", "alt"}:
        return None
    image, alt = stated["image"], stated["alt"]
    if not isinstance(image, str) or not isinstance(alt, str) or not image or not alt.strip():
        return None
    return Picture(image, alt)


def check_picture(files: Files, config: MkDocsConfig) -> list[Finding]:
    """A finding where what is named is no picture of the site, or is not said in words."""
    if KEY not in config.extra:
        return []
    picture = read_picture(config)
    if picture is None:
        true, advice = "it has another form", f"write {FORM} below `{KEY}`"
    elif not any(file.dest_uri == picture.image for file in files):
        true, advice = f"the site has no {picture.image}", "put it into the docs folder"
    else:
        return []
    return [Finding(Kind.SETTINGS, Place("mkdocs.yml"), f"`extra.{KEY}`", true, advice)]
