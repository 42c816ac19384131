"""The sums of recoveries follow every change of a failure, whoever makes it and however late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.bdi.recovery.failures import FailureClass
from agents.insights import insight_cases, insight_sums
from agents.insights.insight_sums import HELPED, NOT_HELPED, OPEN, Asked
from agents.models import Agent, FailureRecord, Goal, RecoveryDay
from agents.recovery import failure_log
from people.models import User
from tests.deep import DEEP

pytestmark = pytest.mark.django_db
LAST = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)
WAYS = (("retry_with_delay", ""), ("simplified_approach", "fewer_steps"))
CLASSES = ("NETWORK_ERROR", "RATE_LIMIT_ERROR")
TOOLS = ("git", "simple_coder")
Sum = tuple[str, str, str, str, str, str]


@pytest.fixture
def goals(owner: User, make_goal: Callable[..., Goal]) -> list[Goal]:
    """Goals of two agents."""
    return [make_goal(owner, "Tidy up"), make_goal(owner, "Tidy up", agent=Agent.objects.create(name="other"))]


def failed(goal: Goal, *, way: int = 0, ago: int = 0, told: bool = True, of: int = 0, tool: int = 0) -> FailureRecord:
    """A failure as it is kept at first; where its agent is not told, it is from before failures said whose they are."""
    strategy, variant = WAYS[way]
    row = FailureRecord.objects.create(
        goal=goal, agent=goal.agent if told else None, stage="execution", tool=TOOLS[tool], reason="it broke",
        strategy=strategy, variant=variant, classified_as=CLASSES[of], failure_class=CLASSES[of],
    )  # fmt: skip
    FailureRecord.objects.filter(pk=row.pk).update(at=LAST - timedelta(days=ago))
    return row


def summed() -> Counter[Sum]:
    """What the sums say, those of nothing left out."""
    found: Counter[Sum] = Counter()
    for row in RecoveryDay.objects.all():
        found[str(row.day), str(row.agent_id), row.tool, row.failure_class, row.strategy, row.came] += row.cases
    return Counter({key: cases for key, cases in found.items() if cases})


def counted() -> Counter[Sum]:
    """The same from the failures, by the conditions that the lists of cases are made by."""
    found: Counter[Sum] = Counter()
    everything = Asked(LAST.date() - timedelta(days=90), LAST.date())
    for came in (HELPED, NOT_HELPED, OPEN):
        for row in everything.failures(came=came):
            agent = row.agent_id or row.goal.agent_id
            found[str(row.at.date()), str(agent), row.tool, row.failure_class, row.cell_strategy, came] += 1
    return found


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["fail", "settle", "overtake", "again", "class", "remove", "join"]),
        st.integers(0, 9),
        st.booleans(),
    ),
    min_size=4,
    max_size=25,
)


@settings(max_examples=200 if DEEP else 15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_in_whatever_order_failures_change_their_sums_are_what_the_rows_say(
    goals: list[Goal], changes: list[tuple[str, int, bool]]
) -> None:
    FailureRecord.objects.all().delete()
    assert summed() == Counter()
    failed(goals[0])
    for what, number, yes in changes:
        if what == "fail":
            failed(goals[yes], way=number % 2, ago=number % 4, told=number < 7, of=number % 3 % 2, tool=number % 2)
        elif what == "join":
            insight_cases.join_recoveries()
            keys = list(RecoveryDay.objects.values_list("day", "agent", "tool", "failure_class", "strategy", "came"))
            assert len(keys) == len(set(keys)), "one row of each"
            assert not RecoveryDay.objects.filter(cases__lte=0).exists()
        else:
            _change(what, number, yes)
        assert summed() == counted()


def _change(what: str, number: int, yes: bool) -> None:
    rows = list(FailureRecord.objects.order_by("pk"))
    if not rows:
        return
    row = rows[number % len(rows)]
    if what == "settle":
        row.succeeded, row.settled_at = yes, LAST
    elif what == "overtake":
        row.overtaken_by = "manual_fallback"
    elif what == "again":
        row.overtaken_by = row.cell_strategy
    elif what == "class":
        row.failure_class = CLASSES[yes]
    if what == "remove":
        row.delete()
    else:
        row.save()


def test_an_operator_who_corrects_a_class_moves_the_case_of_a_day_that_is_long_over(
    goals: list[Goal], operator: User
) -> None:
    row = failed(goals[0], ago=30)
    FailureRecord.objects.filter(pk=row.pk).update(succeeded=True, settled_at=LAST)
    insight_cases.add_up_days(LAST + timedelta(days=2))
    insight_cases.join_recoveries()
    failure_log.correct(row, FailureClass.RATE_LIMIT_ERROR, by=operator)
    day = LAST.date() - timedelta(days=30)
    found = insight_sums.sums(Asked(day, day))
    assert {key: one.recovered[HELPED] for key, one in found.cells.items() if one.recovered[HELPED]} == {
        ("RATE_LIMIT_ERROR", "retry_with_delay"): 1
    }
    assert found.total.recoveries == found.days[day].recoveries == 1


def test_a_change_of_what_is_not_counted_writes_nothing(goals: list[Goal]) -> None:
    row = failed(goals[0])
    before = RecoveryDay.objects.count()
    FailureRecord.objects.filter(pk=row.pk).update(cools_until=LAST, why="because", overtaken_by="")
    assert RecoveryDay.objects.count() == before
