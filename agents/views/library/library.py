"""The pages of the library: searching all components, and one component with its versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.actors import prompt_versions
from agents.evolution.replays import asking_again, replays
from agents.models import Replay
from agents.pages.evolution import prompt_page, replay_page, search_page, trial_page
from agents.pages.evolution.replay_page import PERCENTS
from agents.pages.library import component_uses
from agents.pages.library.component_page import page_of
from agents.presentation import lineage_graph
from agents.presentation.line_diff import compare
from agents.presentation.lineage_graph import Lineage
from agents.views.library.versions import version_in_use, version_named_in
from library import renewal
from library.components import search as searching
from library.components import services
from library.components.search import WEIGHT, Filters, Found
from library.errors import LibraryRefused
from library.memory import selectors as memory
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import declared

_WITH_PAGES = (Component.Kind.RULE, Component.Kind.TOOL, Component.Kind.WORKFLOW)
# By the id of a part of the page: what it shows, where there is any, and its template.
_FRAGMENTS = {
    "replay": ("proof", "agents/library/_replay.html"),
    "writer": ("writer", "agents/rules/_writer.html"),
    "search": ("found", "agents/rules/_search.html"),
}
_WHOLE = "agents/library/component.html"
_LISTED = 30
_DOMAINS = 50
_DRAWN = 60
_WEIGHTS = (0, 30, 50, 70, 100)


@dataclass(frozen=True)
class Asked:
    """What the address asks for, tidied as it is compared; the page shows it, so that it can be corrected."""

    query: str
    task: str
    kind: str
    domain: str
    status: str
    tag: str
    weight_percent: int

    @property
    def filters(self) -> Filters:
        """Which versions are looked at."""
        return Filters(self.kind, self.domain, self.status, (self.tag,) if self.tag else ())

    @property
    def is_set(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.query or self.task or self.kind or self.domain or self.tag)


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Components that suit a task and resemble a query, as it is typed; by name without either."""
    asked = _asked(request)
    results = searching.search(asked.query, asked.task, asked.filters, weight=asked.weight_percent / 100, limit=_LISTED)
    context = {
        "asked": asked,
        "results": results,
        "found": [Hit(one) for one in results.items],
        "weights": sorted({*_WEIGHTS, asked.weight_percent}),
        "kinds": Component.Kind.choices,
        "statuses": ComponentVersion.Status.choices,
        "domains": Component.objects.order_by("domain").values_list("domain", flat=True).distinct()[:_DOMAINS],
    }
    if request.headers.get("HX-Target") == "found":
        return render(request, "agents/library/_list.html", context)
    context["renewals"] = [one for one in renewal.progress() if one.others] if renewal.is_under_way() else []
    return render(request, "agents/library/list.html", context)


