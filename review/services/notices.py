"""Telling people: who is told what, once, in a list of their own and wherever else they chose."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from django.db.models import Model, Q
from django.db.models.functions import Now

from agents.models import Goal, Intent, IntentPlan
from agents.presentation import hidden
from agents.states import PLAN_ENDED, PlanState
from people.models import User
from people.roles import Role
from review import rights
from review.models import Approval, Delivery, Notice, NoticeChoice, NoticeKind, PlanTold
from review.services import deliveries

COUNTED_UP_TO = 99
_AT_ONCE = 200
_WORDS_MAX = 60
_WAITS = PlanState.AWAITING_REVIEW.value
_ENDED = [state.value for state in PLAN_ENDED]


def sweep() -> None:
    """Tell of what nobody was told of yet. Who is told and that they were is one transaction, so each is told once."""
    for plan in _plans(Q(state=_WAITS, told__isnull=True)):
        _tell_waiting(plan)
    for plan in _plans(Q(state=_WAITS, clock__escalated_at__isnull=False, told__urgent_at__isnull=True)):
        _tell_urgent(plan)
    for plan in _plans(Q(state__in=_ENDED, told__end_at__isnull=True, told__isnull=False)):
        _tell_end(plan)


def unread_of(user: User) -> str:
    """How many notices this person has not read, in words: "7", "99+", "" for none."""
    count = Notice.objects.filter(user=user, read_at__isnull=True)[: COUNTED_UP_TO + 1].count()
    return f"{COUNTED_UP_TO}+" if count > COUNTED_UP_TO else str(count or "")


def text_of(kind: NoticeKind, plan: IntentPlan) -> str:
    """What is asked, without arguments, paths or output: the goal's first words, the number of steps, the risk."""
    steps = plan.intents.filter(phase=Intent.Phase.MAIN).count()
    risk = getattr(getattr(plan, "risk", None), "level", "")
    about = f"{first_words(plan.goal)} ({steps} step{'s' * (steps != 1)}{f', risk {risk}' if risk else ''})"
    return {
        NoticeKind.AWAITS: f"A plan waits for your decision: {about}",
        NoticeKind.URGENT: f"The time of a plan is running out, and nobody has decided it: {about}",
        NoticeKind.EXPIRED: f"Nobody decided this plan in time, so nothing of it ran: {about}",
        NoticeKind.OUTCOME: f"The plan is {plan.state}: {about}",
    }[kind]


def first_words(goal: Goal) -> str:
    """As much of a goal as a message may say, in quotes."""
    text = hidden.visible_text(" ".join(goal.text.split()))
    return f"“{text if len(text) <= _WORDS_MAX else f'{text[:_WORDS_MAX].rstrip()}…'}”"


def _plans(which: Q) -> list[IntentPlan]:
    plans = IntentPlan.objects.filter(which).select_related("goal__submitted_by").defer("document")
    return list(plans.order_by("pk")[:_AT_ONCE])


def _tell_waiting(plan: IntentPlan) -> None:
    with transaction.atomic():
        _, new = PlanTold.objects.get_or_create(intent_plan=plan)
        if new:
            _tell_plan(NoticeKind.AWAITS, plan, _deciders(plan))


def _tell_urgent(plan: IntentPlan) -> None:
    with transaction.atomic():
        if PlanTold.objects.filter(intent_plan=plan, urgent_at__isnull=True).update(urgent_at=Now()):
            operators = [user for user in active() if user.has_role(Role.OPERATOR)]
            _tell_plan(NoticeKind.URGENT, plan, [*_deciders(plan), *operators])


def _tell_end(plan: IntentPlan) -> None:
    with transaction.atomic():
        if not PlanTold.objects.filter(intent_plan=plan, end_at__isnull=True).update(end_at=Now()):
            return
        if plan.state == PlanState.EXPIRED:
            _tell_plan(NoticeKind.EXPIRED, plan, [*_deciders(plan), plan.goal.submitted_by])
            return
        approval = Approval.objects.filter(intent_plan=plan).select_related("by").first()
        if approval is not None:
            _tell_plan(NoticeKind.OUTCOME, plan, [approval.by, plan.goal.submitted_by])


def _deciders(plan: IntentPlan) -> list[User]:
    return [user for user in active() if not rights.why_not(user, plan)]


def active() -> list[User]:
    """Everybody who could be told of something."""
    return list(User.objects.filter(is_active=True).exclude(roles=[], is_superuser=False))


def _tell_plan(kind: NoticeKind, plan: IntentPlan, people: Iterable[User]) -> None:
    tell(kind, text_of(kind, plan), people, intent_plan=plan)


def tell(kind: NoticeKind, text: str, people: Iterable[User], **about: Model) -> None:
    """A notice for each, and a delivery wherever they chose to have it as well. `about`: the field that it leads to."""
    told = {user.pk: user for user in people if user.is_active}
    found = Notice.objects.bulk_create([Notice(user=user, kind=kind, text=text, **about) for user in told.values()])
    choices = {choice.user_id: choice for choice in NoticeChoice.objects.filter(user__in=told)}
    going = []
    for notice in found:
        choice = choices.get(notice.user_id)
        if choice is None:
            continue
        if kind in choice.email_kinds and settings.NOTIFY_BY_EMAIL and told[notice.user_id].email:
            going.append(Delivery(notice=notice, channel=Delivery.Channel.EMAIL))
        if kind in choice.apprise_kinds and choice.apprise_address:
            going.append(Delivery(notice=notice, channel=Delivery.Channel.APPRISE))
    for delivery in Delivery.objects.bulk_create(going):
        deliveries.wake(delivery.pk)
