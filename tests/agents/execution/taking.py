"""Taking up a goal's plan as a claim does, without asking the gate or beginning a try."""

from __future__ import annotations

from django.db import transaction

from agents.execution import taking_up
from agents.models import IntentPlan
from agents.record.lease import Lease
from agents.states import PlanState


def take_up(lease: Lease) -> IntentPlan | None:
    """The plan, under this lease's fence; None when it must wait or has ended."""
    with transaction.atomic(savepoint=False):
        found = taking_up.find(lease)
        if found is None:
            return None
        is_approved = found.plan.state == PlanState.APPROVED
        taken = taking_up.begin(lease, found, None) if is_approved else taking_up.go_on(lease, found.plan)
        return found.plan if taken is not None else None
