"""Cool-down: what failed on a tool and its hosts is left alone as a whole for a while, by every goal that failed on it.

A step that has not failed is not asked about it: it would cost a statement each. It tries once, and then waits as well.
"""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from agents.bdi.failures import Facts
from agents.bdi.network import network_of
from agents.models import Attempt, FailureRecord, Goal
from agents.services import hints, logs
from agents.states import GoalState


def left_s(facts: Facts) -> float:
    """Seconds until the tool, on the hosts that this failure is about, is asked again; 0: at once."""
    now = timezone.now()
    cooling = FailureRecord.objects.filter(tool=facts.tool, cools_until__gt=now).order_by("-cools_until")
    for row in cooling[:20]:
        if row.cools_until is not None and _same(Facts.from_json(row.facts), facts):
            return (row.cools_until - now).total_seconds()
    return 0.0


def cool(failure: FailureRecord, facts: Facts, seconds: float) -> None:
    """Begin a cool-down: goals that wait for another try of the same tool and hosts wait at least as long."""
    until = timezone.now() + timedelta(seconds=seconds)
    FailureRecord.objects.filter(pk=failure.pk).update(cools_until=until)
    waiting = FailureRecord.objects.filter(
        tool=facts.tool,
        settled_at=None,
        goal__state=GoalState.RECOVERING.value,
        goal__wake_at__lt=until,
    ).exclude(goal=failure.goal_id)
    goals = {row.goal_id for row in waiting.order_by("-pk")[:500] if _same(Facts.from_json(row.facts), facts)}
    # Whoever has taken one up by now goes on; only what still waits waits longer.
    for pk in sorted(goals):
        waits = Goal.objects.filter(pk=pk, state=GoalState.RECOVERING.value, wake_at__lt=until)
        if waits.update(wake_at=until):
            said = (
                f"{facts.tool} cools down, as goal {failure.goal_id} found: the next try is not before {until:%H:%M:%S}"
            )
            logs.say(pk, "bdi_agent", "recover", f"{said} UTC", level="warning")


def passed(tool: str) -> list[FailureRecord]:
    """Cool-downs of a tool whose cause is gone: since they began, it has succeeded on the very hosts they are about."""
    cooling = FailureRecord.objects.filter(tool=tool, cools_until__gt=timezone.now()).order_by("pk")
    return [row for row in cooling[:20] if _worked_since(row)]


def _worked_since(row: FailureRecord) -> bool:
    hosts = set(Facts.from_json(row.facts).hosts)
    tries = Attempt.objects.filter(intent__tool=row.tool, outcome="succeeded", finished__gt=row.at).order_by("-pk")
    results = tries.values_list("intent__result", flat=True)[:50]
    reached = ({one.host for one in network_of(result or {}).hosts} for result in results)
    return any(hosts <= found if hosts else True for found in reached)


def close(rows: list[FailureRecord]) -> int:
    """End these cool-downs now, and have the goals that wait for them go on; returns how many goals that are."""
    woken = 0
    for row in rows:
        until, facts = row.cools_until, Facts.from_json(row.facts)
        if until is None or not FailureRecord.objects.filter(pk=row.pk, cools_until=until).update(
            cools_until=timezone.now()
        ):
            continue
        failures = FailureRecord.objects.filter(
            tool=row.tool, settled_at=None, goal__state=GoalState.RECOVERING.value, goal__wake_at__gt=timezone.now()
        )
        for pk in sorted({one.goal_id for one in failures[:500] if _same(Facts.from_json(one.facts), facts)}):
            waits = Goal.objects.filter(pk=pk, state=GoalState.RECOVERING.value, wake_at__lte=until)
            if waits.update(wake_at=None):
                woken += 1
                logs.say(pk, "bdi_agent", "recover", f"{row.tool} works again: its cool-down has ended early")
                hints.wake(pk)
    return woken


def _same(one: Facts, other: Facts) -> bool:
    """Whether they are about the same: a shared host, or none named by either."""
    return bool(set(one.hosts) & set(other.hosts)) if one.hosts and other.hosts else one.hosts == other.hosts
