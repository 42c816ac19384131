"""An environment whose words can be stored: bounded, and without what a database cannot hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from agents.environments.cutting import MOST_CHARS
from agents.environments.environment import Around, Environment, Percept
from agents.environments.policies import MOST_ACTIONS, MOST_CHARACTERS


class Storable(Around):
    """An environment of which no more is taken than a run reads and keeps."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def perceive(self) -> Percept:
        """As the environment's."""
        return _percept(self._environment.perceive())

    def act(self, action: str) -> Percept:
        """As the environment's."""
        return _percept(self._environment.act(action))

    def score(self) -> float:
        """As the environment's, from 0 to 1; what is no number is 0."""
        score = float(self._environment.score())
        return min(max(score, 0.0), 1.0) if score == score else 0.0

    def actions(self) -> tuple[str, ...]:
        """Those that a policy reads: one line each, none that could not be done as it is written."""
        offered = getattr(self._environment, "actions", None)
        if not callable(offered):
            return ()
        fits = (one for one in offered() if 0 < len(one) <= MOST_CHARACTERS and one == " ".join(one.split()))
        return tuple(dict.fromkeys(one for one in islice(fits, MOST_ACTIONS * 4) if one == clean(one)))


def _percept(percept: Percept) -> Percept:
    return replace(percept, text=clean(percept.text[:MOST_CHARS]))


def clean(text: str) -> str:
    """The text without NUL and without halves of characters, which Postgres does not take."""
    return text.replace("\x00", "\u2400").encode("utf-8", "replace").decode()
