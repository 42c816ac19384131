"""What an operator sets for recovery: names, defaults and bounds. Pure; the rows are read at each decision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from agents.bdi.recovery.recovery_learning import Memory
from agents.bdi.recovery.strategies import ABORT, AGINT, ALTERNATIVE, COOLED, MANUAL, REEXTRACTED, RETRY, SIMPLER, Way


@dataclass(frozen=True)
class RecoverySettings:
    """Seconds where a name ends so; costs are shares of what a recovered step is worth."""

    retry_delay_seconds: float = 5.0
    longest_delay_seconds: float = 900.0
    # A delay is longer by up to this share of it, so that what failed together does not come back together.
    jitter: float = 0.25
    cool_down_seconds: float = 60.0
    # Of the moving average that is shown beside the counts.
    learning_rate: float = 0.3
    # Up to so many outcomes of a class and tool the usual order is kept; from then on what was learned decides.
    usual_order_up_to: float = 3.0
    change_every_failures: float = 800.0
    discount: float = 0.985
    sharpness: float = 8.0
    most_replans: float = 2.0
    most_escalations: float = 2.0
    # Of the machine's processors, memory and disk, in percent, from where on it counts as under pressure.
    pressure_cpu_percent: float = 90.0
    pressure_memory_percent: float = 85.0
    pressure_disk_percent: float = 95.0
    cost_retry: float = 0.02
    cost_cool_down: float = 0.05
    cost_alternative: float = 0.02
    cost_review: float = 0.15
    cost_simplified: float = 0.05
    cost_agint: float = 0.1
    cost_manual: float = 0.4

    @property
    def memory(self) -> Memory:
        """How long outcomes count."""
        return Memory(1.0 / self.change_every_failures, self.discount, sharpness=self.sharpness)

    def cost_of(self, way: Way, *, needs_review: bool = False) -> float:
        """What choosing it takes, whatever comes of it: waiting, reading, a person's time."""
        own = {
            RETRY: self.cost_retry,
            COOLED: self.cost_cool_down,
            ALTERNATIVE: self.cost_alternative,
            SIMPLER: self.cost_simplified,
            REEXTRACTED: self.cost_simplified,
            AGINT: self.cost_agint,
            MANUAL: self.cost_manual,
            ABORT: 0.0,
        }[way]
        return own + (self.cost_review if needs_review else 0.0)


NAMES = tuple(one.name for one in fields(RecoverySettings))
USUAL = RecoverySettings()

# From, to; shares are from 0 to 1.
_BOUNDS: Mapping[str, tuple[float, float]] = {
    "retry_delay_seconds": (0.0, 3_600.0),
    "longest_delay_seconds": (1.0, 86_400.0),
    "cool_down_seconds": (0.0, 86_400.0),
    "usual_order_up_to": (0.0, 1_000.0),
    "change_every_failures": (10.0, 1_000_000.0),
    "discount": (0.8, 1.0),
    "sharpness": (0.5, 20.0),
    "most_replans": (0.0, 20.0),
    "most_escalations": (0.0, 20.0),
    "pressure_cpu_percent": (10.0, 100.0),
    "pressure_memory_percent": (10.0, 100.0),
    "pressure_disk_percent": (10.0, 100.0),
}


def bounds_of(name: str) -> tuple[float, float]:
    """The least and the greatest value. Raises KeyError for a name that is no setting."""
    if name not in NAMES:
        raise KeyError(name)
    return _BOUNDS.get(name, (0.0, 1.0))


def problem_with(name: str, value: Any) -> str:
    """Why this is no value of that setting, as a sentence; "" when it is one."""
    if name not in NAMES:
        return f"There is no setting {name}."
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return "It is a number."
    least, most = bounds_of(name)
    return "" if least <= value <= most else f"It is from {least:g} to {most:g}."


def with_rows(rows: Mapping[str, float]) -> RecoverySettings:
    """The settings with the saved values in place of the usual ones; a value that is none any more is left out."""
    return replace(USUAL, **{name: value for name, value in rows.items() if not problem_with(name, value)})
