"""The journal's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from people.journal import Event
from review.audit import journal_page
from review.audit.journal_page import Asked
from review.views.plan import asking


@require_safe
def journal(request: HttpRequest) -> HttpResponse:
    """What was done and by whom: everything for operators and admins, for others what they did themselves."""
    user, asked = asking(request), Asked.read(request.GET)
    lines, older = journal_page.page(user, asked)
    context = {
        "lines": lines,
        "older": asked.address(older) if older else "",
        "asked": asked,
        "events": [(event.value, event.value.replace("_", " ")) for event in Event],
        "sees_all": journal_page.sees_all(user),
    }
    return render(request, "review/audit.html", context)
