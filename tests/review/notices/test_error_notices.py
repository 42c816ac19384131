"""A goal that failed inside mindX is told to its submitter and to operators, once each time; they see the error."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import NoReturn

import pytest
from django.test import Client
from django.utils import timezone

from agents.cycle import cycle
from agents.models import Goal, TurnFailure
from agents.planning import planning
from agents.record.lease import LOST_WORKERS_MAX
from people.models import User
from review import upkeep
from review.models import Notice
from review.notices import failed_goals
from review.talk import carrying

pytestmark = pytest.mark.django_db(transaction=True)


def _raises(*_: object, **__: object) -> NoReturn:
    raise ValueError("<b>a fault</b>")


@pytest.fixture
def given_up(owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch) -> Callable[[], Goal]:
    goal = make_goal(owner, "Lay out <the> ledger")

    def made() -> Goal:
        with monkeypatch.context() as patch:
            patch.setattr(planning, "plan_goal", _raises)
            for _ in range(LOST_WORKERS_MAX):
                cycle.work(goal.pk)
                past = timezone.now() - timedelta(seconds=1)
                Goal.objects.filter(pk=goal.pk).exclude(lease_until=None).update(lease_until=past)
        return Goal.objects.get(pk=goal.pk)

    return made


def test_submitter_and_operators_are_told_once_each_time(
    given_up: Callable[[], Goal], owner: User, reviewer: User, outsider: User, operator: User
) -> None:
    goal = given_up()
    failed_goals.sweep()
    failed_goals.sweep()
    told = list(Notice.objects.order_by("pk").values_list("user__username", "goal", "kind"))
    assert told == [("olga", goal.pk, "error"), ("opal", goal.pk, "error")]
    planning.plan_again(goal, by=owner)
    given_up()
    failed_goals.sweep()
    assert Notice.objects.count() == 4, "it failed again"


def test_the_page_says_whose_fault_it_is_and_shows_the_error_to_operators_only(
    given_up: Callable[[], Goal], owner: User, operator: User, client_of: Callable[[User], Client]
) -> None:
    goal = given_up()
    reference = TurnFailure.objects.latest("pk").reference
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert f"Planning failed inside mindX 3 times (reference {reference})." in page
    assert "an error in mindX, not in your goal" in page
    assert "Try again" in page
    assert "a fault&lt;/b&gt;" not in client_of(owner).get(f"/goals/{goal.pk}/attempts/").content.decode()
    seen = client_of(operator).get(f"/goals/{goal.pk}/attempts/").content.decode()
    assert "ValueError: &lt;b&gt;a fault&lt;/b&gt;" in seen
    assert "in _raises" in seen


def test_one_part_of_a_sweep_that_fails_keeps_no_other_from_being_done(
    given_up: Callable[[], Goal], operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up()
    monkeypatch.setattr(carrying, "sweep", _raises)
    upkeep.sweep()
    assert Notice.objects.filter(user=operator).exists()
