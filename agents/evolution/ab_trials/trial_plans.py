"""What an A/B trial is asked to tell, and what that takes: cases at most and on average, and its power. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from agents.evolution.sequential import Course, Design, course

# Percentage points, and percent, that a person may choose.
LEAST_DIFFERENCE, MOST_DIFFERENCE = 2, 60
ALPHAS = (1, 5, 10)
POWERS = (70, 80, 90)
MOST_CASES = 600
# Where nobody knows better: of the cases that come out differently, five of six are on one side.
USUAL_DIFFERENCE, USUAL_DIFFER = 20, 30
USUAL_ALPHA, USUAL_POWER = 5, 80


@dataclass(frozen=True)
class Plan:
    """What a trial takes. `most`: it ends after so many cases; `wanted`: so many would give the power that was asked
    for, where there are fewer. `power`: 0 to 1, with `most`. Expected cases: on average, if B is better by just the
    difference, and if both are as good. `why_not`: why there can be no such trial, as a sentence; empty when it can be.
    """

    design: Design
    most: int = 0
    wanted: int = 0
    power: float = 0.0
    expected_if_larger: float = 0.0
    expected_if_alike: float = 0.0
    why_not: str = ""

    @property
    def is_short(self) -> bool:
        """Whether there are fewer cases than the power takes that was asked for."""
        return self.most < self.wanted


@dataclass(frozen=True)
class Asked:
    """What a person wants to know. `difference`: the smallest that matters, in percentage points of cases that work.
    `differ`: in how many of a hundred cases both versions are thought to end differently, which only the plan uses.
    `alpha` and `power` in percent.
    """

    difference: int = USUAL_DIFFERENCE
    differ: int = USUAL_DIFFER
    alpha: int = USUAL_ALPHA
    power: int = USUAL_POWER

    @cached_property
    def design(self) -> Design:
        """The test that answers it."""
        return Design(self.difference / 100, self.alpha / 100, 1 - self.power / 100)

    def plan(self, available: int | None) -> Plan:
        """What it takes, of so many cases that there are; None: as many as it takes will come."""
        if why_not := self._why_not():
            return Plan(Design(0.5), why_not=why_not)
        larger, alike = self._courses()
        wanted = larger.cases_for(self.power / 100)
        if wanted is None:
            said = f"This would need more than {MOST_CASES} cases. Choose a larger difference or less power."
            return Plan(self.design, why_not=said)
        most = wanted if available is None else min(wanted, available)
        least = self.design.least
        if most < least:
            said = f"There are only {most} cases; fewer than {least} can prove nothing."
            return Plan(self.design, most, wanted, why_not=said)
        power = float(larger.b_better[most])
        return Plan(self.design, most, wanted, power, larger.expected(most), alike.expected(most))

    def _courses(self) -> tuple[Course, Course]:
        differ, difference = self.differ / 100, self.difference / 100
        larger = course(self.design, (differ + difference) / 2, (differ - difference) / 2, MOST_CASES)
        return larger, course(self.design, differ / 2, differ / 2, MOST_CASES)

    def _why_not(self) -> str:
        if not LEAST_DIFFERENCE <= self.difference <= MOST_DIFFERENCE:
            return f"Choose a smallest difference of {LEAST_DIFFERENCE} to {MOST_DIFFERENCE} points."
        if self.alpha not in ALPHAS:
            return f"Choose a chance of error of {_listed(ALPHAS)} %."
        if self.power not in POWERS:
            return f"Choose a power of {_listed(POWERS)} %."
        if not self.difference <= self.differ <= 100:
            return (
                f"If one is better by {self.difference} points, at least {self.difference} of 100 cases end"
                f" differently: enter {self.difference} to 100."
            )
        return ""


def usual_differ(works: float | None, difference: int) -> int:
    """How many of a hundred pairs of cases come out differently, where the version in use works in this share of them
    and the other one by the difference more often; 0 to 1, None: not known.
    """
    if works is None:
        return min(100, difference * 3 // 2)
    better = min(1.0, works + difference / 100)
    return max(difference, round(100 * (works * (1 - better) + better * (1 - works))))


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(one) for one in numbers[:-1]) + f" or {numbers[-1]}"
