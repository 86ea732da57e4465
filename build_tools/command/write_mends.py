"""Does a page agree once it is written? Mends reach the disk all or none, and are judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from build_tools.claims.course import load_course
from build_tools.claims.mend import Mend, judge_mends, number_mended
from build_tools.claims.model import Course
from build_tools.claims.patch import patch_bytes
from build_tools.claims.reviewing import ReadPage, read_judged
from build_tools.command.page_files import RefusedError, write_page
from build_tools.diagnostics.finding import Finding, Kind, Place


@dataclass(frozen=True)
class MendedPage:
    """A page as it was read, and what is to change in it."""

    page: ReadPage
    mends: tuple[Mend, ...]

    @property
    def after(self) -> bytes:
        """The page's bytes with the changes. Raises PatchError."""
        return patch_bytes(self.page.data, [mend.patch for mend in self.mends])


def write_mends(
    root: Path, course: Course, pages: Sequence[MendedPage]
) -> tuple[list[MendedPage], list[Finding]]:
    """Write each page whole or not at all, then judge it again from its file, by today's evidence.

    Returns the pages that stay written, and why others do not. A page whose mended claims do not
    hold then is put back as it was.
    """
    written: list[MendedPage] = []
    findings: list[Finding] = []
    for mended in pages:
        wrong = judge_mends(course, mended.page.scan, mended.mends)
        if wrong:
            findings += [replace(w, true=f"{w.true}; the page stays as it was") for w in wrong]
            continue
        try:
            write_page(root, mended.page.path, mended.page.data, mended.after)
        except RefusedError as error:
            findings.append(_report_refused(mended.page.path, str(error), error.advice))
        else:
            written.append(mended)
    if not written:
        return [], findings
    today = load_course(root)
    kept = []
    for mended in written:
        wrong = _judge_written(today, mended)
        if not wrong:
            kept.append(mended)
            continue
        findings += [replace(w, true=f"{w.true}; the page was put back") for w in wrong]
        try:
            write_page(root, mended.page.path, mended.after, mended.page.data)
        except RefusedError as error:
            true = f"it could not be put back: {error}"
            findings.append(_report_refused(mended.page.path, true, error.advice))
    return kept, findings


def _report_refused(path: str, true: str, advice: str) -> Finding:
    return Finding(Kind.PAGE, Place(path), "changes for this page", true, advice, checked=False)


def _judge_written(today: Course, mended: MendedPage) -> list[Finding]:
    """The findings of the mended claims, read again from the page's file."""
    page, findings = read_judged(today, mended.page.path)
    if page is None:
        return findings
    numbers = set(number_mended(mended.page.scan, mended.mends))
    return [f for v in page.verdicts if v.claim.number in numbers for f in v.findings]
