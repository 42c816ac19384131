"""The pages of the bus: members and a search in words, requests, the log of both sides with its chart, breakers."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.bdi.bus.breaker import Terms
from agents.bdi.bus.routing import Strategy
from agents.bus import breakers, discovery, in_step, requests, settings
from agents.models import BusEntry, BusMember, BusRequest, BusSettings
from agents.pages.agents import bus_page
from agents.pages.agents.bus_page import RequestPage
from agents.record import bus_answers
from agents.record.errors import AgentsError, GoalRefused, NotPossibleNow, NotYours
from agents.record.selectors import workspaces_writable_by
from agents.states import RequestState
from agents.toolkit.schemas import JsonError, loads_strict
from mindx_web.presentation.over_time import chart
from people.models import User

_FILTERS = ("q", "state", "member", "side", "event", "kind", "capability")
_PARTS = (("good", "answered"), ("bad", "failed"), ("clay", "ended without an answer"))
_MOST_CHARS = 120_000


@require_safe
def members(request: HttpRequest) -> HttpResponse:
    """Who is on the bus; with a task in words who could do it, together with components of the library."""
    task = request.GET.get("task", "").replace("\0", "")[: discovery.TEXT_MAX].strip()
    shown: dict[str, Any] = {"tab": "members", "task": task}
    if task:
        # Typing looks and asks again; only what was sent as a form is a search that the log keeps.
        by = None if request.headers.get("HX-Trigger-Name") == "task" else _user(request)
        shown["results"] = discovery.search(task, by=by)
    else:
        in_step.refresh()
        shown["rows"] = bus_page.members()
    name = "agents/bus/_members.html" if request.headers.get("HX-Target") == "found" else "agents/bus/members.html"
    return render(request, name, shown)


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Requests, newest first."""
    return _requests(request, {})


@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """Ask for a capability, or for a task in words."""
    typed = {name: request.POST.get(name, "").replace("\r\n", "\n")[:_MOST_CHARS] for name in request.POST}
    try:
        asked = _asked(_user(request), typed)
    except AgentsError as refused:
        return _requests(request, typed, refused=str(refused))
    return redirect(asked)


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """One request."""
    [asked] = bus_answers.as_told([_found(request, pk)])
    page = RequestPage(asked, _user(request))
    name = "agents/bus/_request.html" if request.headers.get("HX-Target") == "request" else "agents/bus/request.html"
    return render(request, name, {"page": page, "asked": page.asked})


