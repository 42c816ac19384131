"""Running a run again from its recorded answers: the same states come out, or it is said where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.bdi.modular import document, loop
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.loop import ModuleFailed
from agents.models import ModularRun, ModularStep
from agents.modular import answering, states


@dataclass(frozen=True)
class Replayed:
    """How many steps came out the same; `differs_at` is the first that did not, and `why` says where."""

    same: int
    differs_at: int | None = None
    why: str = ""


def replay(run: ModularRun) -> Replayed:
    """Repeat every step of a run with the answers it had. Nothing is asked, called or stored."""
    same = 0
    tools = answering.catalogue()
    steps = list(ModularStep.objects.filter(run=run).select_related("run__base__run").order_by("number"))
    state = states.after(steps[0])
    for step in steps[1:]:
        agent = ModularAgent(loop.trial(state), step.now, tools, answering.of_step(run, step.number))
        try:
            turn = loop.step(agent)
        except ModuleFailed as failed:
            return Replayed(same, step.number, str(failed))
        if not turn.is_done:
            return Replayed(same, step.number, f"it wants “{turn.wants[0].key}”, for which there is no answer")
        known = len(state.nodes)
        ours = {**document.head(agent.state), "nodes": document.nodes(list(agent.state.nodes.values())[known:])}
        if (where := next(_differences(ours, {**step.document, "nodes": step.added}), None)) is not None:
            return Replayed(same, step.number, where)
        same += 1
        state = agent.state
    return Replayed(same)


def _differences(ours: Any, theirs: Any, place: str = "") -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(set(ours) | set(theirs)):
            yield from _differences(ours.get(name), theirs.get(name), f"{place}.{name}".lstrip("."))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differences(one, other, f"{place}.{number}")
    elif ours != theirs:
        yield f"{place} is {str(ours)[:80]!r} and was {str(theirs)[:80]!r}"
