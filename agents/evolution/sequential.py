"""Tests that are looked at after every case, and whose error still holds over the whole of them. Pure, exact.

What is counted are **differences**: cases in which one of two versions did better. If both are as good, each difference
falls on one of them with a known chance, whatever came before: one half where both do the same case, the share of the
other where each case is given to one of them by chance. Two questions are asked of such a row:

* Is one of them worse? By boundaries that spend the chance of error bit by bit (Lan & DeMets, “Discrete sequential
  boundaries for clinical trials”, Biometrika 70, 1983). How much may be spent after `n` differences grows towards all
  of it and never reaches it, so one may go on for ever. The chance to cross is added up path by path.
* Is the difference smaller than matters? By betting against the opposite (Waudby-Smith & Ramdas, “Estimating means of
  bounded random variables by betting”, JRSS B 86, 2024): whoever bets that it is smaller wins `k` times the stake with
  a chance of at most `1 / k` if it is not (Ville's inequality), at whatever moment one looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import count as numbers
from math import comb, exp, lgamma, log, log1p
from threading import Lock

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]
# Far above what adding up in floats loses, far below what is never spent.
_ROUNDING = 1e-12
# So many stakes share the bet, for nobody knows beforehand which one wins most.
_STAKES = 8
_LOGS_MOST = 300.0
_NOTHING = 1e-15


@dataclass(frozen=True)
class Spending:
    """How the chance of error is spent. `alpha`: that one that is as good is ever called worse.

    `least`: it is never called worse by fewer differences. `half`: half of alpha may be spent once so many are expected
    to have fallen on it by chance.
    """

    alpha: float
    least: int = 1
    half: float = 1.5

    def by(self, expected: float) -> float:
        """How much may be spent once so many differences are expected on it: never all."""
        return self.alpha * expected / (expected + self.half)


class Walk:
    """Looks at a growing count of differences against one version, if it is as good. `enough` is of the last look."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending
        self._expected = 0.0
        # The chance to have come to each count without having crossed.
        self._alive: _Array = np.ones(1)
        self.enough = spending.least
        self.spent = 0.0

    def look(self, chances: _Array) -> int:
        """How many it takes now, where the count has grown by 0, 1, … with these chances since the last look."""
        self._expected += float(chances @ np.arange(len(chances)))
        came = np.convolve(self._alive, chances)
        room = self._spending.by(self._expected) - self.spent + _ROUNDING
        # From above: the chance to be at so many or more.
        above = np.cumsum(came[::-1])[::-1]
        self.enough = max(self._spending.least, int(np.searchsorted(-above, -room)))
        self.spent += float(came[self.enough :].sum())
        self._alive = came[: self.enough]
        return self.enough


class Boundary:
    """After how many differences against one version it counts as worse, looked at after each.

    `chance`: that a difference falls on it though it is as good.
    """

    def __init__(self, spending: Spending, chance: float = 0.5) -> None:
        self._chances = np.array([1 - chance, chance])
        self._walk = Walk(spending)
        self._enough: list[int] = [self._walk.enough]
        self._spent: list[float] = [0.0]
        self._lock = Lock()

    def enough(self, differences: int) -> int:
        """How many of so many differences it takes; more than there are where no number is enough yet."""
        self._reach(differences)
        return self._enough[differences]

    def spent(self, differences: int) -> float:
        """How likely a version that is as good has been called worse by then."""
        self._reach(differences)
        return self._spent[differences]

    def is_crossed(self, against: int, differences: int) -> bool:
        """Whether so many differences against it, of so many in all, are enough."""
        return against >= self.enough(differences)

    def _reach(self, differences: int) -> None:
        with self._lock:
            while len(self._enough) <= differences:
                self._enough.append(self._walk.look(self._chances))
                self._spent.append(self._walk.spent)


@lru_cache(maxsize=128)
def boundary(spending: Spending, chance: float = 0.5) -> Boundary:
    """The boundary of these figures, worked out once in the life of a process."""
    return Boundary(spending, chance)


@dataclass(frozen=True)
class Stretch:
    """What was counted between two looks: answers of each of two versions, how many of both failed, and of one."""

    uses: int
    other_uses: int
    failed: int
    against: int


