"""The page of evolution, and putting its proposals aside."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.evolution.auditing import proposing
from agents.evolution.candidates import starting
from agents.pages.evolution.evolution_page import EvolutionPage
from agents.record.errors import NotPossibleNow, NotYours
from agents.views.access import person_of


@require_safe
def evolution(request: HttpRequest) -> HttpResponse:
    """Proposals, candidates, canaries and watched versions, and how the commands of tools do."""
    return render(request, "agents/evolution/evolution.html", {"page": EvolutionPage(person_of(request))})


@require_POST
def dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a proposal aside, with a reason."""
    proposal = get_object_or_404(proposing.visible_to(person_of(request)), pk=pk)
    try:
        proposing.dismiss(proposal, by=person_of(request), why=request.POST.get("why", "").replace("\0", ""))
    except (NotPossibleNow, NotYours) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "Dismissed. It comes back if half as many more goals show it.")
    return redirect("evolution")


@require_POST
def grant(request: HttpRequest) -> HttpResponse:
    """Set how many candidates a day may be begun without a person."""
    said = request.POST.get("starts", "")
    try:
        starting.grant(int(said) if said.isascii() and said.isdigit() and len(said) < 4 else -1, by=person_of(request))
    except (NotPossibleNow, NotYours) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "Set. It applies from the next audit on.")
    return redirect("evolution")


@require_POST
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Undo a dismissal."""
    try:
        proposing.restore(get_object_or_404(proposing.visible_to(person_of(request)), pk=pk), by=person_of(request))
    except NotYours as refused:
        messages.error(request, str(refused))
    return redirect("evolution")
