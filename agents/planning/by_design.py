"""Planning a goal that has a design of several components: each becomes a sub-goal, as the approved text says it."""

from __future__ import annotations

from agents.bdi.designing import blueprint
from agents.bdi.planning import levels
from agents.bdi.plans.document import digest_of
from agents.bdi.plans.parameters import with_defaults
from agents.models import Goal, Plan
from agents.plans import designs
from agents.toolkit.registry import tools_in_use
from agents.toolkit.tools.sub_goals import ADD, NAME
from agents.toolkit.types import NoPlan, Param, PlanDraft, Step


def plan(goal: Goal) -> PlanDraft | NoPlan | None:
    """The plan that carries the goal's design out; None where that names no components, or there is none."""
    design = designs.newest_of(goal)
    if design is None or not designs.is_settled(design) or digest_of(bytes(design.document)) != design.digest:
        return None
    try:
        found = blueprint.read(levels.read_design(bytes(design.document)))
    except ValueError as wrong:
        return NoPlan("no_plan_by_design", {"design": design.number, "problems": [f"The design: {wrong}."]})
    if found is None or goal.sub_goals.exists():
        return None
    if found.asks:
        missing = f"The design has no value for {', '.join(found.asks)}."
        return NoPlan("no_plan_by_design", {"design": design.number, "problems": [missing]})
    command = tools_in_use().command(NAME, ADD)
    why = f"Version {design.number} of the design, digest {design.digest[:8]}, asks for it"
    steps = []
    for part in blueprint.parts(found):
        values = {"name": part.name, "text": part.text, "after": ", ".join(part.after)}
        params = {name: Param(value, "explicit", note="the design says so") for name, value in values.items()}
        steps.append(Step(NAME, ADD, with_defaults(command, params), f"{why}: the component {part.name}."))
    evidence = {"design": {"number": design.number, "digest": design.digest}, "written_by": str(design.by)}
    return PlanDraft(tuple(steps), (), Plan.Source.PERSON.value, evidence)
