"""Insights: what models were asked, what it cost, and the calls behind the numbers. For those who operate mindX."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from mindx_web.insights.model_insights import CAME, Asking, ModelInsights
from people.models import User
from people.roles import Role


@require_safe
def insights(request: HttpRequest) -> HttpResponse:
    """The first of the insights."""
    return redirect("insights-mind")


@require_safe
def models(request: HttpRequest) -> HttpResponse:
    """Tokens, cost, time, cache and attempts over time, and by agent and model."""
    _check(request)
    asking = Asking.read(request.GET)
    page = ModelInsights(asking)
    context = {"page": page, "asking": asking, "model_set_up": settings.MODEL}
    return render(request, "insights/models.html", context)


@require_safe
def calls(request: HttpRequest) -> HttpResponse:
    """The calls behind a number."""
    _check(request)
    asking = Asking.read(request.GET)
    page = ModelInsights(asking)
    rows, following = page.calls(request.GET.get("after", ""))
    context = {
        "page": page,
        "asking": asking,
        "calls": rows,
        "next": following,
        "came": CAME,
        "continued": bool(request.GET.get("after")),
    }
    return render(request, "insights/calls.html", context)


def _check(request: HttpRequest) -> None:
    # What everybody's goals cost is the business of those who set the budgets.
    if not cast(User, request.user).has_role(Role.OPERATOR):
        raise PermissionDenied(
            "Only operators can see what models cost. What your own goals cost is on each goal's page."
        )
