"""The first page: what needs me, what runs, how it went, how the parts are."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The overview."""
    return render(request, "overview/overview.html")
