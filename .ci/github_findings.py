# ruff: noqa: INP001 - a script beside another
"""Tells findings to GitHub: beside their lines, and all of them in the summary of the job.

    python .ci/github_findings.py findings.json

GitHub shows ten annotations of a step and no more, so the summary says how many there are, and
each. The file is what `course check --format json` prints, or what a build with COURSE_FINDINGS
writes; where a command ended before it could write one there is nothing to tell.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from build_tools.diagnostics.finding import Finding, Kind, Place, list_statements, name_verdict
from build_tools.diagnostics.formats.github import format_command
from build_tools.diagnostics.visible import show_on_line

LARGEST = 900_000
"""Bytes of a summary; GitHub takes a little more, and none of one that is larger."""


def main(source: str) -> None:
    """Print the annotations, and write the summary where GitHub asks for one."""
    try:
        document = json.loads(Path(source).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    findings = [read_finding(entry) for entry in document["findings"]]
    for finding in findings:
        sys.stdout.write(f"{format_command(finding, None)}\n")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if findings and summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(compose_summary(document["summary"], findings))


def read_finding(entry: dict[str, Any]) -> Finding:
    """A finding as it was before it was written."""
    place = entry["place"]
    return Finding(
        Kind(entry["kind"]),
        Place(place["path"], place["line"], place["column"]),
        entry["stated"],
        entry["true"],
        entry["advice"],
        checked=entry["checked"],
        length=place["length"],
    )


def compose_summary(said: str, findings: list[Finding]) -> str:
    """Every finding as Markdown, in blocks of code: what they quote is no Markdown of ours."""
    parts = [f"### {said}\n"]
    size = 0
    for number, finding in enumerate(findings):
        lines = [f"{finding.place}: {name_verdict(finding)}"]
        lines += [f"  {label}: {text}" for label, text in list_statements(finding)]
        shown = "\n".join(f"    {show_on_line(line)}" for line in "\n".join(lines).split("\n"))
        size += len(shown.encode("utf-8", "backslashreplace")) + 2
        if size > LARGEST:
            parts.append(f"and {len(findings) - number} more, in the log of the step\n")
            break
        parts.append(f"{shown}\n")
    return "\n".join(parts).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
