"""A plan that came from a workflow, as the pages of its goal and its review show it: its graph and what it returns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from agents.bdi.plans.document import Document
from agents.bdi.workflows.bound import Bound
from agents.models import Intent, IntentPlan
from agents.presentation import flow_graph
from agents.presentation.flow_graph import FlowStep, Graph
from agents.record import selectors
from agents.toolkit import phrases
from agents.toolkit.registry import UnknownTool
from agents.toolkit.types import Step


@dataclass(frozen=True)
class Flow:
    """`returned`: what the workflow returned, None as long as nothing; `awaited`: in words where that comes from."""

    name: str
    version: str
    address: str
    params: tuple[tuple[str, str], ...]
    graph: Graph
    left_out: tuple[str, ...]
    calls: tuple[str, ...]
    returned: str | None
    awaited: str


def of(revisions: Sequence[IntentPlan], plan: IntentPlan | None = None) -> Flow | None:
    """The workflow of a goal's newest revision, or of `plan` among them; None for a plan of another origin."""
    shown = plan or (revisions[-1] if revisions else None)
    told = _told(shown) if shown is not None else None
    document = selectors.read_document(shown) if shown is not None else None
    if shown is None or told is None or document is None:
        return None
    states = {intent.position: intent.state for intent in shown.intents.all()}
    returned, awaited = _returned(told, revisions)
    return Flow(
        str(told.get("name", "")),
        str(told.get("version", "")),
        reverse("workflow", args=[told["component_id"]]) + f"?version={told.get('component_version_id')}",
        tuple((name, _as_text(value)) for name, value in (told.get("params") or {}).items()),
        flow_graph.draw(_steps(document, _labels(shown, told), states)),
        tuple(map(str, told.get("left_out") or ())),
        tuple(f"{one['name']} {one['version']}" for one in told.get("calls") or ()),
        returned,
        awaited,
    )


def drawn(bound: Bound) -> Graph:
    """The graph of a workflow that is no plan yet."""
    return flow_graph.draw(
        [
            FlowStep(
                number,
                f"{one.step.tool}.{one.step.command}",
                one.step.depends_on,
                _said(bound, one.step),
                one.way,
                one.output_var,
                one.condition,
                one.workflow,
                branch=one.step.branch,
            )
            for number, one in enumerate(bound.steps, 1)
        ]
    )


def _said(bound: Bound, step: Step) -> str:
    try:
        return phrases.say(bound.registry.command(step.tool, step.command), step.values())
    except (UnknownTool, KeyError, ValueError):  # a step that has faults cannot always be said
        return ""


def _told(plan: IntentPlan) -> Mapping[str, Any] | None:
    told = plan.plan.evidence.get("workflow")
    return told if isinstance(told, Mapping) and "component_id" in told else None


def _labels(plan: IntentPlan, told: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What the workflow calls its steps. In a revision that has only some of them the numbers are others."""
    steps = told.get("steps")
    is_first = not plan.plan.evidence.get("from_revision")
    return steps if isinstance(steps, list) and is_first else ()


def _steps(document: Document, labels: Sequence[Mapping[str, Any]], states: Mapping[int, str]) -> list[FlowStep]:
    found = []
    for number, spec in enumerate(document.intents):
        label = labels[number] if number < len(labels) and len(labels) == len(document.intents) else {}
        found.append(
            FlowStep(
                spec.position,
                f"{spec.tool}.{spec.command}",
                spec.depends_on,
                spec.sentence,
                str(label.get("way", "")),
                str(label.get("output_var", "")),
                str(label.get("condition", "")),
                str(label.get("workflow", "")),
                states.get(spec.position, ""),
                spec.branch,
            )
        )
    return found


def _returned(told: Mapping[str, Any], revisions: Sequence[IntentPlan]) -> tuple[str | None, str]:
    """What RETURN says, once the step that it names has ended well; and where it comes from."""
    wanted = told.get("returned")
    if not isinstance(wanted, Mapping):
        return None, ""
    if not wanted.get("position"):
        return str(wanted.get("text", "")), "written in the workflow"
    position, key = int(wanted["position"]), str(wanted.get("key", ""))
    intent = _intent(revisions, position)
    awaited = f"{key or 'the result'} of step {position}"
    if intent is None or not isinstance(intent.result, Mapping):
        return None, awaited
    value = intent.result.get(key) if key else intent.result
    return (None if value is None else _as_text(value)), awaited


def _intent(revisions: Sequence[IntentPlan], position: int) -> Intent | None:
    """The step of the first plan at this position, or the same step in a later revision, once it has succeeded."""
    first = next((plan for plan in revisions if _told(plan) and not plan.plan.evidence.get("from_revision")), None)
    document = selectors.read_document(first) if first is not None else None
    if document is None or position > len(document.intents):
        return None
    why = document.intents[position - 1].justification
    for plan in reversed(revisions):
        written = selectors.read_document(plan)
        same = {spec.position for spec in written.intents if spec.justification == why} if written else set()
        for intent in plan.intents.all():
            if intent.position in same and intent.state == "succeeded":
                return intent
    return None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
