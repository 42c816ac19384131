"""`components`: what the library holds, searched by task and query; one component, its versions and their lineage."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import Annotated, Any, Literal

from django.db import transaction
from django.http import HttpResponse
from ninja import Field, Query, Router, Schema
from ninja.responses import Status

from agents.actors import firmware, prompt_versions
from agents.actors.firmware import KIND as FIRMWARE
from agents.bdi.language_models import firmware_checks
from agents.components import made_tools, rule_writing, tool_writing, workflow_library
from agents.components.agent_versions import KIND as AGENT
from agents.components.rule_writing import RuleInvalid
from agents.components.rules import KIND as RULE
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import KIND as WORKFLOW
from agents.components.workflow_library import WorkflowInvalid
from agents.evolution import deciding, prompt_canaries, replays, rollouts, searches, tool_checks, writing
from agents.evolution.gate import Verdict
from agents.models import Replay
from agents.pages import replay_page
from agents.pages.replay_page import Proof, Row, Watch
from agents.record.errors import NotPossibleNow
from library.components import search as searching
from library.components.canary import MOST_PERCENT
from library.components.search import WEIGHT, Filters
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from library.prompts.in_use import KIND as PROMPT
from mindx_web.api.library.searches import SearchOut, begun
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import Limit, found_id
from mindx_web.api.protocol.problems import Problem, invalid
from people.models import User
from people.scopes import Scope

router = Router(tags=["components"])
candidates = Router(tags=["components"])
_INVALID = (RuleInvalid, ToolInvalid, WorkflowInvalid)
_MAY_READ = BearerToken(Scope.LIBRARY_READ)
_MAY_WRITE = BearerToken(Scope.LIBRARY_WRITE)
_MISSING = Problem(404, "There is no such component.", kind="not_found")
_NO_VERSION = Problem(404, "There is no version of that number that could be a candidate.", kind="not_found")


class ScoresOut(Schema):
    """Cosine similarities of task and query (null: not asked, or no vector), the usage's share, and the sum."""

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
    """A component that was found, and why it stands where it stands."""

    scores: ScoresOut


class ComponentPage(Schema):
    """Best first, or by name without a task and a query. `next` is null: one page holds what is worth reading.

    `by_words`: why meaning could not be compared, so that all words had to be found; else empty.
    """

    items: list[FoundOut]
    next: str | None = None
    by_words: str = ""


class VersionPage(Schema):
    """All versions of a component, newest first."""

    items: list[VersionOut]
    next: str | None = None


class EdgeOut(Schema):
    """A version was made from another one; each by its number."""

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
    """Why a component should change, how far, and the text of the candidate; without a text a model writes it."""

    why: str = Field(min_length=1, max_length=500)
    strategy: Replay.Strategy = Replay.Strategy.STANDARD
    body: str | None = Field(None, min_length=1, max_length=100_000)


class ReasonIn(Schema):
    """Why; an admin who lifts the gate must say it in ten characters or more."""

    reason: str = Field("", max_length=500)


class CaseOut(Schema):
    """One earlier goal, run by both sides. `text` is null where the caller may not see it.

    Of a prompt and of firmware a recorded call, asked again by both: `call`, `parent_call` and `candidate_call`.

    `flip`: fixed, broken, unchanged, unproven or waiting.
    """

    number: int
    goal: str | None
    text: str | None
    half: str
    succeeded_then: bool
    parent: bool | None
    candidate: bool | None
    flip: str
    differs: bool
    call: str | None = None
    parent_call: str | None = None
    candidate_call: str | None = None


class ReplayOut(Schema):
    """The flip table. `verdict`: admitted, broke, too_few, inert, no_cases; `p`: of the sign test, 0 to 1."""

    id: str
    state: str
    reason: str
    why: str
    strategy: str
    verdict: str
    says: str
    fixed: int
    broken: int
    unchanged: int
    unproven: int
    inert: bool
    p: float
    done: int
    cases: list[CaseOut]


class CanaryIn(Schema):
    """The share of new goals; a reason where an admin lifts the gate."""

    percent: int = Field(ge=1, le=MOST_PERCENT)
    reason: str = Field("", max_length=500)


class RolloutOut(Schema):
    """What the goals say that were planned since the version was put to use, for `percent` of them.

    `state`: watched, kept, returned (the version before is used again) or ended.
    """

    state: str
    percent: int
    reason: str
    started_at: datetime
    fixed: int
    broken: int
    unchanged: int
    unproven: int


class AnswersOut(Schema):
    """A canary of a prompt: answers since it began, and how many could not be used, beside those of the version in use.

    `p`: how likely it fails so much more often by chance. `state` and `reason` as for a rollout.
    """

    state: str
    percent: int
    reason: str
    started_at: datetime
    answers: int
    failed: int
    answers_before: int
    failed_before: int
    p: float


