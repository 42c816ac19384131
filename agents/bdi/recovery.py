"""What to do after a failed step: classify from typed facts first, then choose inside the approved envelope.

Two strategies exist today, retry with delay and graceful abort; both are recorded with their real outcome.
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
    """The strategy with its delay in seconds and a sentence that says why."""

    strategy: Strategy
    delay_s: float
    why: str


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
    failure: Failure, *, effect: str, tries: int, allowed_tries: int, delay_s: float, living: Sequence[str] = ()
) -> Choice:
    """The strategy after the `tries`-th failed try of a step, inside an envelope of `allowed_tries`.

    The delay doubles with every further try. `living` names the programs that were running beside the step.
    """
    if effect not in REPEATABLE_EFFECTS:
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, f"a step of class {effect} is never repeated by itself")
    if living:
        names = ", ".join(living)
        why = f"another try would run without what was started before ({names}): it ended together with this try's jail"
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, why)
    if failure.failure_class not in RETRIABLE:
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, f"trying again does not help against {failure.failure_class.value}")
    if tries >= allowed_tries:
        return Choice(Strategy.GRACEFUL_ABORT, 0.0, f"all {allowed_tries} approved tries have failed")
    wait = delay_s * 2 ** (tries - 1)
    return Choice(Strategy.RETRY_WITH_DELAY, wait, f"try {tries + 1} of {allowed_tries} in {wait:g} s")
