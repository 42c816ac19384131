"""The backlog: triage in rows that are ticked, one wish with what was tried, and why nothing is taken up."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_POST, require_safe

from agents.coordinator import backlog, backlog_list, backlog_taking
from agents.coordinator.backlog_list import OPEN, SEARCH_MAX, ItemFilter
from agents.coordinator.backlog_overview import overview
from agents.models import BacklogItem
from agents.pages.agents import backlog as shown
from agents.record.errors import AgentsError, NotPossibleNow
from agents.states import BacklogState
from people.models import User

CHART_DAYS = 30
_MOST_TICKED = 200
_BIGGEST = 2**63 - 1


class FilterForm(forms.Form):
    """The filters above the list."""

    state = forms.ChoiceField(
        required=False,
        choices=[(OPEN, "Open"), ("", "Any state")]
        + [(one.value, one.value.replace("_", " ")) for one in BacklogState],
        error_messages={"invalid_choice": "There is no such state."},
    )
    source = forms.ChoiceField(
        required=False,
        choices=[("", "Any source"), ("person", "people"), ("analysis", "analyses"), ("failures", "failures")],
        error_messages={"invalid_choice": "There is no such source."},
    )
    target = forms.CharField(required=False, max_length=300)
    critical = forms.BooleanField(required=False)
    q = forms.CharField(required=False, max_length=SEARCH_MAX)
    after = forms.IntegerField(required=False, min_value=1, max_value=_BIGGEST)

    def wanted(self) -> ItemFilter:
        """The filter as far as it could be read."""
        self.is_valid()
        data = self.cleaned_data
        state = data.get("state", OPEN) if "state" in self.data else OPEN
        return ItemFilter(
            state,
            data.get("target", ""),
            data.get("source", ""),
            data.get("q", ""),
            bool(data.get("critical")),
            data.get("after"),
        )


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """The wishes the person may see, the most urgent first."""
    user = cast(User, request.user)
    form = FilterForm(request.GET)
    wanted = form.wanted()
    found = backlog_list.find(user, wanted)
    kept: dict[str, str | int] = {
        name: value
        for name, value in (
            ("state", wanted.state if "state" in request.GET else None),
            ("source", wanted.source or None),
            ("target", wanted.target or None),
            ("q", wanted.text or None),
            ("critical", "on" if wanted.critical else None),
        )
        if value is not None
    }
    around = overview(user, days=CHART_DAYS)
    context: dict[str, Any] = {
        "form": form,
        "wanted": wanted,
        "page": found,
        "rows": [(item, shown.badge(item)) for item in found.items],
        "older": urlencode({**kept, "after": found.older}) if found.older else "",
        "newest": urlencode(kept),
        "around": around,
        "outcomes": shown.outcome_bars(around.outcomes),
        "outcomes_words": shown.outcomes_in_words(around.outcomes, CHART_DAYS),
        "days": CHART_DAYS,
        "may_triage": backlog.may_triage(user),
        "may_process": backlog_taking.may_process(user),
        "usual": backlog_taking.USUAL_NUMBER,
        "sees_all": backlog.sees_all(user),
    }
    return render(request, "agents/mastermind/backlog.html", context)


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One wish: who said it, what was merged into it, what was tried and what came of it."""
    user = cast(User, request.user)
    found = backlog.visible_to(user).select_related("by", "decided_by", "merged_into", "source_goal")
    item = get_object_or_404(found.defer("embedding", "merged_into__embedding"), pk=pk)
    context = {
        "item": item,
        "badge": shown.badge(item),
        "merged": item.merged.select_related("by").defer("embedding").order_by("pk")[:100],
        "tries": [
            (one, shown.outcome_badge(one.outcome, one.goal.state)) for one in item.attempts.select_related("goal")[:50]
        ],
        "why_not": backlog.why_not(user, item),
        "may_triage": backlog.may_triage(user),
    }
    return render(request, "agents/mastermind/item.html", context)


@require_POST
def decide(request: HttpRequest) -> HttpResponse:
    """Approve, reject, merge, split or ask again about what is ticked, each for itself."""
    user = cast(User, request.user)
    verdict, reason = request.POST.get("verdict", ""), request.POST.get("reason", "")
    numbers = list(dict.fromkeys(request.POST.getlist("item")))[:_MOST_TICKED]
    if verdict not in ("approve", "reject", "reopen", "merge", "split"):
        raise Http404
    if not numbers:
        messages.warning(request, "No item is selected, so nothing was decided.")
        return redirect(_back(request))
    done = 0
    refused: list[str] = []
    try:
        items = [backlog.item_of(number, by=user) for number in numbers]
        if verdict == "merge":
            done = _merge(items, user)
        else:
            done, refused = _each(items, verdict, reason, user)
    except AgentsError as error:
        refused.append(str(error))
    if done:
        messages.success(request, _DONE[verdict].format(f"{done} item{'s' * (done != 1)}"))
    for words in dict.fromkeys(refused):
        messages.error(request, words)
    return redirect(_back(request))


_DONE = {
    "approve": "{} approved. An operator starts them.",
    "reject": "{} rejected.",
    "reopen": "{} reopened.",
    "merge": "{} merged.",
    "split": "{} split off.",
}


def _each(items: list[BacklogItem], verdict: str, reason: str, user: User) -> tuple[int, list[str]]:
    done = 0
    refused: list[str] = []
    for item in items:
        try:
            match verdict:
                case "approve":
                    backlog.approve(item, by=user, reason=reason)
                case "reject":
                    backlog.reject(item, by=user, reason=reason)
                case "reopen":
                    backlog.reopen(item, by=user)
                case "split":
                    backlog.split(item, by=user)
            done += 1
        except AgentsError as error:
            refused.append(str(error))
    return done, refused


def _merge(items: list[BacklogItem], user: User) -> int:
    """All of them into the one that was there first."""
    into, *others = sorted(items, key=lambda item: item.pk)
    if not others:
        raise NotPossibleNow("Select at least two items about the same component to merge them.")
    for item in others:
        backlog.merge(item, into, by=user)
    return len(others)


@require_POST
def process(request: HttpRequest) -> HttpResponse:
    """Take up approved wishes as goals of this person."""
    user = cast(User, request.user)
    number = request.POST.get("number", "")
    most = int(number) if number.isascii() and number.isdigit() and 1 <= int(number[:3]) <= 50 else 0
    try:
        taken = backlog_taking.process(by=user, most=most or backlog_taking.USUAL_NUMBER)
    except AgentsError as error:
        messages.error(request, str(error))
        return redirect(_back(request))
    if taken.begun:
        goals = ", ".join(f"goal {goal.pk}" for _, goal in taken.begun)
        messages.success(request, f"{len(taken.begun)} started: {goals}.")
    for item, why in taken.refused:
        messages.warning(request, f"Item {item.pk}: {why}")
    if taken.stopped:
        messages.warning(request, taken.stopped)
    elif not taken.begun and not taken.refused:
        messages.warning(request, "No item is approved, so none was started.")
    return redirect(_back(request))


@require_POST
def lift(request: HttpRequest) -> HttpResponse:
    """Let the backlog go on although a rule stopped it."""
    try:
        backlog_taking.lift(by=cast(User, request.user), reason=request.POST.get("reason", ""))
    except AgentsError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The backlog is resumed.")
    return redirect(_back(request))


def _back(request: HttpRequest) -> str:
    """Where the form stood, when that is here."""
    back = request.POST.get("back", "")
    if url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return back
    return reverse("mastermind-backlog")
