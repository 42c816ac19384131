"""The overview, the first visit, the frame's counts, and the health of the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from agents.models import Attempt, Goal, Intent, IntentPlan
from agents.record import duties
from agents.states import GoalState, IntentState
from mindx_web.insights import overview as selectors
from mindx_web.operations import health, heartbeat
from mindx_web.presentation.bars import HEIGHT
from mindx_web.presentation.chart import Day, chart
from people.models import User
from review.inbox import requests
from review.inbox.requests import Sent
from review.models import PlanRisk, QueueEntry
from review.reading.danger import Danger
from tests.review import some_levels

ClientOf = Callable[[User], Client]
GoalRows = Callable[..., list[Goal]]
ProposePlan = Callable[..., IntentPlan]


@pytest.fixture
def real_health() -> None:
    """For tests about the parts themselves: nothing stands in for them."""


@pytest.fixture(autouse=True)
def quiet_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker with a good jail and a Redis that answers, unless a test is about exactly that."""
    if "real_health" in request.fixturenames:
        return
    parts = tuple(
        health.Part(name, health.PartState.OK, "fine", {"level": "L3"})
        for name in ("database", "redis", "worker", "sandbox", "scheduler", "queues", "embeddings")
    )
    monkeypatch.setattr(health, "current", lambda: health.Health(parts))


def overview(client: Client) -> str:
    response = client.get("/")
    assert response.status_code == 200
    return response.content.decode()


# --- first visit -----------------------------------------------------------------------------------------------------
def test_the_first_visit_offers_three_goals_one_click_away(owner: User, client_of: ClientOf) -> None:
    page = overview(client_of(owner))
    assert "Submit your first goal" in page
    assert page.count("Use this goal") == 3
    assert "only copies" in page, "what the deletion would mean is told in words"


def test_the_first_visit_says_what_is_ready(owner: User, client_of: ClientOf) -> None:
    page = overview(client_of(owner))
    assert "Sandbox at level L3" in page
    assert "No language model" in page


def test_with_a_model_it_is_ready_and_one_of_the_three_goals_is_its(
    owner: User, client_of: ClientOf, settings: Any
) -> None:
    without = overview(client_of(owner))
    assert "so the language model plans it" not in without
    settings.MODEL = "openai/<b>one"
    page = overview(client_of(owner))
    assert page.count("Use this goal") == 3
    assert "so the language model plans it" in page
    assert "Language model: openai/&lt;b&gt;one" in page
    assert "No language model" not in page


