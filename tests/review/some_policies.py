"""Policies for the tests of review, made as people make them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.execution import shadow
from agents.models import IntentPlan
from people.models import User
from review.models import ReviewPolicy
from review.policies import writing
from review.policies.writing import Draft
from review.policy.conditions import Conditions
from review.policy.verdict import Action


def in_force(action: Action, by: User, name: str = "a policy", **conditions: Any) -> ReviewPolicy:
    """A policy of these conditions, written, replayed and enabled as people do it."""
    policy = writing.write(draft(action, name, **conditions), by=by)
    writing.replay(policy, by=by)
    return writing.enable(policy, by=by, number=policy.number)


def draft(action: Action, name: str = "a policy", *, budget: int = 3, sampling: int = 0, **conditions: Any) -> Draft:
    approves = action is Action.AUTO_APPROVE
    until = timezone.now() + timedelta(days=7) if approves else None
    read_conditions = Conditions.read(conditions)
    return Draft(name, action, read_conditions, budget if approves else 0, until, sampling if approves else 0)


def tried(plan: IntentPlan) -> IntentPlan:
    """The plan after its dry run and all before it, as it is then."""
    while shadow.one():
        pass
    return IntentPlan.objects.get(pk=plan.pk)
