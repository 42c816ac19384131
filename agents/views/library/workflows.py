"""The pages of workflows: all of them, one with its versions, graph and text, and processing it into a plan."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import Workflow
from agents.components import tool_writing, workflow_library
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import KIND, WorkflowInvalid
from agents.evolution.activation import deciding, tool_checks
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import Replay
from agents.pages.evolution import replay_page, search_page, trial_page
from agents.pages.library import flow_page
from agents.presentation.line_diff import compare
from agents.presentation.values import as_text
from agents.record.errors import AgentsError, GoalRefused, PlanInvalid
from agents.record.selectors import workspaces_writable_by
from agents.toolkit.schemas import JsonError, loads_strict
from agents.views.library import version_moves
from agents.views.library.versions import version_in_use, version_named_in
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User

_MOST_SHOWN = 200
_MOST_CHARS = 20_000
_PREFIX = "param-"
_FRAGMENTS = {
    "replay": "agents/rules/_replay.html",
    "watch": "agents/rules/_watch.html",
    "search": "agents/rules/_search.html",
    "writer": "agents/rules/_writer.html",
}


@dataclass(frozen=True)
class ParamField:
    """One input of the form that processes a workflow."""

    name: str
    value: str
    is_required: bool

    @property
    def field(self) -> str:
        """The name of the input."""
        return _PREFIX + self.name

    @property
    def needs_lines(self) -> bool:
        """Whether the value would lose something in an input of one line."""
        return "\n" in self.value or len(self.value) > 100


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All workflows, by name."""
    rows = Component.objects.filter(kind=KIND).order_by("name")[:_MOST_SHOWN]
    found = [(component, workflow_library.version_of(component)) for component in rows]
    context = {
        "workflows": [(component, version) for component, version in found if version is not None],
        "may_write": services.may_write(request.user),
    }
    return render(request, "agents/workflows/list.html", context)


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One workflow: a version of it, as it is read, drawn and processed."""
    component = get_object_or_404(Component, kind=KIND, pk=pk)
    return _page(request, component, {})


@require_POST
def move(request: HttpRequest, pk: int, version: int, move: str) -> HttpResponse:
    """Put a version to use, have it replayed beside its parent, or take it out of use."""
    found = _version(pk, version)
    user: Any = request.user
    if move not in ("activate", "replay", "retire"):
        raise Http404
    version_moves.do(request, found, move, user)
    return redirect(_address(found))


@require_POST
def ask_model(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a model write a candidate, which is replayed like a person's; or stop that."""
    user: Any = request.user
    version_moves.ask_model(request, get_object_or_404(Component, kind=KIND, pk=pk), user)
    return redirect(reverse("workflow", args=[pk]) + "#writer")


@require_POST
def search(request: HttpRequest, pk: int) -> HttpResponse:
    """Search for a better version with a model, or stop that."""
    user: Any = request.user
    version_moves.search(request, get_object_or_404(Component, kind=KIND, pk=pk), user)
    return redirect(reverse("workflow", args=[pk]) + "#search")


