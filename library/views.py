"""The pages of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from library.language import embeddings
from library.memory import pages, selectors, services
from library.memory.nearness import Nearness, nearness
from library.models import Experience

# Which state badge says an outcome.
BADGES = {
    "success": "succeeded",
    "failure": "failed",
    "partial_success": "recovering",
    "abandoned": "cancelled",
    "unchecked": "not_checked",
}
OUTCOMES = [(outcome.value, outcome.value.replace("_", " ")) for outcome in Experience.Outcome]


@dataclass(frozen=True)
class Row:
    """An experience as a list shows it."""

    experience: Experience
    nearness: Nearness | None

    @property
    def badge(self) -> str:
        """The state whose colour and icon the outcome has."""
        return BADGES[self.experience.final_outcome]

    @property
    def dot(self) -> str:
        """The colour of its dot; the badge says the same in words."""
        return {"success": "good", "failure": "bad", "partial_success": "person"}.get(self.experience.final_outcome, "")


@require_safe
def memory(request: HttpRequest) -> HttpResponse:
    """What finished goals taught: searched by meaning, or the newest first."""
    user: Any = request.user
    query = request.GET.get("q", "").strip()[: selectors.QUERY_MAX_CHARACTERS]
    outcome = request.GET.get("outcome", "")
    outcome = outcome if outcome in Experience.Outcome.values else ""
    page = pages.find(user=user, query=query, outcome=outcome, after=request.GET.get("after", ""))
    context = {
        "query": query,
        "outcome": outcome,
        "outcomes": OUTCOMES,
        "rows": [Row(row, None if similarity is None else nearness(similarity)) for row, similarity in page.rows],
        "next": page.next,
        "continued": bool(request.GET.get("after")),
        "why_words": embeddings.why_unavailable() if query else "",
    }
    fragment = request.headers.get("HX-Target") == "found"
    return render(request, "library/_found.html" if fragment else "library/memory.html", context)


@require_safe
def experience(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything that was remembered of one goal."""
    user: Any = request.user
    found = get_object_or_404(selectors.visible_to(user), pk=pk)
    context = {"row": Row(found, None), "experience": found, "may_forget": services.may_forget(found, user)}
    return render(request, "library/experience.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, and on POST forget. Whoever may not forget it gets the same answer as for one that does not exist."""
    user: Any = request.user
    found = get_object_or_404(selectors.visible_to(user), pk=pk)
    if not services.may_forget(found, user):
        return render(request, "library/forget.html", {"experience": found, "refused": True}, status=403)
    if request.method != "POST":
        return render(request, "library/forget.html", {"experience": found})
    services.forget(found, user)
    messages.success(request, "Forgotten. The goal and its log are still there.")
    return redirect("memory")
