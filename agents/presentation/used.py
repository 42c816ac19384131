"""What steps took of their limits, as bars. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.toolkit.limits import DEFAULTS, in_words

_MIB = 1 << 20


@dataclass(frozen=True)
class Bar:
    """One measure. `value` never exceeds `most`; `is_full`: this limit is the one that was reached."""

    name: str
    value: float
    most: float
    words: str
    is_full: bool = False


@dataclass(frozen=True)
class Used:
    """The bars of one step or one typed command; `label` says which."""

    label: str
    what: str
    bars: tuple[Bar, ...]


def bars(result: Mapping[str, Any], limits: Mapping[str, Any], timeout_s: Any = None) -> tuple[Bar, ...]:
    """Memory, time and processes, each where the sandbox measured it. `timeout_s`: the time the step asked for."""
    held = {**DEFAULTS, **limits}
    return tuple(_bars(result, held, held["soft_s"] if timeout_s is None else timeout_s))


def _bars(result: Mapping[str, Any], held: Mapping[str, Any], time_s: Any) -> Iterator[Bar]:
    hit = result.get("limit")
    peak, took_s, processes = (result.get(name) for name in ("peak_memory_bytes", "duration_s", "peak_processes"))
    if isinstance(peak, int):
        words = f"{peak / _MIB:,.1f} MiB of {in_words('memory_bytes', held['memory_bytes'])}"
        yield _bar("memory", peak, held["memory_bytes"], words, hit == "memory")
    # Only programs are stopped by the clock.
    if isinstance(took_s, int | float) and "return_code" in result:
        yield _bar("time", took_s, time_s, f"{took_s:,.2f} s of {in_words('soft_s', time_s)}", hit == "time")
    if isinstance(processes, int):
        words = f"{processes} of {in_words('processes', held['processes'])}"
        yield _bar("processes", processes, held["processes"], words, hit == "processes")


def _bar(name: str, value: float, most: Any, words: str, is_full: bool) -> Bar:
    # A document that somebody changed may hold anything, and a bar must have an end.
    end = float(most) if isinstance(most, int | float) and most > 0 else 1.0
    return Bar(name, min(float(value), end), end, words, is_full)
