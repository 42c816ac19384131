"""Copies of components whose submitters may write no version: read by them, decided by those who may."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.components import candidates, known_components
from agents.mastermind.components import Component
from agents.models import EvolvedCopy
from agents.presentation import unified_diff
from agents.presentation.line_diff import compare
from agents.record.errors import AgentsError
from agents.views.access import person_of
from library.components import services as library


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """What differs from what is in use now, and what was decided."""
    user = person_of(request)
    copy = get_object_or_404(candidates.visible_to(user), pk=pk)
    context = {"copy": copy, "may_decide": library.may_write(user) and copy.waits, **_difference(copy)}
    return render(request, "agents/mastermind/copy.html", context)


@require_POST
def decide(request: HttpRequest, pk: int, verdict: str) -> HttpResponse:
    """Take it into the library, or do not."""
    user = person_of(request)
    copy = get_object_or_404(candidates.visible_to(user), pk=pk)
    try:
        if verdict == "take-in":
            taken = candidates.take_in(copy, by=user)
            messages.success(request, f"Candidate {taken.version} is in the library. Nothing uses it yet.")
        elif verdict == "decline":
            candidates.decline(copy, by=user, why=request.POST.get("why", "").replace("\0", ""))
            messages.success(request, "Declined. It stays out of the library. Whoever asked for it can read why.")
        else:
            raise Http404
    except AgentsError as refused:
        messages.error(request, str(refused))
    return redirect(copy)


def _difference(copy: EvolvedCopy) -> dict[str, Any]:
    """A tool's copy is a difference already; any other is one text beside the one that is in use."""
    if copy.target_kind == "tool":
        return {"diff": unified_diff.read(copy.proposed)}
    used = known_components.files_of(Component(copy.target_kind, copy.target_name))
    before = next(iter(used.values()), b"").decode(errors="replace")
    return {"difference": compare(before, copy.proposed)}
