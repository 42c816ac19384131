"""ScienceWorld 1.2.3 as an environment of text: unsimplified, 100 steps, nothing but what it says to its player.

What is perceived is the answer to the last action, the room and the inventory, as the authors' own agents see them. The
tree of objects and the gold path are never asked for. The list of valid actions is given to fallback policies only, as
the authors' learned agents have it; rules never see it.
"""

from __future__ import annotations

import re
from typing import Any

from agents.environments.environment import Percept

STEPS = 100
SPLITS = ("train", "dev", "test")
_REFUSALS = (
    "no known action matches that input",
    "ambiguous request",
    "it's not clear how",
    "i'm not sure how",
    "unknown action",
    "you can't",
    "can't be",
    "can't move",
    "not moveable",
    "cannot",
    "is not open",
    "isn't open",
    "not a container",
    "is closed, so",
)
_ARTICLE = re.compile(r"\ba\(n\)")
_QUOTED = re.compile(r"'([\w -]+)'")


class ScienceWorld:
    """One variation of a task, begun anew. `simulator` is a `ScienceWorldEnv`, which many of them may use in turn."""

    is_simulation = True

    def __init__(self, simulator: Any, task: str, variation: int) -> None:
        self._simulator = simulator
        simulator.load(task, variation, "")
        _, self._info = simulator.reset()
        self.goal = goal_of(self._info["taskDesc"])

    def perceive(self) -> Percept:
        """The room and the inventory."""
        return Percept(self._seen())

    def act(self, action: str) -> Percept:
        """Do one action; of several readings of it the first counts, which costs a step more."""
        said, _, is_over, self._info = self._simulator.step(action)
        if said.casefold().startswith("ambiguous request"):
            said, _, is_over, self._info = self._simulator.step("0")
        refused = any(refusal in said.casefold() for refusal in _REFUSALS)
        return Percept(f"{said}\n\n{self._seen()}", not refused, is_over)

    def score(self) -> float:
        """The simulator's score, 0 to 1; a failed task, which it gives -100, counts as 0."""
        return max(0.0, float(self._info["score"]) / 100)

    def actions(self) -> list[str]:
        """The actions that the simulator calls valid now, some hundreds."""
        return list(self._info["valid"])

    def _seen(self) -> str:
        return f"{self._info['look']}\n\n{self._info['inv']}"


def goal_of(description: str) -> str:
    """Return the task as a goal: without its headline, and with “a” for “a(n)”."""
    told = description.partition(":")[2] if description.startswith("Task Description") else description
    return _QUOTED.sub(r"\1", _ARTICLE.sub("a", " ".join(told.split())))


def variations_of(simulator: Any, task: str) -> dict[str, list[int]]:
    """Return the official splits of a task."""
    simulator.load(task, 0, "")
    return {
        "train": simulator.get_variations_train(),
        "dev": simulator.get_variations_dev(),
        "test": simulator.get_variations_test(),
    }
