"""The page of what a step reported: charts, lists and proposals, for those who see its goal."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from agents.coordinator import taking_over
from agents.models import Intent
from agents.pages.goals.goal_page import GoalPage
from agents.presentation import code_report, unified_diff
from agents.presentation.code_report import Analysis, Changes, Fixes
from agents.record.errors import GoalRefused, NotPossibleNow, PlanInvalid
from agents.views.access import person_of, visible_goal
from library.models import ModelCall
from people.models import User

_PK_MAX = 2**62


@require_GET
def of_step(request: HttpRequest, pk: int, intent: int) -> HttpResponse:
    """What a step found when it looked at code. 404 for a step that reported nothing."""
    page = GoalPage(visible_goal(request, pk), person_of(request), "attempts")
    step = Intent.objects.filter(intent_plan__goal=page.goal, pk=min(intent, _PK_MAX)).first()
    report = code_report.read((step.result or {}).get("report")) if step is not None else None
    if step is None or report is None:
        raise Http404("This step has no report.")
    shown = {"page": page, "goal": page.goal, "step": step, "report": report}
    if isinstance(report, Fixes):
        diff = (step.result or {}).get("diff")
        files = unified_diff.read(diff) if isinstance(diff, str) else []
        return render(
            request, "agents/goal/fixes.html", {**shown, "diff": files, "rules": code_report.rule_bars(report)}
        )
    if isinstance(report, Changes):
        return render(request, "agents/goal/changes.html", {**shown, **_proposal(step, report, page.user)})
    return render(request, "agents/goal/report.html", shown | _charts(report))


@require_POST
def take_over(request: HttpRequest, pk: int, intent: int) -> HttpResponse:
    """Make a goal of what a model proposed, and lead to its plan."""
    goal = visible_goal(request, pk)
    step = get_object_or_404(Intent, pk=min(intent, _PK_MAX), intent_plan__goal=goal)
    try:
        plan = taking_over.take_over(step, by=person_of(request))
    except (GoalRefused, NotPossibleNow, PlanInvalid) as error:
        messages.warning(request, str(error))
        return redirect("goal-report", pk, step.pk)
    messages.success(request, f"Proposed as goal {plan.goal_id}; its plan awaits review. Nothing is changed before.")
    return redirect("goal", plan.goal_id)


def _proposal(step: Intent, report: Changes, user: User) -> dict[str, Any]:
    diff = (step.result or {}).get("diff")
    ids = [one.call for one in report.attempts]
    # Only calls of this goal: the report came from outside.
    calls = ModelCall.objects.filter(pk__in=ids, goal=str(step.intent_plan.goal_id)).in_bulk()
    return {
        "diff": unified_diff.read(diff) if isinstance(diff, str) else [],
        "attempts": [(one, calls.get(one.call)) for one in report.attempts],
        "may_take_over": taking_over.may_take_over(step, user),
        "made": taking_over.goal_made_of(step, user),
    }


def _charts(report: Analysis) -> dict[str, Any]:
    return {
        "map": code_report.map_of(report),
        "map_size": (code_report.WIDTH, code_report.HEIGHT),
        "languages": code_report.language_bars(report),
        "complexity": code_report.complexity_bars(report),
        "findings": code_report.finding_bars(report),
        "dangers": code_report.danger_bars(report),
        "unused": code_report.unused_bars(report),
    }
