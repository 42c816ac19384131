"""Lists and the API say of an approved goal which one has the files that it waits for, to who may know of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Goal, HandCommand, IntentPlan, Workspace
from agents.pages.files import files_held
from agents.record.selectors import approved
from agents.states import HandState, PlanState
from people.models import User
from sandbox.store.snapshots import EMPTY

pytestmark = pytest.mark.django_db

ClientOf = Callable[[User], Client]
Pair = tuple[IntentPlan, IntentPlan]


@pytest.fixture
def pair(owner: User, make_goal: Callable[..., Goal], propose_plan: Callable[..., IntentPlan]) -> Pair:
    """A plan that runs, and an approved one of the same files."""
    workspace = Workspace.objects.create(name="shared", owner=owner, head=EMPTY)
    holder, waiting = (propose_plan(make_goal(owner, text, workspace=workspace)) for text in ("Holds them", "Waits"))
    for plan, state, goal in ((holder, "executing", "executing"), (waiting, "approved", "awaiting_review")):
        IntentPlan.objects.filter(pk=plan.pk).update(state=state, approved_digest=plan.digest)
        Goal.objects.filter(pk=plan.goal_id).update(state=goal)
    return holder, waiting


def _needs_a_hand(holder: IntentPlan) -> None:
    Goal.objects.filter(pk=holder.goal_id).update(state="manual", reason="needs_a_hand: step 1 failed")


@pytest.mark.parametrize("address", ["/goals/", "/", "/agents/{agent}/"])
def test_lists_say_who_has_the_files(
    address: str, pair: Pair, owner: User, outsider: User, client_of: ClientOf
) -> None:
    holder, waiting = pair
    _needs_a_hand(holder)
    where = address.format(agent=waiting.goal.agent_id)
    page = client_of(owner).get(where).content.decode()
    named = (
        f'<a href="{holder.goal.get_absolute_url()}">goal {holder.goal_id}</a> is using its files and needs a person'
    )
    assert named in page
    Goal.objects.filter(pk=holder.goal_id).update(submitted_by=outsider)
    page = client_of(owner).get(where).content.decode()
    assert "another goal is using its files and needs a person" in page
    assert holder.goal.get_absolute_url() not in page


def test_the_api_says_who_has_the_files_and_what_would_end_that(
    pair: Pair, owner: User, outsider: User, api_of: Callable[..., Any]
) -> None:
    api = api_of(owner)

    def ask(path: str) -> Any:
        return api.get(path).json()

    holder, waiting = pair
    _needs_a_hand(holder)
    found = ask(f"goals/{waiting.goal_id}")["waits_for_files"]
    assert (found["goal"], found["state"]) == (str(holder.goal_id), "manual")
    assert found["since"]
    assert found["says"] == f"goal {holder.goal_id} is using the files of its workspace and needs a person"
    assert found["ends_when"].startswith("It starts automatically when somebody has fixed")
    listed = {one["id"]: one["waits_for_files"] for one in ask("goals")["items"]}
    assert listed == {str(waiting.goal_id): found, str(holder.goal_id): None}
    Goal.objects.filter(pk=holder.goal_id).update(submitted_by=outsider)
    found = ask(f"goals/{waiting.goal_id}")["waits_for_files"]
    assert found["goal"] is None
    assert found["says"].startswith("another goal is using the files")


def test_a_typed_command_holds_files_too(pair: Pair, owner: User) -> None:
    holder, waiting = pair
    IntentPlan.objects.filter(pk=holder.pk).update(state=PlanState.COMPLETE.value)
    assert files_held.of([waiting.goal_id], owner) == {}
    HandCommand.objects.create(
        goal=holder.goal,
        workspace=holder.workspace,
        by=owner,
        text="ls",
        params={},
        limits={},
        session_before={},
        state=HandState.RUNNING.value,
        lease_until=timezone.now(),
        started_at=timezone.now(),
    )
    found = files_held.of([waiting.goal_id], owner)[waiting.goal_id]
    assert (found.goal, found.does) == (holder.goal_id, "runs a typed command on them")


def test_a_list_asks_a_few_questions_however_long_it_is(
    pair: Pair, owner: User, make_goal: Callable[..., Goal], propose_plan: Callable[..., IntentPlan]
) -> None:
    for number in range(3):
        plan = propose_plan(make_goal(owner, f"Waits {number}", workspace=pair[0].workspace))
        IntentPlan.objects.filter(pk=plan.pk).update(state="approved", approved_digest=plan.digest)
    goals = list(Goal.objects.annotate(approved=approved()))
    with CaptureQueriesContext(connection) as asked:
        files_held.mark(goals, owner)
    assert len(asked) == 4
    with CaptureQueriesContext(connection) as asked:
        files_held.mark([goal for goal in goals if goal.pk == pair[0].goal_id], owner)
    assert not asked.captured_queries
