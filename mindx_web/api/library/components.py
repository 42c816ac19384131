"""`components`: search the library by task and query; one component, its versions and their lineage."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import Annotated, Any, Literal

from django.db import transaction
from django.http import HttpResponse
from ninja import Field, Query, Router, Schema
from ninja.responses import Status

from agents.actors import prompt_versions
from agents.components import made_tools, rule_writing, tool_writing, workflow_library
from agents.components.rules import KIND as RULE
from agents.components.workflow_library import KIND as WORKFLOW
from agents.evolution.activation import tool_checks
from agents.evolution.candidates import searches, writing
from agents.evolution.replays import replays
from agents.models import Replay
from library.components import search as searching
from library.components.search import WEIGHT, Filters
from library.models import Component, ComponentVersion
from library.prompts.in_use import KIND as PROMPT
from mindx_web.api.library.candidates import CandidateOut, candidate_out, refusals
from mindx_web.api.library.searches import SearchOut, begun
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import Limit, found_id
from mindx_web.api.protocol.problems import Problem, invalid
from people.scopes import Scope

router = Router(tags=["components"])
_MAY_READ = BearerToken(Scope.LIBRARY_READ)
_MAY_WRITE = BearerToken(Scope.LIBRARY_WRITE)
_MISSING = Problem(404, "There is no such component.", kind="not_found")


class ScoresOut(Schema):
    """Cosine similarities of task and query (null: not asked, or no vector), the score for usage, and the sum."""

    task: float | None
    content: float | None
    usage: float
    total: float


class VersionOut(Schema):
    """One version of a component; its body never changes."""

    id: str
    version: str
    status: str
    parent: str | None
    body: str
    changes: str
    applicability_text: str
    created_by: str | None
    created_at: datetime
    uses: int
    successes: int
    failures: int
    last_used_at: datetime | None


class ComponentOut(Schema):
    """A component, with the version that is in use or was found."""

    id: str
    kind: str
    name: str
    description: str
    domain: str
    tags: list[str]
    version: VersionOut | None


class FoundOut(ComponentOut):
    """A component that was found, and the scores for its place."""

    scores: ScoresOut


class ComponentPage(Schema):
    """Best first, or by name without a task and a query. `next` is null: there is only one page.

    `by_words`: why meaning could not be compared, so that all words have to be found; else empty.
    """

    items: list[FoundOut]
    next: str | None = None
    by_words: str = ""


class VersionPage(Schema):
    """All versions of a component, newest first."""

    items: list[VersionOut]
    next: str | None = None


class EdgeOut(Schema):
    """A version and the one it was made from, by their numbers."""

    parent: str
    child: str


class LineageOut(Schema):
    """The versions of a component as a graph."""

    versions: list[str]
    edges: list[EdgeOut]


class DiffOut(Schema):
    """What differs between two versions, as a unified diff."""

    from_version: str
    to_version: str
    diff: str


class EvolveIn(Schema):
    """Why a component should change, how much, and the text of the candidate; without a text a model writes it."""

    why: str = Field(min_length=1, max_length=500)
    strategy: Replay.Strategy = Replay.Strategy.STANDARD
    body: str | None = Field(None, min_length=1, max_length=100_000)


class ComponentIn(Schema):
    """A new rule, tool or workflow: its text, or for a tool or a workflow a sentence from which a model writes it."""

    kind: Literal["rule", "tool", "workflow"]
    body: str | None = Field(None, min_length=1, max_length=100_000)
    wish: str | None = Field(None, min_length=1, max_length=writing.MOST_WISH)
    changes: str = Field("", max_length=500)


@router.post("", response={201: CandidateOut, 202: SearchOut}, auth=_MAY_WRITE, operation_id="create_component")
def create(
    request: ApiRequest, response: HttpResponse, payload: ComponentIn
) -> Status[CandidateOut] | Status[SearchOut]:
    """Write a new rule, tool or workflow. It is a candidate; the trials of a tool are run.

    With a `wish` a worker asks a model: the answer is 202 with a search for one text, whose address is in `href` and
    Location. 409 says why no model can be asked.
    """
    user = request.auth.user
    if (payload.body is None) == (payload.wish is None) or (payload.wish is not None and payload.kind == RULE):
        raise invalid("body", "Give the text as body, or for a tool or a workflow a wish instead.")
    with refusals():
        if payload.wish is not None:
            return Status(202, begun(searches.ask_for_new(payload.kind, payload.wish, by=user), response))
        with transaction.atomic():
            saved = _written(payload.kind, payload.body or "", None, payload.changes, user)
    return Status(201, candidate_out(saved, user))


def _written(kind: str, body: str, of: Component | None, changes: str, user: Any) -> ComponentVersion:
    if kind == RULE:
        return rule_writing.save(body, by=user, of=of, changes=changes)
    if kind == WORKFLOW:
        return workflow_library.save(body, by=user, of=of, changes=changes)
    saved = tool_writing.save(body, by=user, of=of, changes=changes)
    tool_checks.ask(saved, by=user)
    return saved


@router.post(
    "/{component_id}/evolve",
    response={202: CandidateOut | SearchOut},
    auth=_MAY_WRITE,
    operation_id="evolve_component",
)
def evolve(
    request: ApiRequest, response: HttpResponse, component_id: str, payload: EvolveIn
) -> Status[CandidateOut | SearchOut]:
    """Write a candidate, or have a model write one, and have it replayed beside its parent on the parent's own cases.

    Without a `body` a worker asks a model: the answer is a search for one text, whose address is in `href` and
    Location. 409 says why no model can be asked. A prompt is replayed when an operator says so.
    """
    component = _component(component_id)
    if component.kind not in (RULE, WORKFLOW, PROMPT, made_tools.KIND) or made_tools.is_shipped(component.name):
        message = "Only rules, prompts, workflows and tools that people made evolve this way."
        raise Problem(409, message, kind="not_possible")
    with refusals():
        if payload.body is None:
            user, strategy = request.auth.user, payload.strategy.value
            search = searches.ask_for_one(component, by=user, why=payload.why, strategy=strategy)
            return Status(202, begun(search, response))
        with transaction.atomic():
            if component.kind == PROMPT:
                saved = prompt_versions.save(component, payload.body, by=request.auth.user, changes=payload.why)
                return Status(202, candidate_out(saved, request.auth.user))
            saved = _written(component.kind, payload.body, component, payload.why, request.auth.user)
            replays.ask(saved, by=request.auth.user, why=payload.why, strategy=payload.strategy.value)
    return Status(202, candidate_out(saved, request.auth.user))


@router.get("", response=ComponentPage, auth=_MAY_READ, operation_id="search_components")
def search(
    request: ApiRequest,
    q: Annotated[str, Query(max_length=500, description="what it is like: compared with its text")] = "",
    task: Annotated[str, Query(max_length=4000, description="what it should be of use for")] = "",
    kind: Annotated[Component.Kind | None, Query()] = None,
    domain: Annotated[str, Query(max_length=64)] = "",
    status: Annotated[ComponentVersion.Status, Query()] = ComponentVersion.Status.ACTIVE,
    tag: Annotated[list[str], Query(max_length=20, description="all of these")] = [],  # noqa: B006  # Ninja copies it
    weight: Annotated[float, Query(ge=0, le=1, description="how much the task counts beside the query")] = WEIGHT,
    limit: Limit = 50,
) -> ComponentPage:
    """Components for a task, and similar to a query."""
    filters = Filters(kind.value if kind else "", domain, status.value, tuple(tag))
    found = searching.search(q, task, filters, weight=weight, limit=limit)
    items = [
        FoundOut(**_described(one.version.component, one.version), scores=ScoresOut(**vars(one.scores)))
        for one in found.items
    ]
    return ComponentPage(items=items, by_words=found.by_words)


@router.get("/{component_id}", response=ComponentOut, auth=_MAY_READ, operation_id="get_component")
def one(request: ApiRequest, component_id: str) -> ComponentOut:
    """One component, with the version in use."""
    component = _component(component_id)
    active = component.versions.filter(status=ComponentVersion.Status.ACTIVE).first()
    return ComponentOut(**_described(component, active))


@router.get("/{component_id}/versions", response=VersionPage, auth=_MAY_READ, operation_id="list_component_versions")
def versions(request: ApiRequest, component_id: str) -> VersionPage:
    """All its versions, newest first."""
    return VersionPage(items=[_version(version) for version in _versions(component_id)])


@router.get("/{component_id}/lineage", response=LineageOut, auth=_MAY_READ, operation_id="get_component_lineage")
def lineage(request: ApiRequest, component_id: str) -> LineageOut:
    """Which version was made from which."""
    found = _versions(component_id)[::-1]
    edges = [EdgeOut(parent=each.parent.version, child=each.version) for each in found if each.parent is not None]
    return LineageOut(versions=[each.version for each in found], edges=edges)


@router.get("/{component_id}/diff", response=DiffOut, auth=_MAY_READ, operation_id="compare_component_versions")
def diff(
    request: ApiRequest,
    component_id: str,
    from_version: Annotated[str, Query(alias="from", max_length=32)],
    to_version: Annotated[str, Query(alias="to", max_length=32)],
) -> DiffOut:
    """What differs between any two of its versions."""
    bodies = {each.version: each.body for each in _versions(component_id)}
    for field, version in (("from", from_version), ("to", to_version)):
        if version not in bodies:
            raise invalid(field, "This component has no such version.")
    old, new = (bodies[version].splitlines(keepends=True) for version in (from_version, to_version))
    lines = difflib.unified_diff(old, new, from_version, to_version)
    # Without its line feed the last line would run into the next one.
    text = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return DiffOut(from_version=from_version, to_version=to_version, diff=text)


def _component(component_id: str) -> Component:
    component = Component.objects.filter(pk=found_id(component_id, _MISSING)).first()
    if component is None:
        raise _MISSING
    return component


def _versions(component_id: str) -> list[ComponentVersion]:
    rows = _component(component_id).versions.select_related("parent", "created_by")
    return list(rows.defer("content_embedding", "applicability_embedding").order_by("-pk"))


def _described(component: Component, version: ComponentVersion | None) -> dict[str, Any]:
    return {
        "id": str(component.pk),
        "kind": component.kind,
        "name": component.name,
        "description": component.description,
        "domain": component.domain,
        "tags": component.tags,
        "version": None if version is None else _version(version),
    }


def _version(version: ComponentVersion) -> VersionOut:
    return VersionOut(
        id=str(version.pk),
        version=version.version,
        status=version.status,
        parent=None if version.parent_id is None else str(version.parent_id),
        body=version.body,
        changes=version.changes,
        applicability_text=version.applicability_text,
        created_by=version.created_by.username if version.created_by else None,
        created_at=version.created_at,
        uses=version.uses,
        successes=version.successes,
        failures=version.failures,
        last_used_at=version.last_used_at,
    )
