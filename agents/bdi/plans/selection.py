"""What a reviewer makes of a plan: a part of it, or the plan with other values. Pure.

The result is a draft like any other: it is validated and proposed as the next revision, and the one it was made from is
not changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.plans.dependencies import link
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.references import is_reference, parse_reference, shifted
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param, PlanDraft, Step


def closed(document: Document, positions: Collection[int]) -> tuple[int, ...]:
    """The main steps with these positions and all those that they stand on, in order.

    Raises ValueError for a position that is no main step's: a part is never rounded to something else.
    """
    main = {spec.position: spec for spec in document.intents}
    if unknown := sorted(set(positions) - set(main)):
        raise ValueError(f"the plan has no main step {', '.join(map(str, unknown))}")
    found: set[int] = set()
    waiting = list(positions)
    while waiting:
        position = waiting.pop()
        if position not in found:
            found.add(position)
            waiting.extend(main[position].depends_on)
    return tuple(sorted(found))


def part(document: Document, positions: Sequence[int], registry: Registry) -> PlanDraft:
    """The plan with only these main steps, which are closed, and the whole clean-up. References follow their steps.

    Raises ValueError when the clean-up reads the result of a step that would be left out.
    """
    places = {position: place for place, position in enumerate(positions, 1)}
    moved = len(document.intents) - len(positions)
    places |= {spec.position: spec.position - moved for spec in document.cleanup}
    main = [step_of(spec, places) for spec in document.intents if spec.position in places]
    try:
        undo = [step_of(spec, places) for spec in document.cleanup]
    except KeyError as missing:
        raise ValueError(f"the clean-up reads the result of step {missing}, so it cannot be left out") from missing
    return _draft(document, main, undo, registry)


def edited(document: Document, values: Mapping[int, Mapping[str, Any]], by: str, registry: Registry) -> PlanDraft:
    """The plan with other values, by position of their step; what a value was stays with it.

    Raises LookupError for a position that is no step's.
    """
    places = {spec.position: spec.position for spec in document.all_intents}
    if unknown := sorted(values.keys() - places.keys()):
        raise LookupError(unknown[0])
    steps = [
        _with(step_of(spec, places), values[spec.position], by) if spec.position in values else step_of(spec, places)
        for spec in document.all_intents
    ]
    count = len(document.intents)
    return _draft(document, steps[:count], steps[count:], registry)


def changes(spec: IntentSpec, values: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What an edit changes of a step: by parameter what it is and what it becomes (None: it is left out)."""
    names = [*spec.params, *(name for name in values if name not in spec.params)]
    pairs = {name: (spec.params.get(name), values.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if not _same(*pair)}


def kept(steps: Sequence[Step], wishes: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """Steps planned anew, with the values that a person had put in the place of exactly these.

    A wish is {tool, command, parameter, original, value, by}. The newest one counts.
    """
    return tuple(_as_wished(step, wishes) for step in steps)


def refused(steps: Sequence[Step], left_out: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The first of the steps that people left out ({tool, command, params, reason}) which is planned again."""
    planned = [(step.tool, step.command, step.values()) for step in steps]
    return next((each for each in left_out if (each["tool"], each["command"], each["params"]) in planned), None)


def step_of(spec: IntentSpec, places: Mapping[int, int]) -> Step:
    """The step of a document as a draft has it, its references moved to `places`; KeyError where there is none."""
    recorded = {
        one.name: Param(one.value, one.origin, one.original, one.span, one.note)
        for one in spec.parameters
        if one.name in spec.params
    }
    params = {
        # The value that runs stands in `params`; the record only says where it came from.
        name: replace(recorded.get(name, Param(None, "explicit")), value=shifted(value, places))
        for name, value in spec.params.items()
    }
    condition = spec.condition
    if condition is not None and parse_reference(condition.get("left")) is not None:
        condition = {**condition, "left": shifted(condition["left"], places)}
    others = tuple(step_of(other, places) for other in spec.alternatives)
    return Step(
        spec.tool, spec.command, params, spec.justification, spec.rule, (), condition, others,
        branch=spec.branch, retries=spec.retries,
    )  # fmt: skip


def _with(step: Step, values: Mapping[str, Any], by: str) -> Step:
    params = {
        name: step.params[name]
        if name in step.params and _same(step.params[name].value, value)
        else _wish(step.params.get(name), value, by)
        for name, value in values.items()
    }
    # In the order that the step had, so that people find a value where it was.
    order = [*(name for name in step.params if name in params), *params]
    return replace(step, params={name: params[name] for name in order})


def _wish(before: Param | None, value: Any, by: str) -> Param:
    """A person's value; edited twice, its original stays what the planner had written."""
    original = None if before is None else before.original if before.origin == "person" else before.value
    return Param(value, "reference" if is_reference(value) else "person", original, note=f"edited by {by}")


def _as_wished(step: Step, wishes: Sequence[Mapping[str, Any]]) -> Step:
    params = dict(step.params)
    for wish in wishes:
        name = wish["parameter"]
        held = params.get(name)
        if (step.tool, step.command) == (wish["tool"], wish["command"]) and held is not None:
            original = held.original if held.origin == "person" else held.value
            if _same(original, wish["original"]):
                params[name] = Param(wish["value"], "person", original, note=f"edited by {wish['by']}")
    return replace(step, params=params)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _draft(document: Document, main: Sequence[Step], undo: Sequence[Step], registry: Registry) -> PlanDraft:
    rules = (one for one in document.components if one["kind"] == "rule")
    rule = next(({"name": one["name"], "version": one["version"]} for one in rules), None)
    evidence = {"rule": rule} if rule is not None else {}
    return PlanDraft(link(main, registry), link(undo, registry), document.source, evidence)