def fails_more_often(spending: Spending, stretches: Iterable[Stretch]) -> bool:
    """Whether a version ever failed so much more often than the other that chance does not explain it.

    If both fail equally often, then given what else was counted in a stretch any of its answers are as likely to be
    the failed ones (Fisher's test). Each stretch is compared within itself, so that neither the shares of both versions
    nor how hard the times are need stay the same.
    """
    walk, against = Walk(spending), 0
    for one in stretches:
        against += one.against
        if against >= walk.look(fisher(one)):
            return True
    return False


def fisher(stretch: Stretch) -> _Array:
    """How likely 0, 1, … of the failed answers of a stretch are of the version, if both fail equally often."""
    ways = comb(stretch.uses + stretch.other_uses, stretch.failed)
    most = min(stretch.failed, stretch.uses)
    return np.array(
        [comb(stretch.uses, k) * comb(stretch.other_uses, stretch.failed - k) / ways for k in range(most + 1)]
    )


def chance_to_cross(edge: Boundary, against: float, in_favour: float, cases: int) -> float:
    """The power: how likely a version is called worse within so many cases, each of which speaks against it and for it
    with these chances; exact.
    """
    differs = against + in_favour
    if not differs:
        return 0.0
    alive, crossed, chance = np.ones(1), 0.0, 0.0
    for n in range(cases + 1):
        if n:
            alive = np.convolve(alive, [1 - against / differs, against / differs])
            enough = edge.enough(n)
            crossed += float(alive[enough:].sum())
            alive = alive[:enough]
        chance += _binomial(n, cases, differs) * crossed
    return chance


def _binomial(k: int, n: int, p: float) -> float:
    # In logarithms: the powers of many cases leave no float.
    if p >= 1:
        return float(k == n)
    logs = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p)
    return exp(logs)


class Verdict(StrEnum):
    """What a comparison of A and B has come to."""

    A_BETTER = "a_better"
    B_BETTER = "b_better"
    NO_DIFFERENCE = "no_difference"


@dataclass(frozen=True)
class Count:
    """What was seen after `cases` cases: in how many of them B did better, and in how many A did."""

    cases: int
    for_b: int
    for_a: int

    @property
    def differences(self) -> int:
        """Cases that speak for one of them."""
        return self.for_b + self.for_a


@dataclass(frozen=True)
class Design:
    """A comparison in two directions.

    `difference`: the smallest that matters, as the mean of a case that counts 1 for B, −1 for A and 0 for neither.
    `alpha`: the chance to call one better when both are as good. `beta`: the chance to say that there is no difference
    that large when there is.
    """

    difference: float
    alpha: float = 0.05
    beta: float = 0.2

    @cached_property
    def edge(self) -> Boundary:
        """The boundary of each direction. Late looks keep more than in a watch: a trial is there to tell small ones."""
        return boundary(Spending(self.alpha / 2, half=5.0))

    def verdict(self, count: Count) -> Verdict | None:
        """What is known after these cases; None: not enough yet."""
        enough = self.edge.enough(count.differences)
        if count.for_b >= enough:
            return Verdict.B_BETTER
        if count.for_a >= enough:
            return Verdict.A_BETTER
        ahead = count.for_b - count.for_a
        is_alike = self.alike(np.array([count.differences]), np.array([ahead]), count.cases)[0, 0]
        return Verdict.NO_DIFFERENCE if is_alike else None

    @cached_property
    def least(self) -> int:
        """So many differences decide if all speak for the same; fewer never do."""
        return next(n for n in numbers(1) if self.edge.enough(n) <= n)

    def needed(self, differences: int) -> int:
        """By how many one must be ahead to be called better, among so many differences; while there are too few to
        decide anything, what it takes then.
        """
        seen = max(differences, self.least)
        return 2 * self.edge.enough(seen) - seen

    def alike(self, differences: NDArray[np.int64], ahead: NDArray[np.int64], cases: int) -> NDArray[np.bool_]:
        """Whether the difference is known to be smaller after so many cases: by differences (rows) and B's lead
        (columns).
        """
        large = self.difference
        stakes = np.arange(1, _STAKES + 1) / (_STAKES + 1) / (1 - large)
        # What a bet against “B is better by that much” does with a case for B, for A and for neither, in logarithms.
        up, down, none = (np.log1p(-stakes * (seen - large)) for seen in (1.0, -1.0, 0.0))
        rows = differences[:, None] * ((up + down) / 2 - none) + cases * none
        # Cut off far above what decides, so that no float overflows.
        rows = np.exp(np.minimum(rows, _LOGS_MOST))
        columns = ahead[:, None] * (up - down) / 2
        # The bet against A is the same one turned round; the poorer of both counts.
        won = np.minimum(rows @ np.exp(columns).T, rows @ np.exp(-columns).T) / _STAKES
        return np.asarray(won >= 1 / self.beta)


