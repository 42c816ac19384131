"""Recovery that was declared with the plan: carried out where it was granted, asked about where it was not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.learning.generalise import NotGeneralisable
from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.learning import rule_from_goal
from agents.models import Attempt, Goal, IntentPlan, RecoveryAttempt, Workspace
from agents.recovery import recovery_learning
from agents.states import GoalState, PlanState
from agents.workspaces import base_files
from people.models import User
from review.audit import decision_chain
from review.deciding import decisions, editing
from review.errors import WordsRefused
from review.models import Approval
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
Propose = Callable[..., IntentPlan]
# A program that is not there, and a command that does the same without it.
FAILS = {
    **run("python -c 'raise SystemExit(3)'"),
    "alternatives": [
        {"tool": "simple_coder", "command": "ls", "params": {"path": "missing"}},
        {"tool": "simple_coder", "command": "write", "params": {"path": "b.txt", "content": "instead"}},
    ],
}
STEPS = [write("a.txt"), FAILS, write("c.txt")]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)


@pytest.fixture
def plan(owner: User, propose_plan: Propose) -> IntentPlan:
    return propose_plan(owner, STEPS)


def state_of(plan: IntentPlan) -> str:
    return Goal.objects.get(pk=plan.goal_id).state


def files_of(plan: IntentPlan) -> list[str]:
    return [entry.path for entry in base_files.entries_of(Workspace.objects.get(pk=plan.workspace_id).head)]


def tries_of(plan: IntentPlan, position: int) -> list[tuple[int, str]]:
    tries = Attempt.objects.filter(intent__intent_plan=plan, intent__position=position).order_by("number")
    return list(tries.values_list("alternative", "outcome"))


def test_tries_come_first_then_the_granted_alternatives_and_the_plan_goes_on(plan: IntentPlan, reviewer: User) -> None:
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=2, alternatives=[(2, 1), (2, 2)])
    assert Approval.objects.get().envelope == {"tries": 2, "alternatives": [[2, 1], [2, 2]]}
    cycle.work(plan.goal_id)
    assert state_of(plan) == GoalState.ACHIEVED
    assert tries_of(plan, 2) == [(0, "failed"), (0, "failed"), (1, "failed"), (2, "succeeded")]
    assert files_of(plan) == ["a.txt", "b.txt", "c.txt"]
    chosen = list(RecoveryAttempt.objects.order_by("pk").values_list("strategy", "alternative", "succeeded"))
    assert chosen == [("retry_with_delay", 0, True), ("alternative_tool", 1, True), ("alternative_tool", 2, True)]
    assert decision_chain.walk().broken is None


def test_only_what_was_granted_is_done(plan: IntentPlan, reviewer: User) -> None:
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1, alternatives=[(2, 2)])
    cycle.work(plan.goal_id)
    assert tries_of(plan, 2) == [(0, "failed"), (2, "succeeded")]


def test_what_was_declared_and_not_granted_is_asked_about_and_then_goes_on(
    plan: IntentPlan, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1, alternatives=[(2, 1)])
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    assert (plan.state, state_of(plan)) == (PlanState.SUPERSEDED, GoalState.AWAITING_REVIEW)
    assert tries_of(plan, 2) == [(0, "failed"), (1, "failed")]
    assert files_of(plan) == ["a.txt"]
    left = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)
    assert [(spec.command, spec.params.get("path")) for spec in documents.read(bytes(left.document)).intents] == [
        ("write", "b.txt"),
        ("write", "c.txt"),
    ]
    page = client_of(reviewer).get(left.get_absolute_url()).content.decode()
    assert "declared alternative 2 was not granted" in page
    assert page.count('<details class="as-approved">') == 1, "of two steps one is as it was approved"
    decisions.approve(left, by=reviewer, digest=left.digest)
    cycle.work(plan.goal_id)
    assert state_of(plan) == GoalState.ACHIEVED
    assert files_of(plan) == ["a.txt", "b.txt", "c.txt"]


def test_a_rule_from_a_plan_holds_what_worked_and_none_comes_from_half_a_plan(
    owner: User, reviewer: User, propose_plan: Propose, make_goal: Callable[..., Goal]
) -> None:
    goal = make_goal(owner, "keep the note called b.txt")
    plan = propose_plan(goal, STEPS)
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1, alternatives=[(2, 2)])
    cycle.work(goal.pk)
    text = rule_from_goal.propose_from_goal(Goal.objects.get(pk=goal.pk)).text
    assert "instead" in text
    assert "SystemExit" not in text
    halved = propose_plan(owner, STEPS)
    decisions.approve(halved, by=reviewer, digest=halved.digest, tries=1)
    cycle.work(halved.goal_id)
    left = IntentPlan.objects.get(goal=halved.goal_id, state=PlanState.AWAITING_REVIEW)
    decisions.approve(left, by=reviewer, digest=left.digest, alternatives=[(1, 1)])
    cycle.work(halved.goal_id)
    assert state_of(halved) == GoalState.ACHIEVED
    with pytest.raises(NotGeneralisable, match="reviewed again"):
        rule_from_goal.propose_from_goal(Goal.objects.get(pk=halved.goal_id))


def test_a_step_without_alternatives_fails_as_before(owner: User, reviewer: User, propose_plan: Propose) -> None:
    plan = propose_plan(owner, [run("python -c 'raise SystemExit(3)'")])
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1)
    cycle.work(plan.goal_id)
    assert state_of(plan) == GoalState.FAILED


def test_a_worker_that_dies_in_an_alternative_leaves_the_next_one_at_it(plan: IntentPlan, reviewer: User) -> None:
    from agents.plans import reporting
    from agents.record.lease import claim

    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1, alternatives=[(2, 2)])
    lease = claim(plan.goal_id)
    assert lease is not None
    step = plan.intents.get(position=2)
    failed = Attempt.objects.create(
        intent=step, number=1, fence=1, worker="w", started=plan.created_at, finished=plan.created_at, outcome="failed"
    )
    RecoveryAttempt.objects.create(
        attempt=failed, failure_class="X", strategy="alternative_tool", why="w", alternative=2
    )
    first = reporting.begin(plan, lease, 2)
    reporting.not_tried(plan, lease, first, "lost", "it died")
    assert (first.alternative, reporting.begin(plan, lease, 2).alternative) == (2, 2)


def test_the_page_shows_every_alternative_in_full_and_what_is_ticked_is_granted(
    plan: IntentPlan, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    client = client_of(reviewer)
    page = client.get(plan.get_absolute_url()).content.decode()
    assert page.count("If it fails:") == 2
    assert "instead" in page
    assert 'name="alternatives" value="2.2" form="decide" autocomplete="off">' in page, "nothing is ticked at first"
    sent = {"digest": plan.digest, "verdict": "approve", "tries": "1", "alternatives": ["2.2"], "knowing": "1"}
    assert client.post(f"/review/{plan.pk}/decide/", sent).status_code == 302
    assert Approval.objects.get().envelope == {"tries": 1, "alternatives": [[2, 2]]}
    receipt = client.get(plan.get_absolute_url()).content.decode()
    assert "no retry of a failed step, and alternative 2.2" in receipt


@pytest.mark.parametrize("sent", ["2.3", "1.1", "x", "2.1 ", "٢.١"])
def test_what_nobody_declared_cannot_be_granted(
    plan: IntentPlan, reviewer: User, client_of: Callable[[User], Client], sent: str
) -> None:
    fields = {"digest": plan.digest, "verdict": "approve", "alternatives": [sent]}
    assert client_of(reviewer).post(f"/review/{plan.pk}/decide/", fields).status_code == 422
    assert not Approval.objects.exists()


def test_a_part_carries_what_was_granted_for_its_steps(plan: IntentPlan, reviewer: User) -> None:
    grants = [(2, 1), (2, 2)]
    part = editing.approve_part(
        plan, by=reviewer, digest=plan.digest, intents=[2], reason="this", rest="drop", alternatives=grants
    )
    position = next(spec.position for spec in documents.read(bytes(part.document)).intents if spec.alternatives)
    assert Approval.objects.get().envelope["alternatives"] == [[position, 1], [position, 2]]
    with pytest.raises(WordsRefused, match="declares no alternative"):
        decisions.approve(part, by=reviewer, digest=part.digest, alternatives=[(9, 1)])


def test_by_the_api_a_plan_declares_them_with_a_parameter_map_and_an_approval_grants_them(
    owner: User, reviewer: User, make_goal: Callable[..., Goal], api_of: Any
) -> None:
    plan_of = api_of(owner)
    goal = make_goal(owner)
    cycle.work(goal.pk)  # no rule knows it, so it asks for a plan
    step: dict[str, Any] = write("a.txt", "said")
    other = {"tool": "note_taking", "command": "write_note", "map": {"name": "path", "text": "content"}}
    made = plan_of.post(f"goals/{goal.pk}/plan", {"steps": [{**step, "alternatives": [other]}]})
    assert made.status_code == 201, made.content
    (intent,) = api_of(reviewer).get(f"intent-plans/{made.json()['id']}").json()["intents"]
    (shown,) = intent["alternatives"]
    assert (shown["number"], shown["tool"], shown["params"]["name"], shown["params"]["text"]) == (
        1,
        "note_taking",
        "a.txt",
        "said",
    )
    digest = IntentPlan.objects.get().digest
    wrong = api_of(reviewer).post(
        f"intent-plans/{made.json()['id']}/approve",
        {"digest": digest, "alternatives": [{"intent": 1, "alternative": 2}]},
    )
    assert wrong.status_code == 422
    done = api_of(reviewer).post(
        f"intent-plans/{made.json()['id']}/approve",
        {"digest": digest, "alternatives": [{"intent": 1, "alternative": 1}]},
    )
    assert done.status_code == 202
    assert Approval.objects.get().envelope["alternatives"] == [[1, 1]]


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ({"tool": "nothing", "command": "ls"}, "nothing"),
        ({"tool": "simple_coder", "command": "cd", "params": {"path": "a"}}, "only changes the session"),
        ({"tool": "simple_coder", "command": "write", "params": {"path": "../x", "content": ""}}, "Alternative 1:"),
        ({"tool": "simple_coder", "command": "write", "map": {"path": "nowhere"}}, "nowhere"),
        ({"tool": "simple_coder", "command": "write", "params": {"path": "a"}, "map": {"path": "path"}}, "choose one"),
        (
            {"tool": "simple_coder", "command": "write", "params": {"path": "a.txt", "content": "x"}},
            "is the step itself",
        ),
        ("no object", "malformed"),
    ],
)
def test_an_alternative_that_could_not_run_is_a_problem_of_the_plan(
    owner: User, make_goal: Callable[..., Goal], other: Any, code: str
) -> None:
    from agents.plans import proposals

    _, problems = proposals.draft_by_hand(make_goal(owner), [{**write("a.txt"), "alternatives": [other]}], (), by=owner)
    assert problems
    assert any(code in problem.message or code == problem.code for problem in problems), problems


def test_a_policy_speaks_of_alternatives_as_of_steps(owner: User, propose_plan: Propose, admin: User) -> None:
    from agents.goals import goals
    from agents.record.errors import PlanInvalid
    from review.policy.verdict import Action
    from tests.review.some_policies import in_force

    plan = propose_plan(owner)
    in_force(Action.FORBID, admin, "no notes", tools=["note_taking"])
    other = {"tool": "note_taking", "command": "write_note", "params": {"name": "a", "text": "b"}}
    with pytest.raises(PlanInvalid, match="no notes"):
        goals.supply_plan(plan.goal, by=owner, steps=[{**write("a.txt"), "alternatives": [other]}])
