"""`candidates`: a version that is not yet in use, the result of its replay, and decisions about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from ninja import Field, Router, Schema
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
from agents.evolution.activation import asked_again, deciding, prompt_canaries, rollouts, tool_checks
from agents.evolution.replays import replays
from agents.evolution.replays.gate import Verdict
from agents.pages.evolution import replay_page
from agents.pages.evolution.replay_page import Proof, Row, Watch
from agents.record.errors import NotPossibleNow
from library.components.canary import MOST_PERCENT
from library.errors import LibraryRefused
from library.models import ComponentVersion
from library.prompts.in_use import KIND as PROMPT
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, invalid
from people.scopes import Scope

router = Router(tags=["components"])
_MAY_READ = BearerToken(Scope.LIBRARY_READ)
_MAY_WRITE = BearerToken(Scope.LIBRARY_WRITE)
_NO_VERSION = Problem(404, "There is no version of that number that could be a candidate.", kind="not_found")


class ReasonIn(Schema):
    """Why; an admin who lifts the gate must give at least ten characters."""

    reason: str = Field("", max_length=500)


class CaseOut(Schema):
    """One earlier goal, run with both versions. `text` is null if the caller may not see it.

    For a prompt and for firmware a recorded call, repeated with both: `call`, `parent_call` and `candidate_call`.

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
    """The share of new goals; a reason if an admin lifts the gate."""

    percent: int = Field(ge=1, le=MOST_PERCENT)
    reason: str = Field("", max_length=500)


class RolloutOut(Schema):
    """What new goals show since the version is in use, for `percent` of them.

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
    """A canary of a prompt: answers since it started and how many could not be used, and those of the version in use.

    `p`: the probability that it fails so much more often by chance. `state` and `reason` as for a rollout.
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
    """One trial of a tool: command, effect, files read and changed, hosts, processes, and what does not match."""

    cells: list[str]
    faults: list[str]


class TrialsOut(Schema):
    """The trials of a tool's version. `fits` is null until they have run; `said` is why they could not run."""

    fits: bool | None
    said: str
    rows: list[TrialOut]


class CostOut(Schema):
    """What a replay that asks models may use at most, and which models it asks.

    `why_not`: why no replay is possible, else empty.
    """

    cases: int
    calls: int
    tokens: int
    models: list[str]
    why_not: str


