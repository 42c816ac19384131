"""Goals whose plan is a workflow: every value filled in, every sub-workflow in place, proposed for review like any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.workflows.bound import Bound
from agents.bdi.workflows.checking import Checked
from agents.bdi.workflows.faults import Fault
from agents.components import workflow_library
from agents.components.workflow_library import WorkflowInvalid
from agents.goals import component_goals
from agents.goals.component_goals import Terms
from agents.models import IntentPlan
from agents.record import authors
from agents.toolkit.types import PlanDraft
from library.models import ComponentVersion

# So much of each value stands in the goal's text; the plan shows all of it.
_VALUE_CHARS = 60
_TEXT_CHARS = 600


def process(version: ComponentVersion, params: Mapping[str, Any], terms: Terms) -> IntentPlan:
    """A goal with the plan that the workflow makes of these parameters, awaiting review. Nothing runs before that.

    The same key twice is the same goal. Raises WorkflowInvalid with lines, PlanInvalid, GoalRefused, TooManyGoals.
    """
    name = version.component.name
    checked = workflow_library.check(version.body, instead_of=name, version=version.version, given=params)
    bound = processable(checked)
    used = {**(checked.workflow.params if checked.workflow else {}), **params}
    evidence: dict[str, Any] = {"written_by": terms.by.username, "workflow": _told(version, bound, used)}
    evidence[authors.EVIDENCE] = _authors(version, bound)
    draft = PlanDraft(tuple(one.step for one in bound.steps), (), "person", evidence)
    return component_goals.planned(goal_text(version, used), draft, terms)


def _authors(version: ComponentVersion, bound: Bound) -> list[int]:
    """Who wrote the steps: whoever wrote this version, and those of the workflows that it calls."""
    found = {version.created_by_id}
    for call in bound.calls:
        called = ComponentVersion.objects.filter(component__kind=workflow_library.KIND, component__name=call.name)
        found |= set(called.filter(version=call.version).values_list("created_by", flat=True))
    return sorted(one for one in found if one is not None)


def processable(checked: Checked) -> Bound:
    """What is processed of a text that was checked with its parameters. Raises WorkflowInvalid with lines."""
    if checked.bound is None or checked.errors:
        raise WorkflowInvalid(checked.errors)
    if faults := (*_not_in_use(checked.bound), *_nothing_left(checked.bound)):
        raise WorkflowInvalid(faults)
    return checked.bound


def goal_text(version: ComponentVersion, params: Mapping[str, Any]) -> str:
    """What the goal says: the workflow, its version, and its parameters as far as they are short."""
    given = ", ".join(f"{name} = {_short(value)}" for name, value in params.items())
    text = f"Process the workflow “{version.component.name}” {version.version}" + (f" with {given}" if given else "")
    return text if len(text) <= _TEXT_CHARS else text[: _TEXT_CHARS - 1] + "…"


def _short(value: Any) -> str:
    said = " ".join(str(value).split())
    return said if len(said) <= _VALUE_CHARS else said[:_VALUE_CHARS] + "…"


def _not_in_use(bound: Bound) -> tuple[Fault, ...]:
    """Code that nobody has reviewed as a tool never becomes a step."""
    mend = "Save it as a candidate, have its trials run, and activate it"
    return tuple(
        Fault(one.line, f"the code of “{one.name}” is not in use as a tool", mend)
        for one in bound.definitions
        if not one.is_in_use
    )


def _nothing_left(bound: Bound) -> tuple[Fault, ...]:
    if bound.steps:
        return ()
    return (Fault(1, "with these parameters no step is left: " + "; ".join(bound.left_out)),)


def _told(version: ComponentVersion, bound: Bound, params: Mapping[str, Any]) -> dict[str, Any]:
    """What the plan remembers of its workflow, for its graph and its result."""
    return {
        "name": version.component.name,
        "version": version.version,
        "component_version_id": version.pk,
        "component_id": version.component_id,
        "params": dict(params),
        "steps": [
            {
                "way": one.way,
                "line": one.line,
                "output_var": one.output_var,
                "workflow": one.workflow,
                "condition": one.condition,
            }
            for one in bound.steps
        ],
        "left_out": list(bound.left_out),
        "returned": dict(vars(bound.returned)) if bound.returned is not None else None,
        "calls": [{"name": one.name, "version": one.version} for one in bound.calls],
    }
