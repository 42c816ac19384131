"""The outcome of values that mindX chose itself, judged when their goal has ended. Pure.

A correction succeeded only when its value was approved unchanged and every step that ran with it, the last time it ran,
succeeded. That the step failed for another reason counts against it: nobody can tell the two apart afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.bdi.plans import lessons

# Origins that are a value of mindX' own, in the order in which they are tried. A declared default is none: it is what
# the command does anyway. That of an operator's rule is one (RULE_NOTE), and a lesson's; so is a model's, where it was
# asked for a value and not for the plan.
ORIGINS = ("mapping", "default", "experience", "model")
RULE_NOTE = "a parameter rule says so"


def is_correction(origin: str, note: str, *, of_model: bool) -> bool:
    """Whether mindX chose a value itself; `of_model`: in a plan that a model wrote."""
    match origin:
        case "mapping" | "experience":
            return True
        case "model":
            return not of_model
        case "default":
            return note == RULE_NOTE or lessons.named_in(origin, note) is not None
    return False


class Came(StrEnum):
    """The outcome of a correction. `unused`: no step ran with it and nobody spoke against it, so it is not counted."""

    SUCCEEDED = "succeeded"
    EDITED = "edited"
    REFUSED = "refused"
    FAILED = "failed"
    UNUSED = "unused"


JUDGED = (Came.SUCCEEDED, Came.EDITED, Came.REFUSED, Came.FAILED)


@dataclass(frozen=True)
class Stood:
    """A corrected value in one step of one revision; `plan` and `step` are the states these ended in."""

    revision: int
    tool: str
    command: str
    parameter: str
    origin: str
    original: Any
    value: Any
    note: str
    confidence: float
    plan: str
    step: str

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two of them the same correction."""
        said = (_text(self.original), _text(self.value))
        return (self.tool, self.command, self.parameter, self.origin, *said)


@dataclass(frozen=True)
class Judged:
    """A correction of a goal: as it stood last, and what came of it."""

    stood: Stood
    came: Came


_RAN = frozenset({"succeeded", "failed", "outcome_unknown"})


def judge(
    found: Sequence[Stood], wishes: Sequence[Mapping[str, Any]], left_out: Sequence[Mapping[str, Any]]
) -> tuple[Judged, ...]:
    """Each correction of an ended goal once, in the order in which they came up.

    `wishes` are the values that people put in the place of planned ones, `left_out` the steps that they refused.
    """
    same: dict[tuple[str, ...], list[Stood]] = {}
    for one in sorted(found, key=lambda one: one.revision):
        same.setdefault(one.key, []).append(one)
    return tuple(Judged(each[-1], _came(each, wishes, left_out)) for each in same.values())


def _came(stood: Sequence[Stood], wishes: Sequence[Mapping[str, Any]], left_out: Sequence[Mapping[str, Any]]) -> Came:
    one = stood[-1]
    if any(_is_of(one, wish) and _replaces(wish, one) for wish in wishes):
        return Came.EDITED
    ran = [each for each in stood if each.step in _RAN]
    if ran:
        last = [each.step for each in ran if each.revision == ran[-1].revision]
        return Came.SUCCEEDED if all(step == "succeeded" for step in last) else Came.FAILED
    was_left_out = any(
        _is_of(one, step) and _text((step.get("params") or {}).get(one.parameter)) == _text(one.value)
        for step in left_out
    )
    return Came.REFUSED if was_left_out or any(each.plan == "rejected" for each in stood) else Came.UNUSED


def _is_of(one: Stood, other: Mapping[str, Any]) -> bool:
    return (other.get("tool"), other.get("command")) == (one.tool, one.command)


def _replaces(wish: Mapping[str, Any], one: Stood) -> bool:
    return wish.get("parameter") == one.parameter and _text(wish.get("original")) == _text(one.value)


def _text(value: Any) -> str:
    """JSON tells 1, true and "1" apart, which Python does not always."""
    return json.dumps(value, sort_keys=True)
