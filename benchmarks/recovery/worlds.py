"""Worlds in which a recovery can be learned, drawn from a prior that is stated here and nowhere known to the product.

A world is one class of failures of one tool. Each failure has a hidden cause; a strategy helps against each cause with
a rate of its own, and the causes have shares. So a strategy's rate is a mixture, and when the shares change, the rates
of all strategies change together.

* strategies: 3 to 6, alike in the prior: the one that the reference calls primary is any of them, so it is as likely
  among the better half as among the worse one;
* causes: 2 to 5, their shares a Dirichlet(1); rates of a strategy against a cause are Beta(0.5, 0.5): it mostly helps
  or mostly does not;
* drift, of equal likelihood: none; a change at once of the shares of causes; the same, gradually over 100 failures; a
  change at once of all rates of one strategy (a tool was repaired, or broke).

A world lasts 600 failures. Its change, if it has one, begins between the 200th and the 400th.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

FAILURES = 600
DRIFTS = ("none", "causes at once", "causes slowly", "one strategy at once")
_SLOW = 100


@dataclass(frozen=True)
class World:
    """The rate of each strategy at each failure, and when and how it changes (0: never). `primary` is a number."""

    rates: tuple[tuple[float, ...], ...]
    primary: int
    drift: str
    changes_at: int

    @property
    def strategies(self) -> int:
        """How many there are."""
        return len(self.rates[0])

    def best(self, failure: int) -> float:
        """What an oracle, who knows the rates, gets at a failure."""
        return max(self.rates[failure])


def draw(seed: int) -> World:
    """The world of a seed."""
    rng = Random(f"a world of recovery {seed}")  # noqa: S311
    strategies, causes = rng.randint(3, 6), rng.randint(2, 5)
    helps = [[rng.betavariate(0.5, 0.5) for _ in range(causes)] for _ in range(strategies)]
    before = _shares(rng, causes)
    drift = rng.choice(DRIFTS)
    at = rng.randint(200, 400) if drift != "none" else 0
    after_shares, after_helps = before, helps
    if drift.startswith("causes"):
        after_shares = _shares(rng, causes)
    elif drift != "none":
        changed = rng.randrange(strategies)
        after_helps = [
            [rng.betavariate(0.5, 0.5) for _ in range(causes)] if one == changed else row
            for one, row in enumerate(helps)
        ]
    rows = []
    for failure in range(FAILURES):
        part = _part(failure, at, drift)
        shares = [(1 - part) * old + part * new for old, new in zip(before, after_shares, strict=True)]
        of = helps if part == 0 else after_helps
        rows.append(tuple(sum(s * h for s, h in zip(shares, row, strict=True)) for row in of))
    return World(tuple(rows), rng.randrange(strategies), drift, at)


def _part(failure: int, at: int, drift: str) -> float:
    """How much of the change has happened by then, from 0 to 1."""
    if not at or failure < at:
        return 0.0
    return min(1.0, (failure - at) / _SLOW) if drift == "causes slowly" else 1.0


def _shares(rng: Random, causes: int) -> list[float]:
    raw = [rng.expovariate(1.0) for _ in range(causes)]
    return [one / sum(raw) for one in raw]