class TrialOut(Schema):
    """One trial of a tool: the command, its effect, files read and changed, hosts, processes, and what does not fit."""

    cells: list[str]
    faults: list[str]


class TrialsOut(Schema):
    """The trials of a tool's version. `fits` is null until they have run; `said` is why they could not."""

    fits: bool | None
    said: str
    rows: list[TrialOut]


class CostOut(Schema):
    """What a replay that asks models may take at most, and which it asks.

    `why_not`: why there can be none, else empty.
    """

    cases: int
    calls: int
    tokens: int
    models: list[str]
    why_not: str


class CandidateOut(Schema):
    """A version, its lint, and what its replay proved. `why_not` is empty when it may be activated.

    `rollout`: null until it was put to use. `trials`: of a tool only. `canary`: of a prompt that is or was one.
    `replay_cost`: of a prompt, of firmware or of an agent that is not in use; `POST candidates/{id}/replay` spends it.
    """

    id: str
    component: str
    version: str
    parent: str | None
    state: str
    checks: list[str]
    replay: ReplayOut | None
    rollout: RolloutOut | None
    trials: TrialsOut | None = None
    canary: AnswersOut | None = None
    replay_cost: CostOut | None = None
    why_not: str


class ComponentIn(Schema):
    """A new rule, tool or workflow: its text, or for a tool or a workflow a sentence that a model writes it from."""

    kind: Literal["rule", "tool", "workflow"]
    body: str | None = Field(None, min_length=1, max_length=100_000)
    wish: str | None = Field(None, min_length=1, max_length=writing.MOST_WISH)
    changes: str = Field("", max_length=500)


