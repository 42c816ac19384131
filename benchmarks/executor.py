"""`make bench-executor`: what a step of an approved plan costs the database, on the path that every plan takes.

Plans of steps that do nothing (`ls`) are proposed, approved and executed in a real jail. Statements are counted where
Django sends them, in the companion's thread too; transactions and write-ahead log are the server's own figures, with
`synchronous_commit=on`. What a plan costs once (claim, gate, first and last step) is told apart from what each further
step costs, by plans of several lengths. Afterwards tries, log lines and digests are counted: nothing was left out.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.servers import database

if TYPE_CHECKING:
    from agents.models import IntentPlan
    from people.models import User

LENGTHS = (5, 10, 50)
WARM = 3


@dataclass(frozen=True)
class Cost:
    """What something cost the database: statements, committed transactions, bytes of write-ahead log; and seconds."""

    statements: float
    transactions: float
    wal_bytes: float
    seconds: float

    def minus(self, other: Cost) -> Cost:
        """The difference of two counters."""
        return Cost(
            self.statements - other.statements,
            self.transactions - other.transactions,
            self.wal_bytes - other.wal_bytes,
            self.seconds - other.seconds,
        )

    def per(self, number: int) -> Cost:
        """The share of each of so many."""
        return Cost(
            self.statements / number, self.transactions / number, self.wal_bytes / number, self.seconds / number
        )


class Counters:
    """Counts what every connection of this process sends, and reads the server's own counters."""

    def __init__(self) -> None:
        from django.db import connection
        from django.db.backends.signals import connection_created

        self.statements = 0
        self.told: dict[str, int] = {}
        connection_created.connect(self._listen, weak=False)
        self._listen(connection)

    def _listen(self, connection: Any, **_: object) -> None:
        if self._count not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._count)

    def _count(self, execute: Any, sql: Any, *rest: Any) -> Any:
        self.statements += 1
        text = " ".join(str(sql).split())[:150]
        self.told[text] = self.told.get(text, 0) + 1
        return execute(sql, *rest)

    def read(self) -> Cost:
        """The counters now. Reading adds two statements and two transactions, which `Cost.minus` holds as well."""
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
            cursor.execute(
                "SELECT xact_commit, pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
                " FROM pg_stat_database WHERE datname = current_database()"
            )
            transactions, lsn = cursor.fetchone()
        return Cost(self.statements, transactions, float(lsn), time.perf_counter())


class Bench:
    """People, an empty workspace, and approved plans on it."""

    def __init__(self) -> None:
        from agents.models import Agent, Workspace
        from people.models import User
        from people.roles import Role
        from sandbox.store.snapshots import EMPTY

        logging.disable(logging.WARNING)
        self.owner: User = User.objects.create_user("owner", roles=[Role.SUBMITTER])
        self.reviewer: User = User.objects.create_user("reviewer", roles=[Role.REVIEWER])
        self.agent, _ = Agent.objects.get_or_create(name="mindx")
        self.workspace = Workspace.objects.create(name="bench", owner=self.owner, head=EMPTY)

    def approved(self, steps: Sequence[Mapping[str, Any]]) -> IntentPlan:
        """A plan of these steps that the reviewer has approved."""
        from django.db import transaction

        from agents.models import Goal
        from agents.plans import proposals
        from review.deciding import decisions

        goal = Goal.objects.create(
            text="measure", submitted_by=self.owner, agent=self.agent, workspace=self.workspace, state="planning"
        )
        draft, problems = proposals.draft_by_hand(goal, steps, [], by=self.owner)
        if problems:
            raise ValueError(problems[0].message)
        with transaction.atomic():
            plan = proposals.propose(goal, draft, by=self.owner)
        return decisions.approve(plan, by=self.reviewer, digest=plan.digest, via="api")


def execute(plan: IntentPlan) -> None:
    """One turn of the cycle, from the claim to the lease given back, as a worker takes it."""
    from agents.cycle import cycle

    if cycle.one(plan.goal_id) is None:
        raise RuntimeError("the approved goal could not be claimed")


def measured(bench: Bench, counters: Counters, steps: int, plans: int) -> list[Cost]:
    """What each of so many plans of so many steps cost, after some that only warm up."""
    from django.db import connection

    step = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}
    waiting = [bench.approved([step] * steps) for _ in range(WARM + plans)]
    for plan in waiting[:WARM]:
        execute(plan)
    _checkpoint(counters)
    counters.read()
    first = counters.read()
    reading = counters.read().minus(first)
    found = []
    counters.told.clear()
    for plan in waiting[WARM:]:
        before = counters.read()
        execute(plan)
        found.append(counters.read().minus(before).minus(reading))
    for plan in waiting:
        check(plan, steps)
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        if cursor.fetchone() != ("on",):
            raise RuntimeError("these figures are for synchronous_commit=on")
    return found


def _checkpoint(counters: Counters) -> None:
    """A checkpoint, after which the first change of a page writes it whole: the dearest case, and the same for all."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")


def check(plan: IntentPlan, steps: int) -> None:
    """Nothing was left out: every step tried once and succeeded, told in the log, from the approved bytes."""
    from agents.bdi.plans import document as documents
    from agents.models import Attempt, LogLine

    plan.refresh_from_db()
    tries = Attempt.objects.filter(intent__intent_plan=plan, outcome="succeeded").count()
    lines = LogLine.objects.filter(goal=plan.goal_id, source="tool.SimpleCoder").count()
    numbers = list(LogLine.objects.filter(goal=plan.goal_id).order_by("number").values_list("number", flat=True))
    if (plan.state, tries, lines) != ("complete", steps, 2 * steps):
        raise RuntimeError(f"the plan is {plan.state} ({plan.reason}) with {tries} tries and {lines} lines of its tool")
    if numbers != list(range(1, len(numbers) + 1)):
        raise RuntimeError("the log has gaps")
    if not documents.digest_of(bytes(plan.document)) == plan.digest == plan.approved_digest:
        raise RuntimeError("what ran is not what was approved")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what a step of an approved plan costs the database.")
    parser.add_argument("--plans", type=int, default=20, help="measured plans of each length (default 20)")
    parser.add_argument("--statements", action="store_true", help="also list what was asked, most often first")
    asked = parser.parse_args()
    with database():
        bench, counters = Bench(), Counters()
        middle: dict[int, Cost] = {}
        machine = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
        _say(f"Executor, {asked.plans} plans of each length, {machine}")
        for steps in LENGTHS:
            found = measured(bench, counters, steps, asked.plans)
            middle[steps] = _median(found)
            _row(f"a plan of {steps} steps, each step", middle[steps].per(steps))
            if asked.statements:
                for text, times in sorted(counters.told.items(), key=lambda each: -each[1]):
                    _say(f"    {times / asked.plans:7.2f}  {text}")
        few, many = LENGTHS[0], LENGTHS[-1]
        further = middle[many].minus(middle[few]).per(many - few)
        _row("each further step", further)
        once = Cost(*(getattr(middle[few], name) - few * getattr(further, name) for name in _FIELDS))
        _row("once for a plan", once)


_FIELDS = ("statements", "transactions", "wal_bytes", "seconds")


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in _FIELDS))


def _row(name: str, cost: Cost) -> None:
    told = f"{cost.statements:6.2f} statements, {cost.transactions:6.2f} transactions, {cost.wal_bytes:8.0f} B of WAL"
    _say(f"{name:<32} {told}, {cost.seconds * 1000:7.1f} ms")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
