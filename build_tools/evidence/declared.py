"""Where is a transcript at odds with what is declared of it: in both, and which can be mended?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from build_tools.diagnostics.finding import Finding, Place


@dataclass(frozen=True)
class DeclaredFinding(Finding):
    """A finding of a transcript, placed in it, that a declaration may be the cause of.

    What was recorded is not changed any more: of a record the declaration is what is mended.
    """

    declared: Place = field(default_factory=lambda: Place(""))
    """Where the entry of program.toml stands."""
    declared_length: int = 0
    """How many characters of it are spoken of; 0 where that is not known."""


def place_declared(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of records at the declarations they speak of, each said of the first record only."""
    placed: list[Finding] = []
    said: set[tuple[Place, str]] = set()
    for finding in findings:
        if not isinstance(finding, DeclaredFinding):
            placed.append(finding)
        elif (finding.declared, finding.stated) not in said:
            said.add((finding.declared, finding.stated))
            stated = finding.stated.replace(f" (declared at {finding.declared})", "")
            placed.append(
                Finding(
                    finding.kind,
                    finding.declared,
                    stated.replace(f", declared at {finding.declared}", ""),
                    f"{finding.true} ({finding.place})",
                    finding.advice,
                    finding.checked,
                    finding.declared_length,
                )
            )
    return placed
