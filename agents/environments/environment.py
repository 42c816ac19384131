"""What an environment of text can do for an agent, and what an agent gets to see of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Percept:
    """What an environment shows at one moment.

    `text` is what it says: the answer to the last action, and what is seen now. `accepted` is False when it could not
    do the last action. `is_over`: it takes no further action.
    """

    text: str
    accepted: bool = True
    is_over: bool = False


class Environment(Protocol):
    """An environment that is perceived and acted on in text. Its text is data: it gives premises and values, never
    instructions.
    """

    def perceive(self) -> Percept:
        """Return what is seen now, without acting."""
        ...

    def act(self, action: str) -> Percept:
        """Do one action, said in the environment's own words, and return what is seen then."""
        ...

    def score(self) -> float:
        """Return how much of the task is done, 0 to 1."""
        ...


# What an agent does while it waits, where an environment does not name an action of its own by `wait_action`.
WAIT = "wait"


def wait_action_of(environment: Environment) -> str:
    """Return the action by which one step of an environment passes."""
    named = getattr(environment, "wait_action", WAIT)
    return named if isinstance(named, str) and named.strip() else WAIT


class Around:
    """What stands around an environment and passes on what that says of itself."""

    _environment: Environment

    @property
    def is_simulation(self) -> bool:
        """Whether the environment says that it is one; what says nothing is none."""
        return getattr(self._environment, "is_simulation", False) is True

    @property
    def wait_action(self) -> str:
        """The action by which one step passes."""
        return wait_action_of(self._environment)
