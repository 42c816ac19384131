"""Who chooses: ours, and what it is held against."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from agents.bdi.recovery.recovery_learning import Cell, Memory


class Chooser(Protocol):
    """Chooses a strategy by number, and is told how it went."""

    def choose(self) -> int: ...

    def learn(self, strategy: int, succeeded: bool) -> None: ...


Make = Callable[[int, int, Random], Chooser]


class Fixed:
    """Always the primary."""

    def __init__(self, strategies: int, primary: int, rng: Random) -> None:
        self._primary = primary

    def choose(self) -> int:
        return self._primary

    def learn(self, strategy: int, succeeded: bool) -> None:
        pass


class EpsilonGreedy:
    """The best so far, with one choice in ten at random; begins with the primary."""

    def __init__(self, strategies: int, primary: int, rng: Random) -> None:
        self._rng, self._primary = rng, primary
        self._won, self._tried = [0.0] * strategies, [0] * strategies

    def choose(self) -> int:
        if self._rng.random() < 0.1:
            return self._rng.randrange(len(self._tried))
        if not any(self._tried):
            return self._primary
        rates = [won / tried if tried else 0.0 for won, tried in zip(self._won, self._tried, strict=True)]
        best = max(rates)
        return self._rng.choice([number for number, rate in enumerate(rates) if rate == best])

    def learn(self, strategy: int, succeeded: bool) -> None:
        self._tried[strategy] += 1
        self._won[strategy] += succeeded


class TextbookThompson:
    """Thompson sampling from Beta(1, 1), which never forgets."""

    def __init__(self, strategies: int, primary: int, rng: Random) -> None:
        self._rng = rng
        self._counts = [[1.0, 1.0] for _ in range(strategies)]

    def choose(self) -> int:
        drawn = [self._rng.betavariate(a, b) for a, b in self._counts]
        return drawn.index(max(drawn))

    def learn(self, strategy: int, succeeded: bool) -> None:
        self._counts[strategy][0 if succeeded else 1] += 1.0


class Ours:
    """The product's own memory of a cell. While it knows nothing, the primary."""

    def __init__(self, strategies: int, primary: int, rng: Random, memory: Memory | None = None) -> None:
        self._rng, self._primary = rng, primary
        self._names = [str(number) for number in range(strategies)]
        self._cell = Cell(memory)
        self._knows = 0

    def choose(self) -> int:
        if self._knows < 1:
            return self._primary
        drawn = self._cell.sample(self._names, self._rng)
        return max(range(len(self._names)), key=lambda number: drawn[self._names[number]])

    def learn(self, strategy: int, succeeded: bool) -> None:
        self._knows += 1
        self._cell.learn(self._names[strategy], succeeded)
