"""The place of a comment in a plan, and where it is in the next revision. Pure.

An anchor is "" (the whole plan), "intent:N" (a step) or "intent:N:NAME" (one argument of it).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from agents.bdi.plans.document import Document, IntentSpec

PLAN = ""
Key = Callable[[IntentSpec], str]


@dataclass(frozen=True)
class Place:
    """Something that can be commented on; `words` names it for people."""

    anchor: str
    words: str


class Fate(StrEnum):
    """What happened to the place of a comment."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Carried:
    """The place of a comment in the next revision; its old place if it is gone."""

    anchor: str
    fate: Fate


def of_step(position: int, parameter: str = "") -> str:
    """The anchor of a step, or of one argument of it."""
    return f"intent:{position}:{parameter}" if parameter else f"intent:{position}"


def position_of(anchor: str) -> int:
    """The step that an anchor names; 0 for the whole plan."""
    number = anchor.split(":", 2)[1:2]
    return int(number[0]) if number else 0


def parameter_of(anchor: str) -> str:
    """The argument that an anchor names; "" for a step or the plan."""
    return "".join(anchor.split(":", 2)[2:])


def places(document: Document) -> list[Place]:
    """Everything in the document that can be commented on, the plan first."""
    found = [Place(PLAN, "the whole plan")]
    for spec in document.all_intents:
        said = f"{'clean-up step' if spec.phase == 'cleanup' else 'step'} {spec.position}, {spec.command}"
        found.append(Place(of_step(spec.position), said))
        found += [Place(of_step(spec.position, name), f"{said}: {name}") for name in spec.params]
    return found


def place_at(document: Document, anchor: str) -> Place | None:
    """The place of this anchor; None when the document has none."""
    return next((place for place in places(document) if place.anchor == anchor), None)


def carried(anchor: str, before: Document, after: Document, pairs: Mapping[int, int] | None = None) -> Carried:
    """Follow an anchor from one revision to the next. `pairs` saves computing `aligned` for each comment."""
    if not anchor:
        return Carried(anchor, Fate.SAME if same_steps(before, after) else Fate.CHANGED)
    pairs = aligned(before, after) if pairs is None else pairs
    name = parameter_of(anchor)
    position = pairs.get(position_of(anchor))
    if position is None:
        return Carried(anchor, Fate.GONE)
    was, now = before.at(position_of(anchor)), after.at(position)
    if not name:
        return Carried(of_step(position), Fate.SAME if _essence(was) == _essence(now) else Fate.CHANGED)
    if name not in now.params:
        return Carried(anchor, Fate.GONE)
    same = name in was.params and _json(was.params[name]) == _json(now.params[name])
    return Carried(of_step(position, name), Fate.SAME if same else Fate.CHANGED)


def same_steps(before: Document, after: Document) -> bool:
    """Whether both do the same, whatever their reasons and origins."""
    return [_essence(spec) for spec in before.all_intents] == [_essence(spec) for spec in after.all_intents]


def aligned(before: Document, after: Document) -> dict[int, int]:
    """Which step of the next revision corresponds to which of this one, by position.

    Equal steps first, in order; then equal steps that moved; then other steps of the same command, in order. Steps of
    different commands never correspond, because a comment would mean something else there.
    """
    pairs: dict[int, int] = {}
    for old, new in ((before.intents, after.intents), (before.cleanup, after.cleanup)):
        pairs |= _aligned(old, new)
    return pairs


def _aligned(old: Sequence[IntentSpec], new: Sequence[IntentSpec]) -> dict[int, int]:
    codes = SequenceMatcher(
        None, [_essence(one) for one in old], [_essence(one) for one in new], autojunk=False
    ).get_opcodes()
    pairs: dict[int, int] = {}
    for tag, old_from, old_to, new_from, new_to in codes:
        if tag == "equal":
            ours, theirs = old[old_from:old_to], new[new_from:new_to]
            pairs |= {one.position: other.position for one, other in zip(ours, theirs, strict=True)}
    # Moved unchanged before changed in place: an equal step is certainly the same one.
    _pair_rest(old, new, pairs, _essence)
    _pair_rest(old, new, pairs, lambda spec: _json([spec.tool, spec.command]))
    return pairs


def _pair_rest(old: Sequence[IntentSpec], new: Sequence[IntentSpec], pairs: dict[int, int], key: Key) -> None:
    """Pair what is left and alike, in order."""
    taken = set(pairs.values())
    free: dict[str, list[int]] = defaultdict(list)
    for spec in new:
        if spec.position not in taken:
            free[key(spec)].append(spec.position)
    for spec in old:
        if spec.position not in pairs and free[key(spec)]:
            pairs[spec.position] = free[key(spec)].pop(0)


def _essence(spec: IntentSpec) -> str:
    """The fields of a step that decide what it does, without its position, reasons and origins."""
    others = [_essence(other) for other in spec.alternatives]
    asks = asdict(spec.asks) if spec.asks is not None else None
    return _json([spec.tool, spec.command, dict(spec.params), spec.condition, list(spec.hosts), others, asks])


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