@require_POST
def define(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """Save a tool that the workflow defines as a candidate, and have its trials run."""
    found = _version(pk, version)
    user: Any = request.user
    checked = workflow_library.check(found.body, instead_of=found.component.name)
    name = request.POST.get("name", "")
    text = next((one.text for one in (checked.bound.definitions if checked.bound else ()) if one.name == name), None)
    if text is None:
        raise Http404
    try:
        with transaction.atomic():
            of = Component.objects.filter(kind=Component.Kind.TOOL, name=name).first()
            saved = tool_writing.save(text, by=user, of=of, changes=f"defined by the workflow {found.component.name}")
            tool_checks.ask(saved, by=user)
    except (ToolInvalid, LibraryRefused) as refused:
        messages.error(request, str(refused))
        return redirect(_address(found))
    messages.success(request, f"Version {saved.version} of “{name}” is a candidate. Its trials are being run.")
    return redirect(f"{reverse('tool', args=[name])}?version={saved.pk}")


@require_POST
def process(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """Make a goal with the plan of this version; nothing runs before the plan was approved."""
    found = _version(pk, version)
    user: Any = request.user
    checked = workflow_library.check(found.body, instead_of=found.component.name)
    typed = {
        name: request.POST[_PREFIX + name].replace("\r\n", "\n").replace("\0", "")[:_MOST_CHARS]
        for name in (checked.workflow.params if checked.workflow else {})
        if _PREFIX + name in request.POST
    }
    try:
        params = _given(checked.workflow, typed)
        terms = Terms(user, _workspace(request, user), key=_key(request))
        plan = workflow_goals.process(found, params, terms)
    except WorkflowInvalid as invalid:
        return _page(request, found.component, typed, list(map(str, invalid.faults)), version=found)
    except PlanInvalid as invalid:
        problems = [f"Step {one.position}: {one.message}" for one in invalid.problems]
        return _page(request, found.component, typed, problems, version=found)
    except AgentsError as refused:
        return _page(request, found.component, typed, [str(refused)], version=found)
    return redirect(plan.get_absolute_url())


def _page(
    request: HttpRequest,
    component: Component,
    typed: Mapping[str, str],
    refused: list[str] | None = None,
    *,
    version: ComponentVersion | None = None,
) -> HttpResponse:
    rows = component.versions.select_related("component", "created_by", "parent")
    versions = list(rows.defer("content_embedding", "applicability_embedding").order_by("-pk"))
    shown = version or version_named_in(request, "version", versions) or workflow_library.version_of(component)
    if shown is None:
        raise Http404("This workflow has no version.")
    against = version_named_in(request, "against", versions)
    user: Any = request.user
    checked = workflow_library.check(shown.body, instead_of=component.name, version=shown.version)
    page = reverse("workflow", args=[component.pk])
    by_line: dict[int, list[Fault]] = {}
    for fault in checked.faults:
        by_line.setdefault(fault.line, []).append(fault)
    context = {
        "component": component,
        "versions": versions,
        "shown": shown,
        "against": against,
        "difference": compare(against.body, shown.body) if against else None,
        "active": version_in_use(versions),
        "checked": checked,
        "graph": flow_page.drawn(checked.bound) if checked.bound and checked.bound.steps else None,
        "lines": [(line, by_line.get(number, [])) for number, line in enumerate(shown.body.splitlines(), 1)],
        "fields": _fields(checked.workflow, typed),
        "workspaces": workspaces_writable_by(user).order_by("name")[:_MOST_SHOWN],
        "workspace": request.POST.get("workspace", ""),
        "key": uuid.uuid4().hex,
        "refused": refused or [],
        "undefined": [one for one in (checked.bound.definitions if checked.bound else ()) if not one.is_in_use],
        "may_write": services.may_write(user),
        "may_activate": services.may_activate(user),
        "standing": deciding.standing(shown),
        "proof": replay_page.of(shown, user),
        "ab_trials": trial_page.OfComponent(component, user),
        "writer": search_page.writer_of(component),
        "strategies": Replay.Strategy.choices,
        "found": search_page.of(component, user),
        "page": page,
        "moves": f"{page}versions/{shown.pk}",
    }
    template = _FRAGMENTS.get(request.headers.get("HX-Target", ""), "agents/workflows/workflow.html")
    return render(request, template, context, status=422 if refused else 200)


def _fields(workflow: Workflow | None, typed: Mapping[str, str]) -> list[ParamField]:
    if workflow is None:
        return []
    return [
        ParamField(name, typed.get(name, "" if default is None else as_text(default)), default is None)
        for name, default in workflow.params.items()
    ]


def _given(workflow: Workflow | None, typed: Mapping[str, str]) -> dict[str, Any]:
    """The parameters that a form says. Where nothing was changed the default stays the value it is."""
    found: dict[str, Any] = {}
    for name, text in typed.items():
        default = workflow.params[name] if workflow else None
        if text == ("" if default is None else as_text(default)):
            continue
        if isinstance(default, list | dict):
            try:
                found[name] = loads_strict(text)
            except JsonError as wrong:
                raise WorkflowInvalid((Fault(1, f"the parameter “{name}” is no JSON: {wrong}"),)) from wrong
        else:
            found[name] = text
    return found


def _workspace(request: HttpRequest, user: User) -> Any:
    name = request.POST.get("workspace", "")
    if not name:
        return None
    found = workspaces_writable_by(user).filter(name=name[:100]).first()
    if found is None:
        raise GoalRefused("workspace", "No workspace of yours has this name.")
    return found


def _key(request: HttpRequest) -> str:
    key = request.POST.get("key", "")[:64]
    return f"form:{key}" if key.isalnum() else ""


def _version(pk: int, version: int) -> ComponentVersion:
    rows = ComponentVersion.objects.select_related("component", "parent")
    return get_object_or_404(rows, pk=version, component_id=pk, component__kind=KIND)


def _address(version: ComponentVersion) -> str:
    return f"{reverse('workflow', args=[version.component_id])}?version={version.pk}"