@router.post("", response={201: CandidateOut, 202: SearchOut}, auth=_MAY_WRITE, operation_id="create_component")
def create(
    request: ApiRequest, response: HttpResponse, payload: ComponentIn
) -> Status[CandidateOut] | Status[SearchOut]:
    """Write a new rule, tool or workflow. It is a candidate; the trials of a tool are run.

    With a `wish` a worker asks a model: the answer is 202 with a search over one text, to be read at its `href`, which
    is the Location, too. 409 says why nobody can be asked.
    """
    user = request.auth.user
    if (payload.body is None) == (payload.wish is None) or (payload.wish is not None and payload.kind == RULE):
        raise invalid("body", "Give the text as body, or for a tool or a workflow a wish instead.")
    try:
        if payload.wish is not None:
            return Status(202, begun(searches.ask_for_new(payload.kind, payload.wish, by=user), response))
        with transaction.atomic():
            saved = _written(payload.kind, payload.body or "", None, payload.changes, user)
    except _INVALID as wrong:
        raise invalid("body", str(wrong)) from wrong
    except (LibraryRefused, NotPossibleNow) as refused:
        raise _refused(refused) from refused
    return Status(201, _candidate(saved, user))


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

    Without a `body` a worker asks a model: the answer is a search over one text, to be read at its `href`, which is the
    Location, too. 409 says why nobody can be asked. A candidate of a prompt takes a `body`.
    """
    component = _component(component_id)
    if component.kind == PROMPT:
        return Status(202, _candidate(_prompt_written(component, payload, request.auth.user), request.auth.user))
    if component.kind not in (RULE, WORKFLOW, made_tools.KIND) or made_tools.is_shipped(component.name):
        message = "Only rules, prompts, workflows and tools that people made evolve this way."
        raise Problem(409, message, kind="not_possible")
    try:
        if payload.body is None:
            user, strategy = request.auth.user, payload.strategy.value
            search = searches.ask_for_one(component, by=user, why=payload.why, strategy=strategy)
            return Status(202, begun(search, response))
        with transaction.atomic():
            saved = _written(component.kind, payload.body, component, payload.why, request.auth.user)
            replays.ask(saved, by=request.auth.user, why=payload.why, strategy=payload.strategy.value)
    except _INVALID as wrong:
        raise invalid("body", str(wrong)) from wrong
    except (LibraryRefused, NotPossibleNow) as refused:
        raise _refused(refused) from refused
    return Status(202, _candidate(saved, request.auth.user))


@candidates.get("/{candidate_id}", response=CandidateOut, auth=_MAY_READ, operation_id="get_candidate")
def candidate(request: ApiRequest, candidate_id: str) -> CandidateOut:
    """A version and its replay, as far as that has come."""
    return _candidate(_found(candidate_id), request.auth.user)


@candidates.post(
    "/{candidate_id}/replay", response={202: CandidateOut}, auth=_MAY_WRITE, operation_id="replay_candidate"
)
def replay(request: ApiRequest, candidate_id: str, payload: ReasonIn) -> Status[CandidateOut]:
    """Have it replayed beside its parent, again if need be. 409 says why there can be no replay.

    Of a prompt, of firmware or of an agent models are asked, for `replay_cost` at most, so it takes an operator.
    """
    try:
        replays.ask(_found(candidate_id), by=request.auth.user, why=payload.reason)
    except (LibraryRefused, NotPossibleNow) as refused:
        raise _refused(refused) from refused
    return Status(202, _candidate(_found(candidate_id), request.auth.user))


@candidates.post(
    "/{candidate_id}/replay/stop", response=CandidateOut, auth=_MAY_WRITE, operation_id="stop_replay_of_candidate"
)
def stop_replay(request: ApiRequest, candidate_id: str) -> CandidateOut:
    """End its replay before its time; what was done stays."""
    version = _found(candidate_id)
    if (under_way := replays.latest(version)) is None:
        raise Problem(409, "It has not been replayed.", kind="not_possible")
    try:
        replays.stop(under_way, by=request.auth.user)
    except (LibraryRefused, NotPossibleNow) as refused:
        raise _refused(refused) from refused
    return _candidate(version, request.auth.user)


@candidates.post("/{candidate_id}/activate", response=CandidateOut, auth=_MAY_WRITE, operation_id="activate_candidate")
def activate(request: ApiRequest, candidate_id: str, payload: ReasonIn) -> CandidateOut:
    """Put it to use; refused unless its replay lets it in, or an admin says why it is to be used all the same.

    For a prompt or firmware it takes an operator.
    """
    version = _found(candidate_id)
    try:
        if version.component.kind == PROMPT:
            deciding.activate_prompt(version, by=request.auth.user, reason=payload.reason)
        elif version.component.kind == FIRMWARE:
            deciding.activate_firmware(version, by=request.auth.user, reason=payload.reason)
        elif version.component.kind == AGENT:
            raise Problem(409, "A plan that people approve sets an agent to a version.", kind="not_possible")
        else:
            deciding.activate(version, by=request.auth.user, reason=payload.reason)
    except _INVALID as wrong:
        raise invalid("body", str(wrong)) from wrong
    except LibraryRefused as refused:
        raise _refused(refused) from refused
    return _candidate(_found(candidate_id), request.auth.user)


@candidates.post("/{candidate_id}/canary", response=CandidateOut, auth=_MAY_WRITE, operation_id="begin_canary")
def begin_canary(request: ApiRequest, candidate_id: str, payload: CanaryIn) -> CandidateOut:
    """Have it plan a share of new goals, beside the version in use; refused as its activation would be.

    Of a prompt: have it be sent with a share of requests.
    """
    version = _found(candidate_id)
    if version.component.kind not in (RULE, PROMPT):
        raise Problem(409, "Only rules and prompts can be used for a share.", kind="not_possible")
    try:
        if version.component.kind == PROMPT:
            by, reason = request.auth.user, payload.reason
            deciding.begin_prompt_canary(version, by=by, percent=payload.percent, reason=reason)
        else:
            deciding.begin_canary(version, by=request.auth.user, percent=payload.percent, reason=payload.reason)
    except RuleInvalid as wrong:
        raise invalid("body", str(wrong)) from wrong
    except LibraryRefused as refused:
        raise _refused(refused) from refused
    return _candidate(_found(candidate_id), request.auth.user)


@candidates.post("/{candidate_id}/reject", response=CandidateOut, auth=_MAY_WRITE, operation_id="reject_candidate")
def reject(request: ApiRequest, candidate_id: str, payload: ReasonIn) -> CandidateOut:
    """Retire it; the reason stands with the version of a rule."""
    version = _found(candidate_id)
    try:
        if version.component.kind == PROMPT:
            prompt_versions.retire(version, by=request.auth.user)
        elif version.component.kind == FIRMWARE:
            firmware.retire(version, by=request.auth.user, reason=payload.reason)
        else:
            deciding.reject(version, by=request.auth.user, reason=payload.reason)
    except LibraryRefused as refused:
        raise _refused(refused) from refused
    return _candidate(_found(candidate_id), request.auth.user)


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
    """Components that suit a task and resemble a query."""
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
    # A last line without an end would run into the next.
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


def _found(candidate_id: str) -> ComponentVersion:
    rows = ComponentVersion.objects.select_related("component", "parent__component")
    kinds = (RULE, made_tools.KIND, WORKFLOW, PROMPT, FIRMWARE, AGENT)
    found = rows.filter(pk=found_id(candidate_id, _NO_VERSION), component__kind__in=kinds).first()
    if found is None:
        raise _NO_VERSION
    return found


def _prompt_written(component: Component, payload: EvolveIn, by: User) -> ComponentVersion:
    if payload.body is None:
        raise Problem(409, "No model writes a prompt. Send the text as `body`.", kind="not_possible")
    try:
        return prompt_versions.save(component, payload.body, by=by, changes=payload.why)
    except LibraryRefused as refused:
        raise _refused(refused) from refused


def _refused(refused: Exception) -> Problem:
    if getattr(refused, "field", ""):
        return invalid(str(refused.field), str(refused))  # type: ignore[attr-defined]
    if isinstance(refused, NotPossibleNow):
        return Problem(409, str(refused), kind="not_possible")
    return Problem(403, str(refused), kind="forbidden")


def _candidate(version: ComponentVersion, user: Any) -> CandidateOut:
    proof = replay_page.of(version, user)
    return CandidateOut(
        id=str(version.pk),
        component=str(version.component_id),
        version=version.version,
        parent=version.parent.version if version.parent is not None else None,
        state=version.status,
        checks=_checks(version),
        replay=None if proof is None else _replay_out(proof),
        rollout=None if proof is None or proof.watch is None else _rollout_out(proof.watch),
        trials=_trials(version),
        canary=_answers(version),
        replay_cost=_cost(version),
        why_not=deciding.standing(version).why_not if proof is None else proof.standing.why_not,
    )


def _checks(version: ComponentVersion) -> list[str]:
    if version.component.kind == PROMPT:
        return prompt_versions.problems(version.component.name, version.body)
    if version.component.kind == AGENT:
        return []
    if version.component.kind == FIRMWARE:
        return list(firmware_checks.read(version.body)[1])
    if version.component.kind == RULE:
        found = rule_writing.check(version.body, instead_of=version.component.name).problems
        return [f"line {one.line}: {one.message}" for one in found]
    if version.component.kind == WORKFLOW:
        return [str(one) for one in workflow_library.check(version.body, instead_of=version.component.name).faults]
    return list(tool_writing.check(version.body, instead_of=version.component.name).problems)


def _cost(version: ComponentVersion) -> CostOut | None:
    if not replays.asks_models(version) or version.status == ComponentVersion.Status.ACTIVE:
        return None
    found = replays.cost(version)
    return CostOut(**vars(found) | {"models": list(found.models)})


def _answers(version: ComponentVersion) -> AnswersOut | None:
    if version.component.kind != PROMPT or (rollout := rollouts.latest(version)) is None:
        return None
    found = prompt_canaries.comparison(rollout)
    return AnswersOut(
        state=rollout.state,
        percent=rollout.percent,
        reason=rollout.reason,
        started_at=rollout.started_at,
        answers=found.canary.uses,
        failed=found.canary.failed,
        answers_before=found.active.uses,
        failed_before=found.active.failed,
        p=found.p,
    )


def _trials(version: ComponentVersion) -> TrialsOut | None:
    check = tool_checks.of(version)
    if check is None:
        return None
    return TrialsOut(fits=check.fits, said=check.said, rows=[TrialOut(**row) for row in check.rows])


def _replay_out(proof: Proof) -> ReplayOut | None:
    replay, judgement = proof.standing.replay, proof.standing.judgement
    if replay is None or judgement is None:
        return None
    return ReplayOut(
        id=str(replay.pk),
        state=replay.state,
        reason=replay.reason,
        why=replay.why,
        strategy=replay.strategy,
        verdict=judgement.verdict.value,
        says=judgement.says,
        fixed=judgement.fixed,
        broken=judgement.broken,
        unchanged=judgement.unchanged,
        unproven=judgement.unproven,
        inert=judgement.verdict is Verdict.INERT,
        p=judgement.p,
        done=proof.done,
        cases=[_case(row) for row in proof.rows],
    )


def _rollout_out(watch: Watch) -> RolloutOut:
    rollout, judged = watch.rollout, watch.judgement
    return RolloutOut(
        state=rollout.state,
        percent=rollout.percent,
        reason=rollout.reason,
        started_at=rollout.started_at,
        fixed=judged.fixed,
        broken=judged.broken,
        unchanged=judged.unchanged,
        unproven=judged.unproven,
    )


def _case(row: Row) -> CaseOut:
    case = row.case
    return CaseOut(
        number=case.number,
        goal=None if row.is_hidden or case.goal_id is None else str(case.goal_id),
        text=None if row.is_hidden else case.text,
        half=case.half,
        succeeded_then=case.succeeded_then,
        parent=case.parent_passes,
        candidate=case.candidate_passes,
        flip=row.flip,
        differs=case.differs,
        **{name: _call_of(row, name) for name in ("call", "parent_call", "candidate_call")},
    )


def _call_of(row: Row, name: str) -> str | None:
    number = getattr(row.case, name)
    return None if row.is_hidden or number is None else str(number)


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
