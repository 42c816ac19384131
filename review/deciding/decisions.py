"""A person's decision on a plan: rights, words, digest, one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from agents.actors import firmware
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, digest_of
from agents.components import agent_steps
from agents.models import Goal, IntentPlan
from agents.plans import plans, shadowing, sub_goals
from agents.record import logs, wake_ups
from agents.record.errors import StaleDigest
from agents.states import GoalState, PlanState
from people import sealing
from people.models import User
from review import rights, words
from review.audit import approval_seal, decision_chain
from review.deciding import envelope, held_decisions, rounds
from review.errors import DecisionRefused
from review.models import Approval, Comment, Decision, PolicyEvaluation, PolicyVersion
from review.policies import evaluation
from review.policy import verdict
from review.policy.verdict import Action
from review.talk import comments

logger = logging.getLogger(__name__)

_AGAINST = (Decision.Verdict.REJECT, Decision.Verdict.REQUEST_CHANGES)


def approve(
    plan: IntentPlan,
    *,
    by: User,
    digest: str,
    comment: str = "",
    via: str = "browser",
    tries: int = envelope.USUAL_TRIES,
    alternatives: Collection[envelope.Alternative] = (),
    edits: Mapping[str, Any] | None = None,
    policy: PolicyVersion | None = None,
    as_first: bool = False,
) -> IntentPlan:
    """Approve exactly the document with this digest, with up to `tries` attempts of a step, and these of its declared
    alternatives for a step that fails.

    If a policy requires two people, the first one's approval is stored and the plan continues to wait. An approval that
    was meant `as_first` never starts the plan: it is refused if somebody else was first meanwhile. `policy` approves in
    the name of `by`, its owner, and only if the policies still allow it. `edits` is what the decision records about the
    revision before, if this one is a part of it.

    Raises DecisionRefused, WordsRefused, or StaleDigest when another digest awaits or somebody decided first.
    """
    check_rights(by, plan)
    _check_whose(plan)
    note = words.taken(comment, "comment")
    grants = envelope.granted(tries, alternatives)
    if alternatives:
        envelope.check_declared(_read(plan), alternatives)
    with transaction.atomic():
        # Without the lock, two people at once would both be the first one.
        Goal.objects.select_for_update(no_key=True).get(pk=plan.goal_id)
        notes = comments.open_notes(plan.goal_id)
        edits = _with_notes(edits, notes)
        if not _completes(plan, by, policy):
            return _approve_first(plan, by=by, digest=digest, note=note, via=via, edits=edits)
        if as_first:
            raise StaleDigest(
                "When you opened this page, yours was the first of two approvals. Now it would be the second, and the"
                " plan would run. Nothing was approved. Read the page again."
            )
        return _approve(
            plan, by=by, digest=digest, note=note, via=via, grants=grants, policy=policy, edits=edits, notes=notes
        )


def _read(plan: IntentPlan) -> Document:
    try:
        return documents.read(bytes(plan.document))
    except ValueError as error:
        raise DecisionRefused("The stored document cannot be read. Nothing was approved.") from error


def _completes(plan: IntentPlan, by: User, policy: PolicyVersion | None) -> bool:
    """Whether this approval is enough for the policies; DecisionRefused if they forbid it."""
    plan = IntentPlan.objects.select_related("goal__submitted_by", "goal__agent", "workspace", "plan").get(pk=plan.pk)
    try:
        outcome = evaluation.outcome_of(plan)
    except ValueError as error:
        raise DecisionRefused("The stored document cannot be read. Nothing was approved.") from error
    document = _read(plan)
    if reason := _why_not(plan.goal, document):
        raise DecisionRefused(f"{reason} Nothing was approved. Request changes, or reject the plan.")
    if policy is None:
        evaluation.keep(plan, PolicyEvaluation.Moment.APPROVE, outcome)
    if reason := verdict.refusal(outcome):
        raise DecisionRefused(reason)
    if policy is not None:
        if outcome.action is not Action.AUTO_APPROVE or outcome.by is None or outcome.by.rule.version_id != policy.pk:
            raise DecisionRefused("The policies no longer let this plan pass without a person.")
        _check_for_policy(plan, document, policy.owner)
        return True
    first = evaluation.first_approvals(plan)
    if outcome.approvals > 1 and [row.by_id for row in first] == [by.pk]:
        raise DecisionRefused("You have approved this already. A second person must approve it too.")
    return evaluation.enough_approvals(outcome, by.pk, first)


def _why_not(goal: Goal, document: Document) -> str:
    """Why a plan that changes mindX itself, or violates its agent's firmware, can no longer be approved."""
    return (
        agent_steps.why_not(goal, document)
        or sub_goals.why_not(goal, document)
        or firmware.why_not(goal.agent, document)
    )


