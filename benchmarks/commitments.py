"""`make bench-mind` (its second part): what a step costs an agent that looks after each one, beside one that does not.

The same plan is made by a rule with contexts, approved, and executed on the path of every plan, by a worker's own turn
(`agents.cycle.cycle.one`) in a real jail: 20 steps that write a file each, over a workspace of 1,000 files and with
200 words of people among the beliefs. Blind and open-minded plans alternate. What the looking alone took
(`agents.execution.reconsidering`) stands beside the whole; the processor time is that of the worker's thread, without
its jail's, and statements are counted where they are sent.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.servers import database

if TYPE_CHECKING:
    from agents.models import IntentPlan

STEPS, FILES, WORDS = 20, 1_000, 200
_WARM = 1
RULE = """RULE publish
IF your task is to publish the tides
CONSIDERING the network is up
AND there is no folder named out
AND there is a folder named area7
AND NOT the valve 3 of pump 3 is open
THEN: create the folder out, {steps}
ON FAILURE: remove the folder out
"""


@dataclass
class Cost:
    """Of one step: milliseconds of wall and of processor time, and statements; and of the looking alone."""

    wall: float
    own: float
    statements: float
    looking_wall: float
    looking_own: float
    looking_statements: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plans", type=int, default=6, help="of each kind")
    parser.add_argument("--profile", action="store_true", help="say which functions of the looking take the time")
    asked = parser.parse_args()
    with database() as place:
        _measure(place, asked.plans, profile=asked.profile)


def _measure(place: Path, count: int, *, profile: bool) -> None:
    from agents.bdi.intentions.commitment import Commitment

    bench = _Bench(place)
    costs: dict[Commitment, list[Cost]] = {Commitment.BLIND: [], Commitment.OPEN_MINDED: []}
    with _profiled(enabled=profile):
        for number in range(_WARM + count):
            for kind in costs:
                cost = bench.run(bench.approved(kind))
                if number >= _WARM:
                    costs[kind].append(cost)
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    sys.stdout.write(f"plans of {STEPS + 1} steps, {FILES} files, {WORDS} words, n = {count} of each, load {load}\n")
    for kind, each in costs.items():
        step = _median(each, "wall", "own", "statements")
        looked = _median(each, "looking_wall", "looking_own", "looking_statements")
        sys.stdout.write(f"{kind:<12} {_words('a step', step)}; {_words('looking', looked)}\n")


def _median(costs: list[Cost], *names: str) -> list[float]:
    return [statistics.median(getattr(one, name) for one in costs) for name in names]


def _words(what: str, figures: list[float]) -> str:
    wall, own, statements = figures
    return f"{what}: wall {wall:6.1f} ms, processor {own:6.1f} ms, statements {statements:5.2f}"


class _Bench:
    """People, a rule, and approved plans by it."""

    def __init__(self, place: Path) -> None:
        from library.components import services as components
        from people.models import User

        self.place = place
        self.owner = User.objects.create_user("mia", roles=["submitter", "operator", "developer"])
        self.reviewer = User.objects.create_user("rita", roles=["reviewer"])
        steps = ", ".join(f'write "{n}" to the file out/{n}.txt' for n in range(STEPS))
        components.publish("rule", "publish", RULE.format(steps=steps), by=self.owner, status="active")
        self.head = self._files()
        self._numbers: Iterator[int] = iter(range(10_000))
        self._watched()

    def _files(self) -> str:
        from agents.workspaces.stores import store

        folder = self.place / "files"
        for number in range(FILES):
            file = folder / f"area{number % 40}" / f"file{number}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{number}\n")
        return store().take(folder).digest

    def _watched(self) -> None:
        """Put a clock and a count around the looking."""
        from django.db import connection

        from agents.execution import executor

        self.looking = [0.0, 0.0, 0.0]
        self.statements = 0
        real = executor.Executor._looked_again

        def looked(of: Any, *rest: Any) -> Any:
            began, own, asked = time.perf_counter(), time.thread_time(), self.statements
            try:
                return real(of, *rest)
            finally:
                self.looking[0] += (time.perf_counter() - began) * 1000
                self.looking[1] += (time.thread_time() - own) * 1000
                self.looking[2] += self.statements - asked

        setattr(executor.Executor, "_looked_again", looked)  # noqa: B010

        def counted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            self.statements += 1
            return execute(sql, params, many, context)

        connection.execute_wrappers.append(counted)

    def approved(self, kind: str) -> IntentPlan:
        """A plan by the rule, of an agent that holds on like this."""
        from django.utils import timezone

        from agents.actors import commitments
        from agents.bdi.intentions.commitment import Commitment
        from agents.cycle import cycle
        from agents.goals import goals
        from agents.models import Belief, Workspace
        from review.deciding import decisions

        number = next(self._numbers)
        workspace = Workspace.objects.create(name=f"bench-{number}", owner=self.owner, head=self.head)
        goal = goals.submit(by=self.owner, text="Publish the tides", workspace=workspace)
        said = [f"The valve {n} of pump {n % 7} is {'open' if n % 3 else 'closed'}." for n in range(WORDS - 1)]
        now = timezone.now()
        rows = (
            Belief(goal=goal, sentence=one, source="person", by=self.owner, at=now)
            for one in [*said, "The network is up."]
        )
        Belief.objects.bulk_create(rows)
        commitments.set_to(goal.agent, Commitment(kind), by=self.owner)
        cycle.one(goal.pk)
        plan = goal.intent_plans.get()
        return decisions.approve(plan, by=self.reviewer, digest=plan.digest, via="api")

    def run(self, plan: IntentPlan) -> Cost:
        """One turn that executes it; it must have succeeded whole."""
        from agents.cycle import cycle
        from agents.models import Attempt

        self.looking, self.statements = [0.0, 0.0, 0.0], 0
        began, own = time.perf_counter(), time.thread_time()
        cycle.one(plan.goal_id)
        wall, used = (time.perf_counter() - began) * 1000, (time.thread_time() - own) * 1000
        statements = self.statements
        plan.refresh_from_db()
        tried = Attempt.objects.filter(intent__intent_plan=plan, outcome="succeeded").count()
        if plan.state != "complete" or tried != STEPS + 1:
            raise RuntimeError(f"plan {plan.pk} is {plan.state} after {tried} steps: {plan.reason}")
        all_steps = STEPS + 1
        return Cost(wall / all_steps, used / all_steps, statements / all_steps, *(one / STEPS for one in self.looking))


@contextmanager
def _profiled(*, enabled: bool) -> Iterator[None]:
    if not enabled:
        yield
        return
    import cProfile
    import pstats

    from agents.execution import reconsidering

    profile = cProfile.Profile()
    real = reconsidering.Reconsiderer._looked

    def looked(*rest: Any) -> Any:
        return profile.runcall(real, *rest)

    setattr(reconsidering.Reconsiderer, "_looked", looked)  # noqa: B010
    yield
    pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
