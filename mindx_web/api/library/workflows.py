"""`workflows`: write one, read it, process it into a plan that people review."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml
from django.http import HttpResponse
from ninja import Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.actors import lifecycle
from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import MAX_CHARS
from agents.components import workflow_library
from agents.components.workflow_library import KIND, WorkflowInvalid
from agents.evolution.candidates import saving
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import Workspace
from agents.record import selectors
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import FieldError, Problem, invalid
from mindx_web.api.protocol.shapes import Strict
from mindx_web.api.review.intent_plans import PlanOut, plan_out
from people.models import User
from people.scopes import Scope

router = Router(tags=["workflows"])
_MAY_READ = BearerToken(Scope.LIBRARY_READ)
_MAY_WRITE = BearerToken(Scope.LIBRARY_WRITE)
_MAY_SUBMIT = BearerToken(Scope.GOALS_WRITE)
_MISSING = Problem(404, "There is no such workflow, or no such version of it.", kind="not_found")
_MOST_LISTED = 200


class WorkflowIn(Strict):
    """A workflow as YAML, or its steps as JSON. With an existing name it is the next version."""

    name: str | None = Field(None, max_length=120, description="its scenario_name; must agree with a body that has one")
    body: str | None = Field(None, max_length=MAX_CHARS, description="the YAML")
    steps: list[dict[str, Any]] | None = Field(None, max_length=100, description="instead of a body")
    params: dict[str, Any] = Field({}, description="defaults, beside steps")
    description: str = Field("", max_length=2_000)
    changes: str = Field("", max_length=500)


class ProcessIn(Strict):
    """The parameters. Without a workspace the goal gets a new one."""

    params: dict[str, Any] = {}
    workspace: str | None = Field(None, description="name of a workspace of yours")
    agent: str | None = Field(None, max_length=64, description="name of its agent; without one the first")
    version: str | None = Field(None, max_length=32, description="without one that in use, else the newest")
    priority: int = Field(3, ge=1, le=5, description="1 is adopted first, 5 last")


class FaultOut(Schema):
    """An error or a doubt at a line of the text, and how to correct it."""

    line: int
    message: str
    mend: str
    is_warning: bool


class ParamOut(Schema):
    """A parameter; without a default it is required."""

    name: str
    default: Any
    required: bool


class WorkflowOut(Schema):
    """A workflow with the version that is processed. `undefined`: tools that it defines and that are not yet in use."""

    id: str
    name: str
    description: str
    version: str
    version_id: str
    status: str
    body: str
    params: list[ParamOut]
    faults: list[FaultOut]
    undefined: list[str]


class WorkflowPage(Schema):
    """All workflows, by name."""

    items: list[WorkflowOut]
    next: str | None = None


@router.post("", response={201: WorkflowOut}, auth=_MAY_WRITE, operation_id="write_workflow")
def create(request: ApiRequest, payload: WorkflowIn) -> Status[WorkflowOut]:
    """Write a workflow, or the next version of one. It is a candidate; 422 names every line with an error.

    If goals of the workflow have run, the next version is replayed beside the one before.
    """
    body = _body(payload)
    name = (workflow_library.name_of(body) or "")[:120]
    if payload.name is not None and name and payload.name != name:
        raise invalid("name", "The body has another scenario_name. Leave the name out, or give the same.")
    of = Component.objects.filter(kind=KIND, name=name).first() if name else None
    try:
        saved = saving.save_workflow(body, by=request.auth.user, of=of, changes=payload.changes).version
    except WorkflowInvalid as wrong:
        raise _lines(wrong.faults) from wrong
    except LibraryRefused as refused:
        if refused.field:
            raise invalid(refused.field, str(refused)) from refused
        raise Problem(403, str(refused), kind="forbidden") from refused
    return Status(201, _out(saved))


@router.get("", response=WorkflowPage, auth=_MAY_READ, operation_id="list_workflows")
def page(request: ApiRequest) -> WorkflowPage:
    """All workflows, by name."""
    rows = Component.objects.filter(kind=KIND).order_by("name")[:_MOST_LISTED]
    found = (workflow_library.version_of(component) for component in rows)
    return WorkflowPage(items=[_out(version) for version in found if version is not None])


@router.get("/{component_id}", response=WorkflowOut, auth=_MAY_READ, operation_id="get_workflow")
def one(request: ApiRequest, component_id: str) -> WorkflowOut:
    """One workflow, as it would be processed, with all its errors."""
    return _out(_found(component_id, None))


@router.post("/{component_id}/process", response={201: PlanOut}, auth=_MAY_SUBMIT, operation_id="process_workflow")
def process(request: ApiRequest, response: HttpResponse, component_id: str, payload: ProcessIn) -> Status[PlanOut]:
    """Make a goal with the plan of the workflow, for review. With an Idempotency-Key a repeated request makes one."""
    user = request.auth.user
    version = _found(component_id, payload.version)
    agent = lifecycle.usable(payload.agent, by=user) if payload.agent is not None else None
    key = request.headers.get("Idempotency-Key", "")
    terms = Terms(user, _workspace(user, payload.workspace), agent, payload.priority, f"api:{key}" if key else "")
    try:
        plan = workflow_goals.process(version, payload.params, terms)
    except WorkflowInvalid as wrong:
        raise _lines(wrong.faults) from wrong
    response.headers["Location"] = f"/api/v1/intent-plans/{plan.pk}"
    return Status(201, plan_out(plan))


def _body(payload: WorkflowIn) -> str:
    """The YAML. A name for a body without one is added at its end, so that line numbers stay."""
    if (payload.body is None) == (payload.steps is None):
        raise invalid("body", "Give the YAML as body, or the steps instead.")
    if payload.steps is not None:
        written = {"scenario_name": payload.name, "description": payload.description, "params": payload.params}
        kept = {key: value for key, value in written.items() if value}
        return str(yaml.safe_dump({**kept, "steps": payload.steps}, sort_keys=False, allow_unicode=True))
    body = payload.body or ""
    if payload.name is None or workflow_library.name_of(body) is not None:
        return body
    return f"{body.rstrip()}\n{yaml.safe_dump({'scenario_name': payload.name}, allow_unicode=True)}"


def _workspace(user: User, name: str | None) -> Workspace | None:
    if name is None:
        return None
    found = selectors.workspaces_writable_by(user).filter(name=name).first()
    if found is None:
        raise invalid("workspace", "There is no workspace of yours with this name.")
    return found


def _found(component_id: str, version: str | None) -> ComponentVersion:
    component = Component.objects.filter(kind=KIND, pk=found_id(component_id, _MISSING)).first()
    found = workflow_library.version_of(component, version or "") if component is not None else None
    if found is None:
        raise _MISSING
    return found


def _lines(faults: Iterable[Fault]) -> Problem:
    """Each fault at its line of the body."""
    errors = [FieldError(f"line {fault.line}", str(fault).partition(": ")[2]) for fault in faults]
    return Problem(422, "The workflow is not valid.", kind="workflow_invalid", errors=errors)


def _out(version: ComponentVersion) -> WorkflowOut:
    checked = workflow_library.check(version.body, instead_of=version.component.name, version=version.version)
    params = checked.workflow.params if checked.workflow is not None else {}
    definitions = checked.bound.definitions if checked.bound is not None else ()
    return WorkflowOut(
        id=str(version.component_id),
        name=version.component.name,
        description=version.component.description,
        version=version.version,
        version_id=str(version.pk),
        status=version.status,
        body=version.body,
        params=[ParamOut(name=name, default=one, required=one is None) for name, one in params.items()],
        faults=[FaultOut(**vars(fault)) for fault in checked.faults],
        undefined=[one.name for one in definitions if not one.is_in_use],
    )
