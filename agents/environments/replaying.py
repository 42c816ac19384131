"""Bringing a fresh environment to where another one was: the same actions again, and the same answers.

The interpreter is deterministic, so that replaying what was done rebuilds all that it knows. It is given the recorded
percepts, not the new ones: ScienceWorld lists the things of a room in another order each time, and the order of
beliefs breaks ties between matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.environments.cutting import atomic_beliefs
from agents.environments.environment import Around, Environment, Percept
from agents.environments.guarding import EnvironmentFailure
from agents.environments.policies import Outcome, Policy, Situation

# Scores are told as hundredths.
_SAME_SCORE = 1e-6


class EnvironmentDiffers(EnvironmentFailure):
    """The same actions led to something else in a fresh environment."""

    reason = "replay_differs"


@dataclass(frozen=True)
class Recorded:
    """An action that was done, who chose it, and what came of it; `score` is 0 to 1."""

    action: str
    by: str
    percept: Percept
    score: float


class Replayed(Around):
    """An environment in which what is recorded is done first. Raises EnvironmentDiffers where that leads elsewhere."""

    def __init__(self, environment: Environment, first: Recorded | None, actions: Sequence[Recorded]) -> None:
        """`first` is what was perceived before anything was done; None: nothing is recorded yet."""
        self._environment, self._first, self._actions = environment, first, tuple(actions)
        self._done = 0
        self._score: float | None = None

    def perceive(self) -> Percept:
        """What is seen now, as it was recorded if it was."""
        percept = self._environment.perceive()
        if self._first is None or self._done:
            return percept
        return self._same(self._first, percept, "at its beginning")

    def act(self, action: str) -> Percept:
        """Do an action; one that is recorded has to be the same, and to lead to the same."""
        if self._done >= len(self._actions):
            self._score = None
            return self._environment.act(action)
        recorded = self._actions[self._done]
        self._done += 1
        if recorded.action != action:
            raise EnvironmentDiffers(f"action {self._done} was “{recorded.action}”, and now would be “{action}”")
        return self._same(recorded, self._environment.act(action), f"after action {self._done}, “{action}”")

    def score(self) -> float:
        """How much is done, 0 to 1, as it was recorded if it was."""
        return self._environment.score() if self._score is None else self._score

    def actions(self) -> Sequence[str]:
        """The actions that are possible now; none where the environment does not tell."""
        offered = getattr(self._environment, "actions", None)
        return tuple(offered()) if callable(offered) else ()

    def _same(self, recorded: Recorded, percept: Percept, when: str) -> Percept:
        kept = recorded.percept
        if sorted(atomic_beliefs(kept.text)) != sorted(atomic_beliefs(percept.text)):
            raise EnvironmentDiffers(f"the environment says something else than before {when}")
        if (kept.accepted, kept.is_over) != (percept.accepted, percept.is_over):
            raise EnvironmentDiffers(f"the environment takes an action otherwise than before {when}")
        if abs(self._environment.score() - recorded.score) > _SAME_SCORE:
            raise EnvironmentDiffers(f"the environment gives another score than before {when}")
        self._score = recorded.score
        return kept


class Remembering:
    """A fallback policy that chooses again what it chose, and is asked only for what is not recorded."""

    def __init__(self, policy: Policy, actions: Sequence[Recorded], rule: str) -> None:
        """`rule` is what stands as chooser with actions of rules."""
        self.name, self.needs_simulation = policy.name, policy.needs_simulation
        self._policy = policy
        self._chosen = [one.action for one in actions if one.by != rule]

    def choose(self, situation: Situation) -> str | None:
        """The recorded choice, or a new one."""
        return self._chosen.pop(0) if self._chosen else self._policy.choose(situation)

    def learn(self, outcome: Outcome) -> None:
        """Nothing is learned from a run that is watched: it might be replayed, and would count twice."""
