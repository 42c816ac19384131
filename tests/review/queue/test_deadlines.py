"""Time limits: the clock starts in the queue, people are warned and may extend, and what nobody decided never runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.models import IntentPlan, LogLine
from agents.record.errors import NotPossibleNow, StaleDigest
from people.journal import Event
from people.models import User
from review import timing
from review.deciding import decisions
from review.errors import DecisionRefused
from review.models import Approval, AuditEntry, Decision, QueueEntry, ReviewClock, TimeLimit
from review.queue import deadlines
from review.timing import Limit
from review.upkeep import sweep
from tests.axe import violations
from tests.browser import chromium, open_page, sideways  # noqa: F401  # the first two are fixtures
from tests.review.deciding.test_decisions import at_once
from tests.review.plans import goal_of, proposed

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
EVERYBODY = Limit(None, 240, 50, NOON - timedelta(days=9))


def limited(minutes: int = 240, **also: Any) -> TimeLimit:
    """A limit that was set long ago."""
    row = TimeLimit.objects.create(minutes=minutes, **also)
    TimeLimit.objects.filter(pk=row.pk).update(changed_at=timezone.now() - timedelta(days=9))
    return row


def waiting_since(plan: IntentPlan, minutes: float) -> None:
    since = timezone.now() - timedelta(minutes=minutes)
    IntentPlan.objects.filter(pk=plan.pk).update(queued_at=since)
    QueueEntry.objects.filter(pk=plan.pk).update(queued_at=since)


def run_out(plan: IntentPlan) -> ReviewClock:
    """The plan with a clock whose time is over."""
    limited()
    waiting_since(plan, 241)
    deadlines.start()
    return ReviewClock.objects.get(intent_plan=plan)


# --- which limit, from when ----------------------------------------------------------------------------------


def test_the_limit_of_the_priority_decides_before_the_one_of_all() -> None:
    urgent = Limit(1, 30, 50, NOON)
    assert timing.limit_for(1, [EVERYBODY, urgent]) == urgent
    assert timing.limit_for(2, [EVERYBODY, urgent]) == EVERYBODY
    assert timing.limit_for(2, [urgent]) is None


def test_the_clock_starts_when_the_plan_entered_the_queue() -> None:
    found = timing.times(NOON, EVERYBODY)
    assert (found.escalate_at, found.due_at) == (NOON + timedelta(hours=2), NOON + timedelta(hours=4))
    assert timing.times(NOON, Limit(None, 60, 100, NOON)).escalate_at is None


def test_a_limit_that_is_set_now_ends_nothing_before_its_own_time() -> None:
    found = timing.times(NOON - timedelta(days=3), Limit(None, 60, 50, NOON))
    assert found.due_at == NOON + timedelta(hours=1)


@pytest.mark.parametrize(
    "values",
    [{"minutes": 0}, {"minutes": 525_601}, {"minutes": 5, "priority": 6}, {"minutes": 5, "escalate_percent": 0}],
)
def test_the_database_refuses_a_limit_that_is_none(values: dict[str, int]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        TimeLimit.objects.create(**values)


def test_there_is_one_limit_of_all_priorities() -> None:
    TimeLimit.objects.create(minutes=5)
    with pytest.raises(IntegrityError), transaction.atomic():
        TimeLimit.objects.create(minutes=6)


# --- the sweep -----------------------------------------------------------------------------------------------


def test_without_a_limit_plans_wait_for_ever(plan: IntentPlan) -> None:
    waiting_since(plan, 60 * 24 * 365)
    sweep()
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert not ReviewClock.objects.exists()


@pytest.mark.parametrize(("to_manual", "goal_state"), [(False, "dropped"), (True, "manual")])
def test_what_nobody_decided_in_time_is_expired_and_nothing_of_it_runs(
    to_manual: bool, goal_state: str, plan: IntentPlan, judge: User
) -> None:
    limited(to_manual=to_manual)
    waiting_since(plan, 241)
    sweep()
    plan.refresh_from_db()
    assert (plan.state, plan.goal.state) == ("expired", goal_state)
    assert plan.goal.reason == "review_expired: nobody decided within 4 h"
    assert not Approval.objects.exists()
    with pytest.raises(StaleDigest, match="already expired by review time limit"):
        decisions.approve(plan, by=judge, digest=plan.digest)
    assert LogLine.objects.filter(goal=plan.goal, text="expired: nobody decided within 4 h").count() == 1


def test_what_has_time_left_goes_on_waiting(plan: IntentPlan) -> None:
    limited()
    waiting_since(plan, 239)
    sweep()
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"


def test_a_plan_is_marked_once_when_its_share_is_over(plan: IntentPlan) -> None:
    limited(escalate_percent=50)
    waiting_since(plan, 119)
    sweep()
    assert ReviewClock.objects.get().escalated_at is None
    ReviewClock.objects.update(escalate_at=timezone.now())
    sweep()
    marked = ReviewClock.objects.get().escalated_at
    assert marked is not None
    sweep()
    assert ReviewClock.objects.get().escalated_at == marked
    assert LogLine.objects.filter(goal=plan.goal, text__contains="running out").count() == 1


def test_the_clock_of_a_decided_plan_stops(plan: IntentPlan, judge: User) -> None:
    clock = run_out(plan)
    decisions.approve(plan, by=judge, digest=plan.digest)
    sweep()
    clock.refresh_from_db()
    plan.refresh_from_db()
    assert plan.state == "approved"
    assert (clock.due_at, clock.escalate_at) == (None, None)


def test_a_limit_that_changes_leaves_running_clocks_as_they_are(plan: IntentPlan) -> None:
    row = limited()
    deadlines.start()
    before = ReviewClock.objects.get().due_at
    row.minutes = 1
    row.save()
    sweep()
    assert ReviewClock.objects.get().due_at == before


# --- extending -----------------------------------------------------------------------------------------------


def test_an_extension_moves_the_end_by_an_hour_and_is_told_once(plan: IntentPlan, judge: User) -> None:
    clock = run_out(plan)
    before = clock.due_at
    assert before is not None
    after = deadlines.extend(plan, by=judge)
    assert after.due_at == before + timedelta(hours=1)
    assert not deadlines.expire(clock)
    entry = AuditEntry.objects.get(event=Event.EXTENDED)
    assert (entry.by, entry.subject) == (judge, f"plan:{plan.pk}")
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"


def test_an_extended_plan_is_marked_anew_when_it_is_late_again(plan: IntentPlan, judge: User) -> None:
    limited()
    waiting_since(plan, 150)
    sweep()
    assert ReviewClock.objects.get().escalated_at is not None
    deadlines.extend(plan, by=judge)
    sweep()
    assert ReviewClock.objects.get().escalated_at is None


@pytest.mark.parametrize("four_eyes", [False, True])
def test_only_who_may_decide_may_extend(
    four_eyes: bool, plan: IntentPlan, submitter: User, judge: User, settings: Any
) -> None:
    settings.FOUR_EYES = four_eyes
    limited()
    own = proposed(goal_of(judge))
    deadlines.start()
    with pytest.raises(DecisionRefused):
        deadlines.extend(plan, by=submitter)
    if four_eyes:
        with pytest.raises(DecisionRefused):
            deadlines.extend(own, by=judge)
    else:
        deadlines.extend(own, by=judge)
    assert AuditEntry.objects.filter(event=Event.EXTENDED).count() == (not four_eyes)


def test_what_waits_for_nothing_is_not_extended(plan: IntentPlan, judge: User) -> None:
    with pytest.raises(NotPossibleNow):
        deadlines.extend(plan, by=judge)
    deadlines.expire(run_out(plan))
    with pytest.raises(NotPossibleNow):
        deadlines.extend(plan, by=judge)


# --- at one moment -------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("other", ["approve", "extend"])
def test_of_the_end_and_a_person_at_one_moment_exactly_one_wins(other: str, submitter: User, judge: User) -> None:
    limited()
    won = {"end": 0, "person": 0}
    for _ in range(50):
        plan = proposed(goal_of(submitter))
        waiting_since(plan, 241)
        deadlines.start()
        clock = ReviewClock.objects.get(intent_plan=plan)
        acting: Callable[[], object] = (
            partial(decisions.approve, plan, by=judge, digest=plan.digest)
            if other == "approve"
            else partial(deadlines.extend, plan, by=judge)
        )
        ended, acted = at_once(partial(deadlines.expire, clock), acting)
        plan.refresh_from_db()
        assert ended is not isinstance(acted, IntentPlan | ReviewClock)
        if ended:
            won["end"] += 1
            assert isinstance(acted, StaleDigest | NotPossibleNow)
            assert (plan.state, plan.goal.state) == ("expired", "dropped")
            assert not Decision.objects.filter(intent_plan=plan).exists()
        else:
            won["person"] += 1
            assert plan.state == ("approved" if other == "approve" else "awaiting_review")
    assert sum(won.values()) == 50


# --- pages ---------------------------------------------------------------------------------------------------


def test_page_and_queue_say_how_long_it_has_and_what_then(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    limited()
    waiting_since(plan, 42.5)  # in the middle of a minute, so that no second decides what is said
    sweep()
    client = client_of(judge)
    page = client.get(plan.get_absolute_url()).content.decode()
    assert "waiting <strong>42 min</strong>, expires in <strong>3 h 17 min</strong>" in page
    assert "ends in 3 h 17 min" in client.get("/review/").content.decode()
    ReviewClock.objects.update(escalate_at=timezone.now())
    sweep()
    assert "urgent" in client.get(plan.get_absolute_url()).content.decode()
    assert "urgent" in client.get("/review/").content.decode()


def test_the_button_is_there_for_who_may_and_works_without_scripts(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf
) -> None:
    limited()
    deadlines.start()
    address = f"/review/{plan.pk}/extend/"
    assert address not in client_of(submitter).get(plan.get_absolute_url()).content.decode()
    assert client_of(submitter).post(address).status_code == 403
    assert address in client_of(judge).get(plan.get_absolute_url()).content.decode()
    assert client_of(judge).get(address).status_code == 405
    assert client_of(judge).post(address).headers["Location"] == plan.get_absolute_url()
    assert ReviewClock.objects.get().extended_min == 60
    ReviewClock.objects.update(due_at=None)
    assert client_of(judge).post(address).status_code == 409


def test_admins_set_limits_and_their_changes_stand_in_the_journal(
    admin: User, operator: User, client_of: ClientOf
) -> None:
    form = {"priority": "1", "minutes": "30", "escalate_percent": "50"}
    assert client_of(operator).post("/admin/review/timelimit/add/", form).status_code in {302, 403}
    assert not TimeLimit.objects.exists()
    client = client_of(admin)
    client.post("/admin/review/timelimit/add/", form)
    row = TimeLimit.objects.get()
    assert b"30 min" in client.get("/admin/review/timelimit/").content
    client.post(f"/admin/review/timelimit/{row.pk}/change/", form | {"minutes": "90"})
    made, changed = AuditEntry.objects.filter(event=Event.TIME_LIMIT)
    assert made.data["after"]["minutes"] == 30
    assert changed.data == {"before": {"minutes": 30}, "after": {"minutes": 90}}


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_plan_that_runs_out_is_seen_and_extended(
    width: int,
    plan: IntentPlan,
    judge: User,
    open_page: Callable[..., Page],  # noqa: F811
) -> None:
    import os

    limited()
    waiting_since(plan, 200)
    sweep()
    page = open_page(judge, "/review/", width=width)
    expect(page.locator(".wait-due")).to_contain_text(re.compile(r"urgent, ends in (3\d|40) min"))
    assert (sideways(page), violations(page)) == (0, [])
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/time-queue-{width}.png")
    with page.expect_navigation():
        page.get_by_role("link", name="Write a note").click()
    expect(page.locator(".plan-meta")).to_contain_text(re.compile(r"expires in 3\d min"))
    assert (sideways(page), violations(page)) == (0, [])
    if folder:
        page.screenshot(path=f"{folder}/time-plan-{width}.png")
    page.get_by_role("button", name="Extend by 1 h").click()
    expect(page.locator(".plan-meta")).to_contain_text(re.compile(r"expires in 1 h 3\d min"))
