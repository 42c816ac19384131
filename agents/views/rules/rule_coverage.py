"""The pages of what rules cover and lack: past goals planned again, rules that quarrel, and rules made from goals."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.bdi.learning.coverage import Coverage
from agents.components import rules
from agents.insights import rule_health
from agents.learning import rules_from_goals
from agents.record.selectors import goals_visible_to
from agents.tuning.trials import Clock
from library.components import selectors, services

GOALS = 100
# Whoever opens the page waits for it.
SECONDS = 4.0
_SHOWN = 20
# Of the goals over which two rules quarrel.
_EXAMPLES = 3


@require_safe
def coverage(request: HttpRequest) -> HttpResponse:
    """Plan the newest goals that this person may see again, by the rules in use; nothing runs."""
    user: Any = request.user
    clock = Clock(SECONDS)
    found, there = rule_health.coverage(goals_visible_to(user), most=GOALS, is_over=lambda: clock.is_over)
    pages = dict(selectors.active_versions(rules.KIND).values_list("component__name", "component_id"))
    context = {
        "found": found,
        "there": there,
        "most": GOALS,
        "percent": round(100 * found.served / len(found.tried)) if found.tried else None,
        "uses": [(use, pages.get(use.name)) for use in found.uses],
        "quarrels": [
            (one, one.goals[:_EXAMPLES], pages.get(one.first), pages.get(one.second)) for one in found.quarrels
        ],
        "unserved": found.unserved[:_SHOWN],
        "more_unserved": max(0, len(found.unserved) - _SHOWN),
        "unused": _unused(found, pages),
    }
    return render(request, "agents/rules/coverage.html", context)


@require_safe
def proposals(request: HttpRequest) -> HttpResponse:
    """Rules made from several goals that this person may see; each is opened in the editor, which saves it."""
    user: Any = request.user
    found = rules_from_goals.proposals(goals_visible_to(user))
    context = {"found": found, "most": rules_from_goals.GOALS, "may_write": services.may_write(user)}
    return render(request, "agents/rules/proposals.html", context)


def _unused(found: Coverage, pages: dict[str, int]) -> list[tuple[str, int]]:
    """Rules in use that apply to none of the goals, by name."""
    applied = {use.name for use in found.uses}
    return sorted((name, pk) for name, pk in pages.items() if name not in applied)
