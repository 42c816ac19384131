"""Quick answers, given and stored many at once: each request is still answered once, in time, and by who has it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.bus import answering, moves, requests, together
from agents.bus.providers import Answer
from agents.models import BusBreaker, BusCapability, BusEntry, BusRequest
from agents.states import RequestState
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
S = RequestState
Connect = Callable[..., Any]


def _asked(by: User, number: int) -> list[BusRequest]:
    return [requests.request(by=by, capability="say", content={"n": n}) for n in range(number)]


def _states(asked: list[BusRequest]) -> list[str]:
    return list(
        BusRequest.objects.filter(pk__in=[one.pk for one in asked]).order_by("pk").values_list("state", flat=True)
    )


def test_many_are_answered_with_few_statements_each_once(owner: User, connect: Connect) -> None:
    connect()
    asked = _asked(owner, 60)
    with CaptureQueriesContext(connection) as sent:
        answering.work()
    assert _states(asked) == [S.ANSWERED] * 60
    assert len(sent) < 60
    assert [one.answer for one in BusRequest.objects.order_by("pk")] == [{"echo": {"n": n}} for n in range(60)]
    assert BusEntry.objects.filter(event="answered").values("request").distinct().count() == 60
    assert BusEntry.objects.filter(event="answered").count() == 60
    assert BusCapability.objects.get(name="say").succeeded == 60


@pytest.mark.parametrize("how", ["cancelled", "expired", "taken over"])
def test_one_of_many_that_somebody_else_ended_or_has_is_left_alone(how: str, owner: User, connect: Connect) -> None:
    echo, asked = connect(), _asked(owner, 4)
    third = BusRequest.objects.filter(pk=asked[2].pk)

    def meanwhile(request: Any) -> Answer:
        if request.content["n"] == 3:
            if how == "cancelled":
                requests.cancel(asked[2], by=owner)
            elif how == "expired":
                third.update(deadline=timezone.now() - timedelta(seconds=1))
            else:
                third.update(lease_until=timezone.now() - timedelta(seconds=1))
                assert moves.claim(asked[2].pk) is not None
        return Answer({"n": request.content["n"]})

    echo.does = meanwhile
    answering.work()
    left = {"cancelled": S.CANCELLED, "expired": S.RUNNING, "taken over": S.RUNNING}[how]
    assert _states(asked) == [S.ANSWERED, S.ANSWERED, left, S.ANSWERED]
    assert third.get().answer is None
    assert BusEntry.objects.filter(request=asked[2], event="late").count() == 1


def test_a_failure_among_many_counts_and_the_rest_are_given_back(owner: User, connect: Connect) -> None:
    echo, asked = connect(), _asked(owner, 6)

    def fails_once(request: Any) -> Answer:
        if request.content["n"] == 3:
            raise ConnectionError("gone")
        return Answer()

    echo.does = fails_once
    claimed = moves.claim(asked[0].pk)
    assert claimed is not None
    answering.take_turn(claimed)
    together.answer_like(claimed.request, lambda one: False, answering._answer)
    assert _states(asked) == [S.ANSWERED, S.ANSWERED, S.ANSWERED, S.WAITING, S.WAITING, S.WAITING]
    assert BusBreaker.objects.get().failures == 1, "the answers before it do not excuse it"
    assert list(BusRequest.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 1, 1, 1, 0, 0]


def test_what_acts_is_never_taken_together(owner: User, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(effect="keyed")
    asked = _asked(owner, 3)
    monkeypatch.setattr(together, "answer_like", lambda *_: pytest.fail("it acts"))
    answering.work()
    assert _states(asked) == [S.ANSWERED] * 3


def test_what_does_not_suit_is_not_served_among_many(owner: User, outsider: User, connect: Connect) -> None:
    echo = connect()
    asked = [*_asked(owner, 2), *_asked(outsider, 2)]
    BusRequest.objects.filter(pk=asked[1].pk).update(content={"n": 99})
    User.objects.filter(pk=outsider.pk).update(is_active=False)
    answering.work()
    assert _states(asked) == [S.ANSWERED, S.FAILED, S.FAILED, S.FAILED]
    assert [one.content for one in echo.asked] == [{"n": 0}]


def test_one_that_is_slow_gives_back_those_behind_it(
    owner: User, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    asked = _asked(owner, 4)
    monkeypatch.setattr(together, "TOGETHER_S", 0.0)
    claimed = moves.claim(asked[0].pk)
    assert claimed is not None
    answering.take_turn(claimed)
    together.answer_like(claimed.request, lambda one: False, answering._answer)
    assert _states(asked) == [S.ANSWERED, S.WAITING, S.WAITING, S.WAITING]
    assert list(BusRequest.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 0, 0, 0]
