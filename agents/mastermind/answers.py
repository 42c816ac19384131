"""What a command answers: the same for the terminal, the page and the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a command ended. Only `done` has changed anything."""

    DONE = "done"
    NOT_UNDERSTOOD = "not_understood"
    NOT_ALLOWED = "not_allowed"
    NOT_POSSIBLE = "not_possible"


# What a shell is told; 1 is a goal that was waited for and ended otherwise than achieved.
EXIT_CODES: Mapping[Outcome, int] = {
    Outcome.DONE: 0,
    Outcome.NOT_UNDERSTOOD: 2,
    Outcome.NOT_ALLOWED: 3,
    Outcome.NOT_POSSIBLE: 4,
}
NOT_ACHIEVED, STILL_WAITING = 1, 5


@dataclass(frozen=True)
class Answer:
    """`understood` is the line as it should have been typed, `said` the answer in lines for people, `goals` and `items`
    what it made or is about, by number; `data` the same for programs. Foreign text in it is as it was written: whoever
    shows it makes it harmless.
    """

    outcome: Outcome
    command: str = ""
    understood: str = ""
    said: tuple[str, ...] = ()
    goals: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    suggestions: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether it was carried out."""
        return self.outcome is Outcome.DONE

    def as_json(self) -> dict[str, Any]:
        """As programs get it, and as rows keep it."""
        return {
            "outcome": self.outcome.value,
            "command": self.command,
            "understood": self.understood,
            "said": list(self.said),
            "goals": [str(number) for number in self.goals],
            "items": [str(number) for number in self.items],
            "suggestions": list(self.suggestions),
            "data": dict(self.data),
        }
