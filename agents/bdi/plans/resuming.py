"""What is left of a plan that stopped: the same steps from the position reached, as a plan. Pure.

Nothing that was done is done again, except what lives in the session only (folder, environment, autonomous mode,
programs that were running): the session ended with the stop, so these steps come first once more, and can be read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.plans.conditions import holds, reference_of
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.plans.selection import step_of
from agents.bdi.plans.started_programs import START, living_before
from agents.toolkit.references import UnresolvedReference, parse_reference, resolve
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.types import Param, PlanDraft, Step

Results = Mapping[int, Mapping[str, Any] | None]


def remaining(
    document: Document,
    position: int,
    done: Results,
    registry: Registry,
    instead: IntentSpec | Sequence[IntentSpec] | None = None,
    left_out: Collection[int] = (),
    put_off: Collection[int] = (),
) -> PlanDraft:
    """The main steps from `position` on, and the whole clean-up, with what they read of earlier steps filled in.

    `done` holds the results of the steps that succeeded, by position. `instead` takes the place of the step at
    `position`, nothing when it is empty; later steps may be `left_out`. `put_off` are earlier steps that have not
    ended, in branches that stand beside the position. Raises ValueError when a step reads what no step left behind.
    """
    open_ones = _open(document, position, done, put_off)
    ahead = [spec for spec in document.intents if spec.position in open_ones and spec.position not in left_out]
    if instead is not None:
        ahead = _with_instead(ahead, position, [instead] if isinstance(instead, IntentSpec) else instead)
    try:
        kept = _repeated(document, position, done, registry)
        kept += [spec for spec in ahead if _may_run(spec, open_ones, done)]
        places = {spec.position: place for place, spec in enumerate(kept, 1)}
        moved = len(document.intents) - len(kept)
        places |= {spec.position: spec.position - moved for spec in document.cleanup}
        main = [_filled(spec, position, done, places) for spec in kept]
        undo = [_filled(spec, position, done, places) for spec in document.cleanup]
    except (UnresolvedReference, KeyError) as missing:
        raise ValueError(f"a remaining step reads a result that is missing: {missing}") from missing
    return PlanDraft(link(main, registry), link(undo, registry), document.source, {})


def holds_results(draft: PlanDraft) -> bool:
    """Whether a value of the draft is what an earlier step's tool answered, filled in where a reference stood."""
    steps = [one for step in (*draft.steps, *draft.cleanup) for one in (step, *step.alternatives)]
    params = [param for step in steps for param in step.params.values()]
    return any(param.origin == "reference" and parse_reference(param.value) is None for param in params)


def _repeated(document: Document, position: int, done: Results, registry: Registry) -> list[IntentSpec]:
    """Steps that are over and run once more, because what they did ended with the session."""
    living = living_before(document.intents, position, set(done))
    over = (spec for spec in document.intents[: position - 1] if spec.position in done)
    return [spec for spec in over if _lives_in_the_session(spec, living, registry)]


def _open(document: Document, position: int, done: Results, put_off: Collection[int]) -> set[int]:
    """The positions of steps that have not ended. Only in branches may a step behind the position have ended."""
    behind = {spec.position for spec in document.intents if spec.position >= position}
    ended = {spec.position for spec in document.intents if spec.branch and spec.position in done}
    return (behind - ended) | {spec.position for spec in document.intents if spec.position in put_off}


def _with_instead(ahead: Sequence[IntentSpec], position: int, instead: Sequence[IntentSpec]) -> list[IntentSpec]:
    before = [spec for spec in ahead if spec.position < position]
    return [*before, *instead, *(spec for spec in ahead if spec.position > position)]


def _lives_in_the_session(spec: IntentSpec, living: Collection[str], registry: Registry) -> bool:
    if spec.command == START:
        return str(spec.params.get("name")) in living
    try:
        return registry.command(spec.tool, spec.command).changes_session
    except UnknownTool:
        return False


def _may_run(spec: IntentSpec, open_ones: Collection[int], done: Results) -> bool:
    """False when its condition reads a step that is over, and does not hold."""
    reads = reference_of(spec.condition) if spec.condition is not None else None
    if reads is None or reads.position in open_ones:
        return True
    return bool(spec.condition and holds(spec.condition, done))


def _filled(spec: IntentSpec, position: int, done: Results, places: Mapping[int, int]) -> Step:
    """The step with literals for what it reads of steps that are over; the rest follows its steps to their places."""
    over = {
        name: reference
        for name, value in spec.params.items()
        if (reference := parse_reference(value)) is not None and reference.position not in places
    }
    values = resolve({name: spec.params[name] for name in over}, done)
    condition = spec.condition
    if condition is not None and (reads := reference_of(condition)) is not None and reads.position not in places:
        condition = None
    others = tuple(_filled(replace(other, condition=condition), position, done, places) for other in spec.alternatives)
    step = step_of(replace(spec, params={**spec.params, **values}, condition=condition, alternatives=()), places)
    params = {
        name: Param(param.value, "reference", str(over[name]), note=f"from step {over[name].position}, which is done")
        if name in over
        else param
        for name, param in step.params.items()
    }
    return replace(step, params=params, alternatives=others)
