"""LangGraph: a graph of ten nodes with the Postgres checkpointer, `durability="sync"`, one thread id per plan.

As its documentation has it: one connection with autocommit and prepared statements. It pipelines what belongs together
by itself; the whole connection in pipeline mode, or a pool, was not faster.
"""

from __future__ import annotations

import uuid
from contextlib import ExitStack
from typing import Any, TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph

from benchmarks.durable.protocol import STEPS, Place


class State(TypedDict):
    done: int


class Lane:
    """Threads of one compiled graph, run one after another."""

    def __init__(self, place: Place) -> None:
        self._open = ExitStack()
        saver = self._open.enter_context(PostgresSaver.from_conn_string(place.database_url))
        saver.setup()
        self._graph = _graph().compile(checkpointer=saver)
        self._threads: list[str] = []

    def prepare(self, plans: int) -> None:
        self._threads = [str(uuid.uuid4()) for _ in range(plans)]

    def run(self) -> None:
        for thread in self._threads:
            config = {"configurable": {"thread_id": thread}}
            last = self._graph.invoke({"done": 0}, config, durability="sync")
            if last["done"] != STEPS:
                raise RuntimeError(f"a plan ended after {last['done']} steps")

    def close(self) -> None:
        self._open.close()


def _graph() -> Any:
    graph = StateGraph(State)
    names = [f"step{number}" for number in range(1, STEPS + 1)]
    for name in names:
        graph.add_node(name, lambda state: {"done": state["done"] + 1})
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph
