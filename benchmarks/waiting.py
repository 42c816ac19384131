"""What the queue costs while a hundred thousand plans wait: its pages, and what sweeps do every few seconds.

Every plan is a real one (goal, document, steps, dry run, risk, clock, its place in the queue), made in bulk.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.asking import got, say

if TYPE_CHECKING:
    from agents.models import Agent, IntentPlan
    from benchmarks.review import Bench

_BATCH = 5_000
_DRAWN = random.Random(4)  # noqa: S311  # figures, no secrets
_SUBMITTERS = 20
# (steps of SimpleCoder, share of the plans); "{n}" is the plan's number.
_SHAPES: tuple[tuple[tuple[tuple[str, dict[str, Any]], ...], int], ...] = (
    ((("write", {"path": "notes/{n}.txt", "content": "note {n}\n"}),), 60),
    ((("mkdir", {"path": "project{n}"}), ("write", {"path": "project{n}/main.py", "content": "print({n})\n"})), 25),
    ((("run", {"command_line": "python -m pytest -q tests/test_{n}.py"}),), 10),
    ((("toggle_autonomous_mode", {"on": True}), ("rm", {"path": "tmp/old{n}"})), 5),
)


def measure(bench: Bench, plans: int, rounds: int) -> None:
    """Make the plans, measure, and say it."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("collectstatic", interactive=False, verbosity=0)
    started = time.perf_counter()
    fill(bench.agent, plans)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    took = f"made in {time.perf_counter() - started:.0f} s; {rounds} rounds, load {os.getloadavg()[0]:.1f}"
    sys.stdout.write(f"\n{plans:,} waiting plans, {took}\n")
    _pages(bench, plans, rounds)
    _sweeps(rounds)


def fill(agent: Agent, plans: int) -> None:
    """Make the plans, of twenty people's goals, as they stand when everything has been looked at."""
    from agents.models import Workspace
    from people.models import User
    from people.roles import Role
    from sandbox.store.snapshots import EMPTY

    owners = [User.objects.create_user(f"owner{n}", roles=[Role.SUBMITTER]) for n in range(_SUBMITTERS)]
    places = [Workspace.objects.create(name=f"bench{n}", owner=one, head=EMPTY) for n, one in enumerate(owners)]
    for first in range(0, plans, _BATCH):
        _batch(agent, places, range(first, min(first + _BATCH, plans)))


def _batch(agent: Agent, places: Sequence[Any], numbers: range) -> None:
    from django.utils import timezone

    from agents.models import Goal, Intent, IntentPlan, Plan, ShadowRun
    from review.entries import places as queueing
    from review.models import PlanNews, PlanRisk, PlanTold, QueueEntry, ReviewClock
    from review.reading.outcomes import Outcome
    from review.risk.assessment import Level

    now = timezone.now()
    goals = Goal.objects.bulk_create(
        Goal(
            text=f"Goal number {n}: {'tidy up' if n % 20 == 0 else 'write a note'} for team {n % 97}",
            submitted_by=places[n % _SUBMITTERS].owner,
            agent=agent,
            workspace=places[n % _SUBMITTERS],
            priority=1 + n % 5,
            state="awaiting_review",
        )
        for n in numbers
    )
    made = Plan.objects.bulk_create(Plan(goal=goal, number=1, source="rule", steps=[]) for goal in goals)
    plans = IntentPlan.objects.bulk_create(
        _plan(goal, plan, n) for goal, plan, n in zip(goals, made, numbers, strict=True)
    )
    Intent.objects.bulk_create(step for plan in plans for step in _steps(plan))
    runs = ShadowRun.objects.bulk_create(
        ShadowRun(intent_plan=plan, number=1, state="done", base=plan.workspace.head, finished_at=now) for plan in plans
    )
    PlanNews.objects.all().delete()  # everything has been looked at
    levels = [_DRAWN.choice(tuple(Level)) for _ in plans]
    PlanRisk.objects.bulk_create(
        PlanRisk(intent_plan=plan, level=level.value, rank=level.rank, shadow_run=run)
        for plan, level, run in zip(plans, levels, runs, strict=True)
    )
    entries = [queueing.entry_of(plan) for plan in plans]
    for n, entry, level in zip(numbers, entries, levels, strict=True):
        entry.rank, entry.has_clock, entry.is_told = level.rank, True, True
        entry.outcome, entry.trial = Outcome.DONE.value, "all-done"
        entry.queued_at = now - timedelta(seconds=n)
    QueueEntry.objects.bulk_create(entries)
    ReviewClock.objects.bulk_create(
        ReviewClock(intent_plan=plan, minutes=9000, due_at=now + timedelta(days=6), escalate_at=now + timedelta(days=3))
        for plan in plans
    )
    PlanTold.objects.bulk_create(PlanTold(intent_plan=plan) for plan in plans)


