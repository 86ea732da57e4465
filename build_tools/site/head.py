"""What does a page's head say to those that show a link to it? Title, description, its Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

_END = re.compile(r"</head\s*>", re.IGNORECASE)


@dataclass(frozen=True)
class Card:
    """A page as a link to it is shown."""

    title: str
    description: str
    site: str
    address: str = ""
    """Whole, with scheme and host; empty where the site's own is not known."""
    plain: str = ""
    """The page's Markdown, from the page; empty where there is none."""
    image: str = ""
    """The address of a picture, whole; empty where there is none."""
    alt: str = ""
    """The picture in words."""


def add_card(html: str, card: Card) -> str:
    """The page ``html`` with the card at the end of its head; unchanged when it has none.

    Nothing is said twice that a theme has said already.
    """
    match = _END.search(html)
    if match is None:
        return html
    head = html[: match.start()]
    told = [line for key, line in _list_elements(card) if key not in head]
    return head + "".join(f"{line}\n" for line in told) + html[match.start() :]


def _list_elements(card: Card) -> list[tuple[str, str]]:
    """What tells that an element is there already, and the element."""
    named = {
        'property="og:type"': "article",
        'property="og:site_name"': card.site,
        'property="og:title"': card.title,
        'property="og:description"': card.description,
        'property="og:url"': card.address,
        'property="og:image"': card.image,
        'property="og:image:alt"': card.image and card.alt,
        'name="twitter:card"': "summary_large_image" if card.image else "summary",
        'name="twitter:title"': card.title,
        'name="twitter:description"': card.description,
    }
    elements = [
        (key, f'<meta {key} content="{escape(" ".join(text.split()))}">')
        for key, text in named.items()
        if text
    ]
    if card.plain:
        kind = 'type="text/markdown"'
        # The space is for Material's script: it takes a link whose relation is just `alternate`
        # for a translation, and asks for a sitemap beside it.
        elements.append((kind, f'<link rel="alternate " {kind} href="{escape(card.plain)}">'))
    return elements
