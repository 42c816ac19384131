"""The queue's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from review import queue, rights
from review.services import policy_writing


@require_safe
def queue_page(request: HttpRequest) -> HttpResponse:
    """What waits for a decision, and what waits for a hand. HTMX asks for the list alone."""
    user = request.user
    assert user.is_authenticated  # noqa: S101  # the login middleware lets nobody else come here
    cursor = queue.Cursor.read(request.GET.get("after", ""))
    rows, following = queue.page(user, cursor)
    unknown, manual = queue.needing_help(user)
    context = {
        "rows": rows,
        "next": following,
        "continued": cursor is not None,
        "unknown": unknown,
        "manual": manual,
        "waiting": queue.count(user),
        "is_reviewer": rights.is_reviewer(user),
        "may_read_policies": policy_writing.may_read(user),
    }
    return render(request, "review/_queue.html" if request.htmx else "review/queue.html", context)  # type: ignore[attr-defined]
