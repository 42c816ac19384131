"""Plans that wait while their files change: looked at whenever their workspace has moved, and planned anew where the
change concerns them, before anybody is asked.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.models import IntentPlan
from agents.plans import footings, renewals
from agents.states import PlanState
from review.models import HeldDecision, QueueEntry

logger = logging.getLogger(__name__)

AT_ONCE = 20
# Workspaces that moved lately are asked about at every sweep, all of them now and then.
_LATELY = timedelta(minutes=5)
_NOT_YOUNGER = timedelta(seconds=20)
_ALL_EVERY_S = 60.0
_all_at = float("-inf")


def sweep() -> None:
    """Look at some of the plans whose workspace has moved since they were looked at."""
    for plan in _unlooked():
        try:
            look(plan)
        except Exception:  # the edge of the loop: one plan that fails must not stop the others
            logger.exception("A waiting plan could not be compared with its files", extra={"intent_plan": plan.pk})
            _note(plan)


def look(plan: IntentPlan) -> None:
    """Compare one plan with its files; plan it anew where they differ."""
    differing = footings.moved_under(plan)
    if not differing or renewals.renew(plan, differing):
        _note(plan)


def _note(plan: IntentPlan) -> None:
    QueueEntry.objects.filter(pk=plan.pk).update(stood_at=plan.workspace.head)


def _unlooked() -> QuerySet[IntentPlan]:
    """Waiting plans whose workspace lies still: one that a plan is changing moves with each of its steps. Those that
    somebody has just decided are left to the decision.
    """
    global _all_at
    entries = QueueEntry.objects.filter(waits=True).exclude(stood_at=F("workspace__head"))
    if time.monotonic() - _all_at < _ALL_EVERY_S:
        entries = entries.filter(workspace__changed_at__gte=timezone.now() - _LATELY)
    else:
        _all_at = time.monotonic()
    runs = IntentPlan.objects.filter(workspace=OuterRef("workspace"), state=PlanState.EXECUTING.value)
    held = HeldDecision.objects.filter(intent_plan=OuterRef("pk"), dropped="")
    # One whose files change all the time is made anew now and then, and not with each change.
    young = Q(intent_plan__revision__gt=1, queued_at__gt=timezone.now() - _NOT_YOUNGER)
    found = entries.exclude(young).exclude(Exists(runs)).exclude(Exists(held)).order_by("pk").values("pk")[:AT_ONCE]
    return IntentPlan.objects.select_related("workspace", "plan").filter(pk__in=found)
