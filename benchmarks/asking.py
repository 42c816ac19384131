"""What answering costs: queries, and milliseconds over many rounds."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cost:
    """Of one answer. The fastest and the processor time tell what it costs where nothing else runs at the same time.

    `database_ms` is the median of what its queries took together, waiting for a processor included.
    """

    queries: int
    p50_ms: float
    p95_ms: float
    fastest_ms: float
    database_ms: float
    processor_ms: float

    def __str__(self) -> str:
        times = f"p50 {self.p50_ms:7.1f} ms, p95 {self.p95_ms:7.1f} ms, fastest {self.fastest_ms:6.1f} ms"
        parts = f"of it queries {self.database_ms:6.1f} ms, own processor {self.processor_ms:6.1f} ms"
        return f"{self.queries:3} queries, {times}; {parts}"


def cost_of(work: Callable[[], object], rounds: int) -> Cost:
    """Do it once to load what it needs, and then some times."""
    from django.db import connections

    asked: list[float] = []

    def counted(execute: Any, *rest: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(*rest)
        finally:
            asked.append((time.perf_counter() - started) * 1000)

    took, used, asking = [], [], []
    with connections["default"].execute_wrapper(counted):
        work()
        for _ in range(rounds):
            asked.clear()
            started, processor = time.perf_counter(), time.process_time()
            work()
            took.append((time.perf_counter() - started) * 1000)
            used.append((time.process_time() - processor) * 1000)
            asking.append(sum(asked))
    middle = statistics.median
    last = statistics.quantiles(took, n=20)[-1]
    return Cost(len(asked), middle(took), last, min(took), middle(asking), middle(used))


def say(name: str, rounds: int, work: Callable[[], object]) -> Cost:
    """Measure, and write it as a line."""
    cost = cost_of(work, rounds)
    sys.stdout.write(f"{name:<34} {cost}\n")
    sys.stdout.flush()
    return cost


def got(client: Any, address: str) -> Any:
    """The page at the address, which must answer."""
    response = client.get(address)
    if response.status_code != 200:
        raise RuntimeError(f"{address} answered {response.status_code}")
    return response
