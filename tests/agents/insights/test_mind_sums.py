"""Sums of days and of hours against counting every case anew, at every moment at which they may have been made."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from agents.bdi.learning.corrections import ORIGINS, Came
from agents.bdi.planning.latency import STAGES
from agents.insights import insight_cases, insight_sums
from agents.insights.insight_sums import Asked, Sums
from agents.models import Agent, Correction, DaySoFar, Goal, MindDay, Plan, Planning
from people.models import User

pytestmark = pytest.mark.django_db
FIRST = datetime(2026, 3, 8, tzinfo=UTC)
DAYS = 3
LAST = FIRST + timedelta(days=DAYS - 1)
EVERYTHING = Asked(FIRST.date(), LAST.date())
TOOLS = ("git", "simple_coder")


@pytest.fixture
def goals(owner: User, make_goal: Callable[..., Goal]) -> list[Goal]:
    """Goals of two agents, with cases at moments of three days: whole hours, midnights and any other."""
    found = [make_goal(owner, "Tidy up"), make_goal(owner, "Tidy up", agent=Agent.objects.create(name="other"))]
    chance = random.Random(7)
    hours = [FIRST + timedelta(hours=one) for one in range(0, 24 * DAYS, 3)]
    others = [FIRST + timedelta(seconds=chance.randrange(DAYS * 86_400)) for _ in range(60)]
    for number, at in enumerate([*hours, *others], 1):
        case(chance, found[number % 2], number, at)
    return found


def case(chance: random.Random, goal: Goal, number: int, at: datetime) -> None:
    """A planning and a correction of that moment."""
    source = chance.choice((Plan.Source.RULE, Plan.Source.MODEL))
    Planning.objects.create(
        plan=Plan.objects.create(goal=goal, number=number, source=source, steps=[]), goal=goal, agent=goal.agent,
        source=source, is_valid=chance.random() < 0.7, attempts=chance.randint(1, 3), at=at,
        total_ms=chance.randrange(90_000), **{f"{name}_ms": chance.choice((None, 0, 7, 900)) for name in STAGES},
    )  # fmt: skip
    Correction.objects.create(
        goal=goal, agent=goal.agent, tool=chance.choice(TOOLS), command="read", parameter="path",
        origin=chance.choice(sorted(ORIGINS)), came=chance.choice(list(Came)).value, at=at,
    )  # fmt: skip


def every_way(found: list[Goal]) -> Iterator[Sums]:
    """What the insights say, by each of the ways in which they are asked."""
    yield insight_sums.sums(EVERYTHING, in_stages=True)
    yield insight_sums.sums(Asked(LAST.date(), LAST.date(), agent=found[0].agent_id))
    yield insight_sums.sums(Asked(FIRST.date(), LAST.date(), tool="git"), together=2)


def anew(found: list[Goal]) -> list[Sums]:
    """The same with every case counted and no sum used."""
    with transaction.atomic():
        MindDay.objects.all().delete()
        DaySoFar.objects.all().delete()
        said = list(every_way(found))
        transaction.set_rollback(True)
    return said


def test_whenever_days_and_hours_were_added_up_the_sums_are_what_counting_anew_says(goals: list[Goal]) -> None:
    right = anew(goals)
    assert right[0].total.plannings == len(right[0].days) * 28 == 84
    chance, now, of_hours = random.Random(8), FIRST - timedelta(hours=2), 0
    while now < LAST + timedelta(days=1, hours=7):
        insight_cases.add_up_days(now)
        assert list(every_way(goals)) == right, now
        of_hours += DaySoFar.objects.exists()
        now += timedelta(minutes=chance.choice((1, 29, 60, 300)))
    assert of_hours
    assert MindDay.objects.values("day").distinct().count() == DAYS
    assert not DaySoFar.objects.exists(), "what is in the sums of days is in no other"


def test_an_hour_is_added_up_once_and_not_while_something_of_it_may_still_be_written(goals: list[Goal]) -> None:
    noon = FIRST + timedelta(hours=12)
    insight_cases.add_up_days(noon + timedelta(minutes=59))
    assert DaySoFar.objects.values_list("until", flat=True).distinct().get() == noon - timedelta(hours=1)
    insight_cases.add_up_days(noon + timedelta(hours=1))
    rows = set(DaySoFar.objects.values_list("pk", "until"))
    assert {until for _, until in rows} == {noon}
    counted = sum(row.cases for row in DaySoFar.objects.filter(measure="planning"))
    assert counted == Planning.objects.filter(at__lt=noon).count() > 0
    for later in (noon + timedelta(hours=1, minutes=59), noon):
        insight_cases.add_up_days(later)
        assert set(DaySoFar.objects.values_list("pk", "until")) == rows


def test_hours_of_a_day_that_another_version_of_mindx_added_up_are_not_counted_twice(goals: list[Goal]) -> None:
    """While versions change, a worker of the old one adds a day up and knows nothing of its hours."""
    right = anew(goals)
    insight_cases.add_up_days(FIRST + timedelta(hours=20))
    so_far = list(DaySoFar.objects.all())
    insight_cases.add_up_days(FIRST + timedelta(days=1, hours=2))
    DaySoFar.objects.all().delete()
    DaySoFar.objects.bulk_create(so_far)
    assert so_far
    assert list(every_way(goals)) == right
