"""Whether what a goal achieved made anything better: by what was measured before and after, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.mastermind.stops import IMPROVED, NO_BETTER, NOT_ACHIEVED, UNMEASURED, WORSE


@dataclass(frozen=True)
class Measured:
    """`findings`: how many an audit told, for each audit that ran, in order. `changed`: how many files differ; None
    where that is not known any more. `failed`: in which state the goal ended, when it was not achieved.
    """

    findings: Sequence[int] = ()
    changed: int | None = None
    failed: str = ""
    reason: str = ""


def judged(measured: Measured) -> tuple[str, str]:
    """The outcome, and a sentence that says what was measured."""
    if measured.failed:
        # A reason begins with a word of the code; what stands behind its colon are words for people.
        word, colon, rest = measured.reason.partition(":")
        why = f": {word.replace('_', ' ') if word.islower() else word}{colon}{rest}" if word else ""
        return NOT_ACHIEVED, f"The goal ended as {measured.failed.replace('_', ' ')}{why}."
    if measured.changed == 0:
        return NO_BETTER, f"The goal is achieved, but no file changed.{_findings(measured.findings)}"
    files = "how many files changed is unknown" if measured.changed is None else _files(measured.changed)
    if len(measured.findings) < 2:
        return UNMEASURED, f"The goal is achieved, and {files}. Whether this is an improvement was not measured."
    before, after = measured.findings[0], measured.findings[-1]
    said = f"The goal is achieved, and {files}. Findings: {before} before, {after} after."
    if after < before:
        return IMPROVED, said
    return (WORSE if after > before else NO_BETTER), said


def _files(number: int) -> str:
    return f"{number} file{'s' * (number != 1)} changed"


def _findings(findings: Sequence[int]) -> str:
    return f" Findings: {findings[-1]}." if findings else ""
