"""The system agents on one page: what each of them does, and asking one of them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """All of them."""
    return render(request, "agents/system/agents.html", {})
