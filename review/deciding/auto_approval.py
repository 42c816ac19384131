"""Evaluates new plans: their risk, and whether a policy approves one without a person."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, time

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents.models import IntentPlan
from agents.plans import shadowing
from agents.record import logs, worked
from agents.record.errors import StaleDigest
from agents.states import PlanState, ShadowState
from review.audit import canonical
from review.deciding import decisions
from review.entries import risks
from review.errors import DecisionRefused
from review.models import Decision, PlanNews, PolicyDay, PolicyEvaluation, PolicyVersion
from review.policies import endings, evaluation, writing
from review.policy.states import PolicyState
from review.policy.verdict import Action, Outcome

logger = logging.getLogger(__name__)

SWEEP_PLANS = 50
_SAMPLE_LABEL = "mindx policy sample 1"
_SHADOW = PolicyEvaluation.Moment.SHADOW


def sweep() -> None:
    """Find plans whose hint was lost, and bad outcomes that have not suspended their policy yet."""
    for plan_id in not_looked_at():
        try:
            look(plan_id)
        except Exception:  # the edge of the loop: one plan that fails must not stop the others
            logger.exception("A plan could not be examined", extra={"intent_plan": plan_id})
            _put_last(plan_id)
    since = F("policy__policy__enabled_at")
    approved = Decision.objects.filter(policy__policy__state=PolicyState.ENABLED.value, at__gte=since)
    bad = worked.bad_ends(IntentPlan.objects.filter(pk__in=approved.values("intent_plan_id")))
    for plan_id in bad.values_list("pk", flat=True)[:SWEEP_PLANS]:
        judge(plan_id)


def not_looked_at() -> list[int]:
    """Some of the plans with news that was not processed yet, oldest news first."""
    news = PlanNews.objects.order_by("pk").values_list("intent_plan_id", flat=True)
    return list(dict.fromkeys(news[:SWEEP_PLANS]))


def _put_last(plan_id: int) -> None:
    """Move its news to the end: it is tried again after all others."""
    with transaction.atomic():
        PlanNews.objects.filter(intent_plan=plan_id).delete()
        PlanNews.objects.create(intent_plan_id=plan_id)


def look(plan_id: int) -> None:
    """Store the plan's risk; once its dry run has ended, ask the policies, and approve if they allow it.

    The race it closes: more news arrive meanwhile. Only news from before the start are deleted.
    """
    known = list(PlanNews.objects.filter(intent_plan=plan_id).values_list("pk", flat=True))
    _look(plan_id)
    PlanNews.objects.filter(pk__in=known).delete()


def _look(plan_id: int) -> None:
    found = IntentPlan.objects.select_related("goal__submitted_by", "goal__agent", "workspace", "plan")
    plan = found.filter(pk=plan_id, state=PlanState.AWAITING_REVIEW.value).first()
    if plan is None:
        return
    run = shadowing.latest(plan)
    if risks.store(plan, run) is None or run is None or run.state != ShadowState.DONE:
        return
    outcome = evaluation.outcome_of(plan)
    said, is_sample = "", False
    version_id = outcome.by.rule.version_id if outcome.by is not None else None
    if outcome.action is Action.AUTO_APPROVE and version_id is not None:
        version = PolicyVersion.objects.select_related("policy", "owner").get(pk=version_id)
        is_sample = is_sampled(plan, version)
        said = "sampled: a person decides" if is_sample else _approve(plan, version, outcome)
    evaluation.keep(plan, _SHADOW, outcome, said, is_sample=is_sample)


def is_sampled(plan: IntentPlan, version: PolicyVersion) -> bool:
    """Whether this plan is sampled for a person. Without the key nobody can predict which plans are."""
    content = {"digest": plan.digest, "version": version.pk}
    drawn = int(canonical.signature(_SAMPLE_LABEL, content, settings.APPROVAL_KEY)[:8], 16)
    return drawn % 100 < version.sampling_percent


def _approve(plan: IntentPlan, version: PolicyVersion, outcome: Outcome) -> str:
    """Approve in the name of the policy's owner, within today's budget; returns the result in words."""
    comment = f"by policy “{version.policy.name}” (version {version.number})"
    try:
        with transaction.atomic():
            if not spend(version):
                return f"the budget of {version.budget} a day is used up: a person decides"
            decisions.approve(
                plan, by=version.owner, digest=plan.digest, comment=comment, via="policy", tries=1, policy=version
            )
    except (DecisionRefused, StaleDigest) as refused:
        return f"not approved: {refused}"
    logger.info("A policy approved a plan", extra={"intent_plan": plan.pk, "policy": version.policy_id})
    return "approved"


def spend(version: PolicyVersion) -> bool:
    """Use one plan of today's budget; False if none is left. Call it in the transaction that approves.

    The race it closes: two sweepers and one plan left. The update waits for the other's row and then reads its count.
    """
    today = timezone.now().astimezone(UTC).date()
    PolicyDay.objects.bulk_create([PolicyDay(policy_id=version.policy_id, day=today)], ignore_conflicts=True)
    left = PolicyDay.objects.filter(policy_id=version.policy_id, day=today, used__lt=version.budget)
    if not left.update(used=F("used") + 1):
        return False
    # The counter is where two sweepers meet. Decisions are counted too, because nobody can delete them.
    since = datetime.combine(today, time.min, UTC)
    return Decision.objects.filter(policy__policy_id=version.policy_id, at__gte=since).count() < version.budget


def judge(plan_id: int) -> None:
    """Suspend the policy behind a plan that ended badly, or that a person rejected as a sample."""
    plan = IntentPlan.objects.filter(pk=plan_id).first()
    if plan is None:
        return
    decided = plan.decisions.filter(policy__isnull=False).select_related("policy__policy").first()
    if decided is not None and decided.policy is not None:
        if trouble := endings.trouble(plan):
            _suspend(decided.policy, decided.at, trouble, plan)
        return
    sample = plan.policy_evaluations.filter(is_sample=True).select_related("version__policy").first()
    against = plan.decisions.filter(verdict__in=[Decision.Verdict.REJECT, Decision.Verdict.REQUEST_CHANGES]).first()
    if sample is not None and sample.version is not None and against is not None:
        words = "rejected" if against.verdict == Decision.Verdict.REJECT else "sent back"
        _suspend(sample.version, sample.at, f"a person {words} plan {plan.pk}, which was a sample of it", plan)


def _suspend(version: PolicyVersion, at: datetime, trouble: str, plan: IntentPlan) -> None:
    policy = version.policy
    if policy.enabled_at is None or at < policy.enabled_at:
        return
    if writing.suspend(policy, by=None, reason=trouble):
        text = f"policy “{policy.name}” is suspended: {trouble}"
        logs.say(plan.goal_id, "review", "review", text, level="warning")
