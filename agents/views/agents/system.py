"""The system agents on one page: what each of them does, and asking one of them by a request of the bus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bus import providers, requests
from agents.evolution.candidates import asking
from agents.record.errors import AgentsError
from agents.system import asking_now
from agents.toolkit.finishing import SERVICES
from agents.toolkit.tools import system_agent
from agents.views.access import person_of

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
    takes_model: bool = False


# What each of them does where no language model is set up; said on its card.
WITHOUT_MODEL = {
    "SystemAgent": "Without a language model it does everything below except write new text and code.",
    "ArchitectZero": "Without a language model, templates make one component of each sentence.",
    "MemoryManager": "Without a language model it counts and quotes what it finds instead of summing it up.",
    "EvolutionStrategist": "It never asks a language model: it reads the records of past goals.",
    "IntentReviewer": "Without a language model it checks the plan by rules only.",
}
# The same for the commands of SystemAgent that ask one.
COMMANDS_WITHOUT_MODEL = {
    "design_solution": "templates split the requirements",
    "create_component": "needs the component's whole text",
    "evolve_component": "adds an item to the backlog for a person",
    "generate_workflow": "uses the plan of an achieved goal; fails where there is none",
}

FORMS = (
    Form(
        "MemoryManager",
        "answer_about_experience",
        "Ask memory",
        "question",
        "Question about earlier goals",
        takes_model=True,
    ),
    Form("EvolutionStrategist", "propose_evolution", "What should change?"),
    Form(
        "IntentReviewer", "read_plan", "Read its plan", "goal", "Number of the goal", is_number=True, takes_model=True
    ),
    Form("SystemAgent", "find_components", "Find components", "task", "Task for a component"),
    Form("SystemAgent", "discover_agents", "Find agents", "task", "Task for an agent"),
    Form("SystemAgent", "build_context", "Gather what is known", "task", "Task to gather knowledge for"),
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
            content=_content(form, said, request.POST),
            why="asked on the page of the system agents",
            key=request.POST.get("key", "")[:64],
        )
    except AgentsError as refused:
        return _page(request, str(refused), status=422)
    asking_now.answer(asked)
    return redirect("bus-request", asked.pk)


def _content(form: Form, said: str, ticked: Mapping[str, str]) -> dict[str, Any]:
    if not form.field:
        return {}
    content: dict[str, Any] = {form.field: said}
    if form.is_number:
        content = {form.field: int(said) if said.isdecimal() and len(said) < 15 else 0, "keep": "keep" in ticked}
    return {**content, "with_model": True} if form.takes_model and "with_model" in ticked else content


def _page(request: HttpRequest, refused: str = "", *, status: int = 200) -> HttpResponse:
    known = providers.connected()
    names = ("SystemAgent", "ArchitectZero", "MemoryManager", "EvolutionStrategist", "IntentReviewer")
    shown = [
        {
            "about": known[name],
            "forms": [form for form in FORMS if form.agent == name],
            "without_model": WITHOUT_MODEL[name],
        }
        for name in names
        if name in known
    ]
    commands = [
        {
            "name": one.name,
            # What is the same for all of them stands once, below the list.
            "does": one.summary.removesuffix(SERVICES[one.finish].words),
            "without_model": COMMANDS_WITHOUT_MODEL.get(one.name, ""),
        }
        for one in system_agent.TOOL.commands
    ]
    context = {"agents": shown, "commands": commands, "models": asking.budget().models, "refused": refused}
    return render(request, "agents/system/agents.html", context, status=status)
