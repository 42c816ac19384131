"""The versions of a component as a picture: each with an arrow from the one that it was made from (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_ACROSS, _DOWN, _RADIUS = 96, 44, 6
_MARGIN = 24


@dataclass(frozen=True)
class Knot:
    """A version at its place. `status` gives its look."""

    id: int
    version: str
    status: str
    x: int
    y: int

    @property
    def label_y(self) -> int:
        """The base line of its number."""
        return self.y - 12


@dataclass(frozen=True)
class Lineage:
    """The picture. `lines` are paths of SVG."""

    knots: tuple[Knot, ...]
    lines: tuple[str, ...]
    width: int
    height: int
    said: str


def draw(versions: Sequence[tuple[int, str, str, int | None]]) -> Lineage:
    """Lay out (id, number, status, id of the parent), oldest first: a version stands right of its parent.

    The newest child of a version goes on in its row where that is free; the others begin rows of their own. A parent
    that is not among the versions is left out.
    """
    columns: dict[int, int] = {}
    rows: dict[int, int] = {}
    newest = {parent: pk for pk, _, _, parent in versions if parent is not None}
    free = 0
    for pk, _, _, parent in versions:
        is_child = parent is not None and parent in columns
        columns[pk] = columns[parent] + 1 if is_child and parent is not None else 0
        if is_child and parent is not None and newest[parent] == pk:
            rows[pk] = rows[parent]
        else:
            rows[pk], free = free, free + 1
    knots = tuple(
        Knot(pk, version, status, _MARGIN + columns[pk] * _ACROSS, _MARGIN + rows[pk] * _DOWN)
        for pk, version, status, _ in versions
    )
    at = {knot.id: knot for knot in knots}
    lines = tuple(_line(at[parent], at[pk]) for pk, _, _, parent in versions if parent in at)
    return Lineage(
        knots,
        lines,
        2 * _MARGIN + max(columns.values(), default=0) * _ACROSS,
        2 * _MARGIN + max(0, free - 1) * _DOWN,
        _said(versions),
    )


def _line(parent: Knot, child: Knot) -> str:
    from_x, to_x = parent.x + _RADIUS, child.x - _RADIUS
    middle = (from_x + to_x) // 2
    return f"M{from_x} {parent.y}C{middle} {parent.y} {middle} {child.y} {to_x} {child.y}"


def _said(versions: Sequence[tuple[int, str, str, int | None]]) -> str:
    numbers = {pk: version for pk, version, _, _ in versions}
    return "; ".join(
        f"{version} from {numbers[parent]}" if parent in numbers else version for _, version, _, parent in versions
    )
