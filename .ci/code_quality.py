# ruff: noqa: INP001 - a script beside another
"""Writes the findings of ``course check --format json`` as GitLab's Code Quality report.

    python .ci/code_quality.py findings.json code-quality.json

GitLab shows each at its line of a merge request. The fingerprint is of the kind, the path and what
is stated, so that it stays the same while lines move.
"""

import hashlib
import json
import sys
from pathlib import Path


def main(source: str, target: str) -> None:
    """Write ``target`` from ``source``."""
    findings = json.loads(Path(source).read_text(encoding="utf-8"))["findings"]
    report = []
    for finding in findings:
        place = finding["place"]
        named = "\0".join((finding["kind"], place["path"], finding["stated"]))
        report.append(
            {
                "check_name": finding["kind"],
                "description": f"{finding['stated']}: {finding['true']}; {finding['advice']}",
                "fingerprint": hashlib.sha256(named.encode()).hexdigest(),
                "severity": "major" if finding["checked"] else "blocker",
                "location": {"path": place["path"], "lines": {"begin": max(1, place["line"])}},
            }
        )
    Path(target).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