@dataclass(frozen=True)
class Hit:
    """A component that was found, with its scores as bars of 0 to 100."""

    found: Found

    @property
    def bars(self) -> list[tuple[str, int]]:
        """Each score that was compared, by what it compares; a negative similarity is an empty bar."""
        scores = self.found.scores
        named = (("task", scores.task), ("query", scores.content))
        return [(name, max(0, round(100 * score))) for name, score in named if score is not None]

    @property
    def total(self) -> int:
        """The score that ranks, 0 to 100."""
        return max(0, round(100 * self.found.scores.total))

    @property
    def usage(self) -> int:
        """How much of it is for what has proved itself, 0 to 5."""
        return round(100 * self.found.scores.usage)


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One component: its versions with what they came from, any two compared, and the goals that would find it."""
    component = get_object_or_404(Component, pk=pk)
    versions = list(component.versions.select_related("component", "created_by", "parent").order_by("-pk"))
    shown = version_named_in(request, "version", versions) or version_in_use(versions) or next(iter(versions), None)
    against = version_named_in(request, "against", versions)
    user: Any = request.user
    context = {
        "component": component,
        "versions": versions,
        "shown": shown,
        "against": against,
        "difference": compare(against.body, shown.body) if against and shown else None,
        "own_page": page_of(component) if component.kind in _WITH_PAGES and versions else "",
        "uses": component_uses.of(component, user),
        "lineage": _lineage(versions),
        "goals": memory.that_would_find(shown.pk, user=user) if shown else [],
        "may_write": services.may_write(user),
        "prompt": declared.every().get(component.name) if component.kind == Component.Kind.PROMPT else None,
        "may_activate": prompt_versions.may_activate(user),
        "calls": _calls(component, user),
        "canary": prompt_page.canary_of(shown) if component.kind == Component.Kind.PROMPT and shown else None,
        "percents": PERCENTS,
        **_replayed(shown, user),
        **_written(component, user),
        "ab_trials": trial_page.OfComponent(component, user),
        "has_canary": any(one.status == ComponentVersion.Status.CANARY for one in versions),
    }
    part = request.headers.get("HX-Target", "")
    template = _FRAGMENTS[part][1] if part in _FRAGMENTS and context.get(_FRAGMENTS[part][0]) else _WHOLE
    return render(request, template, context)


def _lineage(versions: list[ComponentVersion]) -> Lineage | None:
    """Versions as a graph; None where it would show nothing that the list does not."""
    rows = [(one.pk, one.version, one.status, one.parent_id) for one in reversed(versions[:_DRAWN])]
    return lineage_graph.draw(rows) if len(rows) > 1 else None


def _replayed(shown: ComponentVersion | None, user: Any) -> dict[str, Any]:
    """The replay of a version of a prompt, of firmware or of an agent, and what one may cost."""
    if shown is None or shown.parent_id is None or not replays.asks_models(shown):
        return {"proof": None}
    cost = replays.cost(shown) if shown.status != ComponentVersion.Status.ACTIVE else None
    return {"proof": replay_page.of(shown, user), "cost": cost}


def _written(component: Component, user: Any) -> dict[str, Any]:
    """What a model writes of a prompt, and what asking it may cost; of other kinds their own pages say so."""
    if component.kind != Component.Kind.PROMPT or component.name not in declared.every():
        return {}
    return {
        "writer": search_page.writer_of(component),
        "found": search_page.of(component, user),
        "strategies": Replay.Strategy.choices,
        "page": page_of(component),
    }


def _calls(component: Component, user: Any) -> list[ModelCall]:
    """The newest calls on which a version of a prompt can be tried, for those who may ask a model again."""
    if component.kind != Component.Kind.PROMPT or not prompt_versions.may_activate(user):
        return []
    return asking_again.newest_of(component.name)


@require_POST
def say_when(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """Change the text that says when a version is of use."""
    user: Any = request.user
    found = get_object_or_404(ComponentVersion.objects.select_related("component"), pk=version, component_id=pk)
    try:
        services.say_when(found, request.POST.get("when", ""), by=user)
    except LibraryRefused as refused:
        if not refused.field:
            raise PermissionDenied(str(refused)) from refused
        messages.error(request, str(refused))
    else:
        messages.success(request, "Saved. Searches use the new text.")
    return redirect(f"{reverse('library-component', args=[pk])}?version={version}")


def _asked(request: HttpRequest) -> Asked:
    said = {
        name: request.GET.get(name, "").replace("\0", "").strip() for name in ("q", "task", "kind", "domain", "tag")
    }
    status = request.GET.get("status", ComponentVersion.Status.ACTIVE)
    weight = request.GET.get("weight", "")
    percent = int(weight) if weight.isascii() and weight.isdigit() and len(weight) < 4 else round(100 * WEIGHT)
    return Asked(
        query=" ".join(said["q"].split())[:500],
        task=" ".join(said["task"].split())[: searching.TEXT_MAX_CHARACTERS],
        kind=said["kind"] if said["kind"] in Component.Kind.values else "",
        domain=said["domain"][:64],
        status=status if status in ComponentVersion.Status.values else "",
        tag=said["tag"][:64],
        weight_percent=min(percent, 100),
    )
