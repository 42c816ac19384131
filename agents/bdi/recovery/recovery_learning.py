"""What earlier recoveries teach about the next: which strategy helps against this class with this tool. Pure.

Thompson sampling over outcomes that are forgotten in two ways. Slowly: an outcome counts less with each failure since
(`discount`), so that what drifts is followed. At once: how far back the outcomes still belong to the present is itself
inferred, as in Bayesian online change-point detection (Adams and MacKay 2007), with the cause of the failures shared by
all strategies of a cell (Mellor and Shapiro 2013, "global switching"): when what always helped fails a few times in a
row, what is known of the others is doubted as well, and they are tried again.

Randomness comes in as `random.Random`, so that a decision can be made again exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

# How many starts of the present are kept in mind; the least likely goes first.
_MOST_STARTS = 48


@dataclass(frozen=True)
class Memory:
    """How long outcomes count. `hazard`: how likely the world of a cell changes from one failure to the next."""

    hazard: float = 1 / 800
    discount: float = 0.985
    # What is believed of a strategy before anything was seen of it, as successes and failures.
    prior_successes: float = 1.0
    prior_failures: float = 1.0
    # By how much certainty is drawn in: above 1 explores less than the posterior would.
    sharpness: float = 8.0


@dataclass
class _Start:
    """One belief about when the present began: its weight, and what was seen since, by strategy."""

    weight: float
    seen: dict[str, list[float]] = field(default_factory=dict)


class Cell:
    """What is known of one class × tool: fed with outcomes in their order, asked for samples."""

    def __init__(self, memory: Memory | None = None) -> None:
        self.memory = memory or Memory()
        self._starts = [_Start(1.0)]

    def learn(self, strategy: str, succeeded: bool) -> None:
        """Take one outcome in."""
        memory = self.memory
        a, b = memory.prior_successes, memory.prior_failures
        grown: list[_Start] = []
        total = 0.0
        for start in self._starts:
            won, lost = start.seen.get(strategy, (0.0, 0.0))
            chance = (won + a) / (won + lost + a + b)
            start.weight *= chance if succeeded else 1.0 - chance
            total += start.weight
            grown.append(start)
        if total <= 0.0:
            self._starts = [_Start(1.0)]
            return
        fresh = _Start(memory.hazard)
        for start in grown:
            start.weight *= (1.0 - memory.hazard) / total
            for counts in start.seen.values():
                counts[0] *= memory.discount
                counts[1] *= memory.discount
            start.seen.setdefault(strategy, [0.0, 0.0])[0 if succeeded else 1] += 1.0
        grown.append(fresh)
        if len(grown) > _MOST_STARTS:
            grown.remove(min(grown[:-1], key=lambda start: start.weight))
            whole = sum(start.weight for start in grown)
            for start in grown:
                start.weight /= whole
        self._starts = grown

    def sample(self, strategies: Sequence[str], rng: Random) -> dict[str, float]:
        """A chance of success for each strategy, drawn from what is believed: one present, then each within it."""
        memory = self.memory
        (start,) = rng.choices(self._starts, [one.weight for one in self._starts])
        drawn = {}
        for name in strategies:
            won, lost = start.seen.get(name, (0.0, 0.0))
            a, b = won + memory.prior_successes, lost + memory.prior_failures
            drawn[name] = rng.betavariate(a * memory.sharpness, b * memory.sharpness)
        return drawn

    def counts(self, strategy: str) -> tuple[float, float]:
        """Successes and failures that still count, over everything that is believed of the present."""
        won = sum(one.weight * one.seen.get(strategy, (0.0, 0.0))[0] for one in self._starts)
        lost = sum(one.weight * one.seen.get(strategy, (0.0, 0.0))[1] for one in self._starts)
        return won, lost

    def expected(self, strategy: str) -> float:
        """The chance of success as it is believed now."""
        memory = self.memory
        won, lost = self.counts(strategy)
        return (won + memory.prior_successes) / (won + lost + memory.prior_successes + memory.prior_failures)


def moving_average(outcomes: Sequence[bool], rate: float, start: float = 0.5) -> float:
    """The exponential moving average of the reference: shown beside the counts, and nothing is chosen by it."""
    average = start
    for succeeded in outcomes:
        average = (1.0 - rate) * average + rate * (1.0 if succeeded else 0.0)
    return average
