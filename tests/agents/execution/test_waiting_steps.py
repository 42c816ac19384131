"""A step that waits until something is so: no worker is held, people may bring it about, and the time is limited."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.utils import timezone

from agents.bdi.plans import validation
from agents.cycle import cycle
from agents.execution import waits
from agents.goals import goals
from agents.models import Attempt, Goal, Intent, IntentPlan
from agents.plans import proposals
from agents.record.errors import WorkspaceRefused
from agents.recovery import told_beliefs
from agents.states import GoalState
from agents.workspaces import workspaces
from agents.workspaces.base_files import content_of
from people.models import User
from tests.agents.execution.conftest import write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]


def until(context: str = "there is a file named sales.csv", at_most_s: int = 600) -> dict[str, Any]:
    return {"tool": "waiting", "command": "until", "params": {"context": context, "at_most_s": at_most_s}}


def read(path: str = "sales.csv") -> dict[str, Any]:
    return {"tool": "simple_coder", "command": "read", "params": {"path": path}}


def worked(plan: IntentPlan) -> Goal:
    cycle.work(plan.goal_id)
    return Goal.objects.get(pk=plan.goal_id)


def states(plan: IntentPlan) -> list[str]:
    return list(Intent.objects.filter(intent_plan=plan).order_by("position").values_list("state", flat=True))


def upload(plan: IntentPlan, by: User, path: str = "sales.csv") -> None:
    workspaces.put_file(IntentPlan.objects.get(pk=plan.pk).workspace, by=by, path=path, source=BytesIO(b"1,2\n"))


def time_is_over(plan: IntentPlan) -> None:
    first = Attempt.objects.filter(intent__intent_plan=plan, number=1).order_by("-pk")[:1]
    long_ago = timezone.now() - timedelta(hours=25)
    Attempt.objects.filter(pk__in=first.values("pk")).update(started=long_ago, finished=long_ago)
    Goal.objects.filter(pk=plan.goal_id).update(wake_at=timezone.now() - timedelta(seconds=1))


def test_what_is_so_already_is_not_waited_for(approved: Approved) -> None:
    plan = approved([write("sales.csv"), until(), read()])
    assert worked(plan).state == GoalState.ACHIEVED
    assert "holds after 0 s" in "\n".join(Goal.objects.get(pk=plan.goal_id).log_lines.values_list("text", flat=True))


def test_a_goal_that_waits_holds_no_worker_and_says_for_what_and_how_long(approved: Approved) -> None:
    plan = approved([write("a.txt"), until(), read()])
    goal = worked(plan)
    assert (goal.state, goal.lease_until, goal.lease_owner) == (GoalState.RECOVERING, None, "")
    assert goal.reason.startswith("waits_until: waits until there is a file named sales.csv, at most until ")
    assert goal.wake_at is not None
    assert timedelta(minutes=9) < goal.wake_at - timezone.now() <= timedelta(minutes=10)
    assert states(plan) == ["succeeded", "running", "pending"]
    assert cycle.one(plan.goal_id) is None  # nothing can be claimed


def test_the_sweep_wakes_it_when_it_is_so_and_the_plan_goes_on(approved: Approved, owner: User) -> None:
    plan = approved([until(), read()])
    asleep = worked(plan)
    waits.sweep()
    assert Goal.objects.get(pk=asleep.pk).wake_at == asleep.wake_at
    upload(plan, owner)
    waits.sweep()
    assert Goal.objects.get(pk=asleep.pk).wake_at is None
    assert worked(plan).state == GoalState.ACHIEVED
    outcomes = Attempt.objects.filter(intent__intent_plan=plan, intent__position=1).order_by("number")
    assert list(outcomes.values_list("outcome", flat=True)) == ["waiting", "succeeded"]


@pytest.mark.parametrize(
    ("came", "after", "is_asked_again"),
    [
        ("old/precious.txt", {"command": "rm", "params": {"path": "old"}}, True),
        ("new/precious.txt", {"command": "rm", "params": {"path": "old"}}, False),
        ("out.txt", {"command": "write", "params": {"path": "out.txt", "content": "x"}}, True),
        ("out.txt", {"command": "write", "params": {"path": "out.txt", "content": "x", "mode": "append"}}, False),
    ],
    ids=["in what goes", "elsewhere", "in the way", "appended to"],
)
def test_what_came_during_a_wait_does_not_go_unseen(
    came: str, after: dict[str, Any], is_asked_again: bool, approved: Approved, owner: User
) -> None:
    on = {"tool": "simple_coder", "command": "toggle_autonomous_mode", "params": {"on": True}}
    plan = approved([write("old/a.txt"), until(), on, {"tool": "simple_coder", **after}])
    worked(plan)
    upload(plan, owner, came)
    upload(plan, owner)
    waits.sweep()
    goal = worked(plan)
    head = IntentPlan.objects.select_related("workspace").get(pk=plan.pk).workspace.head
    assert content_of(head, came, 100) is not None, "it is still there"
    assert (goal.state == GoalState.ACHIEVED) == (not is_asked_again)
    said = f"{came} changed while it waited"
    assert any(said in text for text in goal.log_lines.values_list("text", flat=True)) == is_asked_again


def test_what_is_told_ends_a_wait(approved: Approved, owner: User) -> None:
    plan = approved([until("the report is approved"), write("sent.txt")])
    goal = worked(plan)
    told_beliefs.tell(goal, by=owner, sentence="The report is approved.")
    waits.sweep()
    assert worked(plan).state == GoalState.ACHIEVED


def test_a_wait_for_the_contrary_ends_when_it_is_known_to_be_false(approved: Approved, owner: User) -> None:
    plan = approved([write("lock"), until("NOT there is a file named lock"), write("done.txt")])
    assert worked(plan).state == GoalState.RECOVERING
    workspaces.remove_file(IntentPlan.objects.get(pk=plan.pk).workspace, by=owner, path="lock")
    waits.sweep()
    assert worked(plan).state == GoalState.ACHIEVED


def test_in_vain_the_step_fails_and_no_try_waits_again(approved: Approved) -> None:
    plan = approved([until(), read()])
    worked(plan)
    time_is_over(plan)
    for _ in range(6):
        Goal.objects.filter(pk=plan.goal_id, wake_at__gt=timezone.now()).update(wake_at=None)
        goal = worked(plan)
        assert not goal.reason.startswith("waits_until")
    assert goal.state in (GoalState.MANUAL, GoalState.FAILED)
    failed = Attempt.objects.filter(intent__intent_plan=plan, outcome="failed").first()
    assert failed is not None
    assert failed.reason.endswith("did not come to hold within 600 s")
    assert states(plan)[1] != "succeeded"


def test_a_goal_that_waits_is_cancelled_at_once(approved: Approved, owner: User) -> None:
    plan = approved([until(), read()])
    goal = worked(plan)
    goals.cancel(goal, by=owner)
    assert worked(plan).state == GoalState.DROPPED
    assert states(plan) == ["failed", "skipped"]


def test_only_a_plan_that_waits_leaves_its_files_to_people(approved: Approved, owner: User) -> None:
    plan = approved([until(), read()])
    goal = worked(plan)
    upload(plan, owner, "other.txt")
    Goal.objects.filter(pk=goal.pk).update(state=GoalState.EXECUTING)
    with pytest.raises(WorkspaceRefused, match="Wait until it has ended"):
        upload(plan, owner)


def test_where_a_step_must_not_wait_is_told_before_anything_is_approved(
    owner: User, make_goal: Callable[..., Goal]
) -> None:
    start = {"tool": "simple_coder", "command": "start", "params": {"command_line": "sleep 60", "name": "server"}}
    stop = {"tool": "simple_coder", "command": "stop", "params": {"name": "server"}}

    def wrong(steps: list[Any], cleanup: list[Any]) -> list[tuple[int, str]]:
        _, problems = proposals.draft_by_hand(make_goal(owner), steps, cleanup, by=owner)
        return [(one.position, one.message) for one in problems]

    assert wrong([start, stop, until()], []) == []
    ((at, said),) = wrong([start, until()], [])
    assert (at, said.startswith("server would end while the plan waits")) == (2, True)
    ((at, said),) = wrong([read()], [until()])
    assert (at, said.startswith("Clean-up waits for nothing")) == (2, True)
    ((_, said),) = wrong([{**read(), "alternatives": [until()]}], [])
    assert said.startswith("A wait is no alternative")


def test_a_program_that_lives_all_the_same_is_not_ended_by_a_wait(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "_waits", lambda *args: iter(()))
    start = {"tool": "simple_coder", "command": "start", "params": {"command_line": "sleep 60", "name": "server"}}
    plan = approved([start, until(), read()])
    worked(plan)
    failed = Attempt.objects.filter(intent__intent_plan=plan, outcome="failed").get()
    assert "server would end while the plan waits" in failed.reason


def test_a_worker_that_dies_does_not_make_the_wait_longer(approved: Approved) -> None:
    plan = approved([until(), read()])
    asleep = worked(plan)
    Goal.objects.filter(pk=asleep.pk).update(wake_at=timezone.now())  # claimed though nothing has changed
    again = worked(plan)
    assert again.state == GoalState.RECOVERING
    assert again.wake_at == asleep.wake_at


def test_a_goal_that_somebody_has_claimed_is_left_alone(approved: Approved, owner: User) -> None:
    plan = approved([until(), read()])
    goal = worked(plan)
    upload(plan, owner)
    Goal.objects.filter(pk=goal.pk).update(lease_until=timezone.now() + timedelta(minutes=1))
    waits.sweep()
    assert Goal.objects.get(pk=goal.pk).wake_at == goal.wake_at
