"""How plans that a policy approved ended, and what speaks against the approval."""

from __future__ import annotations

from datetime import datetime

from agents.models import IntentPlan, WorkspaceChange
from agents.plans import shadowing
from agents.presentation import outcome_words
from agents.record import worked


def trouble(plan: IntentPlan) -> str:
    """Why its end speaks against the policy that approved it; "" when it ended well or has not ended."""
    if worked.of_plan(plan) is False:
        missed = outcome_words.STATES[plan.goal.outcome] if plan.has_missed else "failed"
        return f"plan {plan.pk}, which it approved, {missed}"
    run = shadowing.latest(plan)
    told = (run.surprises or {}) if run is not None else {}
    if told.get("steps") or told.get("paths"):
        return f"plan {plan.pk}, which it approved, did not go as its dry run had shown"
    return ""


def is_undone(plan: IntentPlan, approved_at: datetime) -> bool:
    """Whether it changed files and somebody has since restored their earlier state.

    A person who goes back further undoes more than one plan, and mindX does not guess which of them was wrong.
    """
    run = shadowing.latest(plan)
    if run is None or run.after in ("", run.base):
        return False
    returns = WorkspaceChange.objects.filter(
        workspace=plan.workspace_id, kind=WorkspaceChange.Kind.RETURN, after=run.base, at__gt=approved_at
    )
    return returns.exists()
