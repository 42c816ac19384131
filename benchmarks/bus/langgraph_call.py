"""LangGraph: a graph of one node that does nothing, kept by its Postgres checkpointer, a thread for each call.

`python -m benchmarks.bus.langgraph_call` with the environment of `requirements-bench.txt`. The database's address comes
in the first line, because it holds a password; each further line is a number of calls, answered when they were made.
"""

from __future__ import annotations

import sys
import uuid
from typing import Any, TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    done: int


def _graph() -> Any:
    graph = StateGraph(State)
    graph.add_node("noop", lambda state: {"done": state["done"] + 1})
    graph.add_edge(START, "noop")
    graph.add_edge("noop", END)
    return graph


def main() -> None:
    """Answer every line with one of our own; the end of the input ends it."""
    with PostgresSaver.from_conn_string(sys.stdin.readline().strip()) as saver:
        saver.setup()
        graph = _graph().compile(checkpointer=saver)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for line in sys.stdin:
            for _ in range(int(line)):
                config = {"configurable": {"thread_id": str(uuid.uuid4())}}
                graph.invoke({"done": 0}, config, durability="sync")
            sys.stdout.write("done\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
