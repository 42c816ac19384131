"""The queue's page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.models import Goal, Intent
from review import rights
from review.policies import writing
from review.queue import groups, listing
from review.queue.counts import numbers_of
from review.reading import filters
from review.reading.filters import Filters
from review.risk.assessment import Level
from review.views import neighbours
from review.views.plan import asking

GROUPED = "groups"


@require_safe
def queue_page(request: HttpRequest) -> HttpResponse:
    """What waits for a decision, and what needs a person. HTMX asks for the list alone."""
    user = asking(request)
    only, problems = filters.read(request.GET)
    if only.does and not listing.commands_called(only.does):
        problems["does"] = "There is no tool or command with this name."
    cursor = listing.Cursor.read(request.GET.get("after", ""))
    if not request.htmx:  # type: ignore[attr-defined]  # a list that refreshes itself in another tab changes nothing
        neighbours.keep(request, only)
    grouped = request.GET.get("view") == GROUPED
    rows, following = ([], None) if grouped else listing.page(user, cursor, only=only)
    numbers = numbers_of(request)
    none: tuple[list[Intent], list[Goal], bool] = ([], [], False)
    unknown, manual, more_hands = listing.needing_help(user) if numbers.has_unknown or numbers.has_manual else none
    if only or cursor is not None:
        # Somebody goes through certain plans, or has gone past these: they stand at the head of everything.
        manual, more_hands = [], False
    context = {
        "rows": rows,
        "grouped": grouped,
        "groups": groups.listing(user, only) if grouped else [],
        "next": following,
        "continued": cursor is not None,
        "unknown": unknown,
        "manual": manual,
        "more_hands": more_hands,
        "needing_help": f"{len(unknown) + len(manual)}{'+' if more_hands else ''}",
        "numbers": numbers,
        "is_reviewer": rights.is_reviewer(user),
        "may_read_policies": writing.may_read(user),
        **filter_context(request, only, problems),
    }
    template = "review/_queue.html" if request.htmx else "review/queue.html"  # type: ignore[attr-defined]  # its middleware sets it
    return render(request, template, context)


def filter_context(request: HttpRequest, only: Filters, problems: dict[str, str]) -> dict[str, Any]:
    """For the filter's form and the tabs: current values, saved filters, and the current tab."""
    kept = list(asking(request).review_filters.all())
    return {
        "only": only,
        "problems": problems,
        "kept": kept,
        "here": next((one for one in kept if one.query == only.query), None),
        "mine": Filters(assigned=filters.ME),
        "free": Filters(assigned=filters.NOBODY),
        "levels": list(Level),
        "waits": [(str(minutes), words) for minutes, words in filters.WAITS],
    }
