"""What a decision does to a plan. Review decides who may decide; here the states move, in one transaction."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from agents.models import Belief, Goal, Intent, IntentPlan, Transition
from agents.record import logs, wake_ups
from agents.record.errors import StaleDigest
from agents.record.moves import move_goal, move_plan
from agents.states import GoalState, PlanState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from people.models import User

# How the reason of a plan begins that was sent back.
SENT_BACK = "changes requested"
Grant = Callable[[IntentPlan], None]


@dataclass(frozen=True)
class Said:
    """A person's words for the planner; `about` names what of the plan they stand on, "" the whole of it."""

    text: str
    by: User
    about: str = ""


def approve(
    plan: IntentPlan,
    *,
    digest: str,
    by: User,
    grant: Grant,
    note: str = "",
    said: Sequence[Said] = (),
    first: Sequence[str] = (),
) -> IntentPlan:
    """Approve exactly the bytes with this digest. `grant` writes the approval inside the transaction, as its last part:
    the locks of the chains come after every row and counter, here as everywhere, so that nobody waits in a circle.

    `note` and `said` are instructions: they hold for whatever is planned for this goal from here on. `first`: who had
    approved it before, where that took two; the goal's list of decisions names them too. Raises StaleDigest when the
    plan no longer awaits a decision or has another digest.
    """
    with decidable(plan, digest) as (goal, locked):
        before = f"after {' and '.join(first)} as the first of two" if first else ""
        reason = ": ".join(each for each in (before, note) if each)
        move_plan(locked, PlanState.APPROVED, by=by.username, reason=reason, approved_digest=locked.digest)
        _hold(goal, note, by, said)
        logs.say(
            goal.pk,
            "review",
            "review",
            f"approved by {by.username}: {_all_steps(_main_steps(locked))}"
            f" of revision {locked.revision}, digest {locked.digest[:8]}"
            + (f": {note}" if note else "")
            + _with_notes(said),
            digest=locked.digest,
        )
        grant(locked)
        wake_ups.wake(goal.pk)
    return locked


def note(plan: IntentPlan, *, digest: str, grant: Grant, said: str) -> IntentPlan:
    """Record something about a plan that keeps waiting. `grant` writes it inside the transaction; `said` is logged.

    Raises StaleDigest as `approve` does.
    """
    with decidable(plan, digest) as (goal, locked):
        grant(locked)
        logs.say(goal.pk, "review", "review", said, digest=locked.digest)
        wake_ups.goal_changed(goal.pk)
        wake_ups.queue_changed()
    return locked


def _all_steps(count: int) -> str:
    return "the one step" if count == 1 else f"all {count} steps"


def _main_steps(plan: IntentPlan) -> int:
    return plan.intents.filter(phase=Intent.Phase.MAIN).count()


def reject(plan: IntentPlan, *, digest: str, by: User, reason: str, grant: Grant) -> IntentPlan:
    """Reject the plan; its goal is dropped with the reason."""
    with decidable(plan, digest) as (goal, locked):
        move_plan(locked, PlanState.REJECTED, by=by.username, reason=reason)
        logs.say(goal.pk, "review", "review", f"rejected by {by.username}: {reason}", level="warning")
        move_goal(goal, GoalState.DROPPED, by=by.username, reason=f"rejected: {reason}")
        grant(locked)
    return locked


def send_back(
    plan: IntentPlan,
    *,
    digest: str,
    by: User,
    comment: str,
    grant: Grant,
    said: Sequence[Said] = (),
    to_manual: str = "",
) -> IntentPlan:
    """Ask for changes: the comment and what else was said become beliefs of the agent, which plans again.

    `to_manual` is the reason for which it does not: the goal then asks for a person.
    """
    with decidable(plan, digest) as (goal, locked):
        wanted = f"{comment}{_with_notes(said)}" if comment else _with_notes(said).removeprefix("; ")
        move_plan(locked, PlanState.SUPERSEDED, by=by.username, reason=f"{SENT_BACK}: {wanted}")
        _hold(goal, comment, by, said)
        logs.say(goal.pk, "review", "review", f"changes requested by {by.username}: {wanted}", level="warning")
        if to_manual:
            logs.say(goal.pk, "review", "review", to_manual, level="warning")
            move_goal(goal, GoalState.MANUAL, by=by.username, reason=to_manual)
        else:
            move_goal(goal, GoalState.PENDING, by=by.username, reason="changes requested")
        grant(locked)
        wake_ups.wake(goal.pk)
    return locked


def _hold(goal: Goal, note: str, by: User, said: Sequence[Said]) -> None:
    """Have the agent hold these words true, each once: a note that is still open comes with every decision again."""
    for one in (*([Said(note, by)] if note else []), *said):
        held = goal.beliefs.filter(sentence=one.text, about=one.about, source="person", retracted_by="")
        if not held.exists():
            Belief.objects.create(
                goal=goal, sentence=one.text, about=one.about, source="person", by=one.by, at=timezone.now()
            )


def _with_notes(said: Sequence[Said]) -> str:
    """What was said about parts of the plan, each with what it is about, to follow the decision's own words."""
    return "".join(f"; {one.about or 'the whole plan'}: {one.text}" for one in said)


def expire(plan: IntentPlan, *, by: str, reason: str, to_manual: bool, still_due: Callable[[IntentPlan], bool]) -> bool:
    """Close a plan that nobody decided in time; its goal is dropped, or asks for a hand. False when somebody was first.

    `still_due` is asked under the locks, where nobody decides or extends any more.
    """
    with transaction.atomic():
        waiting = locked(plan)
        if waiting.state != PlanState.AWAITING_REVIEW or not still_due(waiting):
            return False
        move_plan(waiting, PlanState.EXPIRED, by=by, reason=reason)
        logs.say(waiting.goal_id, "review", "review", f"expired: {reason}", level="warning")
        new = GoalState.MANUAL if to_manual else GoalState.DROPPED
        move_goal(waiting.goal, new, by=by, reason=f"review_expired: {reason}")
    return True


def locked(plan: IntentPlan) -> IntentPlan:
    """The plan as it is now, its goal and itself locked in this order. Call it inside a transaction."""
    goal = Goal.objects.select_for_update(no_key=True).get(pk=plan.goal_id)
    found = IntentPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
    found.goal = goal
    return found


@contextmanager
def decidable(plan: IntentPlan, digest: str) -> Iterator[tuple[Goal, IntentPlan]]:
    """Lock goal, then plan, and check that this digest is what awaits a decision. Raises StaleDigest."""
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=plan.goal_id)
        locked = IntentPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
        if locked.state != PlanState.AWAITING_REVIEW:
            raise StaleDigest(_who_was_first(locked))
        if not hmac.compare_digest(digest.encode(errors="replace"), locked.digest.encode()):
            raise StaleDigest("This is not the digest of the plan that awaits a decision. Read the plan again.")
        yield goal, locked


def _who_was_first(plan: IntentPlan) -> str:
    last = Transition.objects.filter(intent_plan=plan).order_by("-pk").first()
    by = f" by {last.by}" if last else ""
    return f"This plan is already {plan.state}{by}. Nothing was changed."
