"""How are findings drawn on a page, while it is written or while its course is under construction?"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from build_tools.diagnostics.finding import (
    Finding,
    list_statements,
    name_verdict,
    sort_findings,
    summarize_findings,
)
from build_tools.pages.template import mark_up_ticks
from build_tools.pages.visible import mark_up

UNDER_CONSTRUCTION = (
    "This course is under construction: its pages are shown whether or not their numbers "
    "agree with the evidence."
)
DRAFT = "This page is a draft: it may lack evidence, and a build leaves it out."
SWITCHED_OFF = "Nothing on this page was checked: the course's checks are switched off."
SWITCHED_OFF_LOG = (
    "the checks are switched off (COURSE_ENABLED or `enabled` in mkdocs.yml): "
    "nothing is checked, and every page says so"
)


def compose_top(
    path: str, findings: Sequence[Finding], *, policy: str, serving: bool, draft: bool = False
) -> str:
    """What stands above the text of the page ``path``, as HTML; empty for a clean course.

    Findings are drawn while a page is written, and in a course whose ``policy`` is ``warn``.
    """
    marked = policy == "warn"
    box = compose_findings_box(path, findings) if serving or marked else ""
    marks = (compose_mark(UNDER_CONSTRUCTION) if marked else "") + (
        compose_mark(DRAFT) if draft else ""
    )
    return marks + box


def compose_findings_box(path: str, findings: Sequence[Finding]) -> str:
    """The findings as HTML for the top of the page ``path``; empty when there are none.

    The page's own stand open, all others are folded.
    """
    listed = sort_findings(findings)
    own = [finding for finding in listed if finding.place.path == path]
    others = [finding for finding in listed if finding.place.path != path]
    parts = []
    if own:
        title = f"{summarize_findings(own)} on this page"
        parts.append(
            f'<div class="course-findings admonition failure" data-search-exclude="true">'
            f'<p class="admonition-title">{escape(title)}</p>{_compose_list(own)}</div>'
        )
    if others:
        title = f"{summarize_findings(others)} elsewhere in the course"
        parts.append(
            f'<details class="course-findings failure" data-search-exclude="true">'
            f"<summary>{escape(title)}</summary>{_compose_list(others)}</details>"
        )
    return "".join(parts)


def compose_mark(text: str) -> str:
    """A mark for the top of a page that must not be taken for a checked one."""
    return (
        f'<div class="course-unchecked admonition warning" data-search-exclude="true">'
        f'<p class="admonition-title">{escape(text)}</p></div>'
    )


def _compose_list(findings: Sequence[Finding]) -> str:
    return "<ul>" + "".join(map(_compose_item, findings)) + "</ul>"


def _compose_item(finding: Finding) -> str:
    said = "<br>".join(
        f"{escape(label)}: {mark_up_ticks(text)}" for label, text in list_statements(finding)
    )
    place = mark_up(str(finding.place))
    return f"<li><p><code>{place}</code> {escape(name_verdict(finding))}</p><p>{said}</p></li>"
