"""New tools and workflows that a model writes from a sentence: asked for, shown while that is done, stopped."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest

from agents.evolution.candidates import searches, writing
from agents.pages.evolution import search_page
from agents.pages.evolution.search_page import WriterPage
from agents.record.errors import NotPossibleNow
from library.errors import LibraryRefused

REFUSED = (LibraryRefused, NotPossibleNow)


def wish_in(request: HttpRequest) -> str:
    """The sentence that a form says."""
    return request.POST.get("wish", "").replace("\0", "").strip()[: writing.MOST_WISH]


def shown(request: HttpRequest, kind: str) -> WriterPage | None:
    """The wish that the address names, else the one under way, if there is one. 404 for one of somebody else."""
    user: Any = request.user
    named = request.GET.get("search")
    if named is None:
        return search_page.wish_of(user, kind, None)
    is_number = named.isascii() and named.isdigit() and len(named) < 19
    found = search_page.wish_of(user, kind, int(named)) if is_number else None
    if found is None:
        raise Http404("You have no such wish.")
    return found


def stop(request: HttpRequest, kind: str) -> None:
    """Stop what a model writes for this person, and tell them."""
    user: Any = request.user
    under_way = searches.wish_of(user, kind)
    try:
        if under_way is not None:
            searches.stop(under_way, by=user)
        messages.success(request, "The model is not asked any more.")
    except REFUSED as refused:
        messages.error(request, str(refused))
