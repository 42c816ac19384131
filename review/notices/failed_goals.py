"""Notices about goals that failed because of an error in mindX: to submitters, who can try again, and to operators."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from agents.models import Goal, TurnFailure
from agents.record.selectors import goals_visible_to
from people.roles import Role
from review.models import Notice, NoticeKind
from review.notices import notify

_AT_ONCE = 200
# For older ones a notice was sent, or there was nobody to send it to.
_LOOKS_BACK = timedelta(days=2)


def sweep() -> None:
    """Send a notice for each failed goal for which none was sent yet."""
    for failure in _untold()[:_AT_ONCE]:
        _tell(failure)


def _untold() -> QuerySet[TurnFailure]:
    told = Notice.objects.filter(goal=OuterRef("goal"), kind=NoticeKind.ERROR, at__gte=OuterRef("at"))
    recent = TurnFailure.objects.filter(gave_up=True, at__gte=timezone.now() - _LOOKS_BACK)
    return recent.filter(~Exists(told)).order_by("pk")


def _tell(failure: TurnFailure) -> None:
    with transaction.atomic():
        # Two sweeps must not both send: the goal's row is the lock, and the second one finds the notice.
        locked = Goal.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
        goal = locked.select_related("submitted_by").filter(pk=failure.goal_id).first()
        if goal is None or not _untold().filter(pk=failure.pk).exists():
            return
        text = f"{notify.first_words(goal)} failed inside mindX (reference {failure.reference})"
        operators = [user for user in notify.active() if user.has_role(Role.OPERATOR)]
        see_it = [user for user in operators if goals_visible_to(user).filter(pk=goal.pk).exists()]
        notify.tell(NoticeKind.ERROR, text, [goal.submitted_by, *see_it], goal=goal)
