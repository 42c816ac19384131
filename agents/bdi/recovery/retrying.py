"""Whether another try of a failed step can end differently. Pure.

A try starts from the same files with the same command. Where neither another machine nor the load of this one had a
part in the failure, the next one fails in the same way; and what failed twice in the same words is taken to be so.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.bdi.recovery.failures import OF_OTHERS, Facts, Failure
from agents.bdi.recovery.program_errors import Cause

SAME_WORDS = "the last two tries failed with the same message"


@dataclass(frozen=True)
class Earlier:
    """A failed try of the same step: its class as it was found, and its fingerprint."""

    failure_class: str
    fingerprint: str


def why_not_again(failure: Failure, facts: Facts, before: Sequence[Earlier]) -> str:
    """Why another try would fail in the same way, "" where it may not. `before`: the tries before it, oldest first."""
    asks_others = bool(facts.hosts)
    if failure.cause is Cause.CODE:
        return "the program cannot be read or loaded, and another try runs the same one"
    if failure.cause is Cause.INPUT and not asks_others:
        return "another try starts from the same files with the same command"
    if failure.failure_class in OF_OTHERS and asks_others:
        return ""  # another machine may do otherwise next time, whatever it said twice
    last = before[-1] if before else None
    if last is not None and last == Earlier(failure.failure_class.value, fingerprint(facts)):
        return SAME_WORDS
    return ""


# What differs from one try to the next although nothing is different: moments, durations, addresses, temporary names.
_CHANGING = (
    re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"),
    re.compile(r"\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b"),
    re.compile(r"\b\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ns|us|µs|ms|s|sec|secs|seconds?|minutes?)\b"),
    re.compile(r"\b0x[0-9a-fA-F]+\b"),
    re.compile(r"/(?:var/)?tmp/[^\s:'\"]+"),
)


def fingerprint(facts: Facts) -> str:
    """One word for how the try ended and what it said; the same for two tries that failed in the same words."""
    # NUL is stored as its picture, and what was stored is compared with what has just been read.
    words = "\n".join((facts.said, facts.text, facts.printed)).replace("\0", "\u2400")
    for pattern in _CHANGING:
        words = pattern.sub("…", words)
    told = (facts.tool, facts.command, facts.error_class, facts.exit_code, facts.limit, facts.status_code, words)
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]
