"""The cases of the insights, made by the services that people and workers use: plannings, corrections, their sums."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from agents.bdi.planning.latency import STAGES, unpacked
from agents.cycle import cycle
from agents.insights import insight_cases, insight_sums
from agents.models import Correction, Goal, MindDay, Planning
from agents.workspaces import workspaces
from people.models import User
from review.deciding import decisions, editing

pytestmark = pytest.mark.django_db(transaction=True)
MEANT = "could you please shwo me the file path/to/README"


@pytest.fixture
def worked(owner: User, make_goal: Callable[..., Goal]) -> Callable[..., Goal]:
    """`worked("text")`: a goal over a workspace with a README.md, planned by a worker."""
    call_command("load_starters", verbosity=0)

    def made(text: str) -> Goal:
        goal = make_goal(owner, text)
        workspaces.put_file(goal.workspace, by=owner, path="README.md", source=io.BytesIO(b"# one\n"))
        cycle.work(goal.pk)
        return Goal.objects.get(pk=goal.pk)

    return made


def asked() -> insight_sums.Asked:
    today = timezone.now().astimezone(UTC).date()
    return insight_sums.Asked(today - timedelta(days=1), today)


def test_a_planning_is_kept_with_its_stages_whether_it_found_a_plan_or_not(worked: Callable[..., Goal]) -> None:
    worked("Write a note named tides saying high")
    worked(MEANT)
    worked("Reconcile the ledger")
    rows = [(row.source, row.is_valid, row.attempts) for row in Planning.objects.order_by("pk")]
    assert rows == [("rule", True, 1), ("understanding", True, 1), ("rule", False, 1)]
    for row in Planning.objects.all():
        took = {name: getattr(row, f"{name}_ms") for name in STAGES}
        assert took["model"] is None
        assert sum(ms or 0 for ms in took.values()) <= row.total_ms + len(took)
        assert row.plan.goal == row.goal
    understood = Planning.objects.get(source="understanding")
    assert understood.understand_ms is not None


def test_a_value_that_was_approved_unchanged_and_worked_is_a_success(
    worked: Callable[..., Goal], reviewer: User
) -> None:
    goal = worked(MEANT)
    assert not Correction.objects.exists(), "nothing is known of it before the goal has ended"
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    cycle.work(goal.pk)
    row = Correction.objects.get()
    assert (row.origin, row.original, row.value, row.came) == ("mapping", "path/to/README", "README.md", "succeeded")


def test_a_value_that_a_person_changed_is_none(worked: Callable[..., Goal], reviewer: User) -> None:
    goal = worked(MEANT)
    plan = goal.intent_plans.get()
    revised = editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": "other.md"})
    decisions.reject(revised, by=reviewer, digest=revised.digest, reason="not now")
    cycle.work(goal.pk)
    assert Correction.objects.get().came == "edited"


def test_a_value_that_was_rejected_and_one_that_was_never_tried(worked: Callable[..., Goal], reviewer: User) -> None:
    from agents.goals import goals

    rejected, cancelled = worked(MEANT), worked(MEANT)
    plan = rejected.intent_plans.get()
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="no")
    goals.cancel(cancelled, by=cancelled.submitted_by)
    for goal in (rejected, cancelled):
        cycle.work(goal.pk)
    came = dict(Correction.objects.values_list("goal_id", "came"))
    assert came == {rejected.pk: "refused", cancelled.pk: "unused"}
    figures = insight_sums.sums(asked()).total
    assert (figures.corrections, figures.corrected["unused"]) == (1, 1)


def test_sums_of_days_that_are_over_are_what_their_cases_are(worked: Callable[..., Goal]) -> None:
    for text in ("Write a note named tides saying high", MEANT, "Reconcile the ledger"):
        worked(text)
    today = timezone.now().astimezone(UTC)
    with connection.cursor() as cursor:  # what no service does: let it have been three days ago
        cursor.execute("UPDATE agents_planning SET at = at - interval '3 days'")
    worked(MEANT)
    wide = insight_sums.Asked(today.date() - timedelta(days=9), today.date())
    live = insight_sums.sums(wide)
    assert insight_cases.add_up_days(today) > 0
    assert MindDay.objects.exists()
    assert insight_sums.sums(wide) == live
    assert insight_cases.add_up_days(today) == 0, "a day is added up once"
    assert insight_sums.sums(wide).total.plannings == 4
    assert insight_sums.sums(asked()).total.plannings == 1


def test_a_day_is_not_added_up_while_something_of_it_may_still_be_written(worked: Callable[..., Goal]) -> None:
    worked(MEANT)
    tomorrow = timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0) + timedelta(days=1)
    assert insight_cases.add_up_days(tomorrow + timedelta(minutes=59)) == 0
    assert insight_cases.add_up_days(tomorrow + timedelta(minutes=61)) > 0
    assert MindDay.objects.values_list("day", flat=True).distinct().get() == datetime.now(UTC).date()


def test_the_number_that_holds_the_times_of_a_day_says_what_its_buckets_say(worked: Callable[..., Goal]) -> None:
    worked(MEANT)
    insight_cases.add_up_days(timezone.now() + timedelta(days=2))
    with connection.cursor() as cursor:
        cursor.execute("SELECT buckets, counts, packed::text FROM agents_mindday WHERE measure = 'stage'")
        rows = cursor.fetchall()
        cursor.execute("SELECT agents_packed('{0,240,7}', '{5,2147483647,1}')::text, agents_packed('{}', '{}')::text")
        assert [unpacked(each) for each in cursor.fetchone()] == [{0: 5, 7: 1, 240: 2147483647}, {}]
    assert rows
    for buckets, counts, packed in rows:
        assert unpacked(packed) == dict(zip(buckets, counts, strict=True)) != {}
