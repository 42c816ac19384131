"""Assigning plans: who means to decide one. Others can still decide."""

from __future__ import annotations

from django.db import transaction

from agents.models import IntentPlan
from agents.plans import plans
from agents.record import logs, wake_ups
from agents.record.errors import NotPossibleNow
from agents.states import PlanState
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role
from review import rights
from review.errors import DecisionRefused
from review.models import Notice, NoticeKind, QueueEntry
from review.notices import notify


def assign(plan: IntentPlan, to: User | None, *, by: User) -> QueueEntry:
    """Assign a waiting plan to somebody who may decide it, or to nobody (None).

    Raises DecisionRefused if `by` is no reviewer or `to` may not decide it, NotPossibleNow if it no longer waits.
    """
    if not rights.is_reviewer(by):
        raise DecisionRefused("Assigning plans needs the reviewer role.")
    if to is not None and (reason := _why_not(to, by, plan)):
        raise DecisionRefused(reason)
    with transaction.atomic():
        locked = plans.locked(plan)
        entry = QueueEntry.objects.select_related("assigned_to").get(pk=locked.pk)
        if locked.state != PlanState.AWAITING_REVIEW:
            raise NotPossibleNow(f"Plan {plan.pk} is no longer waiting for review. Nothing was changed.")
        before = entry.assigned_to
        if (before.pk if before else None) == (to.pk if to else None):
            return entry
        entry.assigned_to = to
        entry.save(update_fields=["assigned_to"])
        logs.say(plan.goal_id, "review", "review", _said(to, by))
        if to is not None and to.pk != by.pk:
            _tell(to, locked)
        wake_ups.queue_changed()
        data = {"before": {"assigned_to": _name(before)}, "after": {"assigned_to": _name(to)}}
        journal.record(Event.ASSIGNED, by=by, subject=f"plan:{plan.pk}", data=data)
    return entry


def able() -> list[User]:
    """Everybody to whom a plan can be assigned, by name."""
    people = User.objects.filter(is_active=True).exclude(roles=[], is_superuser=False).order_by("username")
    return [user for user in people if user.has_role(Role.REVIEWER)]


def _tell(to: User, plan: IntentPlan) -> None:
    """A notice; if they already have one for this plan, it becomes unread again."""
    again = Notice.objects.filter(user=to, kind=NoticeKind.ASSIGNED, intent_plan=plan)
    if not again.update(read_at=None):
        text = notify.text_of(NoticeKind.ASSIGNED, plan)
        notify.tell(NoticeKind.ASSIGNED, text, [to], intent_plan=plan)


def _why_not(to: User, by: User, plan: IntentPlan) -> str:
    reason = rights.why_not(to, plan)
    if not reason or to.pk == by.pk:
        return reason
    return f"{to.display_name} may not decide plan {plan.pk}. Nothing was changed."


def _said(to: User | None, by: User) -> str:
    if to is None:
        return f"{by.username} unassigned this plan"
    return f"{by.username} assigned this plan to {'themselves' if to.pk == by.pk else to.username}"


def _name(user: User | None) -> str:
    return user.username if user is not None else ""
