"""The beginning of a claim: the approved plan is locked, the gate asked, the plan taken up and its first try begun."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.bdi.plans.started_programs import living_before
from agents.execution import gate_check, taking_up
from agents.execution.step_lines import beginning_of
from agents.models import IntentPlan
from agents.plans import ending, footings
from agents.plans.reporting import Running, Said
from agents.record import draining, gate, logs
from agents.record.lease import Lease
from agents.record.logs import NewLine
from agents.states import GoalState, IntentState, PlanState
from library.language import may_wait
from sandbox.contract import SessionState
from sandbox.sessions.session import is_at_hand

logger = logging.getLogger(__name__)

# So often a workspace may move while its files are compared.
WEIGHED_MAX = 3


@dataclass(frozen=True)
class Begun:
    """A plan that was taken up, what the gate granted, and its first try if that has begun too.

    `is_reported`: something of it is to be filed (`filing`).
    """

    plan: IntentPlan
    document: Document
    granted: gate.Verdict
    running: Running | None = None
    is_reported: bool = False


def begin(lease: Lease, locked: taking_up.Found | None = None) -> Begun | None:
    """Take up the goal's approved plan, with its first try where that can be, or the one a dead worker left, if the
    gate allows it, in one transaction; None when nothing is to be run. `locked` as in `taking_up.find`, whose
    NotWeighed is raised only with it: whoever has claimed the goal alone has the files compared before.
    """
    for _ in range(1 if locked is not None else WEIGHED_MAX):
        if locked is None:
            footings.weigh(lease.goal_id)
        try:
            return _begin(lease, locked)
        except footings.NotWeighed:
            if locked is not None:
                raise
    logger.warning("The files of goal %s change faster than they are compared; it begins later", lease.goal_id)
    return None


def _begin(lease: Lease, locked: taking_up.Found | None) -> Begun | None:
    with transaction.atomic(savepoint=False):
        found = taking_up.find(lease, locked)
        if found is None:
            return None
        if found.plan.state == PlanState.APPROVED:
            return _begun(lease, found)
        if taking_up.go_on(lease, found.plan) is None:
            return None
        return _without_a_try(lease, found.plan, gate_check.answer(found.plan))


def _begun(lease: Lease, found: taking_up.Found) -> Begun | None:
    """Begin an approved plan, with its first try where that can be."""
    plan = found.plan
    # Asked before the plan is taken up, which does not change what it looks at; and nothing runs before that.
    granted = gate_check.answer(plan, found.read)
    document = documents.read(bytes(plan.document)) if granted.allowed else None
    said = _first(lease, plan, document, granted) if document is not None else None
    taken = taking_up.begin(lease, found, said)
    if taken is None:
        return None
    if said is None or document is None:
        return _without_a_try(lease, plan, granted)
    return Begun(plan, document, granted, taken.running, is_reported=True)


def _without_a_try(lease: Lease, plan: IntentPlan, granted: gate.Verdict) -> Begun | None:
    """Go on with a plan that was taken up, unless the gate refuses it; the executor begins the next try."""
    document = gate_check.followed(lease, plan, granted)
    if document is None:
        return None
    _abort_without_programs(lease, plan, document)
    logs.write(plan.goal_id, [_claimed(lease, plan)])
    return Begun(plan, document, granted)


def _first(lease: Lease, plan: IntentPlan, document: Document, granted: gate.Verdict) -> Said | None:
    """What is said of a first try that begins with the plan, when a jail as it needs one is known to be had; None when
    the executor must begin it.

    One that waited, maybe for the sandbox, begins when its jail stands: waiting adds no tries. One that lay still is
    reconsidered before.
    """
    if lease.state != GoalState.AWAITING_REVIEW or lease.lost or plan.cancel_requested or draining.is_asked():
        return None
    if plan.position != 1 or not document.intents:
        return None
    spec = document.at(1)
    if document.sends_text and not may_wait.here():
        return None
    if not is_at_hand(granted.minimum or settings.SANDBOX_MIN, spec.hosts):
        return None
    begins = [beginning_of(spec, SessionState.from_json(plan.session.state))]
    return Said([_claimed(lease, plan)], begins, granted.stamp)


def _claimed(lease: Lease, plan: IntentPlan) -> NewLine:
    text = f"{lease.owner} claimed revision {plan.revision} (fence {lease.fence}); digest {plan.digest[:8]} matches"
    return NewLine("worker", "execute", text, data={"fence": lease.fence})


def _abort_without_programs(lease: Lease, plan: IntentPlan, document: Document) -> None:
    """Give up on steps that were to run beside programs whose jail ended with an earlier claim."""
    if plan.aborting or not 1 < plan.position <= len(document.intents):
        return
    done = plan.intents.filter(state=IntentState.SUCCEEDED.value).values_list("position", flat=True)
    gone = living_before(document.intents, plan.position, set(done))
    if not gone:
        return
    reason = f"programs_gone: step {plan.position} was to run beside {', '.join(gone)}, which ended with its sandbox"
    logs.say(plan.goal_id, "bdi_agent", "execute", reason, level="error")
    ending.abort(plan, lease, reason, first_cleanup=len(document.intents) + 1)
    plan.refresh_from_db()