def _plan(goal: Any, plan: Any, number: int) -> IntentPlan:
    from agents.bdi.plans import document as documents
    from agents.bdi.plans.document import Document, IntentSpec, Parameter
    from agents.models import IntentPlan

    steps = _DRAWN.choices([shape for shape, _ in _SHAPES], [share for _, share in _SHAPES])[0]
    specs = []
    for at, (command, params) in enumerate(steps, 1):
        values = {name: one.format(n=number) if isinstance(one, str) else one for name, one in params.items()}
        origins = tuple(Parameter(name, one, "rule_slot") for name, one in values.items())
        said = f"{command} {' '.join(map(str, values.values()))}"
        specs.append(
            IntentSpec(
                at, "main", "simple_coder", command, values, origins, "rule", "workspace", {}, (), None, (), "", said
            )
        )
    names = str(goal.pk), goal.text, goal.workspace.name, goal.workspace.head
    data = documents.write(Document(*names, 1, "rule", tuple(specs), ()))
    return IntentPlan(
        goal=goal,
        plan=plan,
        workspace=goal.workspace,
        revision=1,
        document=data,
        digest=documents.digest_of(data),
    )


def _steps(plan: IntentPlan) -> list[Any]:
    from agents.bdi.plans import document as documents
    from agents.models import Intent

    return [
        Intent(intent_plan=plan, position=spec.position, tool=spec.tool, command=spec.command, effect=spec.effect)
        for spec in documents.read(bytes(plan.document)).intents
    ]


def _pages(bench: Bench, plans: int, rounds: int) -> None:
    from django.test import Client

    from review.queue import listing

    client = Client()
    client.force_login(bench.reviewer, backend="people.backends.SealedPeople")
    deep = str(listing.Cursor.of(listing.waiting_for(bench.reviewer)[plans * 6 // 10]))
    middle = listing.waiting_for(bench.reviewer).select_related("intent_plan")[plans * 6 // 10].intent_plan
    place = listing.place_of(bench.reviewer, middle)
    first = listing.waiting_for(bench.reviewer)[0]
    addresses = {
        "the queue": "/review/",
        "the queue, far behind": f"/review/?after={deep.replace('+', '%2B')}",
        "by submitter": "/review/?by=owner3",
        "by risk, command, waiting": "/review/?risk=low&does=rm&longer=240",
        "by words": "/review/?words=tidy+team",
        "by words that nothing has": "/review/?words=nowhere",
        "nobody's": "/review/?assigned=nobody",
        "by shape": "/review/?view=groups",
        "a group": f"/review/groups/{first.shape}/{first.trial}/",
    }
    for name, address in addresses.items():
        say(name, rounds, lambda address=address: got(client, address))  # type: ignore[misc]
    say("plans before and after one", rounds, lambda: listing.around(bench.reviewer, middle))
    say("the plan to decide next", rounds, lambda: listing.next_for(bench.reviewer, place))


def _sweeps(rounds: int) -> None:
    from agents.cycle import waiting
    from agents.plans import shadowing
    from review.deciding import auto_approval
    from review.models import TimeLimit
    from review.notices import notify
    from review.queue import deadlines

    TimeLimit.objects.create(minutes=9000, escalate_percent=50)
    sweeps: dict[str, Callable[[], object]] = {
        "sweep: time limits": deadlines.sweep,
        "sweep: risk and policies": auto_approval.sweep,
        "sweep: notices": notify.sweep,
        "sweep: what waits for workers": lambda: waiting.counts(8),
        "sweep: dry runs to stop": shadowing.stop_unwanted,
    }
    for name, sweep in sweeps.items():
        say(name, rounds, sweep)
