"""Notices about plans: who is told what, once, in their own list and wherever else they chose to be."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from django.db.models import Model, Q
from django.db.models.functions import Now

from agents.bdi.outcome.outcome import Outcome
from agents.models import Goal, Intent, IntentPlan
from agents.presentation import hidden, outcome_words
from agents.record.selectors import plans_visible_to
from agents.states import PLAN_ENDED, PlanState
from library.models import ComponentVersion
from people import sealing
from people.models import User
from people.roles import Role
from review import rights
from review.models import (
    Approval,
    Comment,
    Decision,
    Delivery,
    Notice,
    NoticeChoice,
    NoticeKind,
    PlanTold,
    QueueEntry,
)
from review.notices import deliveries
from review.policies import evaluation

_AT_ONCE = 200
_WORDS_MAX = 60
_ENDED = [state.value for state in PLAN_ENDED]
# Notices that ask for something that is no longer possible once the plan is decided.
_OF_WAITING = (NoticeKind.AWAITS, NoticeKind.ASSIGNED, NoticeKind.URGENT)


def sweep() -> None:
    """Send notices that were not sent yet. Notice and mark are one transaction, so each person is told once."""
    for plan in _plans(Q(queue_entry__waits=True, queue_entry__is_told=False)):
        _tell_waiting(plan)
    for plan in _plans(
        Q(queue_entry__waits=True, queue_entry__is_urgent=True, queue_entry__is_urgent_told=False, told__isnull=False)
    ):
        _tell_urgent(plan)
    _settle()
    for plan in _plans(Q(queue_entry__waits=False, queue_entry__is_end_told=False, state__in=_ENDED)):
        _tell_end(plan)


def tell_question(question: Comment) -> None:
    """Tell the people behind the plan that somebody asks. Call it in the transaction that stores the question."""
    plan = _plan_of(question)
    people = [user for user in _behind(plan) if user.pk != question.by_id]
    # A rule's author may have no right to see a goal that the rule planned; then they get no notice.
    asked = [user for user in people if _sees(user, plan)]
    tell(NoticeKind.QUESTION, text_of(NoticeKind.QUESTION, plan), asked, intent_plan=plan, comment=question)


def tell_answer(question: Comment, *, by: User) -> None:
    """Tell the asker, once, that there is an answer. Call it in the transaction that stores the answer."""
    plan = _plan_of(question)
    told = Notice.objects.filter(user=question.by, kind=NoticeKind.ANSWER, comment=question).exists()
    if question.by_id != by.pk and not told and _sees(question.by, plan):
        text = text_of(NoticeKind.ANSWER, plan)
        tell(NoticeKind.ANSWER, text, [question.by], intent_plan=plan, comment=question)


def _plan_of(question: Comment) -> IntentPlan:
    found = IntentPlan.objects.select_related("goal__submitted_by", "plan__by").defer("document")
    return found.get(pk=question.intent_plan_id)


def _behind(plan: IntentPlan) -> list[User]:
    """The submitter, whoever wrote the steps by hand, and whoever wrote the version of the rule that planned them."""
    rule = plan.plan.evidence.get("rule") if isinstance(plan.plan.evidence, dict) else None
    version_id = str(rule.get("component_version_id") or "") if isinstance(rule, dict) else ""
    version = None
    if version_id.isascii() and version_id.isdigit() and len(version_id) < 19:
        version = ComponentVersion.objects.select_related("created_by").filter(pk=int(version_id)).first()
    people = [plan.goal.submitted_by, plan.plan.by, version.created_by if version is not None else None]
    return [user for user in people if user is not None]


def _sees(user: User, plan: IntentPlan) -> bool:
    return plans_visible_to(user).filter(pk=plan.pk).exists()


def text_of(kind: NoticeKind, plan: IntentPlan) -> str:
    """The text, without arguments, paths or output: the goal's first words, the number of steps, the risk."""
    steps = plan.intents.filter(phase=Intent.Phase.MAIN).count()
    risk = getattr(getattr(plan, "risk", None), "level", "")
    about = f"{first_words(plan.goal)} ({steps} step{'s' * (steps != 1)}{f', risk {risk}' if risk else ''})"
    return {
        NoticeKind.AWAITS: f"A plan is waiting for your review: {about}",
        NoticeKind.ASSIGNED: f"A plan was assigned to you: {about}",
        NoticeKind.URGENT: f"A plan is about to expire, and nobody has decided it: {about}",
        NoticeKind.EXPIRED: f"A plan expired because nobody decided it in time. Nothing ran: {about}",
        NoticeKind.OUTCOME: f"The plan {_how_it_ended(plan)}: {about}",
        NoticeKind.QUESTION: f"Somebody asked you about a plan: {about}",
        NoticeKind.ANSWER: f"Your question about a plan was answered: {about}",
    }[kind]


def _how_it_ended(plan: IntentPlan) -> str:
    if plan.state == PlanState.SUPERSEDED:
        return "was replaced by another one"
    if plan.state == PlanState.COMPLETE and plan.goal.outcome == Outcome.HANDED_OVER:
        return "handed its work to people"
    if plan.state == PlanState.COMPLETE:
        return outcome_words.STATES.get(plan.goal.outcome, "is complete")
    return f"{'has' if plan.state == PlanState.FAILED else 'is'} {plan.state}"


