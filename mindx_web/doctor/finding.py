"""What a check found: a grade, a sentence, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """`warn`: it works, but somebody should look. `fail`: something does not work, or is not safe."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `do` says what to do and is empty when all is well."""

    check: str
    grade: Grade
    says: str
    do: str = ""


Check = Callable[[], Iterator[Finding]]


def ok(check: str, says: str) -> Finding:
    """All is well."""
    return Finding(check, Grade.OK, says)


def warn(check: str, says: str, do: str) -> Finding:
    """It works, but somebody should look."""
    return Finding(check, Grade.WARN, says, do)


def fail(check: str, says: str, do: str) -> Finding:
    """It does not work, or is not safe."""
    return Finding(check, Grade.FAIL, says, do)
