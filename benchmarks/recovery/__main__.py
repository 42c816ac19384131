"""Runs every chooser through the same worlds and prints regret against an oracle, by drift, and the way back.

The product's figures (how often a world changes, how fast outcomes are forgotten, how sharply it chooses) were chosen
on other worlds than these: `--tuning` shows those, whose seeds begin at 10,000.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from random import Random
from statistics import mean, stdev

from benchmarks.recovery.choosers import EpsilonGreedy, Fixed, Make, Ours, TextbookThompson
from benchmarks.recovery.worlds import DRIFTS, FAILURES, World, draw

CHOOSERS: tuple[tuple[str, Make], ...] = (
    ("ours", Ours),
    ("textbook Thompson", TextbookThompson),
    ("ε-greedy (ε = 0.1)", EpsilonGreedy),
    ("fixed primary", Fixed),
)
TUNING_FROM = 10_000
# Back: over so many failures in a row no more was lost than before the change, and so much beside it.
WINDOW, SLACK, BEFORE, WITHIN = 25, 0.05, 100, 100
# A change asks for something only when what was best is by so much no longer the best.
MATTERS = 0.1


@dataclass(frozen=True)
class Course:
    """What a chooser lost at each failure of a world."""

    world: World
    lost: tuple[float, ...]

    @property
    def regret(self) -> float:
        return sum(self.lost)

    @property
    def back_after(self) -> int | None:
        """Failures after the change until it lost no more than before; None: never."""
        at = self.world.changes_at
        before = mean(self.lost[at - BEFORE : at])
        ends = range(WINDOW, FAILURES - at + 1)
        return next((end for end in ends if mean(self.lost[at + end - WINDOW : at + end]) <= before + SLACK), None)


def run(number: int, world: World, make: Make) -> Course:
    """One chooser through one world. Whether a strategy helps is drawn alike for all choosers."""
    chooser = make(world.strategies, world.primary, Random(f"chooser {number}"))  # noqa: S311
    luck = Random(f"luck {number}")  # noqa: S311
    lost = []
    for failure in range(FAILURES):
        strategy = chooser.choose()
        rate = world.rates[failure][strategy]
        lost.append(world.best(failure) - rate)
        chooser.learn(strategy, luck.random() < rate)
    return Course(world, tuple(lost))


def changes(world: World) -> bool:
    """Whether it changes at once, and what was best is no longer good enough."""
    if not world.changes_at or world.drift == "causes slowly":
        return False
    before, after = world.rates[world.changes_at - 1], world.rates[-1]
    return max(after) - after[before.index(max(before))] >= MATTERS


def with_interval(values: list[float]) -> str:
    """The mean with its 95 % interval."""
    half = 1.96 * stdev(values) / len(values) ** 0.5
    return f"{mean(values):7.1f} ± {half:4.1f}"


class RestartedThompson(TextbookThompson):
    """Textbook Thompson that is told the moment of the change and forgets everything: no learner can know it."""

    def __init__(self, strategies: int, primary: int, rng: Random, at: int = 0) -> None:
        super().__init__(strategies, primary, rng)
        self._fresh, self._left = strategies, at

    def choose(self) -> int:
        if self._left == 0:
            self._counts = [[1.0, 1.0] for _ in range(self._fresh)]
        self._left -= 1
        return super().choose()


def say(text: str) -> None:
    """A line of the report."""
    sys.stdout.write(f"{text}\n")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--tuning", action="store_true", help="the worlds that the figures were chosen on")
    asked = parser.parse_args()
    began, first = time.monotonic(), TUNING_FROM if asked.tuning else 0
    worlds = {seed: draw(seed) for seed in range(first, first + asked.worlds)}
    better = mean(
        sum(rate < world.rates[0][world.primary] for rate in world.rates[0]) / (world.strategies - 1)
        for world in worlds.values()
    )
    say(f"{len(worlds)} worlds of {FAILURES} failures each; the primary is better than {better:.0%} of the others")
    courses = {name: [run(seed, world, make) for seed, world in worlds.items()] for name, make in CHOOSERS}
    say("\nregret against an oracle, failures lost in a world (mean ± half of the 95 % interval)\n")
    say(f"{'':20}{'all':>16}" + "".join(f"{drift:>22}" for drift in DRIFTS))
    for name, found in courses.items():
        row = [with_interval([one.regret for one in found])]
        row += [with_interval([one.regret for one in found if one.world.drift == drift]) for drift in DRIFTS]
        say(f"{name:20}{row[0]:>16}" + "".join(f"{cell:>22}" for cell in row[1:]))
    ours, best = courses["ours"], min(list(courses)[1:], key=lambda name: mean(one.regret for one in courses[name]))
    apart = [a.regret - b.regret for a, b in zip(ours, courses[best], strict=True)]
    say(f"\nours minus the best of the others ({best}), world by world: {with_interval(apart)}")
    _back(courses, worlds)
    say(f"\ntook {time.monotonic() - began:.0f} s")


def _back(courses: dict[str, list[Course]], worlds: dict[int, World]) -> None:
    changing = [seed for seed, world in worlds.items() if changes(world)]
    say(
        f"\nback after a change: {len(changing)} worlds change at once so that what was best is {MATTERS:g} or more"
        f" below\nthe new best; back is when over {WINDOW} failures no more is lost than in the {BEFORE} before the"
        f" change, + {SLACK:g}\n"
    )
    told = [
        run(seed, worlds[seed], lambda n, p, rng, at=worlds[seed].changes_at: RestartedThompson(n, p, rng, at))  # type: ignore[misc]
        for seed in changing
    ]
    for name, found in [*courses.items(), ("told of the change", told)]:
        those = found if found is told else [one for one in found if changes(one.world)]
        after = [one.back_after for one in those]
        known = sorted(one for one in after if one is not None)
        within = sum(one is not None and one <= WITHIN for one in after) / len(after)
        median = known[len(known) // 2] if known else "never"
        curve = [mean(one.lost[one.world.changes_at + n] for one in those) for n in range(150)]
        start = mean(mean(one.lost[one.world.changes_at - BEFORE : one.world.changes_at]) for one in those)
        ends = range(WINDOW, 151)
        mean_back = next((n for n in ends if mean(curve[n - WINDOW : n]) <= start + SLACK), None)
        say(
            f"{name:20} back within {WITHIN} failures in {within:4.0%} of them, median {median};"
            f" their mean is back after {mean_back or 'more than 150'}"
        )


if __name__ == "__main__":
    main()
