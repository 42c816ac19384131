"""Where a plan stands in the queue and what moves it there; what sweeps find without reading every plan that waits."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.models import Goal, IntentPlan, ShadowRun
from agents.record.moves import move_plan, move_shadow
from agents.states import PlanState, ShadowState
from agents.toolkit.registry import REGISTRY
from agents.workspaces import workspaces
from people.models import User
from review.deciding import auto_approval, decisions
from review.entries import places, risks
from review.models import PlanNews, PlanRisk, QueueEntry, ReviewClock, TimeLimit
from review.notices import notify
from review.queue import deadlines, listing
from review.reading import shapes
from review.reading.danger import Danger
from review.risk.assessment import Level
from review.views.plan import PRESETS
from sandbox.store.snapshots import EMPTY
from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DELETE = (step("toggle_autonomous_mode", on=True), step("rm", path="old"))


def standing(plan: IntentPlan, **values: Any) -> IntentPlan:
    """The plan, put where these columns place it."""
    QueueEntry.objects.filter(pk=plan.pk).update(**values)
    return plan


def order(user: User) -> list[IntentPlan]:
    return [row.plan for row in listing.page(user, None)[0]]


def test_danger_then_risk_then_time_then_priority_then_waiting(submitter: User, judge: User) -> None:
    made = [proposed(goal_of(submitter, f"goal {n}", priority=3)) for n in range(8)]
    nothing, medium, unknown, sends, overwrites, loses, urgent, first = made
    standing(nothing, danger=Danger.NOTHING, rank=Level.HIGH.rank, is_urgent=True, priority=1)
    standing(medium, rank=Level.MEDIUM.rank)
    standing(sends, danger=Danger.REACHES_OUT, rank=Level.LOW.rank)
    standing(overwrites, danger=Danger.OVERWRITES)
    standing(loses, danger=Danger.LOSES, rank=Level.LOW.rank, priority=5)
    standing(urgent, is_urgent=True, priority=5)
    standing(first, priority=1)
    assert order(judge) == [loses, overwrites, sends, urgent, first, unknown, medium, nothing]
    high = standing(proposed(goal_of(submitter, "high", priority=5)), rank=Level.HIGH.rank)
    assert order(judge)[3] == high
    reasons = {row.plan.pk: row.reason for row in listing.page(judge, None)[0]}
    assert reasons[loses.pk] == "priority 5"
    assert reasons[urgent.pk] == "its time runs out"


def test_a_high_risk_never_stands_without_its_reason(submitter: User, judge: User) -> None:
    goal = goal_of(submitter)
    workspaces.put_file(goal.workspace, by=submitter, path="a.txt", source=io.BytesIO(b"a"))
    plan = proposed(Goal.objects.get(pk=goal.pk), [step("mv", path="a.txt", to="b.txt")])
    risks.store(plan, None)
    (row,) = listing.page(judge, None)[0]
    assert (row.entry.level, row.reason) == ("high", "step 1: it moves a.txt away, priority 3")
    assert row.told.sentence == "Moves a.txt"


def test_a_place_is_the_same_from_both_sides(submitter: User, judge: User) -> None:
    made = [proposed(goal_of(submitter, f"goal {n}", priority=1 + n % 2)) for n in range(5)]
    same = timezone.now()
    QueueEntry.objects.update(queued_at=same)  # a tie that only the id decides
    whole = order(judge)
    assert {plan.pk for plan in whole} == {plan.pk for plan in made}
    ids = [None, *(plan.pk for plan in whole), None]
    for at, plan in enumerate(whole, 1):
        assert listing.around(judge, plan) == (ids[at - 1], ids[at + 1])
        following = listing.next_for(judge, listing.place_of(judge, plan))
        assert following == (whole[at] if at < len(whole) else whole[0])


def test_a_plan_is_in_the_queue_exactly_while_it_waits(plan: IntentPlan, judge: User) -> None:
    assert QueueEntry.objects.get(pk=plan.pk).waits
    with transaction.atomic():
        move_plan(IntentPlan.objects.get(pk=plan.pk), PlanState.REJECTED, by="a test")
        assert not QueueEntry.objects.get(pk=plan.pk).waits
        transaction.set_rollback(True)
    assert QueueEntry.objects.get(pk=plan.pk).waits
    decisions.reject(plan, by=judge, digest=plan.digest, reason=PRESETS[0])
    assert not QueueEntry.objects.get(pk=plan.pk).waits
    assert listing.place_of(judge, plan) is None


def test_a_plan_whose_bytes_are_no_plan_still_waits_and_says_so(submitter: User, judge: User) -> None:
    plan = proposed(goal_of(submitter))
    broken = IntentPlan(goal=plan.goal, plan=plan.plan, workspace=plan.workspace, document=b"{}")
    entry = places.entry_of(broken)
    assert (entry.shape, entry.danger) == ("", Danger.UNKNOWN)


def test_risk_and_what_the_dry_run_deleted_move_a_plan(submitter: User, judge: User, cases: None) -> None:
    goal = goal_of(submitter)
    workspaces.put_file(goal.workspace, by=submitter, path="notes/old.txt", source=io.BytesIO(b"old"))
    plan = proposed(Goal.objects.get(pk=goal.pk))
    entry = QueueEntry.objects.get(pk=plan.pk)
    assert (entry.level, entry.danger) == ("unknown", Danger.UNKNOWN)
    auto_approval.look(plan.pk)
    entry.refresh_from_db()
    assert entry.level == PlanRisk.objects.get(intent_plan=plan).level == "low"
    assert entry.danger == Danger.CHANGES
    run = ShadowRun.objects.create(
        intent_plan=plan, number=1, state="done", finished_at=timezone.now(), base=plan.workspace.head, after=EMPTY
    )
    risks.store(plan, run)
    entry.refresh_from_db()
    assert entry.danger == Danger.LOSES


@pytest.mark.parametrize(
    ("steps", "replaces", "danger"),
    [
        ([WRITE], [], Danger.UNKNOWN),
        (DELETE, ["x"], Danger.DELETES),
        ([WRITE], ["notes/one.txt"], Danger.OVERWRITES),
        ([replace(WRITE, effect="once")], [], Danger.REACHES_OUT),
    ],
)
def test_until_its_danger_is_worked_out_a_plan_stands_by_the_names_of_its_steps(
    steps: Any, replaces: list[str], danger: Danger, submitter: User
) -> None:
    document = documents.read(bytes(proposed(goal_of(submitter), steps).document))
    assert shapes.danger_at_first(document, REGISTRY, replaces) == danger


def test_the_queue_page_asks_five_questions_however_many_wait(
    submitter: User, judge: User, client_of: ClientOf, django_assert_num_queries: Any
) -> None:
    client = client_of(judge)
    for count in (3, 12):
        for number in range(count):
            proposed(goal_of(submitter, f"goal {number}"))
        with django_assert_num_queries(5):  # session, person, page, all numbers, kept filters
            assert client.get("/review/").status_code == 200


def test_a_page_far_behind_begins_in_the_index(submitter: User, judge: User) -> None:
    for number in range(3):
        proposed(goal_of(submitter, f"goal {number}"))
    cursor = listing.Cursor.of(listing.waiting_for(judge)[1])
    with connection.cursor() as asked:
        asked.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off")
    told = listing.beyond(listing.waiting_for(judge), cursor)[:10].explain()
    assert "queue_order" in told
    assert "Index Cond: (ROW(rung, queued_at, intent_plan_id) >" in told


# --- the sweeps ----------------------------------------------------------------------------------------------


def test_news_of_a_plan_stay_until_somebody_has_looked(plan: IntentPlan) -> None:
    assert auto_approval.not_looked_at() == [plan.pk]
    auto_approval.look(plan.pk)
    assert auto_approval.not_looked_at() == []
    run = ShadowRun.objects.create(intent_plan=plan, number=1)
    assert auto_approval.not_looked_at() == []
    move_shadow(run, ShadowState.RUNNING)
    move_shadow(run, ShadowState.DONE)
    assert auto_approval.not_looked_at() == [plan.pk]
    auto_approval.sweep()
    assert auto_approval.not_looked_at() == []
    assert PlanRisk.objects.get(intent_plan=plan).shadow_run_id == run.pk


def test_what_happens_while_somebody_looks_is_looked_at_again(
    plan: IntentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = risks.store

    def meanwhile(*args: Any) -> Any:
        PlanNews.objects.create(intent_plan=plan)
        return stored(*args)

    monkeypatch.setattr(risks, "store", meanwhile)
    auto_approval.look(plan.pk)
    assert auto_approval.not_looked_at() == [plan.pk]


def test_a_plan_that_cannot_be_looked_at_keeps_no_other_from_it(
    submitter: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = proposed(goal_of(submitter, "bad")), proposed(goal_of(submitter, "good"))
    stored = risks.store

    def sometimes(plan: IntentPlan, run: Any) -> Any:
        if plan.pk == bad.pk:
            raise ZeroDivisionError
        return stored(plan, run)

    monkeypatch.setattr(risks, "store", sometimes)
    monkeypatch.setattr(auto_approval, "SWEEP_PLANS", 1)
    auto_approval.sweep()
    assert auto_approval.not_looked_at() == [good.pk]
    auto_approval.sweep()
    assert PlanRisk.objects.filter(intent_plan=good).exists()
    assert auto_approval.not_looked_at() == [bad.pk]


def test_plans_that_no_limit_is_for_do_not_stand_before_those_that_one_is_for(
    submitter: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed(goal_of(submitter, "no limit", priority=3))
    limited = proposed(goal_of(submitter, "limited", priority=1))
    TimeLimit.objects.create(priority=1, minutes=60)
    monkeypatch.setattr(deadlines, "_AT_ONCE", 1)
    deadlines.start()
    assert ReviewClock.objects.get().intent_plan == limited


def test_a_decision_stops_the_clock_at_once(plan: IntentPlan, judge: User) -> None:
    TimeLimit.objects.create(minutes=60)
    deadlines.start()
    assert ReviewClock.objects.get(intent_plan=plan).due_at is not None
    decisions.reject(plan, by=judge, digest=plan.digest, reason="no")
    clock = ReviewClock.objects.get(intent_plan=plan)
    assert (clock.due_at, clock.escalate_at) == (None, None)


def test_sweeps_that_have_done_all_there_is_read_no_plan(
    submitter: User, judge: User, django_assert_num_queries: Any
) -> None:
    TimeLimit.objects.create(minutes=60)
    for number in range(4):
        proposed(goal_of(submitter, f"goal {number}"), (MKDIR, WRITE))
    for _ in range(2):
        deadlines.sweep()
        auto_approval.sweep()
        notify.sweep()
    with django_assert_num_queries(4):  # waits, runs out, is past, has ended
        notify.sweep()
    with django_assert_num_queries(2):
        auto_approval.sweep()
