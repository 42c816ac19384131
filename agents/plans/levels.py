"""What a decision on a design or a choice of rules does. Review decides who may decide; here the states move."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.bdi.planning import levels
from agents.bdi.plans.document import digest_of
from agents.models import Belief, Goal, LevelDocument
from agents.plans import designs
from agents.record import logs, wake_ups
from agents.record.errors import StaleDigest
from agents.record.moves import move_goal, move_level
from agents.states import GoalState, LevelState
from people import sealing
from people.models import User

Grant = Callable[[LevelDocument], None]

REJECTED_CHOICE = "selection_rejected"


class NoSuchChoice(StaleDigest):
    """What was chosen is not among the rules that were shown."""


def approve(
    document: LevelDocument, *, digest: str, by: User, grant: Grant, choice: Mapping[str, str] | None = None
) -> LevelDocument:
    """Approve exactly these bytes. A design is believed from here on; a choice of rules is what is planned with.

    `choice` names by key another rule than the agent chose. `grant` writes the decision inside the transaction, as its
    last part. Raises StaleDigest when something else waits, NoSuchChoice for a rule that was not shown as applicable.
    """
    with decidable(document, digest) as (goal, locked):
        chosen = _chosen(locked, choice or {})
        move_level(locked, LevelState.APPROVED, **_decided(by), chosen=chosen)
        sealing.seal(locked)
        logs.say(goal.pk, "review", "review", f"{_name(locked)} approved by {by.username}", digest=locked.digest)
        if locked.kind == LevelDocument.Kind.DESIGN:
            designs.believe(goal, levels.read_design(bytes(locked.document)), by=locked.by or by)
        _go_on(goal, by, f"{locked.kind} approved")
        grant(locked)
    return locked


def reject(document: LevelDocument, *, digest: str, by: User, reason: str, grant: Grant) -> LevelDocument:
    """Reject. With its design the goal is dropped; without its rule it asks a person for a plan."""
    with decidable(document, digest) as (goal, locked):
        move_level(locked, LevelState.REJECTED, reason=reason, **_decided(by))
        said = f"{_name(locked)} rejected by {by.username}: {reason}"
        logs.say(goal.pk, "review", "review", said, level="warning", digest=locked.digest)
        if locked.kind == LevelDocument.Kind.DESIGN:
            move_goal(goal, GoalState.DROPPED, by=by.username, reason=f"rejected: {reason}")
        else:
            move_goal(goal, GoalState.MANUAL, by=by.username, reason=f"{REJECTED_CHOICE}: {reason}")
        grant(locked)
    return locked


def send_back(document: LevelDocument, *, digest: str, by: User, comment: str, grant: Grant) -> LevelDocument:
    """Ask for changes: of a design from whoever wrote it, of a choice from the planner, which believes the comment."""
    with decidable(document, digest) as (goal, locked):
        move_level(locked, LevelState.SENT_BACK, reason=comment, **_decided(by))
        said = f"changes of {_name(locked)} requested by {by.username}: {comment}"
        logs.say(goal.pk, "review", "review", said, level="warning", digest=locked.digest)
        if locked.kind == LevelDocument.Kind.SELECTION:
            Belief.objects.create(goal=goal, sentence=comment, source="person", by=by, at=timezone.now())
            _go_on(goal, by, "changes requested")
        elif goal.state == GoalState.AWAITING_REVIEW:
            move_goal(goal, GoalState.MANUAL, by=by.username, reason=f"{designs.SENT_BACK}: {comment}")
        grant(locked)
    return locked


@contextmanager
def decidable(document: LevelDocument, digest: str) -> Iterator[tuple[Goal, LevelDocument]]:
    """Lock goal, then document, and check that these bytes are what awaits a decision. Raises StaleDigest."""
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=document.goal_id)
        locked = LevelDocument.objects.select_for_update(no_key=True).get(pk=document.pk)
        if locked.state != LevelState.AWAITING_REVIEW:
            by = f" by {locked.decided_by.username}" if locked.decided_by is not None else ""
            raise StaleDigest(f"This is already {locked.state.replace('_', ' ')}{by}. Nothing was changed.")
        if not hmac.compare_digest(digest.encode(errors="replace"), locked.digest.encode()):
            raise StaleDigest("This is not the digest of what is waiting for review. Reload the page.")
        if digest_of(locked.document) != locked.digest:
            raise StaleDigest("The stored bytes are not the ones that were put to review. Nothing was decided.")
        yield goal, locked


def _chosen(document: LevelDocument, choice: Mapping[str, str]) -> dict[str, str]:
    if document.kind == LevelDocument.Kind.DESIGN:
        if choice:
            raise NoSuchChoice("A design holds no choice of rules. Nothing was approved.")
        return {}
    try:
        return levels.chosen_instead(levels.read_selection(bytes(document.document)), choice)
    except ValueError as error:
        raise NoSuchChoice(str(error)) from error


def _go_on(goal: Goal, by: User, reason: str) -> None:
    """A goal that waited for this decision is planned; one that waits for other goals keeps waiting."""
    if goal.state == GoalState.AWAITING_REVIEW:
        move_goal(goal, GoalState.PENDING, by=by.username, reason=reason)
        wake_ups.wake(goal.pk)


def _decided(by: User) -> dict[str, Any]:
    return {"decided_at": timezone.now(), "decided_by": by}


def _name(document: LevelDocument) -> str:
    return f"design {document.number}" if document.kind == LevelDocument.Kind.DESIGN else "the choice of rules"
