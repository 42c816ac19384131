"""What to do after a failed step: classify from typed facts first, then choose inside the approved envelope.

Three strategies exist today: retry with delay, a declared alternative, and graceful abort; each is recorded with its
real outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.bdi.limits import reached
from agents.bdi.network import network_of, refusal_words


class FailureClass(StrEnum):
    """Why a step failed, in the classes of the reference."""

    TOOL_UNAVAILABLE = "TOOL_UNAVAILABLE"
    TOOL_EXECUTION_ERROR = "TOOL_EXECUTION_ERROR"
    INVALID_PARAMETERS = "INVALID_PARAMETERS"
    RATE_LIMIT_ERROR = "RATE_LIMIT_ERROR"
    PERMISSION_ERROR = "PERMISSION_ERROR"
    NETWORK_ERROR = "NETWORK_ERROR"
    PLANNING_ERROR = "PLANNING_ERROR"
    GOAL_PARSE_ERROR = "GOAL_PARSE_ERROR"
    UNKNOWN_ERROR = "UNKNOWN_ERROR"


class Strategy(StrEnum):
    """How the run goes on."""

    RETRY_WITH_DELAY = "retry_with_delay"
    ALTERNATIVE_TOOL = "alternative_tool"
    GRACEFUL_ABORT = "graceful_abort"


# Trying again can help only where something outside the step may have changed.
RETRIABLE = frozenset({FailureClass.TOOL_EXECUTION_ERROR, FailureClass.RATE_LIMIT_ERROR, FailureClass.NETWORK_ERROR})
# A step of class `once` may have taken effect; trying it again is never automatic.
REPEATABLE_EFFECTS = frozenset({"idempotent", "workspace", "keyed"})

_RATE_LIMIT_MARKS = ("429", "too many requests", "rate limit")
_NETWORK_MARKS = (
    "temporary failure in name resolution",
    "name or service not known",
    "network is unreachable",
    "connection refused",
    "connection reset",
    "failed to establish a new connection",
    "could not resolve host",
)
_MISSING_PROGRAM = 127


@dataclass(frozen=True)
class Failure:
    """A classified failure and the fact that decided."""

    failure_class: FailureClass
    reason: str


@dataclass(frozen=True)
class Choice:
    """The strategy with its delay in seconds and a sentence that says why.

    `alternative` is the number of the declared one that is done next, 0 when none is; where it was not granted, people
    are asked first.
    """

    strategy: Strategy
    delay_s: float
    why: str
    alternative: int = 0
    is_granted: bool = True

    @property
    def goes_on(self) -> bool:
        """Whether the plan goes on by itself."""
        return self.is_granted and self.strategy is not Strategy.GRACEFUL_ABORT


@dataclass(frozen=True)
class Envelope:
    """What was approved for one step: how often it may be tried, and which of its `declared` alternatives are granted.

    `after` is the number of the alternative that failed last, 0 for the step itself. Each alternative is tried once.
    """

    tries: int = 1
    declared: int = 0
    granted: frozenset[int] = frozenset()
    after: int = 0


def classify(
    result: Mapping[str, Any], ceilings: Mapping[str, Any] | None = None, timeout_s: float | None = None
) -> Failure:
    """Classify a failed step's result (the JSON a command answers): its own type first, exit facts, text last.

    `ceilings` and `timeout_s` are what the step was approved with; a limit that was hit is said with its figure.
    """
    said = str(result.get("reason") or result.get("message") or "")
    if (limit := result.get("limit")) is not None:
        return Failure(FailureClass.TOOL_EXECUTION_ERROR, reached(str(limit), ceilings or {}, timeout_s))
    code = result.get("return_code")
    own = result.get("error_class")
    if own in set(FailureClass) and own != FailureClass.TOOL_EXECUTION_ERROR:
        return Failure(FailureClass(own), said or f"the tool reported {own}")
    if isinstance(code, int) and code != 0 and (refused := refusal_words(network_of(result))):
        # Whatever the program made of it: the host stays closed until a plan with it is approved.
        return Failure(FailureClass.PERMISSION_ERROR, f"exit code {code}: {refused}")
    if isinstance(code, int) and code != 0:
        return _by_exit(code, str(result.get("stderr") or ""))
    if own == FailureClass.TOOL_EXECUTION_ERROR:
        return Failure(FailureClass.TOOL_EXECUTION_ERROR, said or "the tool reported an error")
    return Failure(FailureClass.UNKNOWN_ERROR, said or "the step failed and did not say why")


def _by_exit(code: int, stderr: str) -> Failure:
    if code == _MISSING_PROGRAM:
        return Failure(FailureClass.TOOL_UNAVAILABLE, "exit code 127: the program was not found")
    lowered = stderr[-4000:].lower()
    for marks, found in (
        (_RATE_LIMIT_MARKS, FailureClass.RATE_LIMIT_ERROR),
        (_NETWORK_MARKS, FailureClass.NETWORK_ERROR),
    ):
        for mark in marks:
            if mark in lowered:
                return Failure(found, f"exit code {code}, and stderr says “{mark}”")
    last = next((line.strip() for line in reversed(stderr.splitlines()) if line.strip()), "")
    return Failure(FailureClass.TOOL_EXECUTION_ERROR, f"exit code {code}" + (f": {last[:200]}" if last else ""))


def choose(
    failure: Failure, *, effect: str, tries: int, envelope: Envelope, delay_s: float, living: Sequence[str] = ()
) -> Choice:
    """The strategy after the `tries`-th failed try of a step, inside its envelope: first further tries where these may
    help, then the alternatives in their order. One that is declared and not granted is asked about.

    The delay doubles with every further try. `living` names the programs that were running beside the step.
    """
    if effect not in REPEATABLE_EFFECTS:
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, f"a step of class {effect} is never repeated by itself")
    if living:
        names = ", ".join(living)
        why = f"another try would run without what was started before ({names}): it ended together with this try's jail"
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, why)
    may_help = failure.failure_class in RETRIABLE and not envelope.after
    if may_help and tries < envelope.tries:
        wait = delay_s * 2 ** (tries - 1)
        return Choice(Strategy.RETRY_WITH_DELAY, wait, f"try {tries + 1} of {envelope.tries} in {wait:g} s")
    left = range(envelope.after + 1, envelope.declared + 1)
    if granted := [number for number in left if number in envelope.granted]:
        why = f"declared alternative {granted[0]}, which was granted with the approval"
        return Choice(Strategy.ALTERNATIVE_TOOL, 0.0, why, granted[0])
    if left:
        why = f"declared alternative {left[0]} was not granted, so it is asked about"
        return Choice(Strategy.ALTERNATIVE_TOOL, 0.0, why, left[0], is_granted=False)
    if envelope.after:
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, "no declared alternative is left")
    if not may_help:
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, f"trying again does not help against {failure.failure_class.value}")
    return Choice(Strategy.GRACEFUL_ABORT, 0.0, f"all {envelope.tries} approved tries have failed")
