"""A workflow out of a plan that ran well: without a model, what worked once can be processed again."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any

import yaml

from agents.bdi.outcome.outcome import MISSED, Outcome
from agents.bdi.plans import document as documents
from agents.bdi.plans.branches import path_of
from agents.bdi.plans.document import IntentSpec
from agents.models import Goal, IntentPlan
from agents.record.errors import NotPossibleNow
from agents.record.selectors import goals_visible_to
from agents.states import GoalState, PlanState
from library.memory import selectors
from library.memory.selectors import PRECEDENT_FROM
from people.models import User

_NEAREST = 10
_REFERENCE = re.compile(r"\{\{intents\.(\d+)\.result\.([a-z_]+)\}\}")


def source(pk: int, wish: str, by: User) -> IntentPlan:
    """The plan of this goal, or of the achieved goal most like the wish that the person may see.

    Raises NotPossibleNow where there is none.
    """
    wanted = [pk] if pk else _alike(wish, by)
    achieved = goals_visible_to(by).filter(pk__in=wanted, state=GoalState.ACHIEVED.value)
    found = achieved.exclude(outcome__in=sorted({*MISSED, Outcome.HANDED_OVER})).in_bulk()
    for each in wanted:
        plan = _ran(found[each]) if each in found else None
        if plan is not None:
            return plan
    if pk:
        raise NotPossibleNow(f"Goal {pk} is not an achieved goal of yours with a plan that ran.")
    raise NotPossibleNow(
        "No language model is set up, and no goal like this was achieved yet. Write the workflow, or set up a model."
    )


def _alike(wish: str, by: User) -> list[int]:
    rows = selectors.search(wish, user=by, limit=_NEAREST)
    # Of what is unlike the wish, a workflow would do something else under the wish's name.
    near = [row for row, similarity in rows if similarity is None or similarity >= PRECEDENT_FROM]
    return [int(row.goal_ref) for row in near if row.final_outcome == "success" and row.goal_ref.isdigit()]


def _ran(goal: Goal) -> IntentPlan | None:
    return goal.intent_plans.filter(state=PlanState.COMPLETE.value).order_by("-revision").first()


def write(name: str, description: str, plan: IntentPlan) -> str:
    """The YAML of a workflow that does what the plan did, with every value as it was approved.

    Raises NotPossibleNow for a plan that no workflow says: one with conditions or with steps that were left out.
    """
    document = documents.read(bytes(plan.document))
    if plan.left_out or any(spec.condition is not None for spec in document.intents):
        raise NotPossibleNow(f"The plan of goal {plan.goal_id} ran only in part or has conditions; write it yourself.")
    read = {int(position) for spec in document.intents for position, _ in _REFERENCE.findall(str(dict(spec.params)))}
    steps = _listed(document.intents, 0, read)
    told = {"scenario_name": name, "description": " ".join(description.split()), "steps": steps}
    return yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=110)


def _listed(specs: Sequence[IntentSpec], depth: int, read: Collection[int]) -> list[dict[str, Any]]:
    """The steps of a list, with those of its branches below a PARALLEL. A branch that is alone is only steps."""
    found: list[dict[str, Any]] = []
    for group, members in groupby(specs, lambda spec: _group(spec, depth)):
        inside = list(members)
        branches: dict[str, list[IntentSpec]] = {}
        for spec in inside if group else ():
            branches.setdefault(path_of(spec.branch)[depth][1], []).append(spec)
        if len(branches) > 1:
            listed = [_listed(branch, depth + 1, read) for branch in branches.values()]
            found.append({"type": "PARALLEL", "branches": listed})
        elif branches:
            found += _listed(inside, depth + 1, read)
        else:
            found += [_step(spec, has_reader=spec.position in read) for spec in inside]
    return found


def _group(spec: IntentSpec, depth: int) -> str:
    """The PARALLEL at this depth in which a step stands; "" for none."""
    path = path_of(spec.branch)
    return path[depth][0] if depth < len(path) else ""


def _step(spec: IntentSpec, *, has_reader: bool) -> dict[str, Any]:
    step: dict[str, Any] = {
        "type": "EXECUTE",
        "item_type": "TOOL",
        "name": f"{spec.tool}.{spec.command}",
        "input": _renamed(spec.params),
    }
    if has_reader:
        step["output_var"] = f"step_{spec.position}"
    return step if spec.retries is None else {**step, "retries": spec.retries}


def _renamed(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _REFERENCE.sub(r"{{step_\1.\2}}", value) if isinstance(value, str) else value
        for name, value in params.items()
    }
