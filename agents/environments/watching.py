"""Looking on while a run acts: what is told at each moment, and where a run can be suspended.

An interpreter that is looked on at does nothing else than one that is not. Whatever `before_action` raises ends
`interpreter.run` there: with what was done so far, a fresh environment can be brought to the same moment again
(`agents.environments.replaying`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Choice, Library
from agents.environments.environment import Percept
from agents.toolkit.wording.words import Text

if TYPE_CHECKING:
    from agents.environments.interpreter import Action


class Watch(Protocol):
    """Is told what a run does, in this order for each action: decisions, `before_action`, `acted`."""

    def began(self, percept: Percept, score: float) -> None:
        """The first percept, and the score before anything was done, 0 to 1."""
        ...

    def decided(
        self, library: Library, goal: Text, beliefs: Beliefs, chosen: Choice | None, passed: Mapping[object, str]
    ) -> None:
        """A rule was chosen for a goal, or none was. `passed` says by its key why one before it was not taken."""
        ...

    def before_action(self, number: int, beliefs: Beliefs) -> None:
        """Action `number` (from 1) comes next; `beliefs` are what it is decided by."""
        ...

    def acted(self, action: Action) -> None:
        """It was done."""
        ...


class Unwatched:
    """Nobody looks on."""

    def began(self, percept: Percept, score: float) -> None:
        """Nobody is told."""

    def decided(
        self, library: Library, goal: Text, beliefs: Beliefs, chosen: Choice | None, passed: Mapping[object, str]
    ) -> None:
        """Nobody is told."""

    def before_action(self, number: int, beliefs: Beliefs) -> None:
        """Nobody suspends it."""

    def acted(self, action: Action) -> None:
        """Nobody is told."""
