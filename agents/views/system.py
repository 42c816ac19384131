"""The system agents on one page: what each of them does, and asking one of them by a request of the bus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bus import providers, requests
from agents.record.errors import AgentsError
from agents.system import asking_now
from agents.views.asking import person_of

_TEXT_MAX = 1_000


@dataclass(frozen=True)
class Form:
    """How an agent is asked on this page: the capability, and the one thing that goes in ("" for nothing)."""

    agent: str
    capability: str
    button: str
    field: str = ""
    label: str = ""
    is_number: bool = False


FORMS = (
    Form("MemoryManager", "answer_about_experience", "Ask memory", "question", "Question about earlier goals"),
    Form("EvolutionStrategist", "propose_evolution", "What should change?"),
    Form("IntentReviewer", "read_plan", "Read its plan", "goal", "Number of the goal", is_number=True),
    Form("SystemAgent", "find_components", "Find components", "task", "Task that a component should suit"),
    Form("SystemAgent", "discover_agents", "Find agents", "task", "Task that an agent should do"),
    Form("SystemAgent", "build_context", "Gather what is known", "task", "Task to gather it for"),
)


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """All of them; a question goes on to its request, which shows the answer."""
    if request.method != "POST":
        return _page(request)
    form = next((one for one in FORMS if one.capability == request.POST.get("capability")), None)
    if form is None:
        return _page(request, "Choose one of the agents below.", status=422)
    said = request.POST.get("said", "").replace("\0", "").strip()[:_TEXT_MAX]
    try:
        asked = requests.request(
            by=person_of(request),
            capability=form.capability,
            content=_content(form, said, keep=request.POST.get("keep") == "on"),
            why="asked on the page of the system agents",
            key=request.POST.get("key", "")[:64],
        )
    except AgentsError as refused:
        return _page(request, str(refused), status=422)
    asking_now.answer(asked)
    return redirect("bus-request", asked.pk)


def _content(form: Form, said: str, *, keep: bool) -> dict[str, Any]:
    if not form.field:
        return {}
    if form.is_number:
        return {form.field: int(said) if said.isdecimal() and len(said) < 15 else 0, "keep": keep}
    return {form.field: said}


def _page(request: HttpRequest, refused: str = "", *, status: int = 200) -> HttpResponse:
    known = providers.connected()
    names = ("SystemAgent", "ArchitectZero", "MemoryManager", "EvolutionStrategist", "IntentReviewer")
    shown = [
        {"about": known[name], "forms": [form for form in FORMS if form.agent == name]}
        for name in names
        if name in known
    ]
    return render(request, "agents/system/agents.html", {"agents": shown, "refused": refused}, status=status)
