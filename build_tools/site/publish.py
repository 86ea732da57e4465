"""May a staged site be published, and what is said when it may not?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from build_tools.claims.model import Course
from build_tools.diagnostics.finding import Finding, Kind, Place, summarize_findings
from build_tools.site.host import find_uncovered_pages
from build_tools.site.report import (
    Outlet,
    UncheckedAbort,
    compose_abort,
    must_stop,
    tell_findings,
)
from build_tools.site.staging import Staging, drop_staging, open_staging, promote_staging
from build_tools.site.verify import SitePage, verify_site


def require_staging(site: Path, outlet: Outlet) -> Staging:
    """A staging folder beside ``site``. Raises UncheckedAbort when none can be written."""
    staging = open_staging(site)
    if isinstance(staging, Finding):
        raise compose_abort(tell_findings(outlet, [staging]), str(site))
    return staging


def publish_site(
    course: Course,
    staging: Staging,
    pages: Sequence[SitePage],
    findings: Sequence[Finding],
    outlet: Outlet,
    *,
    withheld: bool,
    address: str,
) -> None:
    """Check the staged site; put it in the old one's place, or say all that is wrong and abort.

    ``findings`` are those made before rendering. A ``withheld`` site is checked but not
    published: MkDocs itself is about to fail. ``address`` is the site's, or empty. Raises
    FindingsAbort.
    """
    found = [
        *findings,
        *find_uncovered_pages(course, pages),
        *verify_site(course, staging.folder, pages, known=findings, address=address),
    ]
    listed = tell_findings(outlet, found)
    if must_stop(listed, course.settings.findings):
        drop_staging(staging)
        raise compose_abort(listed, str(staging.site))
    if withheld:
        drop_staging(staging)
        return
    refusal = promote_staging(staging)
    if refusal is not None:
        raise compose_abort(tell_findings(outlet, [refusal], listed), str(staging.site))
    if listed:
        said = summarize_findings(listed)
        click.echo(f'\n{said}; published all the same: findings = "warn"', err=True)


def report_broken_build(
    findings: Sequence[Finding], error: Exception, outlet: Outlet
) -> UncheckedAbort:
    """Say what was found before an error ended the build; the abort says that pages are unchecked.

    The error is most often what a finding speaks of: a page that is not UTF-8.
    """
    said = f"the pages could not be checked: {type(error).__name__}: {error}"
    broken = Finding(
        Kind.PAGE,
        Place("mkdocs.yml"),
        "the site is built",
        said,
        "mend what the other findings say, and build again",
        checked=False,
    )
    listed = tell_findings(outlet, [*findings, broken])
    return UncheckedAbort(f"{summarize_findings(listed)}; {said}")
