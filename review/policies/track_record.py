"""The ended plans that a policy approved, with any of its versions; the policy is judged by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, Q

from agents.models import HandItem, IntentPlan
from review.entries import risks
from review.models import Decision, ReviewPolicy
from review.policies import endings, evaluation
from review.policy.narrowing import Case

PLANS = 500


@dataclass(frozen=True)
class Approved:
    """A plan that the policy approved, as policies see it, and whether it ended badly."""

    plan: IntentPlan
    case: Case


def of(policy: ReviewPolicy) -> Iterator[Approved]:
    """The newest of them; those whose bytes cannot be read are left out."""
    rows = Decision.objects.filter(policy__policy=policy, verdict=Decision.Verdict.APPROVE).order_by("-pk")
    # One that failed and waits for a person has not ended, and has failed all the same.
    waits = Exists(HandItem.objects.filter(intent_plan=OuterRef("intent_plan")))
    rows = rows.filter(Q(intent_plan__ended_at__isnull=False) | waits).select_related(
        "intent_plan__goal__submitted_by", "intent_plan__goal__agent", "intent_plan__workspace", "intent_plan__plan"
    )
    counts = risks.counts()
    for row in rows[:PLANS]:
        plan = row.intent_plan
        try:
            facts = evaluation.facts_of(plan, counts)
        except ValueError:
            continue
        # Its dry run was clean and the files unchanged, else the policy would not have approved it.
        facts = replace(facts, shadow_problem="")
        yield Approved(plan, Case(facts, bool(endings.trouble(plan)) or endings.is_undone(plan, row.at)))
