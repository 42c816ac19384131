"""The policies' verdicts on one plan for its page: now, and whenever they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.models import IntentPlan
from agents.states import PlanState
from people.models import User
from review.models import Decision, PolicyEvaluation
from review.policies import evaluation
from review.policy.verdict import Fired, Outcome


@dataclass(frozen=True)
class Policed:
    """`now` is the verdict while the plan waits or runs; `first` the approvals that wait for a second person."""

    now: Outcome
    first: Sequence[Decision]
    evaluations: Sequence[PolicyEvaluation]
    is_mine: bool
    waits_for_second: bool

    @property
    def by(self) -> Fired | None:
        return self.now.by

    @property
    def needs_two(self) -> bool:
        return self.now.approvals > 1

    @property
    def speaks(self) -> bool:
        """True when there is anything to tell."""
        return bool(self.now.fired or self.now.declined or self.evaluations)


def policed(plan: IntentPlan, user: User) -> Policed:
    """Uses the same function as approval and claim."""
    is_open = plan.state in (PlanState.AWAITING_REVIEW, PlanState.APPROVED, PlanState.EXECUTING)
    try:
        now = evaluation.outcome_of(plan) if is_open else Outcome(None)
    except ValueError:
        now = Outcome(None)
    first = evaluation.first_approvals(plan) if now.approvals > 1 else []
    approval = getattr(plan, "approval", None)
    waits = approval is not None and now.approvals > len({approval.by_id, *(row.by_id for row in first)})
    mine = any(row.by_id == user.pk for row in first) or (approval is not None and approval.by_id == user.pk)
    rows = list(plan.policy_evaluations.select_related("version__policy").order_by("-pk")[:10])
    return Policed(now, first, rows, mine, waits)