def _check_for_policy(plan: IntentPlan, document: Document, owner: User) -> None:
    """What a policy does not look at, and a person would see."""
    if comments.is_open(plan.goal_id):
        raise DecisionRefused("Somebody has asked about this plan or commented on it: a person decides.")
    if what := _not_sealed(plan, document, owner):
        logger.error("A policy may not approve what mindX did not seal", extra={"intent_plan": plan.pk})
        raise DecisionRefused(f"{what} was not sealed by mindX: a person decides.")
    # Decisions are append-only: a rejection counts even if somebody has set the plan's row back to waiting.
    if plan.decisions.filter(verdict__in=_AGAINST).exists():
        raise DecisionRefused("A person has decided against this plan: a person decides.")


def _not_sealed(plan: IntentPlan, document: Document, owner: User) -> str:
    """Which evidence for policies was not written by mindX, or from before it sealed such rows; "" if none.

    A person reads the plan itself. A policy relies on who submitted it and what they may, that mindX planned it, where,
    and on its dry run.
    """
    if document.workspace != plan.workspace.name:
        return "The name of its workspace"
    rows = (
        ("The goal", plan.goal),
        ("Its submitter", plan.goal.submitted_by),
        ("The policy's owner", owner),
        ("The plan", plan),
        ("Its dry run", shadowing.latest(plan)),
    )
    return next((what for what, row in rows if row is None or not sealing.is_genuine(row)), "")


def _check_whose(plan: IntentPlan) -> None:
    """Four eyes go by who submitted the goal and who wrote the plan, so a person approves neither as somebody else has
    changed it.
    """
    if settings.FOUR_EYES and not (sealing.is_genuine(plan.goal) and sealing.is_genuine(plan)):
        logger.error("A plan of which nobody knows whose it is was not approved", extra={"intent_plan": plan.pk})
        raise DecisionRefused(
            "mindX did not seal whose goal or plan this is, and four eyes are required. Reject it, and have it"
            " submitted again."
        )


def _approve_first(
    plan: IntentPlan, *, by: User, digest: str, note: str, via: str, edits: Mapping[str, Any] | None
) -> IntentPlan:
    said = f"approved by {by.username} as the first of two people" + (f": {note}" if note else "")
    grant = _written(Decision.Verdict.FIRST_APPROVAL, by=by, via=via, comment=note, edits=edits)
    return plans.note(plan, digest=digest, grant=grant, said=said)


def _approve(
    plan: IntentPlan,
    *,
    by: User,
    digest: str,
    note: str,
    via: str,
    grants: dict[str, Any],
    policy: PolicyVersion | None,
    edits: Mapping[str, Any] | None,
    notes: Sequence[Comment],
) -> IntentPlan:
    policy_id = policy.pk if policy is not None else None

    def grant(locked: IntentPlan) -> None:
        if digest_of(locked.document) != locked.digest:
            raise DecisionRefused("The stored document is not the one that was proposed. Nothing was approved.")
        decision = decision_chain.add(
            locked,
            Decision.Verdict.APPROVE,
            digest=locked.digest,
            by=by,
            via=via,
            comment=note,
            edits=edits,
            policy_id=policy_id,
        )
        claim = approval_seal.Grant(locked.pk, locked.digest, by.pk, grants, decision.at)
        Approval.objects.create(
            intent_plan=locked,
            decision=decision,
            digest=claim.digest,
            by=by,
            envelope=grants,
            at=claim.at,
            mac=approval_seal.mac_of(claim, settings.APPROVAL_KEY),
        )

    first = [row.by.username for row in evaluation.first_approvals(plan) if row.by_id != by.pk]
    return plans.approve(plan, digest=digest, by=by, grant=grant, note=note, said=comments.as_said(notes), first=first)


def withdraw(plan: IntentPlan, *, by: User, digest: str, via: str = "browser") -> IntentPlan:
    """Withdraw one's approval before the second person decides. Errors as for `approve`."""
    check_rights(by, plan)

    def grant(locked: IntentPlan) -> None:
        if by.pk not in {row.by_id for row in evaluation.first_approvals(locked)}:
            raise DecisionRefused("You have no approval that can be withdrawn.")
        decision_chain.add(locked, Decision.Verdict.WITHDRAW, digest=locked.digest, by=by, via=via, comment="")

    return plans.note(plan, digest=digest, grant=grant, said=f"{by.username} withdrew their approval")


