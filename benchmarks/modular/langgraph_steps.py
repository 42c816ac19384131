"""The same four steps as a graph of LangGraph with its Postgres checkpointer, over a thread with many messages.

`python -m benchmarks.modular.langgraph_steps` with the environment of `requirements-bench.txt`. The database's address
comes in the first line, because it holds a password; each further line is `nodes steps cold`, answered with a JSON list
of milliseconds by the clock and of the processor. Durability is "sync", as ours is: a step is
stored before the next one begins.
"""

from __future__ import annotations

import json
import operator
import sys
import time
import uuid
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import START, StateGraph

from benchmarks.modular.ours import CHARS, text

# As many of the newest messages as fit our prompts' usual size.
_SHOWN = 150


class State(TypedDict):
    messages: Annotated[list[dict[str, str]], operator.add]
    prompt: list[dict[str, str]]
    said: str


def _prompter(state: State) -> dict[str, Any]:
    return {"prompt": [state["messages"][0], *state["messages"][-_SHOWN:]]}


def _generator(state: State) -> dict[str, Any]:
    return {"said": text(len(state["messages"]))[:CHARS]}


def _discriminator(state: State) -> dict[str, Any]:
    return {"messages": [{"role": "assistant", "content": state["said"]}]}


def _actor(state: State) -> dict[str, Any]:
    return {"messages": [{"role": "function", "content": "Noted."}]}


def _graph() -> Any:
    graph = StateGraph(State)
    steps = {"prompter": _prompter, "generator": _generator, "discriminator": _discriminator, "actor": _actor}
    for name, step in steps.items():
        graph.add_node(name, step)
    graph.add_edge(START, "prompter")
    for before, after in zip(steps, [*list(steps)[1:], "prompter"], strict=True):
        graph.add_edge(before, after)
    return graph


def _measured(graph: Any, nodes: int, steps: int, *, cold: bool) -> list[tuple[float, float]]:
    """Milliseconds of each step, by the clock and of the processor."""
    config = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": 100_000}
    said = [{"role": ("user", "assistant")[at % 2], "content": text(at)[:CHARS]} for at in range(nodes)]
    graph.update_state(config, {"messages": said}, as_node="actor")
    if cold:
        return [_first(graph, config) for _ in range(steps)]
    found: list[tuple[float, float]] = []
    began, cpu = time.perf_counter(), time.process_time()
    for _ in graph.stream(None, config, stream_mode="updates", durability="sync"):
        found.append(((time.perf_counter() - began) * 1_000, (time.process_time() - cpu) * 1_000))
        began, cpu = time.perf_counter(), time.process_time()
        # The first one loads the thread.
        if len(found) > steps:
            break
    return found[1:]


def _first(graph: Any, config: Any) -> tuple[float, float]:
    """One step of somebody who has not got the thread in memory."""
    began, cpu = time.perf_counter(), time.process_time()
    for _ in graph.stream(None, config, stream_mode="updates", durability="sync"):
        break
    return (time.perf_counter() - began) * 1_000, (time.process_time() - cpu) * 1_000


def main() -> None:
    """Answer every line with one of our own; the end of the input ends it."""
    with PostgresSaver.from_conn_string(sys.stdin.readline().strip()) as saver:
        saver.setup()
        graph = _graph().compile(checkpointer=saver)
        _say("ready")
        for line in sys.stdin:
            nodes, steps, cold = map(int, line.split())
            _say(json.dumps(_measured(graph, nodes, steps, cold=bool(cold))))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
