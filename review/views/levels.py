"""The pages of designs and choices of rules."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.models import LevelDocument
from agents.record.errors import StaleDigest
from review.errors import DecisionRefused, NotNow, WordsRefused
from review.levels import decisions, page
from review.views.plan import asking

_APPROVE, _REJECT, _CHANGES = "approve", "reject", "request-changes"
_CHOICE = "choice-"


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """What waits, and the latest decisions."""
    user = asking(request)
    return render(request, "review/levels/list.html", {"rows": page.waiting(user), "latest": page.latest(user)})


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """One design or one choice of rules."""
    return _page(request, _visible(request, pk))


@require_safe
def compare(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """What changed from another version of the same goal's design to this one."""
    document = _visible(request, pk)
    same = LevelDocument.objects.filter(goal_id=document.goal_id, kind=LevelDocument.Kind.DESIGN)
    other = get_object_or_404(same.exclude(pk=document.pk), number=number)
    context = {
        "document": document,
        "other": other,
        "versions": same.defer("document").order_by("number"),
        "difference": page.compared(document, other),
    }
    return render(request, "review/levels/compare.html", context)


@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve, reject or send back. If refused: the page again with the reason and the typed texts."""
    document = _visible(request, pk)
    said = {name: request.POST.get(name, "") for name in ("reason", "comment")}
    try:
        done = _decided(request, document)
    except (StaleDigest, NotNow) as error:
        document.refresh_from_db()
        return _page(request, document, status=409, trouble=str(error), **said)
    except WordsRefused as error:
        return _page(request, document, status=422, trouble=str(error), field=error.field, **said)
    except DecisionRefused as error:
        return _page(request, document, status=403, trouble=str(error), **said)
    messages.success(request, done)
    rest = [row for row in page.waiting(asking(request)) if not row.refusal]
    return HttpResponseRedirect(reverse("review-levels") if rest else reverse("goal", args=[document.goal_id]))


def _decided(request: HttpRequest, document: LevelDocument) -> str:
    """Carry the decision out; returns the message for the person."""
    user, digest, verdict = asking(request), request.POST.get("digest", ""), request.POST.get("verdict", "")
    if verdict == _REJECT:
        decisions.reject(document, by=user, digest=digest, reason=request.POST.get("reason", ""))
        return "Rejected."
    if verdict == _CHANGES:
        decisions.request_changes(document, by=user, digest=digest, comment=request.POST.get("comment", ""))
        return "Sent back."
    if verdict != _APPROVE:
        raise WordsRefused("verdict", "Choose what to decide.")
    choice = _changed(document, request)
    decisions.approve(document, by=user, digest=digest, choice=choice)
    return "Approved. The agent plans with it now."


def _changed(document: LevelDocument, request: HttpRequest) -> dict[str, str]:
    """The rules that the form names in place of the agent's, by key; a field that names the agent's changes nothing."""
    selection = page.selection_of(document)
    if selection is None:
        return {}
    sent = {
        choice.key: request.POST[f"{_CHOICE}{number}"]
        for number, choice in enumerate(selection.choices)
        if f"{_CHOICE}{number}" in request.POST
    }
    agents_own = {choice.key: choice.chosen for choice in selection.choices}
    return {key: version for key, version in sent.items() if version != agents_own[key]}


def _visible(request: HttpRequest, pk: int) -> LevelDocument:
    return get_object_or_404(page.visible_to(asking(request)), pk=pk)


def _page(request: HttpRequest, document: LevelDocument, *, status: int = 200, **said: str) -> HttpResponse:
    context = {"view": page.level_view(document, asking(request)), "level": document, "said": said}
    return render(request, "review/levels/one.html", context, status=status)
