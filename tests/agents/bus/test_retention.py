"""The log of the bus and ended requests go when they are old enough, in batches, and by nobody else's hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agents.bus import breakers, requests, retention
from agents.bus.retention import Gone
from agents.models import BusBreaker, BusEntry, BusMember, BusRequest, Goal
from agents.upkeep import keep_logs
from mindx_web.operations.grants import grant
from mindx_web.supervisor.postgres import APP
from people import sealing
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
KEEP = 30


@pytest.fixture
def ended(owner: User, connect: Callable[..., Any]) -> Callable[..., BusRequest]:
    """`ended(days)`: a request that ended so many days ago, with one entry of that time."""
    from agents.bus import answering

    connect()

    def made(days: float, **more: Any) -> BusRequest:
        asked = requests.request(by=owner, capability="say", content={"n": BusRequest.objects.count()}, **more)
        answering.work(asked.pk)
        age(asked, days)
        return asked

    return made


def age(asked: BusRequest, days: float) -> None:
    then = timezone.now() - timedelta(days=days)
    BusRequest.objects.filter(pk=asked.pk).update(ended_at=then)
    # The tests' role owns the tables; the application's may not do this.
    BusEntry.objects.filter(request=asked).update(at=then)


def left() -> set[int]:
    return set(BusRequest.objects.values_list("pk", flat=True))


def test_what_is_old_goes_and_what_is_young_stays(ended: Callable[..., BusRequest]) -> None:
    old, young = ended(KEEP + 1), ended(KEEP - 1)
    gone = retention.expire(KEEP)
    assert gone.requests == 1
    assert left() == {young.pk}
    assert not BusEntry.objects.filter(request_id=old.pk).exists()
    assert BusEntry.objects.filter(request=young).exists()
    assert retention.expire(KEEP) == Gone()


def test_nothing_goes_where_the_setting_says_for_ever(ended: Callable[..., BusRequest], settings: Any) -> None:
    ended(10_000)
    settings.BUS_KEEP_DAYS = 0
    assert retention.keep() == Gone()
    settings.BUS_KEEP_DAYS = KEEP
    keep_logs()
    assert left() == set()


def test_an_open_request_keeps_all_that_was_logged_of_it(owner: User, connect: Callable[..., Any]) -> None:
    connect()
    asked = requests.request(by=owner, capability="say", content={})
    BusEntry.objects.create(
        side="data", event="tried", by=owner, request=asked, capability="say", outcome="it was not able to"
    )
    BusEntry.objects.filter(request=asked).update(at=timezone.now() - timedelta(days=KEEP + 5))
    retention.expire(KEEP)
    assert BusEntry.objects.filter(request=asked).count() == 1
    assert left() == {asked.pk}


def test_a_request_stays_as_long_as_something_refers_to_it(
    ended: Callable[..., BusRequest], owner: User, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner)
    first, of_a_goal, replayed = ended(KEEP + 9), ended(KEEP + 9, parent=goal), ended(KEEP + 9)
    below = ended(KEEP - 1, within=first)
    again = requests.replay(BusRequest.objects.get(pk=replayed.pk), by=owner)
    retention.expire(KEEP)
    assert left() == {first.pk, of_a_goal.pk, replayed.pk, below.pk, again.pk}
    requests.cancel(again, by=owner)
    age(below, KEEP + 1)
    age(again, KEEP + 1)
    Goal.objects.filter(pk=goal.pk).update(state="dropped", ended_at=timezone.now())
    assert retention.expire(KEEP).requests == 5
    assert left() == set()


def test_it_goes_in_batches_and_the_rest_waits_for_the_next_hour(
    ended: Callable[..., BusRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        ended(KEEP + 1)
    monkeypatch.setattr(retention, "REQUESTS_AT_ONCE", 1)
    monkeypatch.setattr(retention, "ENTRIES_AT_ONCE", 100)
    monkeypatch.setattr(retention, "ROUNDS", 3)
    assert retention.expire(KEEP).requests == 3
    assert retention.expire(KEEP).requests == 2


def test_a_breaker_forgets_the_request_that_tried_it(ended: Callable[..., BusRequest]) -> None:
    asked = ended(KEEP + 1)
    member = BusMember.objects.get(name="echo")
    breakers.failed(member.pk, asked.pk, "gone")
    BusBreaker.objects.update_or_create(member=member, defaults={"trial": asked})
    assert retention.expire(KEEP).requests == 1
    assert BusBreaker.objects.get(member=member).trial is None


def test_a_row_that_is_brought_back_counts_for_nothing(ended: Callable[..., BusRequest]) -> None:
    asked = BusRequest.objects.get(pk=ended(KEEP + 1).pk)
    assert sealing.is_genuine(asked)
    retention.expire(KEEP)
    asked.save(force_insert=True)
    assert not sealing.is_genuine(asked)


def test_the_application_removes_no_entry_itself_and_none_that_is_young(ended: Callable[..., BusRequest]) -> None:
    old, young = ended(KEEP + 1), ended(0.5)
    grant(connection, APP)
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {APP}")
    try:
        with pytest.raises(Exception, match="permission denied"), transaction.atomic():
            BusEntry.objects.filter(request=old).delete()
        for days in (0, -1, None):
            with (
                pytest.raises(Exception, match="a day at least"),
                transaction.atomic(),
                connection.cursor() as cursor,
            ):
                cursor.execute("SELECT agents_bus_expire(%s, 10)", [days])
        retention.expire(1)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")
    assert left() == {young.pk}


def test_nobody_else_may_call_the_function() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosecdef, proacl::text FROM pg_proc WHERE proname = 'agents_bus_expire'")
        ((is_definer, acl),) = cursor.fetchall()
    assert is_definer
    assert "{=X" not in acl
    assert ",=X" not in acl
