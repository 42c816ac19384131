"""Afterwards: whether anything of ours was bypassed. Counted in the tables and not in the code that was measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from benchmarks.durable.protocol import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agents.models import IntentPlan


@dataclass(frozen=True)
class Audit:
    """What all plans of ours left behind; `faults` is empty when every one left all of it."""

    plans: int
    attempts: int
    log_lines: int
    digests: int
    approvals: int
    snapshots: int
    transitions: int
    faults: tuple[str, ...]


def audit() -> Audit:
    """Count what every plan there is has left, and say what is missing or does not fit.

    Each plan must be complete, of the bytes that were approved, under a seal that the gate takes, with one succeeded
    attempt a step, all of its own fence and with the snapshots before and after; each log without gaps and with lines
    of the tool for every step; and the chain of decisions whole.
    """
    from django.db.models import Count

    from agents.models import Attempt, IntentPlan, LogLine, Transition
    from review.models import Approval

    plans = list(IntentPlan.objects.select_related("goal", "workspace"))
    ended = Attempt.objects.filter(outcome="succeeded").exclude(finished=None)
    approvals = {row.intent_plan_id: row for row in Approval.objects.select_related("by", "decision")}
    tries = dict(ended.values_list("intent__intent_plan").annotate(Count("pk")))
    spoken = LogLine.objects.filter(source__startswith="tool.").values_list("goal").annotate(Count("pk"))
    faults = [fault for plan in plans for fault in _faults_of(plan, approvals, tries, dict(spoken))]
    return Audit(
        plans=len(plans),
        attempts=Attempt.objects.count(),
        log_lines=LogLine.objects.count(),
        digests=sum(hashlib.sha256(plan.document).hexdigest() == plan.approved_digest for plan in plans),
        approvals=len(approvals),
        snapshots=ended.exclude(snapshot_before="").exclude(snapshot_after="").count(),
        transitions=Transition.objects.count(),
        faults=(*faults, *_faults_of_all()),
    )


def _faults_of(
    plan: IntentPlan, approvals: Mapping[int, Any], tries: Mapping[int, int], spoken: Mapping[int, int]
) -> Iterator[str]:
    from django.conf import settings

    from review.deciding.gate import refusal

    if plan.state != "complete" or plan.goal.state != "achieved":
        yield f"plan {plan.pk} is {plan.state}, its goal {plan.goal.state}"
    if why := refusal(plan, approvals.get(plan.pk), settings.APPROVAL_KEY):
        yield f"plan {plan.pk}: {why}"
    if tries.get(plan.pk) != STEPS:
        yield f"plan {plan.pk} has {tries.get(plan.pk, 0)} succeeded attempts"
    if spoken.get(plan.goal_id, 0) < STEPS:
        yield f"goal {plan.goal_id} has {spoken.get(plan.goal_id, 0)} log lines of its tool"


def _faults_of_all() -> Iterator[str]:
    from django.core.management import CommandError, call_command
    from django.db.models import Count, F, Max

    from agents.models import Attempt, LogLine

    wrong = Attempt.objects.exclude(fence=F("intent__intent_plan__fence")).count()
    if wrong:
        yield f"{wrong} attempts have another fence than their plan"
    numbered = LogLine.objects.values("goal").order_by().annotate(lines=Count("pk"), last=Max("number"))
    if gaps := numbered.exclude(lines=F("last")).count():
        yield f"{gaps} logs have gaps"
    try:
        call_command("verify_decisions", stdout=StringIO())
    except CommandError as broken:
        yield str(broken)
