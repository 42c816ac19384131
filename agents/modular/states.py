"""The states of a run as rows: read with the nodes that were there, written once for each step."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from agents.bdi.modular import document
from agents.bdi.modular.document import StateUnreadable
from agents.bdi.modular.state import Node, State
from agents.models import ModularNode, ModularRun, ModularStep, Workspace
from people.models import User


def read(step: ModularStep) -> State:
    """The state that a step left, with the nodes that its tree had then."""
    rows = ModularNode.objects.filter(run=step.run_id, number__lte=step.last_node).order_by("number")
    return document.of_rows(step.head, list(rows.values_list("data", flat=True)))


def latest(run: ModularRun) -> ModularStep:
    """The step whose state the run goes on from."""
    return ModularStep.objects.get(run=run.pk, number=run.at_step)


def tree_of(run: ModularRun) -> State:
    """The present state with the nodes of all branches; the last that can be read where the present one cannot."""
    return readable(run, nodes_of(run))[1]


def nodes_of(run: ModularRun) -> dict[int, Node]:
    """The nodes of all branches by their ids, in order."""
    rows = ModularNode.objects.filter(run=run.pk).order_by("number").values_list("data", flat=True)
    return document.read_nodes(list(rows))


def readable(run: ModularRun, nodes: dict[int, Node]) -> tuple[ModularStep, State]:
    """The last step on the way to the present one whose state can be read, with that. Raises StateUnreadable."""
    step, first = latest(run), None
    while True:
        try:
            return step, document.of_head(step.head, nodes)
        except StateUnreadable as unreadable:
            first = first or unreadable
            before = ModularStep.objects.filter(run=run.pk, number=step.parent).first() if step.parent else None
            if before is None:
                raise first from None
            step = before


class Trees:
    """The trees of the runs that this process went on with last. Nodes are never rewritten, so it reads only new ones.

    For use outside of a transaction: what that takes back would stay here.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()  # several runs at once; each is gone on with by one thread
        self._nodes: OrderedDict[tuple[int, datetime], dict[int, Node]] = OrderedDict()

    def of(self, run: ModularRun, step: ModularStep) -> State:
        """The state of this step with the nodes of all branches, as `tree_of`."""
        # A run's number alone could be another one's in a database that was emptied.
        key = run.pk, run.created_at
        with self._lock:
            nodes = self._nodes.setdefault(key, {})
            self._nodes.move_to_end(key)
            if len(self._nodes) > self._most:
                self._nodes.popitem(last=False)
        last = next(reversed(nodes), 0)
        if last < step.last_node:
            rows = ModularNode.objects.filter(run=run.pk, number__gt=last).order_by("number")
            nodes |= document.read_nodes(list(rows.values_list("data", flat=True)))
        return document.of_head(step.head, dict(nodes))

    def forget(self) -> None:
        """Read everything again."""
        self._nodes.clear()


@dataclass(frozen=True)
class Written:
    """How a state was made, for its row."""

    kind: str
    now: str
    parent: int | None = None
    module_type: str = ""
    module: str = ""
    answers: Mapping[str, Any] | None = None
    by: User | None = None


def write(run: ModularRun, state: State, of: Written, workspace: Workspace) -> ModularStep:
    """Write the run's next state and the nodes that came with it. The caller holds the run's row."""
    last = ModularStep.objects.filter(run=run.pk).order_by("-number").values_list("number", "last_node").first()
    number, known = (last[0] + 1, last[1]) if last is not None else (1, 0)
    # Ids ascend, so what is new stands at the end, and a long tree is not gone through.
    new = list(takewhile(lambda node: node.id > known, reversed(state.nodes.values())))[::-1]
    ModularNode.objects.bulk_create(
        ModularNode(run=run, number=node.id, step=number, data=data)
        for node, data in zip(new, document.nodes(new), strict=True)
    )
    return ModularStep.objects.create(
        run=run,
        number=number,
        parent=of.parent,
        kind=of.kind,
        module_type=of.module_type,
        module=of.module,
        head=document.head(state),
        answers=dict(of.answers or {}),
        now=of.now,
        last_node=max((node.id for node in new), default=known),
        workspace=workspace,
        snapshot=workspace.head,
        by=of.by,
    )
