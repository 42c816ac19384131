"""The page of agents elsewhere: what their cards say, whether a person has let mindX ask them, and a form for more."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents.components import made_tools
from agents.components.tool_writing import ToolInvalid
from agents.foreign import registering
from agents.foreign.cards import CardRefused
from agents.foreign.fetching import NotFetched
from agents.models import ForeignAgent
from agents.record.errors import NotPossibleNow
from agents.views.access import person_of
from library.components import services
from library.errors import LibraryRefused

_SHOWN = 200
_REFUSALS = (CardRefused, NotFetched, ToolInvalid, NotPossibleNow, ValueError)


@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest) -> HttpResponse:
    """All of them; POST reads a card."""
    said = ""
    if request.method == "POST":
        said = request.POST.get("address", "").replace("\0", "")[:2_001]
        refused, status = "", 422
        try:
            done = registering.register(said, by=person_of(request))
        except LibraryRefused as error:
            refused, status = str(error), 403
        except _REFUSALS as error:
            refused = str(error)
        else:
            return _registered(request, done)
        return _page(request, said, refused, status)
    return _page(request, said, "", 200)


def _registered(request: HttpRequest, done: registering.Registered) -> HttpResponse:
    if done.candidate is None:
        messages.success(request, f"The card of {done.agent.name} was read again. Its address is as before.")
        return redirect("agents-foreign")
    told = f"{done.agent.name} is registered. Nothing asks it before its tool is activated: read its code here."
    messages.success(request, told)
    return redirect(f"{reverse('tool', args=[done.agent.tool])}?version={done.candidate.pk}")


def _page(request: HttpRequest, said: str, refused: str, status: int) -> HttpResponse:
    agents = list(ForeignAgent.objects.select_related("registered_by")[:_SHOWN])
    for agent in agents:
        agent.enabled = made_tools.version_in_use(agent.tool) is not None  # type: ignore[attr-defined]  # for the page
    context = {
        "agents": agents,
        "said": said,
        "refused": refused,
        "may_write": services.may_write(request.user),
    }
    return render(request, "agents/foreign/list.html", context, status=status)
