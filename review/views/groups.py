"""Similar plans with the same results of their dry runs: a table of them, and one verdict on several."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from review import rights
from review.deciding import batch
from review.deciding.batch import Batch
from review.deciding.ruling import APPROVE, REJECT, REQUEST_CHANGES
from review.errors import WordsRefused
from review.queue import groups, listing
from review.queue.counts import numbers_of
from review.reading import filters
from review.views.fresh_login import approves_risky_members, asks_again
from review.views.plan import PRESETS, asking


@require_safe
def group_page(request: HttpRequest, shape: str, trial: str) -> HttpResponse:
    """What all members share, once, and a row for each with its differences."""
    return _render(request, shape, trial)


@require_POST
@asks_again(approves_risky_members)
def decide(request: HttpRequest, shape: str, trial: str) -> HttpResponse:
    """One verdict on the selected members. Those that could not be decided are named; the others are decided."""
    verdict = request.POST.get("verdict", "")
    own = request.POST.get("comment" if verdict == REQUEST_CHANGES else "reason", "")
    preset = request.POST.get("preset", "") if verdict == REJECT else ""
    reason = ": ".join(part for part in (preset if preset in PRESETS else "", own.strip()) if part)
    try:
        # An approval has no reason: ignore text in the menu of a rejection that was not sent.
        said = "" if verdict == APPROVE else reason
        done = batch.decide(request.POST.getlist("member"), verdict, said, by=asking(request))
    except WordsRefused as error:
        return _render(request, shape, trial, status=422, trouble=str(error), typed=own)
    return _render(request, shape, trial, done=done)


def _render(
    request: HttpRequest,
    shape: str,
    trial: str,
    *,
    status: int = 200,
    trouble: str = "",
    typed: str = "",
    done: Batch | None = None,
) -> HttpResponse:
    user = asking(request)
    only, _ = filters.read(request.GET)
    opened = [int(text) for text in request.GET.getlist("open") if text.isascii() and text.isdigit() and len(text) < 19]
    cursor = listing.Cursor.read(request.GET.get("after", ""))
    found = groups.page(user, shape, trial, only=only, after=cursor, opened=opened)
    if found is None and done is None:
        raise Http404
    context = {
        "group": found,
        "only": only,
        "continued": cursor is not None,
        "is_reviewer": rights.is_reviewer(user),
        "numbers": numbers_of(request),
        "presets": PRESETS,
        "trouble": trouble,
        "typed": typed,
        "done": done,
    }
    return render(request, "review/group.html", context, status=status)
