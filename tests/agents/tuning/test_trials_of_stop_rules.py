"""Stop rules on past tries: which of them would not have been begun, from what was known when each was begun."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.mastermind import stops
from agents.mastermind.stops import Rules
from agents.models import BacklogItem, BacklogLift, BacklogRules, BacklogTry, Goal
from agents.tuning import trying, versions
from agents.tuning.trials import Clock, Trial
from agents.tuning.trying_tries import _limit_at
from people.models import User
from tests.forging import sealed

NOON = datetime(2031, 5, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ended", "failures"),
    [
        ([], 0),
        (["failed", "failed"], 2),
        (["failed", "improved", "failed"], 1),
        (["failed", "unmeasured"], 0),
        (["failed", "failed", "failed"], 0),  # it was stopped, and somebody approved it again
        (["failed", "failed", "failed", "worse"], 1),
    ],
)
def test_failures_in_a_row_begin_anew_with_what_helped_and_with_an_approval(ended: list[str], failures: int) -> None:
    assert stops.failures_in_a_row([(one, 3) for one in ended]) == failures


@given(st.lists(st.tuples(st.sampled_from(stops.OUTCOMES), st.integers(1, 20))))
def test_what_was_begun_had_never_failed_as_often_as_it_might(ended: list[tuple[str, int]]) -> None:
    most = max((limit for _, limit in ended), default=1)
    assert 0 <= stops.failures_in_a_row(ended) < most


@pytest.fixture
def past(transactional_db: None, owner: User, make_goal: Callable[..., Goal]) -> Callable[..., BacklogTry]:
    """`past(item, minutes, outcome)`: a try begun so many minutes after noon, which ended a minute later."""

    def made(item: BacklogItem, minutes: int, outcome: str = "not_achieved", by: User | None = None) -> BacklogTry:
        begun = NOON + timedelta(minutes=minutes)
        goal = make_goal(by or owner, f"Improve at {minutes}")
        return BacklogTry.objects.create(
            item=item, goal=goal, begun_at=begun, ended_at=begun + timedelta(minutes=1), outcome=outcome
        )

    return made


def wished(text: str, **also: Any) -> BacklogItem:
    return sealed(BacklogItem.objects.create(target="tool:reader", suggestion=text, text_key=text, **also))


def tried(by: User, **values: Any) -> Trial:
    (one,) = versions.current(of := next(kind for kind in versions.KINDS if kind.name == "stop_rules"))
    also = {name: values.pop(name) for name in ("clock", "readable") if name in values}
    return trying.try_out(of, versions.cleaned(of, values, one.values).values, by=by, **also)


def ends(trial: Trial) -> list[tuple[int, str]]:
    return [(case.number, case.then) for case in trial.cases]


@pytest.mark.django_db(transaction=True)
def test_one_wish_would_have_been_stopped_earlier(past: Callable[..., BacklogTry], operator: User) -> None:
    item, other = wished("Keep numbers"), wished("Tell tags")
    first, second, third = past(item, 0), past(item, 10), past(item, 20)
    past(other, 30)
    assert tried(operator, failures_of_one=3).changed == 0, "these hold"
    trial = tried(operator, failures_of_one=1)
    assert ends(trial) == [
        (third.pk, "not begun: it failed 2 times in a row"),
        (second.pk, "not begun: it failed once"),
    ]
    assert first.pk not in {case.number for case in trial.cases}
    assert {total.words: (total.now, total.then) for total in trial.totals} == {"begun": (4, 2), "not begun": (0, 2)}
    assert (trial.found, trial.tried, trial.drifted) == (4, 4, 0)
    assert not BacklogRules.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_day_and_a_row_of_failures_begin_anew_where_a_person_let_it_go_on(
    past: Callable[..., BacklogTry], operator: User
) -> None:
    tries = [past(wished(f"Wish {number}"), 10 * number) for number in range(4)]
    lift = BacklogLift.objects.create(by=operator, reason="go on", stopped_by="x")
    BacklogLift.objects.filter(pk=lift.pk).update(at=NOON + timedelta(minutes=25))
    assert [number for number, _ in ends(tried(operator, per_day=2))] == [tries[2].pk]
    assert ends(tried(operator, without_success=2)) == [
        (tries[2].pk, "not begun: None of the last 2 items that were tried improved anything. "
         "Check the results before more is tried.")
    ]  # fmt: skip
    past(wished("Tomorrow"), 60 * 24)
    assert [number for number, _ in ends(tried(operator, per_day=1))] == [tries[2].pk, tries[1].pk]


@pytest.mark.django_db(transaction=True)
def test_wishes_that_were_merged_are_counted_by_their_likeness(operator: User) -> None:
    kept = wished("Keep numbers")
    for number, likeness in enumerate((0.89, 0.93, None)):
        wished(f"other words {number}", state="merged", merged_into=kept, likeness=likeness)
    trial = tried(operator, near_enough=0.9)
    assert [(one.words, one.now, one.then) for one in trial.totals] == [("items merged as similar", 2, 1)]
    assert not any("cannot show which" in said for said in trial.notes)
    assert any("cannot show which" in said for said in tried(operator, near_enough=0.8).notes)


@pytest.mark.django_db(transaction=True)
def test_cases_of_goals_that_may_not_be_read_are_counted_and_time_ends_the_trial(
    past: Callable[..., BacklogTry], operator: User
) -> None:
    item = wished("Keep numbers")
    past(item, 0)
    past(item, 10)
    trial = tried(operator, failures_of_one=1, readable=Goal.objects.none())
    assert (trial.changed, trial.hidden, trial.cases) == (1, 1, ())
    ended = tried(operator, failures_of_one=1, clock=Clock(0))
    assert (ended.found, ended.tried, ended.in_time) == (2, 0, False)


def test_the_rules_of_a_try_are_those_that_counted_then() -> None:
    saved = [(NOON, 5), (NOON + timedelta(hours=1), 2)]
    assert [_limit_at(NOON + timedelta(minutes=one), saved) for one in (-1, 0, 59, 60)] == [
        Rules().failures_of_one, 5, 5, 2,
    ]  # fmt: skip
