"""Notices about a used-up budget for language models: to submitters of waiting goals, and to operators, once a day."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from agents.actors.budgets import SPENT
from agents.models import Goal
from agents.states import GoalState
from people.roles import Role
from review.models import Notice, NoticeKind
from review.notices import notify

_AT_ONCE = 200


def sweep() -> None:
    """Send a notice for each waiting goal for which none was sent today (UTC)."""
    told = Notice.objects.filter(goal=OuterRef("pk"), kind=NoticeKind.BUDGET, at__gte=_midnight())
    for pk in _waiting().exclude(Exists(told)).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]:
        _tell(pk)


def _waiting() -> QuerySet[Goal]:
    return Goal.objects.filter(state=GoalState.PENDING.value, reason__startswith=SPENT)


def _tell(pk: int) -> None:
    with transaction.atomic():
        # Two sweeps must not both send: the goal's row is the lock, and the second one finds the notice.
        goal = _waiting().select_for_update(no_key=True, skip_locked=True, of=("self",)).filter(pk=pk).first()
        today = Notice.objects.filter(kind=NoticeKind.BUDGET, at__gte=_midnight())
        if goal is None or today.filter(goal=goal).exists():
            return
        about = notify.first_words(goal)
        text = f"The budget of {goal.agent.name} for language models is used up today, so this goal waits: {about}"
        # Operators get one notice a day per agent: another waiting goal tells them nothing new.
        known = set(today.filter(goal__agent=goal.agent_id).values_list("user", flat=True))
        operators = [user for user in notify.active() if user.has_role(Role.OPERATOR) and user.pk not in known]
        notify.tell(NoticeKind.BUDGET, text, [goal.submitted_by, *operators], goal=goal)


def _midnight() -> datetime:
    return timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
