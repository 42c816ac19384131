"""An environment that hangs or dies ends a run with a reason, and never takes the agent with it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from agents.environments.environment import Around, Environment, Percept


class EnvironmentFailure(Exception):
    """The environment cannot be used any more; `reason` is one word."""

    reason = "environment_failed"


class EnvironmentHangs(EnvironmentFailure):
    """The environment did not answer in time."""

    reason = "environment_hangs"


class EnvironmentDied(EnvironmentFailure):
    """The environment ended with an error."""

    reason = "environment_died"


class Guarded(Around):
    """An environment with a time limit for each call, in seconds."""

    def __init__(self, environment: Environment, limit_s: float) -> None:
        self._environment, self._limit_s = environment, limit_s

    def perceive(self) -> Percept:
        """As the environment's. Raises EnvironmentFailure."""
        percept: Percept = self._called(self._environment.perceive)
        return percept

    def act(self, action: str) -> Percept:
        """As the environment's. Raises EnvironmentFailure."""
        percept: Percept = self._called(self._environment.act, action)
        return percept

    def score(self) -> float:
        """As the environment's. Raises EnvironmentFailure."""
        return float(self._called(self._environment.score))

    def actions(self) -> tuple[str, ...]:
        """The actions that the environment offers; none where it does not tell. Raises EnvironmentFailure."""
        offered = getattr(self._environment, "actions", None)
        return tuple(self._called(offered)) if callable(offered) else ()

    def _called(self, call: Callable[..., Any], *arguments: str) -> Any:
        return within(self._limit_s, call, *arguments)


def within(limit_s: float, call: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, in a thread of its own, within so many seconds. Raises EnvironmentFailure."""
    answers: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def answer() -> None:
        try:
            answers.put((True, call(*arguments)))
        except Exception as error:
            answers.put((False, error))

    # A thread that hangs cannot be stopped; as a daemon it does not keep the process from ending.
    threading.Thread(target=answer, daemon=True).start()
    try:
        went_well, result = answers.get(timeout=limit_s)
    except queue.Empty:
        raise EnvironmentHangs(f"no answer within {limit_s:g} s") from None
    if not went_well and isinstance(result, EnvironmentFailure):
        raise result
    if not went_well:
        raise EnvironmentDied(f"{type(result).__name__}: {result}") from result
    return result
