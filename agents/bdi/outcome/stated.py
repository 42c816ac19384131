"""Checks that the author of a plan states with it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.outcome.outcome import Check, CheckKind

# Where the evidence of a plan has the checks that its author stated.
STATED_CHECKS = "stated_checks"
STATED = (
    CheckKind.EXISTS,
    CheckKind.GONE,
    CheckKind.FILE_CHANGED,
    CheckKind.HAS_LINE,
    CheckKind.LACKS_TEXT,
    CheckKind.PARSES,
)


def found_in(evidence: Mapping[str, Any]) -> list[Check]:
    """The checks that were stated with a plan; none of what cannot be read."""
    raw = evidence.get(STATED_CHECKS)
    found = []
    for one in raw if isinstance(raw, list) else ():
        try:
            check = Check.from_json(one)
        except (KeyError, TypeError):
            continue
        if check.kind in STATED:
            found.append(check)
    return found
