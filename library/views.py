"""The pages of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from library.errors import LibraryRefused
from library.memory import exporting, merging, pages, questions, ratings, selectors, services
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
_CHANGES_SHOWN = 20
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
    why_words, why_some = selectors.why_by_words(query) if query else ("", "")
    page = pages.find(user=user, query=query, outcome=outcome, after=request.GET.get("after", ""))
    context = {
        "query": query,
        "outcome": outcome,
        "outcomes": OUTCOMES,
        "rows": [Row(row, None if similarity is None else nearness(similarity)) for row, similarity in page.rows],
        "next": page.next,
        "continued": bool(request.GET.get("after")),
        "why_words": why_words,
        "why_some": why_some,
        "reply": questions.reply(query, user=user) if query.endswith("?") and not outcome else None,
        "has_model": bool(settings.MODEL),
    }
    fragment = request.headers.get("HX-Target") == "found"
    return render(request, "library/_found.html" if fragment else "library/memory.html", context)


@require_safe
def experience(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything that was remembered of one goal."""
    user: Any = request.user
    found = get_object_or_404(selectors.visible_to(user), pk=pk)
    given = list(ratings.of(found))
    context = {
        "row": Row(found, None),
        "experience": found,
        "may_forget": services.may_forget(found, user),
        "ratings": given,
        "mine": next((one for one in given if one.by_id == user.pk), None),
        "stars": range(1, 6),
        "parts": selectors.visible_to(user).filter(goal_ref=found.goal_ref).exclude(pk=found.pk).order_by("pk"),
        "changed": selectors.corrections_of([pk], user=user, most=_CHANGES_SHOWN).get(pk, ()),
        "merged": selectors.visible_to(user).filter(merged_into=found.pk).order_by("-timestamp"),
    }
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


@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """A question that the language model answers from what this person may read; it costs tokens, so only on POST."""
    user: Any = request.user
    question = request.POST.get("q", "").strip()[: selectors.QUERY_MAX_CHARACTERS]
    found = questions.reply(question, user=user, with_model=True) if question else None
    return render(request, "library/answer.html", {"query": question, "reply": found})


@require_POST
def rate(request: HttpRequest, pk: int) -> HttpResponse:
    """What this person thinks of an experience."""
    user: Any = request.user
    found = get_object_or_404(selectors.visible_to(user), pk=pk)
    stars = request.POST.get("stars", "")
    try:
        ratings.rate(found, user, int(stars) if stars in "12345" and stars else 0, request.POST.get("comment", ""))
        messages.success(request, "Rated.")
    except LibraryRefused as refused:
        messages.error(request, str(refused))
    return redirect("experience", pk)


@require_POST
def merge(request: HttpRequest) -> HttpResponse:
    """Merge what tells the same among one's own experiences."""
    user: Any = request.user
    count = merging.merge(user, user)
    if count:
        messages.success(request, f"{count} {'is' if count == 1 else 'are'} now shown as another one like it.")
    else:
        messages.info(request, "No two of your experiences are the same.")
    return redirect("memory")


@require_POST
def part(request: HttpRequest, pk: int) -> HttpResponse:
    """Show by itself again what was merged into this one."""
    user: Any = request.user
    found = get_object_or_404(selectors.visible_to(user), pk=pk)
    try:
        count = merging.part(found, user)
        messages.success(request, f"Separated: {count} shown on their own again.")
    except LibraryRefused as refused:
        messages.error(request, str(refused))
    return redirect("experience", pk)


@require_safe
def export(request: HttpRequest) -> StreamingHttpResponse:
    """All of one's own experiences as a file."""
    user: Any = request.user
    answer = StreamingHttpResponse(exporting.chunks(user), content_type="application/json")
    answer["Content-Disposition"] = 'attachment; filename="mindx-experiences.json"'
    return answer
