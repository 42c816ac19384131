"""The queue: what waits, for whom, in which order and why."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.models import Goal, IntentPlan, Workspace
from agents.record import wake_ups
from agents.record.moves import move_goal
from agents.states import GoalState
from agents.workspaces import workspaces
from mindx_web.insights import overview
from people.models import User
from people.roles import Role
from review.deciding import decisions
from review.entries import risks
from review.models import QueueEntry
from review.policy.verdict import Action
from review.queue import assigning, counts, listing
from review.reading.danger import Danger
from tests.review.plans import WRITE, goal_of, person, proposed, step
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DELETE = (step("toggle_autonomous_mode", on=True), step("rm", path="old"))


def page(client: Client, **query: str) -> str:
    response = client.get("/review/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_what_deletes_comes_first_then_priority_then_waiting_time(submitter: User, judge: User) -> None:
    late = proposed(goal_of(submitter, "late", priority=3), [WRITE])
    urgent = proposed(goal_of(submitter, "urgent", priority=1), [WRITE])
    later = proposed(goal_of(submitter, "later", priority=3), [WRITE])
    deleting = proposed(goal_of(submitter, "deleting", priority=5), DELETE)
    rows, following = listing.page(judge, None)
    assert [row.plan for row in rows] == [deleting, urgent, late, later]
    assert [row.reason for row in rows] == ["priority 5", "priority 1", "priority 3", "priority 3"]
    assert following is None


def _over(to: str, **more: Any) -> tuple[Any, ...]:
    return step("toggle_autonomous_mode", on=True), step("mv", path="kept.txt", to=to, **more)


@pytest.mark.parametrize(
    ("steps", "replaces"),
    [
        ([step("write", path="held.txt", content="other")], ["held.txt"]),
        ([step("write", path="held.txt", content="held")], []),
        ([step("write", path="new.txt", content="other")], []),
        ([step("write", path="held.txt", content="more", mode="append")], []),
        (_over("held.txt", overwrite=True), ["held.txt"]),
        (_over("new.txt", overwrite=True), []),
        (_over("new.txt"), []),
    ],
)
def test_what_is_put_over_a_file_that_stands_there_today_is_said(
    steps: Any, replaces: list[str], submitter: User, judge: User, client_of: ClientOf
) -> None:
    goal = goal_of(submitter, "Put over", priority=5)
    for name in ("held", "kept"):
        workspaces.put_file(goal.workspace, by=submitter, path=f"{name}.txt", source=io.BytesIO(name.encode()))
    plan = proposed(Goal.objects.get(pk=goal.pk), steps)
    assert plan.replaces == replaces
    risks.store(plan, None)
    assert ("Overwrites held.txt (4 bytes; can be restored)" in page(client_of(judge))) == bool(replaces)
    assert (QueueEntry.objects.get(pk=plan.pk).danger == Danger.OVERWRITES) == bool(replaces)


def test_clean_up_jumps_the_queue_only_where_it_deletes_what_was_there_before(submitter: User, judge: User) -> None:
    first = proposed(goal_of(submitter, "first"), [WRITE])
    second = proposed(goal_of(submitter, "second"), [step("mkdir", path="old")], cleanup=DELETE)
    workspace = goal_of(submitter, "third").workspace
    workspaces.put_file(workspace, by=submitter, path="old/a.txt", source=io.BytesIO(b"a"))
    third = proposed(
        goal_of(submitter, "third", workspace=Workspace.objects.get(pk=workspace.pk)), [WRITE], cleanup=DELETE
    )
    for plan in (first, second, third):
        risks.store(plan, None)
    rows, _ = listing.page(judge, None)
    assert [row.plan for row in rows] == [third, first, second]
    assert rows[0].told.sentence.startswith("Deletes old/a.txt after a failure")


def test_pages_of_the_queue_show_everything_once(submitter: User, judge: User) -> None:
    for number in range(7):
        proposed(goal_of(submitter, f"goal {number}", priority=1 + number % 3), DELETE if number % 2 else [WRITE])
    whole = [row.plan.pk for row in listing.page(judge, None)[0]]
    seen: list[int] = []
    cursor = None
    while True:
        rows, cursor = listing.page(judge, cursor, limit=2)
        seen += [row.plan.pk for row in rows]
        if cursor is None:
            break
        cursor = listing.Cursor.read(str(cursor))
        assert cursor is not None
    assert seen == whole
    assert len(whole) == 7


@pytest.mark.parametrize(
    "after", ["x", "1~2~3", "9~2026-01-01T00:00:00~1", f"1~2026-01-01T00:00:00+00:00~{2**70}", "1~2~3~4"]
)
def test_a_cursor_nobody_gave_out_means_the_start(
    after: str, plan: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    assert plan.goal.text in page(client_of(judge), after=after)


def test_a_row_says_who_wants_what_and_what_is_dangerous(submitter: User, judge: User, client_of: ClientOf) -> None:
    goal = goal_of(submitter, "Tidy up")
    workspaces.put_file(goal.workspace, by=submitter, path="old/a.txt", source=io.BytesIO(b"a"))
    plan = proposed(Goal.objects.get(pk=goal.pk), [*DELETE, step("run", command_line="python tidy.py")])
    text = page(client_of(judge))
    assert "Not known before the dry run has ended" in text
    risks.store(plan, None)
    text = page(client_of(judge))
    only = "Deletes old/a.txt, which exists nowhere else in this workspace and its history"
    back = "(going back to before the plan restores that)"
    for expected in (
        "Tidy up",
        "Sue Bennet",
        "3 steps",
        f"{only} {back}; the rest is not known before the dry run has ended",
    ):
        assert expected in text


def test_a_submitter_sees_their_own_plans_and_nobody_elses(
    plan: IntentPlan, submitter: User, stranger: User, client_of: ClientOf
) -> None:
    assert plan.goal.text in page(client_of(submitter))
    text = page(client_of(stranger))
    assert plan.goal.text not in text
    assert "Nothing to review" in text


def test_the_queue_needs_a_login(client: Client) -> None:
    response = client.get("/review/")
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


def test_the_title_counts_what_the_person_may_decide(
    plan: IntentPlan, judge: User, submitter: User, client_of: ClientOf, settings: Any
) -> None:
    proposed(goal_of(judge, "mine"))
    assert "<title>(2) Review" in page(client_of(judge))
    assert "<title>Review" in page(client_of(submitter))
    settings.FOUR_EYES = True
    text = page(client_of(judge))
    assert "<title>(1) Review" in text
    assert "someone else must decide" in text


def test_each_of_those_with_the_same_rights_has_their_own_numbers(
    plan: IntentPlan, judge: User, submitter: User, stranger: User, settings: Any
) -> None:
    other = person("joanna", Role.SUBMITTER, Role.REVIEWER)
    proposed(goal_of(judge, "hers"))
    assigning.assign(plan, judge, by=other)
    move_goal(goal_of(submitter, "by hand"), GoalState.MANUAL, by="a test", reason="manual")
    assert [(one.waiting, one.mine, one.unread) for one in map(counts.of, (judge, other))] == [
        ("2", "1", "1"),
        ("2", "", ""),
    ]
    assert [counts.of(one).has_manual for one in (judge, submitter, stranger)] == [True, True, False]
    assert counts.of(submitter).waiting == ""
    settings.FOUR_EYES = True
    assert [counts.of(one).waiting for one in (judge, other)] == ["1", "2"]


def test_what_one_approved_as_the_first_of_two_is_listed_and_no_longer_ones_own_to_decide(
    plan: IntentPlan, judge: User, keeper: User, submitter: User
) -> None:
    other, later = person("joanna", Role.SUBMITTER, Role.REVIEWER), proposed(goal_of(submitter, "later"))
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    decisions.approve(plan, by=judge, digest=plan.digest)
    assert [counts.of(one).waiting for one in (judge, other)] == ["1", "2"]
    assert [one.plan for one in listing.page(judge, None)[0]] == [plan, later]
    assert listing.next_for(judge, listing.place_of(judge, later)) == later
    assert [[row.plan for row in overview.plans_to_decide(one)] for one in (judge, other)] == [[later], [plan, later]]
    decisions.withdraw(plan, by=judge, digest=plan.digest)
    assert counts.of(judge).waiting == "2"
    assert [row.plan for row in overview.plans_to_decide(judge)] == [plan, later]


def test_a_decided_plan_leaves_the_queue(plan: IntentPlan, judge: User) -> None:
    decisions.reject(plan, by=judge, digest=plan.digest, reason="no")
    assert listing.page(judge, None)[0] == []


def test_goals_that_wait_for_a_hand_are_shown_to_those_who_may_help(
    submitter: User, judge: User, stranger: User, client_of: ClientOf
) -> None:
    goal = goal_of(submitter, "No rule knows this")
    Goal.objects.filter(pk=goal.pk).update(state="manual", reason="no_applicable_rule")
    for helper in (submitter, judge):
        text = page(client_of(helper))
        assert "No rule knows this" in text
        assert "no rule applies" in text
    assert "No rule knows this" not in page(client_of(stranger))


def test_many_goals_that_wait_for_a_hand_leave_the_plans_in_sight(
    plan: IntentPlan, submitter: User, judge: User, client_of: ClientOf
) -> None:
    client, way = client_of(judge), "/goals/?state=manual"
    for number in range(listing.MOST_HANDS):
        Goal.objects.filter(pk=goal_of(submitter, f"help {number}").pk).update(state="manual")
    assert page(client).count("needs a plan") == listing.MOST_HANDS
    items = re.findall(r"<li[^>]* data-item.*?</li>", page(client), re.DOTALL)
    assert plan.goal.text in items[0], "J comes to the first plan at once"
    assert all("needs a plan" in item for item in items[1:])
    assert f'href="#h-help">Needs a person <span class="count">{listing.MOST_HANDS}</span>' in page(client)
    assert way not in page(client)
    Goal.objects.filter(pk=goal_of(submitter, "one more").pk).update(state="manual")
    assert page(client).count("needs a plan") == listing.MOST_HANDS
    assert way in page(client)
    assert f'<span class="count">{listing.MOST_HANDS}+</span>' in page(client)
    assert b"one more" in client.get(way).content
    past = str(listing.Cursor.of(listing.waiting_for(judge)[0]))
    for narrowed in ({"words": "note"}, {"after": past}):
        assert "needs a plan" not in page(client, **narrowed)


def test_a_step_whose_outcome_nobody_knows_is_shown(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest)
    IntentPlan.objects.filter(pk=plan.pk).update(state="executing")
    plan.intents.filter(position=2).update(state="outcome_unknown")
    Goal.objects.filter(pk=plan.goal_id).update(state="manual")
    text = page(client_of(judge))
    assert "did it take effect?" in text
    assert "step 2, write" in text
    assert "needs a plan" not in text


@pytest.mark.parametrize("state", ["awaiting_review", "manual"])
def test_open_queues_are_told_of_a_goal_that_comes_to_a_person(
    state: str, submitter: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[None] = []
    monkeypatch.setattr(wake_ups, "queue_changed", lambda: told.append(None))
    goal = goal_of(submitter)
    Goal.objects.filter(pk=goal.pk).update(state="planning")
    move_goal(Goal.objects.get(pk=goal.pk), GoalState(state), by="bdi_agent")
    assert told == [None]


def test_htmx_gets_the_list_alone(plan: IntentPlan, judge: User, client_of: ClientOf) -> None:
    text = client_of(judge).get("/review/", headers={"HX-Request": "true"}).content.decode().strip()
    assert text.startswith('<div class="page" id="queue"')
    assert text.endswith("</div>")
    assert plan.goal.text in text


def test_the_queue_asks_few_questions_of_the_database(
    submitter: User, judge: User, client_of: ClientOf, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        proposed(goal_of(submitter, f"goal {number}"))
    client = client_of(judge)
    with django_assert_max_num_queries(8):  # session, person, page, unknown, manual, two counts
        page(client)