def approve_as_second(plan: IntentPlan, *, by: User, digest: str, via: str = "browser") -> IntentPlan:
    """Approve, as a second person, a plan that one had approved before a policy asked for two. Errors as `approve`."""
    check_rights(by, plan)
    _check_whose(plan)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=plan.goal_id)
        locked = IntentPlan.objects.select_for_update(no_key=True).select_related("workspace").get(pk=plan.pk)
        approval = Approval.objects.filter(intent_plan=locked).first()
        if locked.state not in (PlanState.APPROVED, PlanState.EXECUTING) or approval is None:
            raise StaleDigest("This plan is not waiting for a second person. Nothing was changed.")
        if digest != locked.digest:
            raise StaleDigest("This is not the digest of the plan that waits. Read the plan again.")
        if by.pk in evaluation.approvers(locked, approval):
            raise DecisionRefused("You have approved this already. A second person must approve it too.")
        decision_chain.add(locked, Decision.Verdict.SECOND_APPROVAL, digest=locked.digest, by=by, via=via, comment="")
        logs.say(goal.pk, "review", "review", f"approved by {by.username} as the second person", digest=locked.digest)
        wake_ups.goal_changed(goal.pk)
        # The plan that waits for the second person is checked again at once.
        Goal.objects.filter(pk=goal.pk, state=GoalState.RECOVERING.value).update(wake_at=None)
        wake_ups.wake(goal.pk)
    return locked


def reject(plan: IntentPlan, *, by: User, digest: str, reason: str, via: str = "browser") -> IntentPlan:
    """Reject the plan and drop its goal. Errors as for `approve`; a reason is required."""
    check_rights(by, plan)
    why = words.taken(reason, "reason", required=True)
    grant = _written(Decision.Verdict.REJECT, by=by, via=via, comment=why)
    return plans.reject(plan, digest=digest, by=by, reason=why, grant=grant)


def request_changes(plan: IntentPlan, *, by: User, digest: str, comment: str, via: str = "browser") -> IntentPlan:
    """Send the plan back with a comment that the planner reads, and with every open note, each with its place.

    Errors as for `approve`; a comment is required if no note is open. When the goal's rounds are used up, a person must
    plan instead of the agent.
    """
    check_rights(by, plan)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=plan.goal_id)
        notes = comments.open_notes(goal.pk)
        wish = words.taken(comment, "comment", required=not notes)
        decide = _written(
            Decision.Verdict.REQUEST_CHANGES, by=by, via=via, comment=wish, edits=_with_notes(None, notes)
        )

        def grant(locked: IntentPlan) -> None:
            decide(locked)
            if wish:
                Comment.objects.create(
                    goal_id=locked.goal_id, intent_plan=locked, by=by, text=wish, revision_now=locked.revision
                )

        found = rounds.of(goal)
        return plans.send_back(
            plan,
            digest=digest,
            by=by,
            comment=wish,
            grant=grant,
            said=comments.as_said(notes),
            to_manual=found.reason if found.is_over else "",
        )


def _with_notes(edits: Mapping[str, Any] | None, notes: Sequence[Comment]) -> Mapping[str, Any] | None:
    """What a decision records besides its text: the notes that were sent with it."""
    return {**(edits or {}), "notes": comments.as_kept(notes)} if notes else edits


def _written(
    verdict: Decision.Verdict, *, by: User, via: str, comment: str, edits: Mapping[str, Any] | None = None
) -> Callable[[IntentPlan], None]:
    """Write a decision that grants nothing into the chain."""

    def write(locked: IntentPlan) -> None:
        decision_chain.add(locked, verdict, digest=locked.digest, by=by, via=via, comment=comment, edits=edits)

    return write


def check_rights(by: User, plan: IntentPlan, *, edits: bool = False) -> None:
    """Raises DecisionRefused if this person may not decide this plan (`edits`: may not change it), StaleDigest if
    another person's decision is pending.
    """
    reason = rights.why_not_edit(by, plan) if edits else rights.why_not(by, plan)
    if reason:
        logger.warning("A decision on plan %s by %s was refused: %s", plan.pk, by.pk, reason)
        raise DecisionRefused(reason)
    held_decisions.refuse_others(by, plan)
