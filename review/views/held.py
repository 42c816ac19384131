"""A person's own pending decisions: how long they can be undone, and undoing one or a whole batch."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.bdi.outcome.network import listed
from agents.pages.goals import starting
from agents.record.selectors import plans_visible_to
from review.deciding import held_decisions, holding
from review.deciding.batch import AT_ONCE
from review.models import Decision, HeldDecision, QueueEntry
from review.views.plan import asking, visible_plan


@require_safe
def held(request: HttpRequest, pk: int, held_id: int) -> HttpResponse:
    """The strip of one pending decision; once it has taken effect, the message that it has."""
    plan, user = visible_plan(request, pk), asking(request)
    found = HeldDecision.objects.filter(pk=held_id, intent_plan=plan, by=user).first()
    decided = (
        Decision.objects.filter(intent_plan__goal_id=plan.goal_id, by=user)
        .select_related("intent_plan__goal__agent")
        .order_by("-pk")
        .first()
    )
    # An edit or a part that was approved is a revision of its own.
    approved = decided.intent_plan if found is None and decided is not None else None
    told = starting.of(approved) if approved is not None else ""
    shown = {"held": found, "plan": plan, "decided": decided, "held_id": held_id, "starting": told}
    return render(request, "review/_held.html", shown)


@require_POST
def undo(request: HttpRequest, pk: int, held_id: int) -> HttpResponse:
    """Undo it, and go to the plan; or close the message that it was dropped."""
    plan, user = visible_plan(request, pk), asking(request)
    if holding.undo(held_id, plan, by=user):
        messages.success(request, f"Undone. Goal {plan.goal_id} awaits a decision again.")
    else:
        messages.warning(request, "Too late to undo: the decision has taken effect.")
    return HttpResponseRedirect(plan.get_absolute_url())


@require_safe
def held_batch(request: HttpRequest, batch: str) -> HttpResponse:
    """The strip of a batch; once all of it has taken effect, the message that it has."""
    return render(
        request, "review/_held_batch.html", {"batch": batch, "found": held_decisions.of_batch(asking(request), batch)}
    )


@require_POST
def undo_batch(request: HttpRequest, batch: str) -> HttpResponse:
    """Undo what is still held of a batch, and go to its group. The message names the plans whose decision had already
    taken effect.
    """
    user = asking(request)
    undone = holding.undo_batch(batch, by=user)
    sent = request.POST.getlist("plan")[:AT_ONCE]
    numbers = [int(text) for text in sent if text.isascii() and text.isdigit() and len(text) < 19]
    named = plans_visible_to(user).filter(pk__in=numbers).exclude(pk__in=undone)
    decided = named.filter(pk__in=Decision.objects.filter(by=user).values("intent_plan"))
    late = [f"goal {goal}" for goal in decided.order_by("goal").values_list("goal", flat=True)]
    if undone:
        messages.success(request, f"{len(undone)} undone. They await a decision again.")
    if late:
        messages.warning(request, f"{len(late)} could not be undone and took effect: {listed(late)}.")
    elif not undone:
        messages.warning(request, "There was nothing left to undo.")
    entry = QueueEntry.objects.filter(pk__in=undone).exclude(shape="").first()
    address = reverse("review-group", args=[entry.shape, entry.trial]) if entry is not None else reverse("review")
    return HttpResponseRedirect(address)
