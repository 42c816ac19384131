"""A used-up budget for models is told to whose goal waits and to who may raise it, once a day and to nobody else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from agents.models import Goal
from agents.states import GoalState
from people.models import User
from review.models import Delivery, Notice, NoticeChoice
from review.notices import budgets
from tests.forging import sealed

pytestmark = pytest.mark.django_db
REASON = "model_budget_spent: 15,000 of 20,000 tokens of today's budget are used, and this call may take 9,000."


@pytest.fixture
def put_off(make_goal: Callable[..., Goal]) -> Callable[..., Goal]:
    def made(user: User, text: str = "Lay out <the> ledger") -> Goal:
        goal = make_goal(user, text)
        Goal.objects.filter(pk=goal.pk).update(reason=REASON, wake_at=timezone.now() + timedelta(hours=3))
        return goal

    return made


def told() -> list[tuple[str, int | None]]:
    return list(Notice.objects.order_by("pk").values_list("user__username", "goal"))


def test_submitter_and_operators_are_told_once(
    owner: User, outsider: User, reviewer: User, operator: User, put_off: Any, client_of: Callable[[User], Client]
) -> None:
    goal = put_off(owner)
    budgets.sweep()
    budgets.sweep()
    assert set(told()) == {("olga", goal.pk), ("opal", goal.pk)}
    assert Notice.objects.count() == 2
    client = client_of(owner)
    page = client.get("/review/notices/").content.decode()
    assert "The budget of mindx for language models is used up today" in page
    assert "Lay out &lt;the&gt; ledger" in page
    notice = Notice.objects.get(user=owner)
    assert client.get(f"/review/notices/{notice.pk}/").headers["Location"] == f"/goals/{goal.pk}/"


def test_operators_hear_of_an_agent_once_a_day(owner: User, outsider: User, operator: User, put_off: Any) -> None:
    first, second = put_off(owner), put_off(outsider)
    budgets.sweep()
    assert sorted(told()) == [("olga", first.pk), ("opal", first.pk), ("otto", second.pk)]
    Notice.objects.update(at=timezone.now() - timedelta(days=1))
    budgets.sweep()
    assert Notice.objects.count() == 6


def test_who_chose_it_gets_it_elsewhere_too(owner: User, put_off: Any, settings: Any) -> None:
    settings.NOTIFY_BY_EMAIL = True
    User.objects.filter(pk=owner.pk).update(email="olga@example.org")
    sealed(NoticeChoice.objects.create(user=owner, email_kinds=["budget"]))
    put_off(owner)
    budgets.sweep()
    assert Delivery.objects.get().notice.user == owner


@pytest.mark.parametrize(
    ("state", "reason"), [(GoalState.PENDING, "model_rate_limited: soon"), (GoalState.DROPPED, REASON)]
)
def test_other_goals_are_nobodys_notice(state: GoalState, reason: str, owner: User, put_off: Any) -> None:
    goal = put_off(owner)
    Goal.objects.filter(pk=goal.pk).update(state=state.value, reason=reason)
    budgets.sweep()
    assert told() == []


def test_a_notice_is_about_exactly_one_thing(owner: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Notice.objects.create(user=owner, kind="budget", text="about nothing")
