"""The six recovery strategies and their two variants, and what is tried first for each class. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agents.bdi.recovery.failures import FailureClass


class Strategy(StrEnum):
    """How the run goes on."""

    RETRY_WITH_DELAY = "retry_with_delay"
    ALTERNATIVE_TOOL = "alternative_tool"
    SIMPLIFIED_APPROACH = "simplified_approach"
    ESCALATE_TO_AGINT = "escalate_to_agint"
    MANUAL_FALLBACK = "manual_fallback"
    GRACEFUL_ABORT = "graceful_abort"


COOL_DOWN = "cool_down"
REEXTRACTION = "reextraction"


@dataclass(frozen=True, order=True)
class Way:
    """A strategy, in one of its variants ("" is the plain one). `str` of it is how statistics and policies name it."""

    strategy: Strategy
    variant: str = ""

    def __str__(self) -> str:
        return f"{self.strategy.value}:{self.variant}" if self.variant else self.strategy.value

    @property
    def words(self) -> str:
        """For people."""
        return _WORDS[str(self)]


RETRY = Way(Strategy.RETRY_WITH_DELAY)
COOLED = Way(Strategy.RETRY_WITH_DELAY, COOL_DOWN)
ALTERNATIVE = Way(Strategy.ALTERNATIVE_TOOL)
SIMPLER = Way(Strategy.SIMPLIFIED_APPROACH)
REEXTRACTED = Way(Strategy.SIMPLIFIED_APPROACH, REEXTRACTION)
AGINT = Way(Strategy.ESCALATE_TO_AGINT)
MANUAL = Way(Strategy.MANUAL_FALLBACK)
ABORT = Way(Strategy.GRACEFUL_ABORT)
WAYS = (RETRY, COOLED, ALTERNATIVE, SIMPLER, REEXTRACTED, AGINT, MANUAL, ABORT)

_WORDS = {
    "retry_with_delay": "retry with delay",
    "retry_with_delay:cool_down": "cool-down, then retry",
    "alternative_tool": "alternative tool",
    "simplified_approach": "simplified approach",
    "simplified_approach:reextraction": "re-extraction of parameters",
    "escalate_to_agint": "escalate to AGInt",
    "manual_fallback": "manual fallback",
    "graceful_abort": "graceful abort",
}

# Primary and secondary, in the order in which they are tried while nothing is known.
DEFAULTS: Mapping[FailureClass, tuple[Way, Way]] = {
    FailureClass.TOOL_UNAVAILABLE: (ALTERNATIVE, AGINT),
    FailureClass.TOOL_EXECUTION_ERROR: (RETRY, ALTERNATIVE),
    FailureClass.INVALID_PARAMETERS: (SIMPLER, REEXTRACTED),
    FailureClass.RATE_LIMIT_ERROR: (RETRY, COOLED),
    FailureClass.PERMISSION_ERROR: (AGINT, MANUAL),
    FailureClass.NETWORK_ERROR: (RETRY, ALTERNATIVE),
    FailureClass.PLANNING_ERROR: (SIMPLER, MANUAL),
    FailureClass.GOAL_PARSE_ERROR: (SIMPLER, MANUAL),
    FailureClass.UNKNOWN_ERROR: (AGINT, ABORT),
}


def way_named(name: str) -> Way | None:
    """The way of this name; None for a name that is none."""
    return next((way for way in WAYS if str(way) == name), None)
