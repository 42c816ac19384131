"""Sub-goals as steps of a plan: what is wrong with them, and taking one down when its approved step runs.

Nothing is made here. When the plan has ended, the goal waits, and the cycle makes them (agents.goals.sub_goals):
so none of them works on the goal's files while its plan does, and of a plan that fails none is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, transaction

from agents.actors.step_model_calls import Means
from agents.bdi.plans.document import Document
from agents.bdi.plans.validation import Problem
from agents.components import approved_steps
from agents.models import Goal, IntentPlan, SubGoal, Workspace
from agents.record import logs
from agents.record.errors import GoalRefused, NotYours
from agents.record.selectors import workspaces_writable_by
from agents.toolkit import parts
from agents.toolkit.command import Params
from agents.toolkit.parts import Part, Whole
from agents.toolkit.tools.sub_goals import ADD, NAME
from agents.toolkit.types import PlanDraft
from people import sealing

WAITS = "waits for its sub-goals"
# So stands the tool in the canonical bytes; within a string its quotes would be escaped.
_IN_DOCUMENT = f'"tool":"{NAME}"'.encode()
_UPWARDS = """
WITH RECURSIVE above(id, parent_id, text, level) AS (
    SELECT id, parent_id, text, 1 FROM agents_goal WHERE id = %s
    UNION ALL SELECT goal.id, goal.parent_id, goal.text, above.level + 1
    FROM agents_goal goal JOIN above ON goal.id = above.parent_id WHERE above.level < 100)
SELECT id, text FROM above ORDER BY level
"""
_IN_TREE = """
WITH RECURSIVE tree(id) AS (
    SELECT %s::bigint
    UNION SELECT goal.id FROM agents_goal goal JOIN tree ON goal.parent_id = tree.id)
SELECT count(*) - 1 FROM tree
"""


def problems(goal: Goal, draft: PlanDraft) -> list[Problem]:
    """What is wrong with those steps of a draft that add sub-goals."""
    said: list[tuple[int, Part]] = []
    for position, step in enumerate((*draft.steps, *draft.cleanup), 1):
        if any(one.tool == NAME for one in step.alternatives):
            return [Problem(position, "alternatives", "sub_goal", "A sub-goal is no alternative to a step.")]
        if step.tool != NAME:
            continue
        if position > len(draft.steps):
            return [Problem(position, "command", "sub_goal", "A clean-up adds no sub-goals.")]
        said.append((position, parts.of_params(step.values())))
    return [Problem(position, field, "sub_goal", words) for position, field, words in _faults(goal, said)]


def why_not(goal: Goal, document: Document) -> str:
    """Why a plan that was proposed cannot be approved any more, as a sentence; empty when it can."""
    said = [(spec.position, parts.of_params(spec.params)) for spec in document.intents if spec.tool == NAME]
    taken = set(goal.sub_goals.values_list("key", flat=True)) if said else set()
    keys = {spec.position: approved_steps.key_of(goal.pk, ADD, spec.params) for spec in document.intents}
    found = _faults(goal, [(position, part) for position, part in said if keys[position] not in taken])
    return f"Step {found[0][0]}: {found[0][2]}" if found else ""


def _faults(goal: Goal, said: Sequence[tuple[int, Part]]) -> list[tuple[int, str, str]]:
    if not said:
        return []
    return [*parts.problems(said, whole_of(goal)), *_of_places(goal, said)]


def _of_places(goal: Goal, said: Iterable[tuple[int, Part]]) -> Iterable[tuple[int, str, str]]:
    """A workspace that there is must be the submitter's to change; one that there is not yet is made for them."""
    named = {part.workspace for _, part in said if part.workspace}
    there = set(Workspace.objects.filter(name__in=named).values_list("name", flat=True))
    writable = set(workspaces_writable_by(goal.submitted_by).filter(name__in=there).values_list("name", flat=True))
    for position, part in said:
        if part.workspace in there - writable:
            yield position, "workspace", f"{goal.submitted_by.display_name} may not change the files of this workspace."


def whole_of(goal: Goal) -> Whole:
    """Where the goal stands in its tree."""
    with connection.cursor() as cursor:
        cursor.execute(_UPWARDS, [goal.pk])
        above = cursor.fetchall()
        cursor.execute(_IN_TREE, [above[-1][0] if above else goal.pk])
        (in_tree,) = cursor.fetchone()
    names = tuple(goal.sub_goals.values_list("name", flat=True))
    return Whole([text for _, text in above] or [goal.text], max(1, len(above)), in_tree, names)


def add(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """Take down a sub-goal for the plan that runs; taken down before under this key, answer as then.

    The races are those of agents.components.agent_steps, and the goal's row is the lock. Raises NotYours, GoalRefused.
    """
    if means.goal is None:
        raise NotYours("Sub-goals are added only by a step of an approved plan.")
    part = parts.of_params(params)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(of=("self",), no_key=True).get(pk=means.goal)
        key = approved_steps.key_of(goal.pk, ADD, params)
        row = SubGoal.objects.filter(key=key).first()
        if row is None:
            approved_steps.check(goal, NAME, ADD, params)
            if found := _faults(goal, [(1, part)]):
                raise GoalRefused(found[0][1], found[0][2])
            row = _take_down(goal, key, part)
    return {
        "message": f"the sub-goal {row.name} is made when this plan has ended",
        "sub_goal": row.name,
        "number": row.number,
    }


def _take_down(goal: Goal, key: str, part: Part) -> SubGoal:
    number = goal.sub_goals.count() + 1
    logs.say(goal.pk, "worker", "execute", f"sub-goal {number}, {part.name}: it is made when the plan has ended")
    made = SubGoal.objects.create(
        key=key,
        parent=goal,
        number=number,
        name=part.name,
        text=part.text,
        after=list(part.after),
        workspace=part.workspace,
    )
    sealing.seal(made)
    return made


def are_to_come(plan: IntentPlan) -> bool:
    """Whether the goal of a plan that is complete waits for sub-goals; the table is asked only where any can be."""
    may_be = _IN_DOCUMENT in bytes(plan.document) or plan.revision > 1
    return may_be and SubGoal.objects.filter(parent_id=plan.goal_id).exists()
