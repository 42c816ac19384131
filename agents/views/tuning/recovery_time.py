"""What helped against a class of failures over time, for operators."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.actors import tuning_rights
from agents.pages.recovery_time import RecoveryTime
from agents.views.access import person_of


@require_safe
def over_time(request: HttpRequest) -> HttpResponse:
    """A class and a tool (`?failure_class=&tool=`): a chart for each strategy."""
    if not tuning_rights.may_tune(person_of(request)):
        raise PermissionDenied("Only operators can set how mindX recovers.")
    failure_class, tool = (request.GET.get(name) for name in ("failure_class", "tool"))
    page = RecoveryTime((failure_class or "")[:64], None if tool is None else tool[:64])
    return render(request, "agents/recovery/time.html", {"page": page})
