"""Whether a step that changes mindX itself stands in the plan that people approved and that runs now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import digest_of
from agents.models import Goal
from agents.record.errors import NotYours
from agents.states import GoalState, PlanState
from agents.toolkit.command import Params


def check(goal: Goal, tool: str, command: str, params: Params) -> None:
    """Raise NotYours unless this very step stands in the approved plan that runs. The caller holds the goal's row."""
    wanted = (tool, command, dict(params))
    if not any((spec.tool, spec.command, dict(spec.params)) == wanted for spec in _approved_steps(goal)):
        raise NotYours("Nothing was done: the approved plan that runs has no such step.")


def key_of(goal: int, command: str, params: Params) -> str:
    """The key under which a step does what it does: the same goal, the same command, the same values."""
    said = json.dumps([goal, command, dict(params)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _approved_steps(goal: Goal) -> Iterator[documents.IntentSpec]:
    """The steps of the plan that runs now, from the very bytes that people approved."""
    if goal.state not in (GoalState.EXECUTING, GoalState.RECOVERING):
        return
    plan = goal.intent_plans.filter(state=PlanState.EXECUTING.value).order_by("-revision").first()
    if plan is None or digest_of(plan.document) != plan.approved_digest:
        return
    for spec in documents.read(bytes(plan.document)).all_intents:
        yield from (spec, *spec.alternatives)
