"""Giving a plan more time."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from agents.record.errors import NotPossibleNow
from review.errors import DecisionRefused
from review.queue import deadlines
from review.views.plan import asking, render_plan, visible_plan


@require_POST
def extend(request: HttpRequest, pk: int) -> HttpResponse:
    """Another hour. If refused: the plan's page again with the reason."""
    plan = visible_plan(request, pk)
    try:
        deadlines.extend(plan, by=asking(request))
    except NotPossibleNow as error:
        plan.refresh_from_db()
        return render_plan(request, plan, status=409, trouble=str(error))
    except DecisionRefused as error:
        return render_plan(request, plan, status=403, trouble=str(error))
    messages.success(request, f"Plan {plan.pk} can wait {deadlines.in_words(deadlines.EXTENSION_MIN)} longer.")
    return HttpResponseRedirect(plan.get_absolute_url())
