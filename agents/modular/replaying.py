"""A run done again from its recorded answers: the same states, or where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.modular import document
from agents.bdi.modular.agent import ToolSpec
from agents.bdi.modular.loop import ModuleFailed
from agents.models import ModularNode, ModularRun, ModularStep
from agents.modular import wanting, working


@dataclass(frozen=True)
class Difference:
    """A step that comes to another state now: where in it, what stood there, and what stands there now."""

    step: int
    where: str
    before: str
    now: str


@dataclass(frozen=True)
class Replayed:
    """How many steps were done again, and where they differ."""

    steps: int
    differences: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        """Whether every step came to the state that is stored."""
        return not self.differences


def replay(run: ModularRun, most: int = 20) -> Replayed:
    """Take every step of the run again, on the state before it and with the answers that it had. Nothing acts."""
    rows = list(run.nodes.order_by("number"))
    steps = {step.number: step for step in run.steps.order_by("number")}
    found: list[Difference] = []
    count, tools = 0, wanting.catalogue()
    for step in steps.values():
        if step.kind != ModularStep.Kind.STEP or step.parent is None:
            continue
        count += 1
        found += _differences(step, steps[step.parent], rows, tools)
        if len(found) >= most:
            break
    return Replayed(count, tuple(found[:most]))


def _differences(
    step: ModularStep, before: ModularStep, rows: list[ModularNode], tools: Mapping[str, ToolSpec]
) -> list[Difference]:
    nodes = [row.data for row in rows if row.number <= before.last_node]
    state = document.of_rows(before.head, nodes)
    # The tree held the nodes of all branches when the step was taken: ids go on from the last of them.
    try:
        again, done = working.taken(state, step.now, step.answers, tools)
    except ModuleFailed as failed:
        return [Difference(step.number, "the step", step.module, str(failed))]
    if not done.is_done:
        wanted = ", ".join(one.key for one in done.wants)
        return [Difference(step.number, "the step", "done", f"wants what was not recorded: {wanted}")]
    stored = [row.data for row in rows if before.last_node < row.number <= step.last_node]
    new = document.nodes(node for node in again.nodes.values() if node.id > before.last_node)
    return [
        *_unlike(step.number, "", step.head, document.head(again)),
        *_unlike(step.number, "nodes", dict(enumerate(stored)), dict(enumerate(new))),
    ]


def _unlike(step: int, where: str, before: Any, now: Any) -> list[Difference]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        keys = sorted({*before, *now}, key=str)
        return [
            one for key in keys for one in _unlike(step, f"{where}.{key}".strip("."), before.get(key), now.get(key))
        ]
    if before == now:
        return []
    return [Difference(step, where, str(before)[:200], str(now)[:200])]
