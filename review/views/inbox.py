"""The pages of the inbox: tool calls that programs of other frameworks ask about."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from review.errors import DecisionRefused, NotNow, WordsRefused
from review.inbox import requests
from review.inbox.requests import Verdict
from review.models import InboxRequest
from review.views.plan import asking

_SHOWN = 50
_BADGES = {
    "waiting": "manual",
    "expired": "skipped",
    "cancelled": "cancelled",
    "approve": "approved",
    "edit": "approved",
    "reject": "rejected",
    "respond": "achieved",
}
_WORDS = {"approve": "approved", "edit": "approved with changes", "reject": "rejected", "respond": "answered"}


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Waiting requests, the next to expire first, and the latest ended ones."""
    rows = requests.visible_to(asking(request))
    waiting = [row for row in rows.filter(state="waiting").order_by("expires_at")[:_SHOWN] if _state(row) == "waiting"]
    ended = [row for row in rows.order_by("-id")[: 2 * _SHOWN] if _state(row) != "waiting"][:_SHOWN]
    context = {"waiting": [_row(row) for row in waiting], "ended": [_row(row) for row in requests.as_told(ended)]}
    return render(request, "review/inbox/list.html", context)


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """One request with everything that its digest covers."""
    return _page(request, _visible(request, pk))


@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Decide it. If refused: the page again with the reason and the typed text."""
    row = _visible(request, pk)
    said = {name: request.POST.get(name, "") for name in ("reason", "answer")}
    decision = request.POST.get("decision", "")
    try:
        answer = _read(said["answer"]) if decision in ("edit", "respond") else None
        verdict = Verdict(decision, answer, said["reason"])
        requests.decide(row, verdict, by=asking(request), digest=request.POST.get("digest", ""))
    except WordsRefused as refused:
        return _page(request, row, 422, trouble=str(refused), **said)
    except NotNow as refused:
        row.refresh_from_db()
        return _page(request, row, 409, trouble=str(refused), **said)
    except DecisionRefused as refused:
        return _page(request, row, 403, trouble=str(refused), **said)
    messages.success(request, "Decided. The program is told when it asks.")
    return HttpResponseRedirect(reverse("inbox"))


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw one's own request."""
    row = _visible(request, pk)
    try:
        requests.cancel(row, by=asking(request))
    except DecisionRefused as refused:
        messages.error(request, str(refused))
    return HttpResponseRedirect(row.get_absolute_url())


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WordsRefused("answer", f"The answer is no JSON: {str(error)[:200]}.") from error


def _visible(request: HttpRequest, pk: int) -> InboxRequest:
    return get_object_or_404(requests.visible_to(asking(request)), pk=pk)


def _state(row: InboxRequest) -> str:
    return requests.state_of(row)


def _row(row: InboxRequest) -> dict[str, Any]:
    state = _state(row)
    return {
        "row": row,
        "badge": _BADGES[row.decision or state],
        "words": _WORDS.get(row.decision, state),
        "is_waiting": state == "waiting",
    }


def _page(request: HttpRequest, row: InboxRequest, status: int = 200, trouble: str = "", **said: str) -> HttpResponse:
    user = asking(request)
    [row] = requests.as_told([row])
    shown = [(name, _told(value)) for name, value in row.arguments.items()]
    context = {
        **_row(row),
        "arguments": shown,
        "exact": _told(row.arguments),
        "schema": _told(row.answer_schema) if row.answer_schema is not None else "",
        "decided_answer": _told(row.answer) if row.answer is not None else "",
        "why_not": requests.why_not(user, row),
        "may_cancel": row.by_id == user.pk,
        "trouble": trouble,
        "reason": said.get("reason", ""),
        "answer": said.get("answer") or _told(row.arguments),
    }
    return render(request, "review/inbox/one.html", context, status=status)


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
