"""`make bench-review`: what it costs to see a plan before it is approved, each figure beside its counterpart.

A dry run is measured beside the same plan's real run and beside a plain copy of its workspace, in turns.
What the queue costs while a hundred thousand plans wait is measured after that (`benchmarks.waiting`).
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import waiting
from benchmarks.servers import database

if TYPE_CHECKING:
    from agents.models import Goal, IntentPlan, Workspace
    from people.models import User

_FILES = 2000
_CONTENT = "a line of text\n" * 64
_PROGRAM = "python -c 'import time; time.sleep(0.3); print(sum(range(1000)))'"


class Bench:
    """People, a workspace of 2,000 files, and plans on it."""

    def __init__(self, place: Path) -> None:
        from agents.models import Agent, Workspace
        from people.models import User
        from people.roles import Role
        from sandbox.store.snapshots import EMPTY

        logging.disable(logging.WARNING)
        self.place = place
        self.owner: User = User.objects.create_user("owner", roles=[Role.SUBMITTER])
        self.reviewer: User = User.objects.create_user("reviewer", roles=[Role.REVIEWER])
        self.agent, _ = Agent.objects.get_or_create(name="mindx")
        self.workspace: Workspace = Workspace.objects.create(name="bench", owner=self.owner, head=EMPTY)
        self._fill()

    def _fill(self) -> None:
        from agents.workspaces.stores import store

        folder = self.place / "files"
        for number in range(_FILES):
            path = folder / f"folder{number % 40}" / f"file{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{number}\n{_CONTENT}")
        self.workspace.head = store().take(folder).digest
        self.workspace.save()

    def goal(self) -> Goal:
        from agents.models import Goal

        return Goal.objects.create(
            text="measure", submitted_by=self.owner, agent=self.agent, workspace=self.workspace, state="planning"
        )

    def plan(self) -> IntentPlan:
        """A plan that writes a file, runs a program for 0.3 s and writes another."""
        from django.db import transaction

        from agents.plans import proposals

        goal = self.goal()
        mark = str(goal.pk)
        steps = [_step("write", path="one.txt", content=mark), _step("run", command_line=_PROGRAM)]
        steps.append(_step("write", path="two.txt", content=mark))
        draft, problems = proposals.draft_by_hand(goal, steps, [], by=self.owner)
        if problems:
            raise ValueError(problems[0].message)
        with transaction.atomic():
            return proposals.propose(goal, draft, by=self.owner)


def _step(command: str, **params: object) -> dict[str, object]:
    return {"tool": "simple_coder", "command": command, "params": params}


def _timed_ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _round(bench: Bench, figures: dict[str, list[float]]) -> None:
    from agents.cycle import cycle
    from agents.execution import shadow
    from agents.models import ShadowRun
    from agents.plans import shadowing
    from agents.workspaces.stores import checkouts, store
    from review.deciding import decisions

    made: list[IntentPlan] = []
    figures["a plan enters the queue"].append(_timed_ms(lambda: made.append(bench.plan())))
    plan = made[0]
    copy = checkouts() / "copy"
    figures["a copy of the workspace"].append(_timed_ms(lambda: store().checkout(bench.workspace.head, copy)))
    shutil.rmtree(copy)
    run = shadowing.claim()
    if run is None:
        raise RuntimeError("no dry run was waiting")
    figures["its dry run"].append(_timed_ms(lambda: shadow.turn(run)))
    if (state := ShadowRun.objects.get(pk=run.pk).state) != "done":
        raise RuntimeError(f"the dry run is {state}: {run.reason}")
    decisions.approve(plan, by=bench.reviewer, digest=plan.digest)
    figures["its real run"].append(_timed_ms(lambda: cycle.one(plan.goal_id)))
    plan.refresh_from_db()
    if plan.state != "complete":
        raise RuntimeError(f"the plan is {plan.state}: {plan.reason}")
    bench.workspace.refresh_from_db()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what seeing a plan before its approval costs.")
    parser.add_argument("--rounds", type=int, default=10, help="measurements of each figure (default 10)")
    parser.add_argument("--plans", type=int, default=100_000, help="waiting plans in the queue (default 100,000)")
    parser.add_argument("--only-queue", action="store_true", help="leave the dry runs out")
    asked = parser.parse_args()
    rounds = asked.rounds
    names = ("a plan enters the queue", "a copy of the workspace", "its dry run", "its real run")
    figures: dict[str, list[float]] = {name: [] for name in names}
    with database() as place:
        bench = Bench(place)
        if not asked.only_queue:
            _round(bench, {name: [] for name in names})  # the first of anything also loads it
            for _ in range(rounds):
                _round(bench, figures)
            _say(figures, rounds)
        waiting.measure(bench, asked.plans, 5 * rounds)


def _say(figures: dict[str, list[float]], rounds: int) -> None:
    head = f"Review, {rounds} rounds in turns, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    middle = {name: statistics.median(values) for name, values in figures.items()}
    most = 1.5 * middle["its real run"] + middle["a copy of the workspace"]
    lines = [
        f"{name:<28} {middle[name]:9.1f} ms ({min(values):.1f} to {max(values):.1f}, n={len(values)})"
        for name, values in figures.items()
    ]
    lines.append(f"{'the dry run may take':<28} {most:9.1f} ms (1.5 × the real run, and the copy)")
    sys.stdout.write("\n".join([head, *lines]) + "\n")


if __name__ == "__main__":
    main()
