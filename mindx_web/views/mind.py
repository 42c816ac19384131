"""Insights of the mind: the four metrics over time, and the cases behind each number. For those who operate mindX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from mindx_web.insights import mind_cases
from mindx_web.insights.mind_cases import Asking
from mindx_web.insights.mind_insights import MindInsights
from people.models import User
from people.roles import Role


@require_safe
def mind(request: HttpRequest) -> HttpResponse:
    """Corrections, plannings, recoveries and times: over time, and by what they are about."""
    _check(request)
    asking = Asking.read(request.GET)
    return render(request, "insights/mind.html", {"page": MindInsights(asking), "asking": asking})


@require_safe
def corrections(request: HttpRequest) -> HttpResponse:
    """The values that mindX settled by itself, behind a number."""
    _check(request)
    asking = Asking.read(request.GET)
    rows, following = mind_cases.corrections(asking, request.GET.get("after", ""))
    return _cases(request, asking, mind_cases.CORRECTION_CAME, {"corrections": rows, "next": following})


@require_safe
def plannings(request: HttpRequest) -> HttpResponse:
    """The plannings behind a number, each with the time of its stages."""
    _check(request)
    asking = Asking.read(request.GET)
    rows, following = mind_cases.plannings(asking, request.GET.get("after", ""))
    shown = {"plannings": rows, "next": following, "stage": mind_cases.STAGE_WORDS.get(asking.stage)}
    return _cases(request, asking, mind_cases.PLANNING_CAME, shown)


@require_safe
def recoveries(request: HttpRequest) -> HttpResponse:
    """The failures behind a number, each with what was done about it and how that ended."""
    _check(request)
    asking = Asking.read(request.GET)
    rows, following = mind_cases.recoveries(asking, request.GET.get("after", ""))
    return _cases(request, asking, mind_cases.RECOVERY_CAME, {"recoveries": rows, "next": following})


def _cases(request: HttpRequest, asking: Asking, came: Mapping[str, str], shown: dict[str, Any]) -> HttpResponse:
    context = {
        **shown,
        "kind": next(iter(shown)),
        "page": MindInsights(asking),
        "asking": asking,
        "came": came,
        "came_words": came.get(asking.came, came[""]),
        "continued": bool(request.GET.get("after")),
    }
    return render(request, "insights/mind_cases.html", context)


def _check(request: HttpRequest) -> None:
    # As with what models cost: everybody's goals are counted, so those read it who see every goal and tune.
    if not cast(User, request.user).has_role(Role.OPERATOR):
        raise PermissionDenied(
            "Only operators can see these insights. What mindX did for you is on the pages of your goals."
        )