@require_POST
def act(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    """Cancel a request, or ask the same again in a copy."""
    asked = _found(request, pk)
    if what not in ("cancel", "replay"):
        raise Http404
    try:
        done = getattr(requests, what)(asked, by=_user(request))
    except NotYours as refused:
        raise PermissionDenied(str(refused)) from refused
    except (NotPossibleNow, GoalRefused) as refused:
        messages.error(request, str(refused))
        return redirect(asked)
    return redirect(done)


@require_safe
def log(request: HttpRequest) -> HttpResponse:
    """What was done on the bus: both sides, with a chart of how calls ended."""
    asked = _filters(request)
    rows = bus_page.entries_of(_user(request), asked)
    days, counts = bus_page.calls_by_day(rows)
    drawn = chart(
        "Calls", "how they ended", _PARTS, counts, days, per="day", say=lambda value: f"{value:,.0f}", least=4.0
    )
    page, following = _page(request, rows)
    events = BusEntry.objects.order_by("event").values_list("event", flat=True).distinct()
    shown = {"tab": "log", "entries": page, "next": following, "asked": asked, "chart": drawn, "events": events}
    return render(request, "agents/bus/log.html", {**shown, "first": days[0], "last": days[-1], **_names()})


@require_safe
def guards(request: HttpRequest) -> HttpResponse:
    """Breakers and the settings of the bus; with other settings, what they would have made of past calls."""
    now = settings.in_force()
    typed = _numbers(request, now)
    is_tried = "try" in request.GET
    shown = {
        "tab": "breakers",
        "breakers": bus_page.breakers(),
        "in_force": now,
        "typed": typed,
        "ranges": settings.RANGES,
        "tried": bus_page.tried(Terms(typed["failures"], float(typed["cooldown_s"]))) if is_tried else None,
        "as_now": bus_page.tried(now.terms) if is_tried else None,
        "may_change": settings.may_change(_user(request)),
        "history": BusSettings.objects.select_related("by").order_by("-pk")[:10],
    }
    return render(request, "agents/bus/breakers.html", shown)


@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Save the settings of the bus."""
    try:
        values = {name: int(request.POST.get(name, "")[:9]) for name in settings.RANGES}
        settings.change(by=_user(request), why=request.POST.get("why", "").replace("\0", ""), **values)
        messages.success(request, "Saved. The settings hold from the next decision on.")
    except NotYours as refused:
        raise PermissionDenied(str(refused)) from refused
    except GoalRefused as refused:
        messages.error(request, f"{refused.field}: {refused}")
    except ValueError:
        messages.error(request, "All four are whole numbers.")
    return redirect("bus-breakers")


@require_POST
def close(request: HttpRequest, pk: int) -> HttpResponse:
    """A person says that a member is well again."""
    member = get_object_or_404(BusMember, pk=pk)
    try:
        breakers.close(member, by=_user(request))
    except NotYours as refused:
        raise PermissionDenied(str(refused)) from refused
    messages.success(request, f"The breaker of {member.name} is closed.")
    return redirect("bus-breakers")


def _requests(request: HttpRequest, typed: dict[str, str], refused: str = "") -> HttpResponse:
    user, asked = _user(request), _filters(request)
    page, following = _page(request, bus_page.requests_of(user, asked))
    shown = {
        "tab": "requests",
        "requests": bus_answers.as_told(page),
        "next": following,
        "asked": asked,
        "typed": typed,
        "refused": refused,
        "key": uuid.uuid4().hex,
        "states": ["open", *(state.value for state in RequestState)],
        "strategies": list(Strategy),
        "workspaces": workspaces_writable_by(user).order_by("name")[:200],
        "capabilities": sorted({one.name for row in bus_page.members() for one in row.offers}),
    }
    status = 422 if refused else 200
    return render(request, "agents/bus/requests.html", {**shown, **_names()}, status=status)


def _asked(user: User, typed: dict[str, str]) -> BusRequest:
    workspace = None
    if name := typed.get("workspace", ""):
        workspace = workspaces_writable_by(user).filter(name=name.replace("\0", "")).first()
        if workspace is None:
            raise GoalRefused("workspace", "No workspace of yours has this name.")
    key = typed.get("key", "")[:64]
    return requests.request(
        by=user,
        capability=typed.get("capability", "").strip(),
        task=typed.get("task", "").strip(),
        content=_content(typed.get("content", "")),
        min_confidence=_confidence(typed.get("min_confidence", "")),
        strategy=typed.get("strategy", "") or Strategy.CONFIDENCE,
        why=typed.get("why", ""),
        workspace=workspace,
        key=f"form:{key}" if key.isalnum() else "",
    )


def _content(text: str) -> dict[str, Any] | None:
    if not text.strip():
        return None
    try:
        read = loads_strict(text)
    except JsonError as wrong:
        raise GoalRefused("content", f"The content is no JSON: {wrong}.") from wrong
    if not isinstance(read, dict):
        raise GoalRefused("content", 'The content is a JSON object, such as {"path": "notes.txt"}.')
    return read


def _confidence(text: str) -> float:
    try:
        return float(text or 0)
    except ValueError as wrong:
        raise GoalRefused("min_confidence", "The least confidence is a number from 0 to 1.") from wrong


def _numbers(request: HttpRequest, now: settings.InForce) -> dict[str, int]:
    """The settings as the address says them, within their ranges, else as they are."""
    found = {
        "failures": now.terms.failures,
        "cooldown_s": int(now.terms.cooldown_s),
        "depth": now.bounds.depth,
        "requests": now.bounds.requests,
    }
    for name, (least, most) in settings.RANGES.items():
        text = request.GET.get(name, "")
        if text.isascii() and text.isdigit() and len(text) < 7 and least <= int(text) <= most:
            found[name] = int(text)
    return found


def _filters(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "").replace("\0", "")[:200] for name in _FILTERS}


def _page(request: HttpRequest, rows: Any) -> tuple[list[Any], int | None]:
    after = request.GET.get("after", "")
    if after.isascii() and after.isdigit() and len(after) < 19:
        rows = rows.filter(pk__lt=int(after))
    found = list(rows[: bus_page.PAGE + 1])
    return found[: bus_page.PAGE], found[bus_page.PAGE - 1].pk if len(found) > bus_page.PAGE else None


def _names() -> dict[str, Any]:
    return {"names": BusMember.objects.order_by("name").values_list("name", flat=True)[:500]}


def _found(request: HttpRequest, pk: int) -> BusRequest:
    """Somebody else's request is as missing as one that never was."""
    return get_object_or_404(requests.visible_to(_user(request)), pk=pk)


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)
