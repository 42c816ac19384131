"""Asking the gate before anything of a plan runs, and doing what its refusal asks for."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import IntentPlan
from agents.plans import ending, report_filing, reporting
from agents.plans.reporting import Running
from agents.record import gate, logs
from agents.record.errors import AgentsError
from agents.record.lease import Lease
from agents.record.prepared import Row

# What the gate reads around a plan: with it at hand an answer takes fewer statements.
_READS = ("goal__submitted_by", "goal__agent", "workspace", "plan")


class Refused(AgentsError):
    """The gate no longer lets the plan run; `verdict` says why."""

    def __init__(self, verdict: gate.Verdict) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict


def answer(plan: IntentPlan, read: Sequence[Row] | None = None) -> gate.Verdict:
    """What the gate says of these bytes now, `read` as in `gate.check`. That they are the approved ones is looked at
    here too, whoever answers.
    """
    try:
        verdict = gate.check(plan, None, read)
        documents.read(bytes(plan.document))
    except documents.Unreadable as unreadable:
        # No later claim could read it either: left to the edge of the loop the plan would come round for ever.
        return gate.Verdict(allowed=False, reason=f"the stored document cannot be read: {unreadable}")
    if verdict.allowed and documents.digest_of(bytes(plan.document)) != plan.approved_digest:
        return gate.Verdict(allowed=False, reason="the stored document is not the one that was approved")
    return verdict


def followed(lease: Lease, plan: IntentPlan, verdict: gate.Verdict) -> Document | None:
    """The approved document when the gate lets it run; None when it does not, and the plan has been stopped."""
    if verdict.allowed:
        return documents.read(bytes(plan.document))
    stop(lease, plan, documents.read(bytes(plan.document)) if verdict.asks else None, verdict)
    return None


def before_a_try(lease: Lease, plan: IntentPlan, running: Running, granted: gate.Verdict) -> gate.Verdict:
    """The verdict that the try may run under. Raises Refused, with the try closed, when the gate says no by now.

    Asked as late as possible, when the try has begun and nothing of it has run: by the statement that begins it, else
    here. As long as nothing has changed since `granted`, that is all; when something has, the gate looks at all of it
    again.
    """
    stamp = gate.stamp(plan.pk) if running.stamp is None else running.stamp
    if stamp == granted.stamp:
        return _within(granted, plan, lease, running)
    report_filing.file(plan.pk, plan.goal_id)  # the gate looks at which steps have ended
    stored = IntentPlan.objects.select_related(*_READS).get(pk=plan.pk)
    verdict = answer(stored)
    if verdict.allowed and stored.digest != plan.digest:
        verdict = gate.Verdict(allowed=False, reason="the running document was replaced by another one")
    if verdict.allowed:
        return _within(verdict, plan, lease, running)
    reporting.not_tried(plan, lease, running, "refused", verdict.reason)
    raise Refused(verdict)


def _within(verdict: gate.Verdict, plan: IntentPlan, lease: Lease, running: Running) -> gate.Verdict:
    """The verdict, when the try is of the step itself or of an alternative that was granted."""
    if not running.alternative or (running.position, running.alternative) in verdict.alternatives:
        return verdict
    reason = f"alternative {running.alternative} of step {running.position} was not granted"
    reporting.not_tried(plan, lease, running, "refused", reason)
    raise Refused(gate.Verdict(allowed=False, reason=reason))


def stop(lease: Lease, plan: IntentPlan, document: Document | None, verdict: gate.Verdict) -> None:
    """Do what the gate's refusal asks for: wait for a person, ask again about what is left, or fail the plan.

    A plan that is only cleaning up has nothing left that could be asked about.
    """
    plan.refresh_from_db(fields=["aborting", "position"])
    if verdict.waits:
        ending.wait_for_person(plan, lease, verdict.reason)
    elif verdict.asks and document is not None and not plan.aborting:
        ending.ask_again(plan, lease, document, verdict.reason)
    else:
        logs.say(plan.goal_id, "review", "execute", f"refused by the gate: {verdict.reason}", level="error")
        ending.fail(plan, lease, f"refused_by_gate: {verdict.reason}")