@dataclass(frozen=True)
class Look:
    """A count, how far ahead one must be to be called better then, and what was known."""

    count: Count
    needed: int
    verdict: Verdict | None

    @property
    def ahead(self) -> int:
        """By how many differences B is ahead; negative: A is."""
        return self.count.for_b - self.count.for_a


def follow(design: Design, counts: Iterable[Count]) -> list[Look]:
    """Each count up to the first that decides."""
    looks: list[Look] = []
    for count in counts:
        found = design.verdict(count)
        looks.append(Look(count, design.needed(count.differences), found))
        if found is not None:
            break
    return looks


def counts_of(cases: Sequence[int]) -> list[Count]:
    """The count after each of these cases: 1 for B, −1 for A, 0 for neither."""
    found = np.asarray(cases, dtype=np.int64)
    for_b, for_a = np.cumsum(found == 1), np.cumsum(found == -1)
    return [Count(at + 1, int(for_b[at]), int(for_a[at])) for at in range(len(found))]


@dataclass(frozen=True)
class Course:
    """How a comparison goes if a case speaks for B and for A with given chances: after each case the chance of having
    ended with each verdict, exact; index 0 is before the first.
    """

    b_better: _Array
    a_better: _Array
    no_difference: _Array

    def expected(self, most: int) -> float:
        """How many cases it takes on average if it ends after `most` at the latest."""
        ended = self.b_better + self.a_better + self.no_difference
        return float((1 - ended[:most]).sum())

    def cases_for(self, power: float) -> int | None:
        """After how many cases B is called better with this chance; None: not within these."""
        at = int(np.searchsorted(self.b_better, power))
        return at if at < len(self.b_better) else None


@lru_cache(maxsize=64)
def course(design: Design, for_b: float, for_a: float, most: int) -> Course:
    """Follow every path of `most` cases, each of which speaks for B and for A with these chances."""
    needed = np.array([design.needed(n) for n in range(most + 1)])
    widest = int(needed.max())
    # By differences so far (rows) and B's lead (columns), and of the rows those that a path can be in.
    alive, low, high = np.zeros((most + 2, 2 * widest + 1)), 0, 1
    alive[0, widest] = 1.0
    ahead = np.arange(-widest, widest + 1)
    ended = np.zeros((3, most + 1))
    for case in range(1, most + 1):
        before = alive[low:high]
        came = np.zeros((high + 1 - low, len(ahead)))
        came[:-1] = before * (1 - for_b - for_a)
        came[1:, 1:] += before[:, :-1] * for_b
        came[1:, :-1] += before[:, 1:] * for_a
        high += 1
        here = np.arange(low, high)
        is_b, is_a = ahead >= needed[here, None], -ahead >= needed[here, None]
        is_alike = design.alike(here, ahead, case) & ~is_b & ~is_a
        for row, region in enumerate((is_b, is_a, is_alike)):
            ended[row, case] = ended[row, case - 1] + came[region].sum()
        alive[low:high] = np.where(is_b | is_a | is_alike, 0.0, came)
        # Rows that no path worth following is in any more: what is left out shows in no figure.
        while low < high - 1 and alive[low].sum() < _NOTHING:
            low += 1
        while high - 1 > low and alive[high - 1].sum() < _NOTHING:
            high -= 1
    return Course(*ended)
