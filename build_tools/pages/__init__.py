"""How do a region, table, transcript, program or claim look as HTML? A Markdown extension.

Named ``build_tools.pages`` in the list of Markdown extensions. It reads records and executes
nothing; it knows Python-Markdown but no site generator.
"""

from __future__ import annotations

from typing import Any

from build_tools.pages.conversion import Rendered
from build_tools.pages.extension import CourseExtension
from build_tools.pages.hrefs import resolve_hrefs

__all__ = ["CourseExtension", "Rendered", "makeExtension", "resolve_hrefs"]


def makeExtension(**options: Any) -> CourseExtension:  # noqa: N802 - Python-Markdown's name
    """What Python-Markdown calls; the options are those of ``CourseExtension``."""
    return CourseExtension(**options)
