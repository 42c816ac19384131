"""The page of what a step reported: charts and lists, for those who see its goal."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents.goal_page import GoalPage
from agents.models import Intent
from agents.presentation import code_report, unified_diff
from agents.presentation.code_report import Analysis, Fixes
from agents.views.asking import person_of, visible_goal

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
    return render(request, "agents/goal/report.html", shown | _charts(report))


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
