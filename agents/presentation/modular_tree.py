"""The tree of a modular agent's run, a row for each node: the present path straight down, branches beside it. Pure.

A branch that was left is folded to its first node, unless the reader opened it or looks at one of its nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from agents.bdi.modular.state import Node, State

# So many rows are on a page; a run of 5,000 nodes has pages.
PAGE_ROWS = 200
MOST_INDENT = 6
_TITLE_CHARS = 120


@dataclass(frozen=True)
class Row:
    """A node in the list. `lane`: how far to the right it stands; `folded`: so many nodes of its branch are hidden."""

    node: Node
    lane: int
    is_on_path: bool
    is_here: bool
    is_selected: bool
    folded: int = 0

    @property
    def title(self) -> str:
        """The beginning of what it says, or what it calls."""
        message = self.node.message
        said = " ".join(message.content.split())
        if message.function_call is not None:
            said = f"{message.function_call.name} {said}".strip()
        return said if len(said) <= _TITLE_CHARS else said[: _TITLE_CHARS - 1] + "…"

    @property
    def indent(self) -> int:
        """The lane as far as the page has room for it."""
        return min(self.lane, MOST_INDENT)

    @property
    def role(self) -> str:
        """Who says it, in a word."""
        return {"user": "told", "assistant": "agent", "function": "answer"}.get(self.node.message.role, "")

    @property
    def score(self) -> float | None:
        """How the option was rated that it was made of."""
        node = self.node
        return node.options[node.chosen].score if node.chosen is not None else None


@dataclass(frozen=True)
class Tree:
    """The rows of one page. `before` and `after`: the first rows of the pages around it, None where there is none."""

    rows: tuple[Row, ...]
    total: int
    first: int
    before: int | None
    after: int | None


def tree(state: State, selected: int | None, opened: Collection[int] = (), first: int | None = None) -> Tree:
    """One page of rows: the one that begins with row `first`, else the one with the selected or the present node."""
    rows = _rows(state, selected, opened)
    if first is None:
        wanted = selected if selected in state.nodes else state.at
        place = next((at for at, row in enumerate(rows) if row.node.id == wanted), 0)
        first = max(0, place - PAGE_ROWS // 2)
    first = max(0, min(first, max(0, len(rows) - 1)))
    end = first + PAGE_ROWS
    before = max(0, first - PAGE_ROWS) if first else None
    return Tree(tuple(rows[first:end]), len(rows), first, before, end if end < len(rows) else None)


def _rows(state: State, selected: int | None, opened: Collection[int]) -> list[Row]:
    children: dict[int | None, list[int]] = {}
    for node in state.nodes.values():
        children.setdefault(node.parent, []).append(node.id)
    sizes = _sizes(state, children)
    path = {node.id for node in state.path()} if state.at is not None else set()
    looked_at = {node.id for node in state.path(selected)} if selected in state.nodes else set()
    shown = path | looked_at | set(opened)
    found: list[Row] = []
    # A stack, for a path may be longer than Python's own.
    waiting = [(number, 0) for number in reversed(_ordered(children.get(None, []), path, looked_at))]
    while waiting:
        number, lane = waiting.pop()
        node, below = state.nodes[number], children.get(number, [])
        is_open = number in shown or lane == 0
        folded = 0 if is_open else sizes[number] - 1
        found.append(Row(node, lane, number in path, number == state.at, number == selected, folded))
        if folded:
            continue
        ordered = _ordered(below, path, looked_at)
        # The last of them goes straight on; the others stand beside it, above.
        waiting.extend((one, lane + (at > 0)) for at, one in enumerate(ordered))
    return found


def _ordered(children: list[int], path: Collection[int], looked_at: Collection[int]) -> list[int]:
    """The one that goes straight on first: of the present path, else on the way to what is looked at, else newest."""
    return sorted(children, key=lambda one: (one not in path, one not in looked_at, -one))


def _sizes(state: State, children: Mapping[int | None, list[int]]) -> dict[int, int]:
    sizes = dict.fromkeys(state.nodes, 1)
    # A child is always newer than its parent in what mindX writes; what was read in may be otherwise.
    for number in reversed(_from_the_root(children)):
        sizes[number] += sum(sizes[one] for one in children.get(number, []))
    return sizes


def _from_the_root(children: Mapping[int | None, list[int]]) -> list[int]:
    found: list[int] = []
    waiting = list(children.get(None, []))
    while waiting:
        found.append(number := waiting.pop())
        waiting.extend(children.get(number, []))
    return found
