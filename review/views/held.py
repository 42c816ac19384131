"""A person's own pending decisions: how long they can still be taken back, and taking one back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from review.models import Decision, HeldDecision
from review.services import holding
from review.views.plan import asking, visible_plan


@require_safe
def held(request: HttpRequest, pk: int, held_id: int) -> HttpResponse:
    """The strip of one pending decision; once it has taken effect, the word that it has."""
    plan, user = visible_plan(request, pk), asking(request)
    found = HeldDecision.objects.filter(pk=held_id, intent_plan=plan, by=user).first()
    decided = Decision.objects.filter(intent_plan__goal_id=plan.goal_id, by=user).order_by("-pk").first()
    return render(request, "review/_held.html", {"held": found, "plan": plan, "decided": decided})


@require_POST
def undo(request: HttpRequest, pk: int, held_id: int) -> HttpResponse:
    """Take it back, and go to the plan; or put away the word that it was dropped."""
    plan, user = visible_plan(request, pk), asking(request)
    if holding.undo(held_id, plan, by=user):
        messages.success(request, f"Nothing is decided about plan {plan.pk} by you now.")
    else:
        messages.warning(request, "It could no longer be taken back: it has taken effect.")
    return HttpResponseRedirect(plan.get_absolute_url())
