"""`environments/policies`: learned policies: read, train, stop and reset them, as on their page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from ninja import Field, Router, Schema, Status

from agents.environments.learned import PolicyUnusable
from agents.models import EnvironmentEpisode, EnvironmentPolicy
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.simulations import learned_policies
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import Problem, invalid
from mindx_web.api.protocol.shapes import Strict
from people.scopes import Scope

router = Router(tags=["environments"])
_MISSING = Problem(404, "There is no such policy.", kind="not_found")
_MAY_READ, _MAY_WRITE = BearerToken(Scope.GOALS_READ), BearerToken(Scope.GOALS_WRITE)


class TrainIn(Strict):
    """How many training variations to play; `share`: the part of the rules that acts besides the policy, in percent."""

    episodes: int = Field(50, ge=1, le=learned_policies.MOST_EPISODES)
    share: int = Field(0, ge=0, le=100)


class NewIn(TrainIn):
    """The task that a policy is trained for; there is one policy for each."""

    environment: str = Field(max_length=60)
    task: str = Field(max_length=100)


class PolicyOut(Schema):
    """A learned policy. `digest` is empty until something is stored; `unusable` says why it cannot be used."""

    id: str
    environment: str
    task: str
    state: str
    reason: str
    share: int
    generation: int = Field(description="how often it was reset")
    episodes: int
    episodes_left: int
    choices: int
    lessons: int
    explores: float = Field(description="how often it tries something at random while it learns, 0 to 1")
    digest: str
    unusable: str
    by: str | None
    created_at: datetime
    changed_at: datetime


class EpisodeOut(Schema):
    """A variation that it was trained on. `score` is 0 to 1."""

    number: int
    variation: int
    score: float
    actions_by_rules: int
    actions_by_policy: int
    reason: str
    seconds: float
    created_at: datetime


class PolicyWithEpisodesOut(PolicyOut):
    """The same with the episodes since its reset, in their order; `next` is the value for `after`."""

    played: list[EpisodeOut]
    next: int | None


@router.get("", response=list[PolicyOut], auth=_MAY_READ, operation_id="list_environment_policies")
def listing(request: ApiRequest) -> list[PolicyOut]:
    """The learned policies, at most one for each task of an environment."""
    return [PolicyOut(**_told(row)) for row in EnvironmentPolicy.objects.select_related("by")]


@router.post("", response={202: PolicyOut}, auth=_MAY_WRITE, operation_id="start_environment_policy")
def start(request: ApiRequest, payload: NewIn) -> Status[PolicyOut]:
    """Have a worker train the policy of a task; it is created if there is none. Operators only."""
    return _done(lambda: learned_policies.train(**payload.model_dump(), by=request.auth.user).pk)


@router.get("{policy_id}", response=PolicyWithEpisodesOut, auth=_MAY_READ, operation_id="get_environment_policy")
def one(request: ApiRequest, policy_id: str, after: int = 0, limit: int = 50) -> PolicyWithEpisodesOut:
    """A policy and what it was trained on."""
    row = _found(policy_id)
    limit = max(1, min(limit, 200))
    played = EnvironmentEpisode.objects.filter(policy=row.pk, generation=row.generation)
    found = list(played.filter(number__gt=min(max(after, 0), 10**6)).order_by("number")[: limit + 1])
    following = found[limit - 1].number if len(found) > limit else None
    return PolicyWithEpisodesOut(**_told(row), played=[_episode(each) for each in found[:limit]], next=following)


@router.post("{policy_id}/train", response={202: PolicyOut}, auth=_MAY_WRITE, operation_id="train_environment_policy")
def train(request: ApiRequest, policy_id: str, payload: TrainIn | None = None) -> Status[PolicyOut]:
    """Continue its training. Operators only."""
    row, wanted = _found(policy_id), payload or TrainIn.model_validate({})
    told = wanted.model_dump()
    return _done(lambda: learned_policies.train(row.environment, row.task, **told, by=request.auth.user).pk)


@router.post("{policy_id}/stop", response={202: PolicyOut}, auth=_MAY_WRITE, operation_id="stop_environment_policy")
def stop(request: ApiRequest, policy_id: str) -> Status[PolicyOut]:
    """Stop its training; what was learned stays. Operators only."""
    row = _found(policy_id)

    def do() -> int:
        learned_policies.stop(row, by=request.auth.user)
        return row.pk

    return _done(do)


@router.post("{policy_id}/reset", response={202: PolicyOut}, auth=_MAY_WRITE, operation_id="reset_environment_policy")
def reset(request: ApiRequest, policy_id: str) -> Status[PolicyOut]:
    """Forget what was learned. Operators only."""
    row = _found(policy_id)

    def do() -> int:
        learned_policies.reset(row, by=request.auth.user)
        return row.pk

    return _done(do)


def _done(do: Callable[[], int]) -> Status[PolicyOut]:
    """Run the action, which returns the id of a policy, and return that policy as it is now."""
    try:
        pk = do()
    except NotYours as refused:
        raise Problem(403, str(refused), kind="forbidden") from refused
    except NotPossibleNow as refused:
        raise Problem(409, str(refused), kind="not_possible") from refused
    except GoalRefused as refused:
        raise invalid(refused.field, str(refused)) from refused
    return Status(202, PolicyOut(**_told(_found(str(pk)))))


def _found(policy_id: str) -> EnvironmentPolicy:
    row = EnvironmentPolicy.objects.select_related("by").filter(pk=found_id(policy_id, _MISSING)).first()
    if row is None:
        raise _MISSING
    return row


def _told(row: EnvironmentPolicy) -> dict[str, Any]:
    try:
        learned_policies.of_row(row)
        unusable = ""
    except PolicyUnusable as refused:
        unusable = str(refused)
    names = (
        *("environment", "task", "state", "reason", "share", "generation", "episodes", "episodes_left", "choices"),
        *("lessons", "explores", "digest", "created_at", "changed_at"),
    )
    by = row.by.username if row.by is not None else None
    return {"id": str(row.pk), "unusable": unusable, "by": by, **{name: getattr(row, name) for name in names}}


def _episode(row: EnvironmentEpisode) -> EpisodeOut:
    return EpisodeOut.model_validate(row, from_attributes=True)
