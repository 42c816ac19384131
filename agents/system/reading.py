"""What SystemAgent reads for a step, with the rights of whoever submitted the step's goal. Nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.actors.step_model_calls import Means
from agents.bdi.planning import levels
from agents.bus import discovery
from agents.models import Goal
from agents.planning import known, messages
from agents.plans import designs
from agents.record.errors import NotYours
from agents.toolkit.command import Params
from library.components import search as library
from library.components.search import Filters
from library.memory import context
from people.models import User

MOST = 10
_CONTEXT_CHARS = 4_000


def goal_of(means: Means) -> Goal:
    """The goal whose step it is. Raises NotYours outside of one."""
    if means.goal is None:
        raise NotYours("SystemAgent acts only by a step of an approved plan.")
    return Goal.objects.select_related("submitted_by", "agent", "workspace").get(pk=means.goal)


def search_component(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """The components that suit a task, each with both scores."""
    goal_of(means)
    kind = str(params.get("kind", "any"))
    return found_components(str(params["task"]), "" if kind == "any" else kind)


def found_components(task: str, kind: str = "") -> dict[str, Any]:
    """Components of the library by the two-stage search, best first."""
    found = library.search(task, task, Filters(kind=kind), limit=MOST)
    items = [
        {
            "kind": one.version.component.kind,
            "name": one.version.component.name,
            "version": one.version.version,
            "task": one.scores.task,
            "content": one.scores.content,
            "score": one.scores.total,
        }
        for one in found.items
    ]
    return {
        "message": f"{len(items)} found" + (f", by their words only: {found.by_words}" if found.by_words else ""),
        "names": ", ".join(str(one["name"]) for one in items),
        "components": items,
    }


def task_context(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """The task with what its goal says and what its settled design asks for."""
    goal = goal_of(means)
    design = designs.newest_of(goal)
    said = [f"Task: {params['task']}", f"It is a part of: {goal.text}"]
    if goal.parent is not None:
        said.append(f"Which is a part of: {goal.parent.text}")
    if design is not None and designs.is_settled(design):
        said += levels.statements(levels.read_design(bytes(design.document)))
    return {"message": f"{len(said)} lines of context", "context": "\n".join(said)[:_CONTEXT_CHARS]}


def build_context(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """What was said about the goal, what earlier goals taught and which components suit, within a length in tokens."""
    goal = goal_of(means)
    return built(str(params["task"]), goal.submitted_by, int(params.get("tokens", 2_000)), goal)


def built(task: str, by: User, tokens: int, goal: Goal | None = None) -> dict[str, Any]:
    """What this person may know for a task, and what was left out for want of room or likeness."""
    said = messages.of(goal, by) if goal is not None else []
    without_goal = str(goal.pk) if goal is not None else ""
    # Who asks without a goal works in no workspace.
    workspace = goal.workspace_id if goal is not None else None
    found = context.build(
        task,
        user=by,
        budget_tokens=tokens,
        without_goal=without_goal,
        messages=said,
        near=lambda refs: known.in_workspace(workspace, refs),
    )
    items = [
        {"kind": one.kind, "id": one.id, "text": one.text, "score": one.score, "why": one.why} for one in found.items
    ]
    return {
        "message": f"{len(items)} taken, {len(found.left_out)} left out, about {found.tokens} tokens",
        "context": "\n\n".join(one.text for one in found.items),
        "items": items,
    }


def discover_agent(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """Who on the bus can do a task."""
    return discovered(str(params["task"]), goal_of(means).submitted_by)


def discovered(task: str, by: User) -> dict[str, Any]:
    """Members and components that suit a task, with both scores, and why one cannot be asked now."""
    found = discovery.search(task, by=by, limit=MOST)
    items = [
        {
            "name": one.name,
            "kind": one.kind,
            "task": one.task,
            "content": one.content,
            "score": one.total,
            "usable": one.is_usable,
            "why_not": one.why_not,
        }
        for one in found.items
    ]
    usable = [str(one["name"]) for one in items if one["usable"]]
    return {
        "message": f"{len(usable)} of {len(items)} can be asked now"
        + (f"; found by words only: {found.by_words}" if found.by_words else ""),
        "names": ", ".join(usable),
        "found": items,
    }
