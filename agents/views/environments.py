"""Pages of environments: start a run, look on while an agent thinks, choose for it, train its policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.crypto import get_random_string
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.models import EnvironmentPolicy, EnvironmentRun
from agents.pages.agents import environment_page
from agents.pages.agents.environment_page import FALLBACK_WORDS, Listed, PolicyPage, RunPage
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.simulations import learned_policies, rights, runs
from agents.simulations.runs import Start

PAGE = 30
SHARES = (100, 75, 50, 25, 0)
_REFUSED = (NotPossibleNow, NotYours, GoalRefused)
_LARGEST = 10**6


_RUN = {"variation": 0, "share": "100", "step_limit": 100, "fallback": ""}
_TRAINING = {"episodes": 50, "share": "0"}


@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """The environments there are, the form of a new run and its start, and the runs that this person may see."""
    user: Any = request.user
    if request.method != "POST":
        return _listing(request, _RUN, request.GET.get("environment", ""))
    given = request.POST
    try:
        wanted = Start(
            environment=_text(given.get("environment")),
            task=_text(given.get("task")),
            variation=_whole(given.get("variation"), "variation"),
            fallback=_text(given.get("fallback")),
            share=_whole(given.get("share"), "share"),
            step_limit=_whole(given.get("step_limit"), "step_limit"),
            with_library="with_library" in given,
            key=_text(given.get("key")),
            paused="paused" in given,
        )
        return redirect(runs.start(wanted, by=user))
    except _REFUSED as refused:
        return _listing(request, given.dict(), _text(given.get("environment")), refused)


def _listing(
    request: HttpRequest, draft: Mapping[str, Any], chosen: str, refused: Exception | None = None
) -> HttpResponse:
    user: Any = request.user
    rows = rights.visible_to(user).defer("rules_text", "rules", "first_percept", "asked").order_by("-pk")
    after = _number(request.GET.get("after"))
    found = list((rows if after is None else rows.filter(pk__lt=after))[: PAGE + 1])
    places = environment_page.places(chosen)
    context = {
        "places": places,
        "place": next(one for one in places if one.is_chosen),
        "draft": draft,
        "refused": str(refused) if refused is not None else "",
        "key": draft.get("key") or get_random_string(20),
        "shares": SHARES,
        "fallbacks": FALLBACK_WORDS.items(),
        "most_steps": runs.MOST_STEPS,
        "may_start": rights.may_start(user),
        "runs": [Listed(row) for row in found[:PAGE]],
        "next": found[PAGE - 1].pk if len(found) > PAGE else None,
    }
    return render(request, "agents/environments/list.html", context, status=_status(refused))


@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """A run at its newest action, or at the one that is asked for."""
    user: Any = request.user
    number = _number(request.GET.get("step"))
    page = RunPage(_found(request, pk), user, number, plays=request.GET.get("play") == "1")
    is_fragment = request.headers.get("HX-Target", "") == "watch"
    template = "agents/environments/_watch.html" if is_fragment else "agents/environments/run.html"
    return render(request, template, {"run": page})


@require_safe
def rules(request: HttpRequest, pk: int) -> HttpResponse:
    """The rules that a run follows, as it follows them."""
    user: Any = request.user
    found = _found(request, pk)
    context = {"run": RunPage(found, user, None), "lines": found.rules_text.splitlines()}
    return render(request, "agents/environments/rules.html", context)


@require_POST
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """One action, go on, pause, stop."""
    user: Any = request.user
    found = _found(request, pk)
    do = {"step": runs.step, "go": runs.go_on, "pause": runs.pause, "stop": runs.stop}.get(request.POST.get("do", ""))
    if do is None:
        raise Http404
    try:
        do(found, by=user)
    except _REFUSED as refused:
        messages.error(request, str(refused))
    return redirect(found)


@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """The action that a person chose."""
    user: Any = request.user
    found = _found(request, pk)
    try:
        number = _whole(request.POST.get("number"), "number")
        runs.answer(found, _text(request.POST.get("action")), number=number, by=user)
    except _REFUSED as refused:
        messages.error(request, str(refused))
    return redirect(found)


@require_http_methods(["GET", "HEAD", "POST"])
def policies(request: HttpRequest) -> HttpResponse:
    """The learned policies, and the start of a training."""
    user: Any = request.user
    if request.method != "POST":
        return _policies(request, _TRAINING, request.GET.get("environment", ""))
    given = request.POST
    try:
        return redirect(
            learned_policies.train(
                _text(given.get("environment")),
                _text(given.get("task")),
                episodes=_whole(given.get("episodes"), "episodes"),
                share=_whole(given.get("share"), "share"),
                by=user,
            )
        )
    except _REFUSED as refused:
        return _policies(request, given.dict(), _text(given.get("environment")), refused)


def _policies(
    request: HttpRequest, draft: Mapping[str, Any], chosen: str, refused: Exception | None = None
) -> HttpResponse:
    user: Any = request.user
    places = environment_page.places(chosen)
    context = {
        "places": places,
        "place": next(one for one in places if one.is_chosen),
        "draft": draft,
        "refused": str(refused) if refused is not None else "",
        "shares": SHARES,
        "most_episodes": learned_policies.MOST_EPISODES,
        "may_train": rights.may_train(user),
        "policies": [PolicyPage(row, user) for row in EnvironmentPolicy.objects.defer("data")],
    }
    return render(request, "agents/environments/policies.html", context, status=_status(refused))


@require_safe
def policy(request: HttpRequest, pk: int) -> HttpResponse:
    """A learned policy: its state and its episodes."""
    user: Any = request.user
    page = PolicyPage(get_object_or_404(EnvironmentPolicy, pk=pk), user)
    is_fragment = request.headers.get("HX-Target", "") == "training"
    template = "agents/environments/_training.html" if is_fragment else "agents/environments/policy.html"
    context = {
        "policy": page,
        "draft": {"share": str(page.row.share)},
        "shares": SHARES,
        "most_episodes": learned_policies.MOST_EPISODES,
    }
    return render(request, template, context)


@require_POST
def train(request: HttpRequest, pk: int) -> HttpResponse:
    """Train on, stop, reset."""
    user: Any = request.user
    found = get_object_or_404(EnvironmentPolicy, pk=pk)
    what = request.POST.get("do", "")
    try:
        if what == "start":
            episodes = _whole(request.POST.get("episodes"), "episodes")
            share = _whole(request.POST.get("share"), "share")
            learned_policies.train(found.environment, found.task, episodes=episodes, share=share, by=user)
        elif what == "stop":
            learned_policies.stop(found, by=user)
        elif what == "reset":
            learned_policies.reset(found, by=user)
        else:
            raise Http404
    except _REFUSED as refused:
        messages.error(request, str(refused))
    return redirect(found)


def _found(request: HttpRequest, pk: int) -> EnvironmentRun:
    user: Any = request.user
    return get_object_or_404(rights.visible_to(user), pk=pk)


def _status(refused: Exception | None) -> int:
    return 200 if refused is None else 403 if isinstance(refused, NotYours) else 400


def _text(given: str | None) -> str:
    return (given or "").replace("\0", "")[:200]


def _number(given: str | None) -> int | None:
    return int(given) if given is not None and given.isascii() and given.isdigit() and len(given) < 10 else None


def _whole(given: str | None, name: str) -> int:
    number = _number(given)
    if number is None or number > _LARGEST:
        raise GoalRefused(name, f"The field {name.replace('_', ' ')} takes a whole number.")
    return number
