"""WAIT UNTIL context AT MOST n: a line of a rule that goes on when something has become so. Pure.

`AT MOST 5 steps` counts the steps of an environment; a number alone means steps. `AT MOST 10 minutes` (seconds, hours)
is time, for plans that work on files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.rules.lines import RuleSyntaxError, quoted, short, without_end

MAX_STEPS = 1_000
MAX_S = 24 * 60 * 60
STEPS = "steps"
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3_600}
_UNITS = (STEPS, *_SECONDS)
_WAIT = re.compile(r"WAIT\s+UNTIL\b\s*")
_AT_MOST = re.compile(r"(?<!\w)AT\s+MOST\b")
_NUMBER = re.compile(r"(?P<n>[0-9]{1,9})(?:\s+(?P<unit>[a-z]+))?\Z")
_NOT = re.compile(r"NOT\b\s*")
_EXAMPLE = "write for example WAIT UNTIL the door is open AT MOST 5 steps, or AT MOST 10 minutes"


@dataclass(frozen=True)
class Wait:
    """How long a rule waits: `most` of `unit` (steps, seconds …). `negated`: until the context is false."""

    most: int
    unit: str = STEPS
    negated: bool = False

    @property
    def seconds(self) -> int | None:
        """The time it may take; None where steps are counted."""
        return self.most * _SECONDS[self.unit] if self.unit in _SECONDS else None

    @property
    def limit(self) -> str:
        """The limit in words: “10 minutes”."""
        return f"{self.most} {self.unit if self.most != 1 else self.unit[:-1]}"

    def said_of(self, context: str) -> str:
        """The line of a rule that waits for the context."""
        return f"WAIT UNTIL {'NOT ' if self.negated else ''}{context} AT MOST {self.limit}"


def is_wait(item: str) -> bool:
    """Whether a line of a body means to wait."""
    return _WAIT.match(item) is not None


def read_wait(item: str, number: int) -> tuple[str, Wait]:
    """Return what a line waits for, without NOT, and how long. Raises RuleSyntaxError with the way out."""
    said = _WAIT.sub("", item, count=1)
    is_quoted = quoted(said, number)
    limits = [found for found in _AT_MOST.finditer(said) if not is_quoted[found.start()]]
    if not limits:
        message = f"“{short(item)}” does not say how long it waits; {_EXAMPLE}"
        raise RuleSyntaxError(number, "wait_until", message)
    context = without_end(said[: limits[-1].start()], ".,;")
    denied = _NOT.match(context)
    context = context[denied.end() :] if denied else context
    if not context.strip(" \t.,;:") or _NOT.match(context):
        raise RuleSyntaxError(number, "wait_until", f"WAIT UNTIL does not say what it waits for; {_EXAMPLE}")
    most, unit = _limit(without_end(said[limits[-1].end() :].strip(), "."), number)
    return context, Wait(most, unit, denied is not None)


def _limit(said: str, number: int) -> tuple[int, str]:
    found = _NUMBER.match(said)
    unit = (found["unit"] or STEPS) if found else ""
    unit = unit if unit.endswith("s") else f"{unit}s"
    if found is None or unit not in _UNITS:
        message = f"AT MOST takes a whole number of {', '.join(_UNITS[:-1])} or {_UNITS[-1]}, not “{short(said)}”"
        raise RuleSyntaxError(number, "wait_until", f"{message}; {_EXAMPLE}")
    most = int(found["n"])
    largest = MAX_STEPS if unit == STEPS else MAX_S // _SECONDS[unit]
    if not 1 <= most <= largest:
        message = f"AT MOST {short(said)} is no time to wait; it is 1 to {largest} {unit}"
        raise RuleSyntaxError(number, "wait_until", message)
    return most, unit
