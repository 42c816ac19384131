"""What a step waits for, and whether it holds: proven by a current belief, never guessed by a model. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.rules.speaking import Speaking
from agents.toolkit.tools.waiting import NAME, UNTIL
from agents.toolkit.types import Belief

_NOT = "NOT "


@dataclass(frozen=True)
class Awaited:
    """A sentence that is waited for; `negated`: until it is known to be false. `most_s` is the time in seconds."""

    context: str
    negated: bool
    most_s: int

    @property
    def words(self) -> str:
        """What is waited for, as the plan says it."""
        return f"{_NOT if self.negated else ''}{self.context}"


def is_wait(tool: str, command: str) -> bool:
    """Whether a step waits."""
    return (tool, command) == (NAME, UNTIL)


def awaited(params: Mapping[str, Any]) -> Awaited:
    """What the parameters of a step that waits say."""
    said = str(params["context"]).strip()
    negated = said.startswith(_NOT)
    return Awaited(said.removeprefix(_NOT).strip(), negated, int(params["at_most_s"]))


def holding(wanted: Awaited, beliefs: Sequence[Belief], cwd: str = "") -> Belief | None:
    """The firmest belief from which it follows, seen from the folder `cwd`; None while there is none."""
    verdicts = Speaking([belief.sentence for belief in beliefs]).decide(wanted.context, cwd)
    answer = "no" if wanted.negated else "yes"
    found = [beliefs[number] for number, verdict in verdicts.items() if verdict.answer == answer]
    # What is no probability holds nothing.
    return max((one for one in found if 0.0 < one.confidence <= 1.0), key=lambda one: one.confidence, default=None)