class CandidateOut(Schema):
    """A version, its lint, and the result of its replay. `why_not` is empty if it may be activated.

    `rollout`: null until it is in use. `trials`: only for a tool. `canary`: for a prompt that is or was one.
    `replay_cost`: for a prompt, firmware or an agent that is not in use; `POST candidates/{id}/replay` spends it.
    `asked_again_by`: for a tool, the ids of enabled policies that approve no plan with this version yet.
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
    asked_again_by: list[str] = []


@router.get("/{candidate_id}", response=CandidateOut, auth=_MAY_READ, operation_id="get_candidate")
def candidate(request: ApiRequest, candidate_id: str) -> CandidateOut:
    """A version and the progress of its replay."""
    return candidate_out(_found(candidate_id), request.auth.user)


@router.post("/{candidate_id}/replay", response={202: CandidateOut}, auth=_MAY_WRITE, operation_id="replay_candidate")
def replay(request: ApiRequest, candidate_id: str, payload: ReasonIn) -> Status[CandidateOut]:
    """Have it replayed beside its parent, also again. 409 says why no replay is possible.

    For a prompt, firmware or an agent, models are asked for `replay_cost` at most, so this needs an operator.
    """
    with refusals():
        replays.ask(_found(candidate_id), by=request.auth.user, why=payload.reason)
    return Status(202, candidate_out(_found(candidate_id), request.auth.user))


@router.post(
    "/{candidate_id}/replay/stop", response=CandidateOut, auth=_MAY_WRITE, operation_id="stop_replay_of_candidate"
)
def stop_replay(request: ApiRequest, candidate_id: str) -> CandidateOut:
    """Stop its replay early; what was done stays."""
    version = _found(candidate_id)
    if (under_way := replays.latest(version)) is None:
        raise Problem(409, "It has not been replayed.", kind="not_possible")
    with refusals():
        replays.stop(under_way, by=request.auth.user)
    return candidate_out(version, request.auth.user)


@router.post("/{candidate_id}/activate", response=CandidateOut, auth=_MAY_WRITE, operation_id="activate_candidate")
def activate(request: ApiRequest, candidate_id: str, payload: ReasonIn) -> CandidateOut:
    """Activate it. Refused unless it passed its replay, or an admin gives a reason to use it anyway.

    For a prompt or firmware this needs an operator.
    """
    version = _found(candidate_id)
    with refusals():
        if version.component.kind == PROMPT:
            deciding.activate_prompt(version, by=request.auth.user, reason=payload.reason)
        elif version.component.kind == FIRMWARE:
            deciding.activate_firmware(version, by=request.auth.user, reason=payload.reason)
        elif version.component.kind == AGENT:
            raise Problem(409, "A plan that people approve sets an agent to a version.", kind="not_possible")
        else:
            deciding.activate(version, by=request.auth.user, reason=payload.reason)
    return candidate_out(_found(candidate_id), request.auth.user)


@router.post("/{candidate_id}/canary", response=CandidateOut, auth=_MAY_WRITE, operation_id="begin_canary")
def begin_canary(request: ApiRequest, candidate_id: str, payload: CanaryIn) -> CandidateOut:
    """Have it plan a share of new goals, beside the version in use; refused for the same reasons as an activation.

    For a prompt: send it with a share of requests.
    """
    version = _found(candidate_id)
    if version.component.kind not in (RULE, PROMPT):
        raise Problem(409, "Only rules and prompts can be used for a share.", kind="not_possible")
    with refusals():
        if version.component.kind == PROMPT:
            by, reason = request.auth.user, payload.reason
            deciding.begin_prompt_canary(version, by=by, percent=payload.percent, reason=reason)
        else:
            deciding.begin_canary(version, by=request.auth.user, percent=payload.percent, reason=payload.reason)
    return candidate_out(_found(candidate_id), request.auth.user)


@router.post("/{candidate_id}/reject", response=CandidateOut, auth=_MAY_WRITE, operation_id="reject_candidate")
def reject(request: ApiRequest, candidate_id: str, payload: ReasonIn) -> CandidateOut:
    """Retire it; for a rule, the reason is stored with the version."""
    version = _found(candidate_id)
    with refusals():
        if version.component.kind == PROMPT:
            prompt_versions.retire(version, by=request.auth.user)
        elif version.component.kind == FIRMWARE:
            firmware.retire(version, by=request.auth.user, reason=payload.reason)
        else:
            deciding.reject(version, by=request.auth.user, reason=payload.reason)
    return candidate_out(_found(candidate_id), request.auth.user)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn refusals inside into problems: 422 for a wrong text or value, 409 at a bad moment, 403 without the right."""
    try:
        yield
    except (RuleInvalid, ToolInvalid, WorkflowInvalid) as wrong:
        raise invalid("body", str(wrong)) from wrong
    except NotPossibleNow as refused:
        raise Problem(409, str(refused), kind="not_possible") from refused
    except LibraryRefused as refused:
        if refused.field:
            raise invalid(refused.field, str(refused)) from refused
        raise Problem(403, str(refused), kind="forbidden") from refused


def _found(candidate_id: str) -> ComponentVersion:
    rows = ComponentVersion.objects.select_related("component", "parent__component")
    kinds = (RULE, made_tools.KIND, WORKFLOW, PROMPT, FIRMWARE, AGENT)
    found = rows.filter(pk=found_id(candidate_id, _NO_VERSION), component__kind__in=kinds).first()
    if found is None:
        raise _NO_VERSION
    return found


def candidate_out(version: ComponentVersion, user: Any) -> CandidateOut:
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
        asked_again_by=[str(policy.pk) for policy in asked_again.policies([version])[version.pk]],
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
    return TrialsOut(fits=check.fits, said=check.reason, rows=[TrialOut(**row) for row in check.rows])


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
