"""The page of agents elsewhere: what their cards say, whether a person has let mindX ask them, and a form for more."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agents.components import made_tools
from agents.foreign import reading
from agents.models import ForeignAgent
from agents.record.errors import NotPossibleNow
from agents.views.access import person_of
from library.components import services
from library.errors import LibraryRefused

_SHOWN, _READINGS = 200, 5


@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """All of them; POST has a worker read a card."""
    if request.method != "POST":
        return _page(request)
    said = request.POST.get("address", "").replace("\0", "")[:2_001]
    try:
        reading.ask(said, by=person_of(request))
    except LibraryRefused as error:
        return _page(request, said, str(error), 403)
    except (NotPossibleNow, ValueError) as error:
        return _page(request, said, str(error), 422)
    return redirect("agents-foreign")


@require_safe
def readings(request: HttpRequest) -> HttpResponse:
    """The results of the cards that this person had read; the part reloads itself while one is still open."""
    return render(request, "agents/foreign/_readings.html", _lately(request))


def _lately(request: HttpRequest) -> dict[str, Any]:
    rows = list(reading.lately(person_of(request))[:_READINGS])
    return {"readings": rows, "is_reading": any(row.is_open for row in rows)}


def _page(request: HttpRequest, said: str = "", refused: str = "", status: int = 200) -> HttpResponse:
    agents = list(ForeignAgent.objects.select_related("registered_by")[:_SHOWN])
    for agent in agents:
        agent.enabled = made_tools.version_in_use(agent.tool) is not None  # type: ignore[attr-defined]  # for the page
    context = {
        "agents": agents,
        "said": said,
        "refused": refused,
        "may_write": services.may_write(request.user),
        **_lately(request),
    }
    return render(request, "agents/foreign/list.html", context, status=status)
