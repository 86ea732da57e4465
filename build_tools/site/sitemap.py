"""What does a sitemap say? The address of each page, and no date that is only that of the build."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

NAME = "sitemap.xml"
PACKED = f"{NAME}.gz"


def finish_sitemap(folder: Path, *, built: str, known: bool) -> None:
    """Make the sitemap in ``folder`` say what is true, or remove it.

    A sitemap holds whole addresses: where the site's own is not ``known``, it goes. MkDocs calls
    every page modified on the day it was ``built``; that day alone goes, since a page that another
    plugin dates keeps its date, and the same tree makes the same site tomorrow.
    """
    sitemap, packed = folder / NAME, folder / PACKED
    if not known:
        sitemap.unlink(missing_ok=True)
        packed.unlink(missing_ok=True)
    elif sitemap.is_file():
        text = re.sub(
            rf"\s*<lastmod>{re.escape(built)}</lastmod>", "", sitemap.read_text(encoding="utf-8")
        )
        sitemap.write_text(text, encoding="utf-8")
        packed.write_bytes(gzip.compress(text.encode(), mtime=0))