def test_goals_of_others_do_not_end_my_first_visit(
    owner: User, outsider: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    goal_rows(owner, GoalState.PENDING, text="her goal")
    page = overview(client_of(outsider))
    assert "Submit your first goal" in page
    assert "her goal" not in page


# --- needs you, runs, ended ------------------------------------------------------------------------------------------
def test_a_plan_needs_those_who_may_decide_it(
    owner: User, reviewer: User, client_of: ClientOf, propose_plan: ProposePlan
) -> None:
    plan = propose_plan(owner)
    assert f"/review/{plan.pk}/" in overview(client_of(reviewer))
    hers = overview(client_of(owner))
    assert f"/review/{plan.pk}/" not in hers
    assert "Nothing is waiting for you" in hers


def test_with_four_eyes_nobody_is_asked_about_their_own_plan(
    reviewer: User, client_of: ClientOf, propose_plan: ProposePlan, settings: object
) -> None:
    plan = propose_plan(reviewer)
    assert len(selectors.plans_to_decide(reviewer)) == 1
    settings.FOUR_EYES = True  # type: ignore[attr-defined]
    assert selectors.plans_to_decide(reviewer) == []
    assert f"/review/{plan.pk}/" not in overview(client_of(reviewer))


@pytest.mark.django_db(transaction=True)
def test_designs_and_requests_wait_for_those_who_may_decide_them(
    owner: User, reviewer: User, client_of: ClientOf, settings: Any
) -> None:
    some_levels.switch_on("design")
    design = some_levels.with_design(owner)
    asked = requests.take_in(Sent(source="invoice bot", tool="mail.send", arguments={}), by=reviewer)
    links = [f'href="{one.get_absolute_url()}"' for one in (design, asked)]
    shown = overview(client_of(reviewer))
    assert all(link in shown for link in links)
    assert "1 design or choice of rules needs your review." in shown
    assert "1 request is in your inbox." in shown
    assert 'Inbox <span class="count count-person">1<' in client_of(reviewer).get("/review/").content.decode()
    assert not any(link in overview(client_of(owner)) for link in links)
    settings.FOUR_EYES = True
    shown = overview(client_of(reviewer))
    assert links[0] in shown
    assert links[1] not in shown, "it is the reviewer's own"


def test_plans_stand_in_the_order_and_with_the_danger_sentence_of_the_queue(
    owner: User, reviewer: User, client_of: ClientOf, propose_plan: ProposePlan
) -> None:
    harmless = propose_plan(owner)
    removing = propose_plan(
        owner,
        [
            {"tool": "simple_coder", "command": "toggle_autonomous_mode", "params": {"on": True}},
            {"tool": "simple_coder", "command": "rm", "params": {"path": "archive"}},
        ],
    )
    QueueEntry.objects.filter(pk=removing.pk).update(danger=Danger.LOSES)
    told = {"kind": Danger.LOSES, "sentence": "Deletes the only copies of 3 files", "is_due": False}
    PlanRisk.objects.update_or_create(
        intent_plan=removing, defaults={"level": "high", "rank": 0, "reasons": [], "steps": [], "danger": told}
    )
    assert [row.plan.pk for row in selectors.plans_to_decide(reviewer)] == [removing.pk, harmless.pk]
    page = overview(client_of(reviewer))
    assert 0 < page.index("Deletes the only copies of 3 files") < page.index(harmless.get_absolute_url())


def test_a_goal_that_needs_a_hand_asks_its_owner(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.MANUAL, text="Reconcile the ledger", reason="no_applicable_rule")
    page = overview(client_of(owner))
    assert "Reconcile the ledger" in page
    assert "no rule applies" in page
    assert "needs a plan" in page


def test_a_step_that_needs_a_hand_is_not_said_to_lack_a_plan(
    owner: User, client_of: ClientOf, goal_rows: GoalRows
) -> None:
    (goal,) = goal_rows(owner, GoalState.MANUAL, reason="needs_a_hand: step 2 failed")
    page = overview(client_of(owner))
    assert "needs a plan" not in page
    assert "a step needs you" in page
    assert f'href="/goals/{goal.pk}/hand"' in page
    (goal,) = goal_rows(owner, GoalState.MANUAL, reason="question_open: where to?")
    assert "needs an answer" in overview(client_of(owner))


def test_a_goal_dropped_in_its_middle_had_a_plan_and_a_review(
    owner: User, client_of: ClientOf, propose_plan: ProposePlan
) -> None:
    plan = propose_plan(owner)
    ended = {"state": GoalState.DROPPED.value, "reason": "impossible: it is gone", "ended_at": timezone.now()}
    Goal.objects.filter(pk=plan.goal_id).update(**ended)
    for address in ("/", "/goals/"):
        assert "Execute: stopped early".lower() not in client_of(owner).get(address).content.decode().lower()
    Attempt.objects.create(intent=plan.intents.get(position=1), number=1, fence=1, worker="w", started=timezone.now())
    for address in ("/", "/goals/"):
        assert 'data-w="left"' in client_of(owner).get(address).content.decode(), address


def test_a_step_of_unknown_outcome_asks_whether_it_happened(
    owner: User, client_of: ClientOf, propose_plan: ProposePlan
) -> None:
    plan = propose_plan(owner)
    Goal.objects.filter(pk=plan.goal_id).update(state=GoalState.MANUAL)
    Intent.objects.filter(intent_plan=plan, position=1).update(state=IntentState.OUTCOME_UNKNOWN)
    assert "did it take effect?" in overview(client_of(owner))


def test_goals_that_need_a_hand_are_told_at_the_top(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.MANUAL)
    assert "A goal needs your input." in overview(client_of(owner))
    goal_rows(owner, *[GoalState.MANUAL] * 2)
    assert "3 goals need your input." in overview(client_of(owner))
    goal_rows(owner, *[GoalState.MANUAL] * 4)
    assert "5 or more goals need your input." in overview(client_of(owner))
    assert "/goals/?state=manual" in overview(client_of(owner))


def test_what_runs_and_what_just_ended_is_shown(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.PLANNING, text="being planned")
    goal_rows(owner, GoalState.FAILED, text="went wrong", reason="it broke", ended_at=timezone.now())
    page = overview(client_of(owner))
    assert "being planned" in page
    assert "failed: it broke" in page


def test_each_kind_of_goals_is_its_newest_ones_whatever_else_there_is(
    owner: User, outsider: User, reviewer: User, operator: User, goal_rows: GoalRows
) -> None:
    now = timezone.now()
    ended = (GoalState.ACHIEVED, GoalState.FAILED, GoalState.DROPPED)
    for number, by in enumerate([owner, outsider, operator, owner, outsider, operator, operator, owner]):
        goal_rows(by, *(state for state in GoalState if state not in ended), text=f"{number} of {by}")
        # What ended last was not given last.
        goal_rows(by, *ended, text=f"{number} of {by}", ended_at=now - timedelta(minutes=7 * number % 5))
    every = list(Goal.objects.order_by("-pk"))
    for user, sees, mends in ((owner, {owner}, {owner}), (reviewer, None, {reviewer}), (operator, None, None)):
        seen = [goal for goal in every if sees is None or goal.submitted_by in sees]
        by_hand = [goal for goal in seen if mends is None or goal.submitted_by in mends]
        found = selectors.goals_shown(user)
        assert found.by_hand == [goal for goal in by_hand if goal.state == GoalState.MANUAL][:5]
        assert found.at_work == [goal for goal in seen if goal.state in selectors._AT_WORK][:5]
        last = sorted((goal.ended_at for goal in seen if goal.ended_at), reverse=True)
        assert [goal.ended_at for goal in found.just_ended] == last[:4]
        assert found.given == [goal.text for goal in every if goal.submitted_by == user][:6]


@pytest.mark.usefixtures("real_health")
def test_the_overview_asks_as_many_questions_however_much_there_is(
    owner: User, reviewer: User, client_of: ClientOf, propose_plan: ProposePlan, goal_rows: GoalRows
) -> None:
    def asked(user: User) -> int:
        client = client_of(user)
        with CaptureQueriesContext(connection) as questions:
            overview(client)
        return len(questions)

    propose_plan(owner)
    goal_rows(owner, GoalState.PLANNING)
    # Who asks and their session; goals, plans, days, decisions, workspaces; the frame; five that look at the parts.
    # Whether the database answers is asked by another thread.
    assert (asked(reviewer), asked(owner)) == (13, 12)
    for _ in range(3):
        propose_plan(owner)
        goal_rows(owner, *GoalState)
    assert (asked(reviewer), asked(owner)) == (13, 12)


def test_hostile_goals_are_shown_and_do_nothing(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, GoalState.MANUAL, text="<img src=x onerror=alert(1)>\u202e", reason="<b>\u200b")
    page = overview(client_of(owner))
    assert "<img src=x" not in page
    assert "<b>" not in page
    assert "\u202e" not in page


def test_the_frame_counts_what_waits_up_to_ninety_nine(
    owner: User, reviewer: User, client_of: ClientOf, propose_plan: ProposePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    propose_plan(owner)
    assert '<span class="count count-person">1<' in overview(client_of(reviewer))
    monkeypatch.setattr("review.queue.counts.COUNTED_UP_TO", 0)
    assert '<span class="count count-person">0+<' in overview(client_of(reviewer))
    assert "count-person" not in overview(client_of(owner))


def test_only_staff_sees_the_way_to_the_admin(owner: User, admin: User, client_of: ClientOf) -> None:
    assert "/admin/" not in overview(client_of(owner))
    assert "/admin/" in overview(client_of(admin))


# --- how it went -----------------------------------------------------------------------------------------------------
def test_the_days_are_counted_from_real_goals(owner: User, goal_rows: GoalRows) -> None:
    now = timezone.now()
    goal_rows(owner, GoalState.ACHIEVED, GoalState.FAILED, GoalState.DROPPED, ended_at=now)
    goal_rows(owner, GoalState.ACHIEVED, ended_at=now - timedelta(days=3))
    goal_rows(owner, GoalState.ACHIEVED, ended_at=now - timedelta(days=40))
    went = selectors.how_it_went(owner)
    assert (went.total, went.achieved) == (3, 2)
    Goal.objects.filter(state=GoalState.ACHIEVED, ended_at__gte=now - timedelta(days=14)).update(outcome="check_failed")
    missed = selectors.how_it_went(owner)
    assert (missed.total, missed.achieved) == (3, 0), "what missed what was asked for is not achieved"
    assert [day.total for day in went.days[-4:]] == [1, 0, 0, 2]
    assert len(went.days) == 14


def test_a_rate_of_few_cases_is_not_claimed(owner: User, client_of: ClientOf, goal_rows: GoalRows) -> None:
    goal_rows(owner, *[GoalState.ACHIEVED] * 9, ended_at=timezone.now())
    assert "9 of 9" in overview(client_of(owner))
    assert "100 %" not in overview(client_of(owner))
    goal_rows(owner, GoalState.ACHIEVED, ended_at=timezone.now())
    assert "100 %" in overview(client_of(owner))


DAYS = st.builds(Day, st.just(date(2026, 11, 20)), *[st.integers(0, 5000)] * 3)


@given(st.lists(DAYS, max_size=14))
def test_no_bar_leaves_its_box_and_the_axis_ends_at_an_even_number(days: list[Day]) -> None:
    drawn = chart(days)
    assert drawn.top >= max((day.total for day in days), default=0)
    assert drawn.top % 2 == 0
    assert all(rect.y >= -0.01 and rect.y + rect.height <= HEIGHT + 0.01 and rect.height > 0 for rect in drawn.rects)


def test_the_chart_says_in_words_what_it_shows() -> None:
    day = date(2026, 11, 20)
    said = chart([Day(day, achieved=3, mended=1, failed=1)]).sentence
    assert "4 of 5 goals were achieved, 1 of them after a recovery" in said
    assert "20 November" in said


# --- health ----------------------------------------------------------------------------------------------------------
def part_of(found: health.Health, name: str) -> health.Part:
    return next(part for part in found.parts if part.name == name)


def beat(client: redis.Redis, level: str = "L3") -> None:
    heartbeat.say(client, heartbeat.Beat("one@here", level))
    for name in health.SCHEDULED:
        duties.done(name, took_ms=1)


@pytest.fixture
def bus(valkey: object, settings: object) -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(settings.REDIS_URL)  # type: ignore[attr-defined]
    client.flushdb()
    yield client
    client.flushdb()


@pytest.mark.usefixtures("real_health")
def test_a_live_worker_with_a_good_jail_is_well(db: None, bus: redis.Redis) -> None:
    beat(bus)
    found = health.current()
    assert (found.status, found.is_ready) == ("ok", True)


@pytest.mark.usefixtures("real_health")
def test_without_a_worker_nothing_is_ready(db: None, bus: redis.Redis) -> None:
    found = health.current()
    assert not found.is_ready
    assert part_of(found, "worker").state is health.PartState.DOWN
    assert part_of(found, "sandbox").state is health.PartState.UNKNOWN


@pytest.mark.usefixtures("real_health")
@pytest.mark.parametrize("level", ["L1", "L2", "", "L9"])
def test_a_jail_below_the_least_is_down(db: None, bus: redis.Redis, level: str) -> None:
    beat(bus, level)
    assert part_of(health.current(), "sandbox").state is health.PartState.DOWN


@pytest.mark.usefixtures("real_health")
@pytest.mark.parametrize(("level", "words"), [("L2", "weaker isolation"), ("L1", "file commands only")])
def test_a_weaker_jail_that_the_operator_accepted_is_still_told(
    db: None, bus: redis.Redis, settings: object, level: str, words: str
) -> None:
    settings.SANDBOX_MIN = "L1"  # type: ignore[attr-defined]
    beat(bus, level)
    part = part_of(health.current(), "sandbox")
    assert part.state is health.PartState.LIMITED
    assert words in part.sentence


@pytest.mark.usefixtures("real_health")
def test_a_machine_where_no_level_holds_is_told_from_one_that_was_not_tried(db: None, bus: redis.Redis) -> None:
    heartbeat.say(bus, heartbeat.Beat("w1@host", "", {"L1": "no uid is free"}))
    assert part_of(health.current(), "sandbox").sentence == "no isolation level works; no step runs"


@pytest.mark.usefixtures("real_health")
def test_a_dead_redis_is_named_quickly_and_harms_no_page(
    owner: User, client_of: ClientOf, goal_rows: GoalRows, settings: object
) -> None:
    goal_rows(owner, GoalState.PENDING)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]
    started = timezone.now()
    page = overview(client_of(owner))
    assert (timezone.now() - started).total_seconds() < 45
    assert "unknown while Redis does not answer" in page


@pytest.mark.usefixtures("real_health")
def test_a_dead_database_is_named_and_not_asked_again(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def cursor(self) -> None:
            raise OperationalError("gone")

    monkeypatch.setattr(health, "connection", Gone())
    found = health.current()
    assert part_of(found, "database").state is health.PartState.DOWN
    assert part_of(found, "embeddings").state is health.PartState.UNKNOWN


@pytest.mark.usefixtures("real_health")
def test_missing_embeddings_are_to_be_known_but_no_fault(
    db: None, bus: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat(bus)
    monkeypatch.setattr("mindx_web.operations.health.embedding.count_missing", lambda up_to: 3)
    found = health.current()
    assert (found.status, found.is_ready) == ("limited", True)
    assert part_of(found, "embeddings").ok is None


def test_who_has_tried_one_example_finds_the_others_until_they_are_new_no_more(
    owner: User, client_of: ClientOf, make_goal: Callable[..., Goal]
) -> None:
    client = client_of(owner)
    client.post("/goals/examples/project/")
    page = overview(client)
    assert "Examples to try" in page
    assert "/goals/examples/project/" not in page
    assert page.count("Use this goal") == 2
    client.post("/goals/examples/note/")
    client.post("/goals/examples/removal/")
    assert "Examples to try" not in overview(client)
    owner.goals.update(text="Something else")
    assert overview(client).count("Use this goal") == 3
    for _ in range(3):
        make_goal(owner)
    assert "Examples to try" not in overview(client)
