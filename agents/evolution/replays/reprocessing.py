"""Processing a workflow anew with the parameters of an earlier goal: one version in its place, all else as in use now.

A goal counts for the workflow that was processed and for those that it called. What was left at its default then gets
the default of the version under test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.plans.document import Document
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.reading import read
from agents.components import workflow_library
from agents.components.workflow_library import WorkflowInvalid
from agents.goals import workflow_goals
from agents.models import Goal, Plan
from agents.plans import proposals
from agents.toolkit.types import PlanDraft
from library.models import ComponentVersion

GONE = "the workflow that was processed was removed since"


def processed_by(tried: Known, goal: Goal, plan: Plan, base: str) -> Document | str:
    """The document that a version makes of what `plan` was made from, on the files `base`; or why there is none."""
    told = plan.evidence["workflow"]
    ran = ComponentVersion.objects.filter(pk=told.get("component_version_id")).first()
    whole = tried if told["name"] == tried.name else _as_it_was(told, ran)
    if whole is None:
        return GONE
    given = _given(told.get("params") or {}, ran)
    checked = workflow_library.check(whole.body, instead_of=whole.name, version=whole.version, given=given, tried=tried)
    try:
        bound = workflow_goals.processable(checked)
    except WorkflowInvalid as invalid:
        return f"it cannot be processed: {invalid.faults[0]}"
    draft = PlanDraft(tuple(one.step for one in bound.steps), (), "person", plan.evidence)
    document, problems = proposals.document_on(goal, base, draft)
    if document is None or problems:
        return f"its plan is not valid: {problems[0].message}"
    return document


def names_in(evidence: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Name and version of the workflow that a plan was made from, and of those that it called."""
    told = evidence.get("workflow")
    if not isinstance(told, Mapping):
        return set()
    return {(str(one.get("name")), str(one.get("version"))) for one in (told, *(told.get("calls") or ()))}


def _as_it_was(told: Mapping[str, Any], ran: ComponentVersion | None) -> Known | None:
    return Known(str(told["name"]), ran.version, ran.body) if ran is not None else None


def _given(params: Mapping[str, Any], ran: ComponentVersion | None) -> dict[str, Any]:
    workflow = read(ran.body).workflow if ran is not None else None
    defaults = workflow.params if workflow is not None else {}
    return {name: value for name, value in params.items() if name not in defaults or defaults[name] != value}
