"""How a plan differs from an earlier one: added, missing or other steps, and values. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.bdi.plans.document import Document, IntentSpec
from agents.presentation.values import as_text
from review.reading import anchors, texts

SAME = "the same steps with the same values"
# Longer values are only named by their place, because a line must be readable at a glance.
_LONGEST = 60
# A plan with more differences has to be read like a new one.
MOST_DIFFERENCES = 3


@dataclass(frozen=True)
class Swap:
    """A value of a step that differs. None if that plan's step has no such value."""

    position: int
    name: str
    was: str | None
    now: str | None

    @property
    def is_short(self) -> bool:
        """True when both values fit into a line."""
        return all(text is not None and not _is_long(text) for text in (self.was, self.now))


@dataclass(frozen=True)
class Alike:
    """A plan with the steps of an earlier one, in the same order, and at most some other values.

    `swaps` are all values that differ; `pairs` and `places` are the short form: old and new value, and the places of
    values that are too long for a line.
    """

    swaps: tuple[Swap, ...]

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Each short value and its replacement, without those that follow from another one."""
        return tuple(_pairs(self.swaps))

    @property
    def places(self) -> tuple[str, ...]:
        """Where a long value differs."""
        return tuple(_places(self.swaps))

    def at(self, position: int) -> dict[str, str]:
        """The earlier values of a step that differ, by name."""
        return {swap.name: swap.was or "" for swap in self.swaps if swap.position == position}


def alike(earlier: Document, this: Document) -> Alike | None:
    """The differences of a plan with the same steps; None if anything else differs, or too much.

    The same means everything that decides what a step may do: effect, hosts, limits, condition, models, alternatives.
    """
    ours, theirs = this.all_intents, earlier.all_intents
    if [_frame(spec) for spec in ours] != [_frame(spec) for spec in theirs]:
        return None
    found = Alike(tuple(swap for old, new in zip(theirs, ours, strict=True) for swap in _swaps(old, new)))
    return found if len(found.pairs) + len(found.places) <= MOST_DIFFERENCES else None


def unlike(earlier: Document, this: Document) -> str:
    """The difference from an earlier plan to this one, in one line. Numbers are those of this plan's steps."""
    pairs = anchors.aligned(earlier, this)
    said = []
    if more := [spec for spec in this.all_intents if spec.position not in pairs.values()]:
        said.append(f"more here: {_steps(more)}")
    if fewer := [spec for spec in earlier.all_intents if spec.position not in pairs]:
        said.append(f"not here: {', '.join(spec.command for spec in fewer)}")
    both = [(earlier.at(old), this.at(new)) for new, old in sorted((new, old) for old, new in pairs.items())]
    if values := _other_values(both):
        said.append(", ".join(values))
    order = [pairs[old] for old in sorted(pairs)]
    if order != sorted(order):
        said.append("in another order")
    return "; ".join(said) or SAME


def _other_values(both: Sequence[tuple[IntentSpec, IntentSpec]]) -> list[str]:
    """What differs within steps, each given as it was and as it is."""
    swaps = [swap for old, new in both for swap in _swaps(old, new)]
    values = [f"{was or 'empty'} → {now or 'empty'}" for was, now in _pairs(swaps)]
    return [*values, *_places(swaps), *(words for old, new in both for words in _others(old, new))]


def _steps(specs: Sequence[IntentSpec]) -> str:
    return ", ".join(f"{spec.position} {spec.command}" for spec in specs)


def _frame(spec: IntentSpec) -> IntentSpec:
    """A step without its values and without what explains it."""
    names = dict.fromkeys(sorted(spec.params))
    return replace(spec, params=names, parameters=(), justification="", rule="", sentence="")


def _swaps(old: IntentSpec, new: IntentSpec) -> Iterator[Swap]:
    for name in {**old.params, **new.params}:
        if name not in old.params or name not in new.params or old.params[name] != new.params[name]:
            yield Swap(new.position, name, _text(old, name), _text(new, name))


def _text(spec: IntentSpec, name: str) -> str | None:
    return as_text(spec.params[name]) if name in spec.params else None


def _others(old: IntentSpec, new: IntentSpec) -> Iterator[str]:
    """Other differences of a step that make it do something else."""
    if old.condition != new.condition:
        yield f"another condition of step {new.position}"
    if tuple(old.hosts) != tuple(new.hosts) and old.params.get("hosts") == new.params.get("hosts"):
        yield f"other hosts of step {new.position}"
    if old.asks != new.asks:
        yield f"another language model of step {new.position}"
    if old.alternatives != new.alternatives:
        yield f"other alternatives of step {new.position}"


def _pairs(swaps: Iterable[Swap]) -> list[tuple[str, str]]:
    """Each short pair once. `weather/.venv → tides/.venv` says nothing new beside `weather → tides`."""
    told = dict.fromkeys((swap.was or "", swap.now or "") for swap in swaps if swap.is_short)
    kept: list[tuple[str, str]] = []
    for pair in sorted(told, key=lambda pair: len(pair[0])):
        if not any(_follows(pair, base) for base in kept):
            kept.append(pair)
    return [pair for pair in told if pair in kept]


def _follows(pair: tuple[str, str], base: tuple[str, str]) -> bool:
    """Whether the pair follows from replacing the base's old value by its new one, as whole words."""
    if not base[0]:
        return False
    return re.sub(rf"(?<!\w){re.escape(base[0])}(?!\w)", lambda _: base[1], pair[0]) == pair[1]


def _places(swaps: Iterable[Swap]) -> Iterator[str]:
    for swap in swaps:
        if not swap.is_short:
            yield f"{'another' if swap.was is not None else 'a'} {swap.name} of step {swap.position}"


def _is_long(text: str) -> bool:
    return len(text) > _LONGEST or texts.needs_block(text)
