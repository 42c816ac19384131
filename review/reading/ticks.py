"""Which steps are selected for an approval, and what selecting one means for the others. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agents.bdi.plans import selection
from agents.bdi.plans.document import Document


@dataclass(frozen=True)
class Tick:
    """The checkbox of a main step. `needs`: all steps that it depends on, also indirectly; `needed_by`: the reverse."""

    position: int
    is_on: bool
    needs: tuple[int, ...]
    needed_by: tuple[int, ...]

    @property
    def needs_in_words(self) -> str:
        """Positions for the script of the page."""
        return " ".join(map(str, self.needs))


def ticks_of(document: Document, chosen: Collection[int] | None = None) -> dict[int, Tick]:
    """The checkbox of each main step, by position; `chosen`: the selected ones, None: all. A single step has none."""
    positions = [spec.position for spec in document.intents]
    if len(positions) < 2:
        return {}
    needs = {at: tuple(one for one in selection.closed(document, [at]) if one != at) for at in positions}
    on = set(positions) if chosen is None else set(chosen)
    return {at: Tick(at, at in on, needs[at], tuple(one for one in positions if at in needs[one])) for at in positions}


def in_words(ticks: Collection[Tick]) -> str:
    """What an approval of these would cover: "Approve 3 of 5: 1, 2, 4. Left out: 3, 5."; "" if all are selected."""
    on, off = [one.position for one in ticks if one.is_on], [one.position for one in ticks if not one.is_on]
    if not off:
        return ""
    if not on:
        return f"No step is selected. Left out: {_listed(off)}."
    return f"Approve {len(on)} of {len(ticks)}: {_listed(on)}. Left out: {_listed(off)}."


def _listed(positions: Collection[int]) -> str:
    return ", ".join(map(str, positions))
