"""A browser decision as a value that can be stored for a while, and carrying it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agents.models import IntentPlan
from agents.states import PlanState
from people.models import User
from review.deciding import decisions, editing, endangers, envelope, rounds
from review.errors import WordsRefused

APPROVE, REJECT, REQUEST_CHANGES = "approve", "reject", "request-changes"


@dataclass(frozen=True)
class Ruling:
    """A verdict on one digest. `intents` are the approved steps; None means all.

    `words` is the reason; `comment` the instructions with an approval; `alternatives` the granted ones. `as_first`: it
    was made as the first of two, so another person must decide after it. `batch` is the same for all decisions of one
    click, "" for a single one. `seen` is the danger that was on the page; None by an address without pages.
    """

    verdict: str
    digest: str
    words: str = ""
    tries: int = envelope.USUAL_TRIES
    intents: tuple[int, ...] | None = None
    rest: str = editing.PLAN_AGAIN
    comment: str = ""
    alternatives: tuple[envelope.Alternative, ...] = ()
    as_first: bool = False
    batch: str = ""
    seen: int | None = None

    def as_json(self) -> dict[str, Any]:
        """It as it is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Ruling:
        """The ruling that was stored."""
        intents = stored["intents"]
        others = tuple((position, number) for position, number in stored.get("alternatives", ()))
        return cls(**{**stored, "intents": None if intents is None else tuple(intents), "alternatives": others})

    def in_words(self, plan: IntentPlan) -> str:
        """What was decided."""
        if self.verdict == REJECT:
            return f"Plan {plan.pk} rejected"
        if self.verdict == REQUEST_CHANGES:
            return f"Plan {plan.pk} sent back"
        if self.intents is not None:
            return f"Steps {', '.join(map(str, self.intents))} of plan {plan.pk} approved"
        return f"Plan {plan.pk} approved"


def carry_out(plan: IntentPlan, ruling: Ruling, *, by: User) -> str:
    """Carry it out now, with every check of its service; returns a sentence that says what was done."""
    if ruling.verdict == REJECT:
        decisions.reject(plan, by=by, digest=ruling.digest, reason=ruling.words)
        return f"{ruling.in_words(plan)}. Goal {plan.goal_id} is dropped."
    if ruling.verdict == REQUEST_CHANGES:
        is_over = rounds.of(plan.goal).is_over
        decisions.request_changes(plan, by=by, digest=ruling.digest, comment=ruling.words)
        plans_again = rounds.reads_comments(plan.goal) and not is_over
        follows = "A new revision comes to the queue" if plans_again else "The goal needs a plan written by a person"
        return f"{ruling.in_words(plan)}. {follows}."
    if ruling.verdict != APPROVE:
        raise WordsRefused("verdict", "Choose to approve, to reject or to request changes.")
    endangers.check_seen(plan, ruling.seen)
    if ruling.intents is None:
        done = decisions.approve(
            plan,
            by=by,
            digest=ruling.digest,
            tries=ruling.tries,
            comment=ruling.comment,
            alternatives=ruling.alternatives,
            as_first=ruling.as_first,
        )
        return _of_two(plan, done) or f"{ruling.in_words(plan)}. It starts now."
    part = editing.approve_part(
        plan,
        by=by,
        digest=ruling.digest,
        intents=ruling.intents,
        reason=ruling.words,
        rest=ruling.rest,
        tries=ruling.tries,
        comment=ruling.comment,
        alternatives=ruling.alternatives,
    )
    if kept := _of_two(plan, part):
        return kept
    if part.pk == plan.pk:
        return f"Plan {plan.pk} approved. It starts now."
    return f"{ruling.in_words(plan)}, as revision {part.revision}. They start now."


def _of_two(plan: IntentPlan, done: IntentPlan) -> str:
    """The message if a policy requires two people and this was the first."""
    if done.state != PlanState.AWAITING_REVIEW:
        return ""
    return f"Your approval of plan {plan.pk} is saved: 1 of 2. A second person must approve it too."