def first_words(goal: Goal) -> str:
    """The part of a goal that a message may contain, in quotes."""
    text = hidden.visible_text(" ".join(goal.text.split()))
    return f"“{text if len(text) <= _WORDS_MAX else f'{text[:_WORDS_MAX].rstrip()}…'}”"


def _plans(which: Q) -> list[IntentPlan]:
    plans = IntentPlan.objects.filter(which).select_related("goal__submitted_by").defer("document")
    return list(plans.order_by("pk")[:_AT_ONCE])


def _tell_waiting(plan: IntentPlan) -> None:
    with transaction.atomic():
        _, new = PlanTold.objects.get_or_create(intent_plan=plan)
        QueueEntry.objects.filter(pk=plan.pk).update(is_told=True)
        if new:
            _tell_plan(NoticeKind.AWAITS, plan, _deciders(plan))


def _tell_urgent(plan: IntentPlan) -> None:
    with transaction.atomic():
        QueueEntry.objects.filter(pk=plan.pk).update(is_urgent_told=True)
        if PlanTold.objects.filter(intent_plan=plan, urgent_at__isnull=True).update(urgent_at=Now()):
            operators = [user for user in active() if user.has_role(Role.OPERATOR)]
            _tell_plan(NoticeKind.URGENT, plan, [*_deciders(plan), *operators])


def _settle() -> None:
    """Notices that asked for a decision count as read once the plan no longer waits. Done before its end is announced,
    when only few rows, those of plans under way, have to be checked.
    """
    under_way = QueueEntry.objects.filter(waits=False, is_end_told=False)
    asking = Notice.objects.filter(read_at__isnull=True, kind__in=_OF_WAITING)
    asking.filter(intent_plan__in=under_way.values("pk")).update(read_at=Now())


def _tell_end(plan: IntentPlan) -> None:
    with transaction.atomic():
        QueueEntry.objects.filter(pk=plan.pk).update(is_end_told=True)
        concerned = _concerned(plan)
        if concerned:
            # A policy, or a quick person, may have decided before anybody was told that it waits.
            PlanTold.objects.get_or_create(intent_plan=plan)
        if not PlanTold.objects.filter(intent_plan=plan, end_at__isnull=True).update(end_at=Now()):
            return
        kind = NoticeKind.EXPIRED if plan.state == PlanState.EXPIRED else NoticeKind.OUTCOME
        _tell_plan(kind, plan, concerned)


def _concerned(plan: IntentPlan) -> list[User]:
    """Who is told how it ended: whoever approved it (both of two; for a policy its owner) and the submitter."""
    if plan.state == PlanState.EXPIRED:
        told = PlanTold.objects.filter(intent_plan=plan).exists()
        return [*_deciders(plan), plan.goal.submitted_by] if told else []
    if plan.state == PlanState.REJECTED:
        rejected = Decision.objects.filter(intent_plan=plan, verdict=Decision.Verdict.REJECT).first()
        return [] if rejected is not None and rejected.by_id == plan.goal.submitted_by_id else [plan.goal.submitted_by]
    approval = Approval.objects.filter(intent_plan=plan).select_related("by").first()
    if approval is None:
        return []
    concerned = [*User.objects.filter(pk__in=evaluation.approvers(plan, approval)), plan.goal.submitted_by]
    following = plan.goal.intent_plans.filter(state=PlanState.AWAITING_REVIEW.value).first()
    if plan.state == PlanState.SUPERSEDED and following is not None:
        # That the next revision waits for them says more, and leads to it.
        asked = _deciders(following)
        return [user for user in concerned if user not in asked]
    return concerned


def _deciders(plan: IntentPlan) -> list[User]:
    known = rights.known_of({plan.goal_id})
    return [user for user in active() if not rights.why_not(user, plan, known)]


def active() -> list[User]:
    """Everybody who could get a notice."""
    return list(User.objects.filter(is_active=True).exclude(roles=[], is_superuser=False))


def _tell_plan(kind: NoticeKind, plan: IntentPlan, people: Iterable[User]) -> None:
    tell(kind, text_of(kind, plan), people, intent_plan=plan)


def tell(kind: NoticeKind, text: str, people: Iterable[User], **about: Model) -> None:
    """A notice for each, and a delivery wherever else they chose. `about`: the field that it links to."""
    told = {user.pk: user for user in people if user.is_active}
    found = Notice.objects.bulk_create([Notice(user=user, kind=kind, text=text, **about) for user in told.values()])
    choices = {choice.user_id: choice for choice in sealing.genuine(NoticeChoice.objects.filter(user__in=told))}
    going = []
    for notice in found:
        choice = choices.get(notice.user_id)
        if choice is None:
            continue
        if kind in choice.email_kinds and settings.NOTIFY_BY_EMAIL and told[notice.user_id].email:
            going.append(Delivery(notice=notice, channel=Delivery.Channel.EMAIL))
        if kind in choice.apprise_kinds and choice.apprise_address:
            going.append(Delivery(notice=notice, channel=Delivery.Channel.APPRISE))
    with transaction.atomic():
        sent = Delivery.objects.bulk_create(going)
        sealing.seal_all(Delivery, [delivery.pk for delivery in sent])
        for delivery in sent:
            deliveries.wake(delivery.pk)
