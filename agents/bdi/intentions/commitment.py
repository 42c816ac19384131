"""How firmly an agent sticks to an intention: continue with the plan, plan again, or drop it. Pure.

The three kinds are those of Rao and Georgeff (1991). Blind: until the goal is believed achieved. Single-minded: also
until it is believed impossible. Open-minded: also until what the plan stood on is gone, or nobody wants it any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agents.bdi.intentions.premises import Loss
from agents.rules.entailment import entails
from agents.toolkit.types import Belief

# What a person can say about a goal itself, in these words or others that follow from them.
ACHIEVED, IMPOSSIBLE, UNWANTED = "the goal is achieved", "the goal is impossible", "the goal is wanted"


class Commitment(StrEnum):
    """An agent's setting."""

    BLIND = "blind"
    SINGLE_MINDED = "single_minded"
    OPEN_MINDED = "open_minded"


class Course(StrEnum):
    """What becomes of the intention. `plan_again`: what is planned then is reviewed like any plan."""

    GO_ON = "go_on"
    PLAN_AGAIN = "plan_again"
    DROP = "drop"
    ACHIEVED = "achieved"


@dataclass(frozen=True)
class Situation:
    """What is known between two steps. `about_goal` are beliefs on people's word that speak of the goal itself."""

    lost: tuple[Loss, ...] = ()
    about_goal: tuple[Belief, ...] = ()
    # What makes the goal impossible without anybody's word, such as a deadline that has passed; "" for nothing.
    impossible: str = ""
    # Why it is not needed any more: the goal that it is a part of has ended. No commitment outlasts that.
    superseded: str = ""


@dataclass(frozen=True)
class Reconsidered:
    """The course, why in one sentence, and what the sentence stands on."""

    course: Course
    why: str
    data: Mapping[str, Any] = field(default_factory=dict)


def reconsider(commitment: Commitment, situation: Situation) -> Reconsidered:
    """Decide about an intention between two of its steps.

    Achieved is looked at first and whatever the commitment; what the kind does not look at is named when it is there,
    so that a reader sees that it was known and why it made no difference.
    """
    said = {
        which: next((b for b in situation.about_goal if entails(b.sentence, sentence).answer == answer), None)
        for which, sentence, answer in (
            ("achieved", ACHIEVED, "yes"),
            ("impossible", IMPOSSIBLE, "yes"),
            ("unwanted", UNWANTED, "no"),
        )
    }
    if situation.superseded:
        return _decided(Course.DROP, f"it is not needed any more: {situation.superseded}", commitment)
    if (word := said["achieved"]) is not None:
        return _decided(Course.ACHIEVED, f"it is believed achieved: {word.sentence}", commitment, belief=word.sentence)
    impossible = said["impossible"].sentence if said["impossible"] is not None else situation.impossible
    if impossible and commitment is not Commitment.BLIND:
        return _decided(Course.DROP, f"it is believed impossible: {impossible}", commitment, belief=impossible)
    if commitment is Commitment.OPEN_MINDED:
        if (word := said["unwanted"]) is not None:
            return _decided(Course.DROP, f"it is no longer wanted: {word.sentence}", commitment, belief=word.sentence)
        if situation.lost:
            return _decided(Course.PLAN_AGAIN, in_words(situation.lost), commitment, lost=_as_data(situation.lost))
    ignored = impossible or (in_words(situation.lost) if situation.lost else "")
    if ignored:
        kind = commitment.replace("_", "-")
        return _decided(Course.GO_ON, f"{ignored}; a {kind} agent goes on", commitment, lost=_as_data(situation.lost))
    return _decided(Course.GO_ON, "what the plan depends on still holds", commitment)


def in_words(lost: Sequence[Loss]) -> str:
    """What the plan stood on and is gone, in one sentence: the first of them, and how many more there are."""
    first = lost[0]
    sentence = first.ground.sentence.removeprefix("NOT ").rstrip(".")
    stood = f"the plan depended on “{'not: ' if first.ground.sentence.startswith('NOT ') else ''}{sentence}”"
    more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
    against = f": now {first.against.sentence}" if first.against is not None else ", which nothing supports any more"
    return f"{stood}{against}{more}"


def _as_data(lost: Sequence[Loss]) -> list[dict[str, Any]]:
    return [
        {
            "context": loss.ground.sentence,
            "rule": loss.ground.rule,
            "stood_on": list(loss.ground.beliefs),
            "against": None if loss.against is None else loss.against.sentence,
        }
        for loss in lost
    ]


def _decided(course: Course, why: str, commitment: Commitment, **data: Any) -> Reconsidered:
    return Reconsidered(course, why, {"course": course.value, "commitment": commitment.value, **data})
