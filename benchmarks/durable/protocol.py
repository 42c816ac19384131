"""What an engine is to the runner, and which there are. Imported in every environment, so it imports nothing else."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Protocol

STEPS = 10


@dataclass(frozen=True)
class Place:
    """Where a lane finds its servers: the engine's own database on the common Postgres, and the common Valkey.

    `lane` tells lanes of one engine apart, by a name that no other start of a lane has.
    """

    database_url: str
    redis_url: str
    lane: str


class Engine(Protocol):
    """One lane of an engine, alone in its process: it runs plans of STEPS steps that do nothing, one after another."""

    def __init__(self, place: Place) -> None:
        """Connect, and make what the engine stores its state in unless it is there."""

    def prepare(self, plans: int) -> None:
        """Make this many plans ready to be run. Not timed."""

    def run(self) -> None:
        """Run what was prepared; every step of it is recorded when this returns. Timed."""

    def close(self) -> None:
        """Let go of connections and processes."""


@dataclass(frozen=True)
class Entry:
    """An engine as the runner knows it.

    `module` holds the class `Lane`. `database`: several entries may share one. `ours` runs in the product's own
    environment, the others in `.venv-bench`. `has_truth_in_postgres`: its steps can be counted there.
    """

    key: str
    title: str
    module: str
    database: str
    ours: bool = False
    has_truth_in_postgres: bool = True


ENGINES: tuple[Entry, ...] = (
    Entry("mindx", "mindX, no jail", "ours", "mindx", ours=True),
    Entry("mindx-worker", "mindX, no jail, and learning", "ours_learning", "mindx", ours=True),
    Entry("mindx-jail", "mindX, jailed `true`", "ours_jailed", "mindx", ours=True),
    Entry("langgraph", "LangGraph, Postgres checkpointer", "langgraph_sync", "langgraph"),
    Entry("dbos", "DBOS", "dbos_steps", "dbos"),
    Entry("procrastinate", "procrastinate", "procrastinate_jobs", "procrastinate"),
    Entry("celery", "Celery chain (nothing is kept)", "celery_chain", "celery", has_truth_in_postgres=False),
    Entry("bare", "no engine: one UPDATE and one INSERT a step", "bare_statements", "bare"),
)
BY_KEY = {entry.key: entry for entry in ENGINES}


def lane_of(key: str, place: Place) -> Engine:
    """The engine's lane, connected."""
    module = importlib.import_module(f"benchmarks.durable.{BY_KEY[key].module}")
    lane: Engine = module.Lane(place)
    return lane
