"""Cool-down: a host that a tool failed on is left alone for a while, by every goal whose step failed on the same host.

A step that has not failed is not asked about it: it would cost a statement each. It tries once, and then waits as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from agents.bdi.outcome.network import listed, network_of
from agents.bdi.recovery.failures import Facts, FailureClass
from agents.models import Attempt, FailureRecord, Goal
from agents.record import logs, wake_ups
from agents.states import GoalState


@dataclass(frozen=True)
class CoolDown:
    """A cool-down that holds a step back: the failure that began it, the hosts that both ask, and when it ends."""

    failure: FailureRecord
    hosts: tuple[str, ...]
    until: datetime

    @property
    def why(self) -> str:
        """What the hosts did, as a clause. It names no goal: whoever reads it may not see that one."""
        return what_hosts_did(self.failure.failure_class, self.hosts)


def what_hosts_did(failure_class: str, hosts: Sequence[str]) -> str:
    """Why these hosts are left alone, as a clause."""
    return f"{listed(hosts)} {_DID.get(failure_class, 'did not work')}"


_DID = {
    FailureClass.RATE_LIMIT_ERROR.value: "asked to slow down",
    FailureClass.NETWORK_ERROR.value: "could not be reached",
}


def of(facts: Facts) -> CoolDown | None:
    """The longest cool-down of the tool on a host that this failure is about too; None: it may be asked at once."""
    cooling = FailureRecord.objects.filter(tool=facts.tool, cools_until__gt=timezone.now()).order_by("-cools_until")
    for row in cooling.select_related("goal")[:20]:
        hosts = _shared(Facts.from_json(row.facts), facts)
        if hosts and row.cools_until is not None:
            return CoolDown(row, hosts, row.cools_until)
    return None


def left_s(cool_down: CoolDown | None) -> float:
    """Seconds until it ends; 0: there is none."""
    return max(0.0, (cool_down.until - timezone.now()).total_seconds()) if cool_down is not None else 0.0


def cool(failure: FailureRecord, facts: Facts, seconds: float) -> None:
    """Begin a cool-down: goals that wait for another try of the same tool on the same host wait at least as long.

    A failure that is about no host holds nobody else back.
    """
    if not facts.asked:
        return
    until = timezone.now() + timedelta(seconds=seconds)
    FailureRecord.objects.filter(pk=failure.pk).update(cools_until=until)
    waiting = FailureRecord.objects.filter(
        tool=facts.tool,
        settled_at=None,
        goal__state=GoalState.RECOVERING.value,
        goal__wake_at__lt=until,
    ).exclude(goal=failure.goal_id)
    rows = ((row.goal_id, Facts.from_json(row.facts)) for row in waiting.order_by("-pk")[:500])
    shared = {goal: hosts for goal, of_row in rows if (hosts := _shared(facts, of_row))}
    # Whoever has taken one up by now goes on; only what still waits waits longer.
    for pk, hosts in sorted(shared.items()):
        waits = Goal.objects.filter(pk=pk, state=GoalState.RECOVERING.value, wake_at__lt=until)
        if waits.update(wake_at=until):
            said = f"{CoolDown(failure, hosts, until).why}: the next try is not before {until:%H:%M:%S} UTC"
            logs.say(pk, "bdi_agent", "recover", said, level="warning")


def passed(tool: str) -> list[FailureRecord]:
    """Cool-downs of a tool whose cause is gone: since they began, it has succeeded on the very hosts they are about."""
    cooling = FailureRecord.objects.filter(tool=tool, cools_until__gt=timezone.now()).order_by("pk")
    return [row for row in cooling[:20] if _worked_since(row)]


def _worked_since(row: FailureRecord) -> bool:
    hosts = set(Facts.from_json(row.facts).asked)
    tries = Attempt.objects.filter(intent__tool=row.tool, outcome="succeeded", finished__gt=row.at).order_by("-pk")
    results = tries.values_list("intent__result", flat=True)[:50]
    reached = ({one.host for one in network_of(result or {}).hosts} for result in results)
    return bool(hosts) and any(hosts <= found for found in reached)


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
        for pk in sorted({one.goal_id for one in failures[:500] if _shared(Facts.from_json(one.facts), facts)}):
            waits = Goal.objects.filter(pk=pk, state=GoalState.RECOVERING.value, wake_at__lte=until)
            if waits.update(wake_at=None):
                woken += 1
                logs.say(pk, "bdi_agent", "recover", f"{row.tool} works again: its cool-down has ended early")
                wake_ups.wake(pk)
    return woken


def _shared(one: Facts, other: Facts) -> tuple[str, ...]:
    """The hosts that both are about; without one, neither says anything about the other."""
    return tuple(host for host in one.asked if host in other.asked)
