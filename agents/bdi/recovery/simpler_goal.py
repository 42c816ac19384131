"""A simpler plan where none was found: the sound steps of a faulty draft, or the parts of a goal that have plans.

Pure. What is left out is told with the proposal: it is no small matter, so a person looks at it, and the goal is not
achieved by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.outcome.outcome import Check, CheckKind
from agents.bdi.plans.dependencies import link
from agents.toolkit.references import parse_reference, shifted
from agents.toolkit.registry import Registry
from agents.toolkit.types import PlanDraft, Step

# Where the evidence of a plan says what it leaves out.
SIMPLIFIED = "simplified"
# A goal of more parts is a text, and no list of wishes.
MOST_PARTS = 12
# Where one wish ends and another begins. A full stop within a name or an address is followed by no space.
_QUOTED_OR_END = re.compile(
    r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^'\n]*'(?!\w)"
    r"|(?P<end>(?:[.;!?]\s+|\n+)(?:(?:and\s+)?then\s+)?|,?\s+(?:and\s+)?then\s+)",
    re.IGNORECASE,
)


def parts(text: str) -> tuple[str, ...]:
    """The wishes of a goal in its own words; one where it does not fall apart, or into too many.

    Quoted text is never taken apart: it is a value.
    """
    ends = [found.span() for found in _QUOTED_OR_END.finditer(text) if found["end"]]
    begins = [0, *(stop for _, stop in ends)]
    found = [text[begin:end].strip() for begin, end in zip(begins, [*(start for start, _ in ends), None], strict=True)]
    found = [one.rstrip(".;!? ") for one in found if one.strip(".;!? ")]
    return tuple(found) if 1 < len(found) <= MOST_PARTS else (text,)


def sound(draft: PlanDraft, faulty: Collection[int], registry: Registry) -> tuple[PlanDraft, tuple[int, ...]] | None:
    """The draft without these steps and without what stands on them, and the positions that are left out.

    None when nothing would be left, or when what is wrong is no main step's.
    """
    count = len(draft.steps)
    if not faulty or any(not 1 <= position <= count for position in faulty):
        return None
    gone = set(faulty)
    for position, step in enumerate(draft.steps, 1):
        if gone & set(step.depends_on):
            gone.add(position)
    left = [position for position in range(1, count + 1) if position not in gone]
    if not left:
        return None
    places = {position: place for place, position in enumerate(left, 1)}
    places |= {count + at: len(left) + at for at in range(1, len(draft.cleanup) + 1)}
    try:
        main = [_moved(draft.steps[position - 1], places) for position in left]
        undo = [_moved(step, places) for step in draft.cleanup]
    except KeyError:  # what cleans up reads a step that is left out
        return None
    return replace(draft, steps=link(main, registry), cleanup=link(undo, registry)), tuple(sorted(gone))


def joined(drafts: Sequence[PlanDraft], registry: Registry) -> PlanDraft | None:
    """One after the other, as one plan; its source is that of the first.

    None where one that is not the last changes the session: the next was planned for the folder that a plan begins in.
    """
    for draft in drafts[:-1]:
        if any(registry.command(step.tool, step.command).changes_session for step in draft.steps):
            return None
    main: list[Step] = []
    undo: list[Step] = []
    total = sum(len(draft.steps) for draft in drafts)
    for draft in drafts:
        own = len(draft.steps)
        places = {at: len(main) + at for at in range(1, own + 1)}
        places |= {own + at: total + len(undo) + at for at in range(1, len(draft.cleanup) + 1)}
        main += [_moved(step, places) for step in draft.steps]
        undo += [_moved(step, places) for step in draft.cleanup]
    return PlanDraft(link(main, registry), link(undo, registry), drafts[0].source, dict(drafts[0].evidence))


def told(draft: PlanDraft, left_out: Sequence[str], why: str) -> PlanDraft:
    """The draft, whose evidence says what of the goal it leaves out and why."""
    return replace(draft, evidence={**draft.evidence, SIMPLIFIED: {"left_out": list(left_out), "why": why}})


def left_out_checks(evidence: Mapping[str, Any]) -> list[Check]:
    """A check of each thing that a plan with this evidence leaves out: it cannot be told to hold, so that a part of a
    goal is never taken for the whole.
    """
    said = evidence.get(SIMPLIFIED)
    left_out = said.get("left_out") if isinstance(said, Mapping) else None
    return [Check(CheckKind.LEFT_OUT, word=str(one)) for one in left_out] if isinstance(left_out, list) else []


def _moved(step: Step, places: Mapping[int, int]) -> Step:
    params = {name: replace(param, value=shifted(param.value, places)) for name, param in step.params.items()}
    condition: Mapping[str, Any] | None = step.condition
    if condition is not None and parse_reference(condition.get("left")) is not None:
        condition = {**condition, "left": shifted(condition["left"], places)}
    others = tuple(_moved(other, places) for other in step.alternatives)
    return replace(step, params=params, condition=condition, alternatives=others, depends_on=())
