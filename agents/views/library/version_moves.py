"""What the buttons of a version do, on the pages of rules, tools and workflows: put to use, replay, retire, ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest

from agents.components.rule_writing import RuleInvalid
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import WorkflowInvalid
from agents.evolution.activation import asked_again, deciding, tool_checks
from agents.evolution.candidates import searches
from agents.evolution.replays import replays
from agents.models import Replay
from agents.record.errors import NotPossibleNow
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User

REFUSED = (LibraryRefused, RuleInvalid, ToolInvalid, WorkflowInvalid, NotPossibleNow)


@dataclass(frozen=True)
class _Given:
    """What a form says beside its button."""

    reason: str
    percent: int


def do(request: HttpRequest, version: ComponentVersion, move: str, by: User) -> None:
    """Do what the button says, and tell the person; 404 for a button that there is not."""
    if move not in _MOVES:
        raise Http404
    percent = request.POST.get("percent", "")
    reason = request.POST.get("reason", "").replace("\0", "")[:500]
    given = _Given(reason, int(percent) if _is_number(percent) else 0)
    try:
        said = _MOVES[move](version, by, given)
    except REFUSED as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, said)


def ask_model(request: HttpRequest, component: Component, by: User) -> None:
    """Have a model write a candidate as the form says, or stop that, and tell the person."""
    why = request.POST.get("why", "").replace("\0", "").strip()[:500]
    strategy = request.POST.get("strategy", "")
    under_way = searches.latest(component, of_one_text=True)
    try:
        if "stop" in request.POST:
            if under_way is not None:
                searches.stop(under_way, by=by)
            messages.success(request, "The model is not asked any more.")
        elif strategy not in Replay.Strategy.values or not why:
            messages.error(request, "Say why, and choose a strategy.")
        else:
            searches.ask_for_one(component, by=by, why=why, strategy=strategy)
            messages.success(request, "A model is asked for a candidate. You can leave this page.")
    except REFUSED as refused:
        messages.error(request, str(refused))


def search(request: HttpRequest, component: Component, by: User) -> None:
    """Begin a search for a better version, or stop the one under way, as the form says, and tell the person."""
    why = request.POST.get("why", "").replace("\0", "").strip()[:500]
    strategy, texts = request.POST.get("strategy", ""), request.POST.get("texts", "")
    under_way = searches.latest(component)
    try:
        if "stop" in request.POST:
            if under_way is not None:
                searches.stop(under_way, by=by)
            messages.success(request, "The search is stopped.")
        elif strategy not in Replay.Strategy.values or not why or not _is_number(texts):
            messages.error(request, "Say why, and choose a strategy and how many texts.")
        else:
            searches.ask(component, by=by, why=why, strategy=strategy, texts=int(texts))
            messages.success(request, "A better version is being searched for.")
    except REFUSED as refused:
        messages.error(request, str(refused))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 4


def _activate(version: ComponentVersion, user: User, given: _Given) -> str:
    activated = deciding.activate(version, by=user, reason=given.reason)
    return f"Version {activated.version} is active. {asked_again.of(activated, user).sentence}".rstrip()


def _retire(version: ComponentVersion, user: User, given: _Given) -> str:
    return f"Version {deciding.retire(version, by=user).version} is retired."


def _replay(version: ComponentVersion, user: User, given: _Given) -> str:
    replays.ask(version, by=user, why=given.reason)
    return f"Version {version.version} is being replayed beside {version.parent}."


def _canary(version: ComponentVersion, user: User, given: _Given) -> str:
    begun = deciding.begin_canary(version, by=user, percent=given.percent, reason=given.reason)
    return f"Version {begun.version} plans {begun.canary_percent} % of new goals from now on."


def _trials(version: ComponentVersion, user: User, given: _Given) -> str:
    tool_checks.ask(version, by=user)
    return f"The trials of version {version.version} are being run."


_MOVES: Mapping[str, Callable[[ComponentVersion, User, _Given], str]] = {
    "activate": _activate,
    "canary": _canary,
    "retire": _retire,
    "replay": _replay,
    "trials": _trials,
}
