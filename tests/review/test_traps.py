"""The faults of today's review and workflow products, a test each: the name is the fault, the body what mindX does."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import attempts, shadow, steps
from agents.execution import shadow as shadow_runs
from agents.goals import goals
from agents.models import Attempt, Belief, Goal, IntentPlan, LogLine, Transition, Workspace
from agents.plans import earlier_plans, kept_edits, proposals, shadowing
from agents.record import logs, wake_ups
from agents.record.logs import NewLine
from agents.recovery import recovery_learning
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import auto_approval, decisions, editing
from review.models import Decision, PolicyDay, ReviewClock, TimeLimit
from review.policy.verdict import Action
from review.queue import deadlines
from tests.library import vectors
from tests.review.some_policies import in_force
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
Propose = Callable[..., IntentPlan]


def do(command: str, /, **params: Any) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": command, "params": params}


def fails() -> dict[str, Any]:
    return do("run", command_line="python -c 'raise SystemExit(3)'")


TWO = (do("mkdir", path="a"), do("mkdir", path="b"))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors.install(monkeypatch)
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)


@pytest.fixture
def plan(owner: User, propose_plan: Propose) -> IntentPlan:
    return propose_plan(owner, TWO)


def page_of(client: Client, address: str) -> str:
    """A page as its reader sees it: words only."""
    html = client.get(address).content.decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def state_of(plan: IntentPlan) -> str:
    return Goal.objects.get(pk=plan.goal_id).state


def test_trap_a_card_shows_one_key_of_the_payload_and_hides_the_real_command(
    owner: User, reviewer: User, propose_plan: Propose, client_of: ClientOf
) -> None:
    """Every argument is rendered in full, and hidden characters are made visible."""
    lines = "".join(f"print({number})\n" for number in range(400))
    command = do("run", command_line="python tool.py --mode safe --then delete-everything", timeout_s=5)
    plan = propose_plan(owner, (do("write", path="tool.py", content=f"{lines}# \u202eevil\n"), command))
    page = page_of(client_of(reviewer), plan.get_absolute_url())
    assert "python tool.py --mode safe --then delete-everything" in page
    assert all(f"print({number})" in page for number in range(400))
    assert "\u202e" not in page
    assert "U+202E" in client_of(reviewer).get(plan.get_absolute_url()).content.decode()


def test_trap_editing_to_another_tool_escapes_that_tools_policy(
    plan: IntentPlan, reviewer: User, admin: User, api_of: Any
) -> None:
    """An edit keeps its tool and command, is validated and asked about by the policies, and approves nothing."""
    in_force(Action.FORBID, admin, "no secrets", paths=["secrets"])
    caller = api_of(reviewer)
    address = f"intent-plans/{plan.pk}/intents/1"
    values = {"digest": plan.digest, "params": {"path": "c"}}
    assert caller.patch(address, {**values, "tool": "note_taking", "command": "write_note"}).status_code == 422
    refused = caller.patch(address, {**values, "params": {"path": "secrets"}})
    assert refused.status_code == 422
    assert "no secrets" in refused.content.decode()
    assert caller.patch(address, values).json()["state"] == "awaiting_review"


def test_trap_resuming_after_approval_skips_the_rules(plan: IntentPlan, reviewer: User, admin: User) -> None:
    """Policies are asked again at every claim."""
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    in_force(Action.FORBID, admin, "no folders", commands=["mkdir"])
    cycle.work(plan.goal_id)
    assert not Attempt.objects.exists()
    assert "no folders" in Goal.objects.get(pk=plan.goal_id).reason


def test_trap_one_rejected_call_throws_away_the_approved_ones(plan: IntentPlan, reviewer: User) -> None:
    """The approved steps run; the one that was not has a recorded result."""
    editing.approve_part(plan, by=reviewer, digest=plan.digest, intents=[2], reason="a is taken", rest="drop")
    cycle.work(plan.goal_id)
    assert state_of(plan) == GoalState.ACHIEVED
    part = IntentPlan.objects.get(goal=plan.goal_id, revision=2)
    assert [intent.state for intent in part.intents.all()] == ["succeeded"]
    left_out = plan.intents.get(position=1)
    assert (left_out.state, left_out.reason) == ("skipped", f"not approved by {reviewer.username}: a is taken")


def test_trap_after_an_edit_the_agent_tries_its_original_again(plan: IntentPlan, reviewer: User) -> None:
    """The planner knows that the edit is the person's wish."""
    editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": "better"})
    goal = Goal.objects.get(pk=plan.goal_id)
    with transaction.atomic():
        draft, _ = proposals.draft_by_hand(goal, TWO, (), by=reviewer)
        planned = kept_edits.fitted(goal, draft, earlier_plans.of(goal))
    first = planned.steps[0].params["path"]  # type: ignore[union-attr]
    assert (first.value, first.original, first.origin) == ("better", "a", "person")


def test_trap_comments_given_with_an_approval_are_dropped(plan: IntentPlan, reviewer: User) -> None:
    """They reach the planner as a belief, the log, and the decision."""
    decisions.approve(plan, by=reviewer, digest=plan.digest, comment="keep it short")
    assert Belief.objects.get(goal=plan.goal_id, source="person").sentence == "keep it short"
    assert LogLine.objects.filter(goal=plan.goal_id, text__contains="keep it short").exists()
    assert Decision.objects.get().comment == "keep it short"


def test_trap_the_pending_item_stays_after_the_run_was_cancelled_elsewhere(
    plan: IntentPlan, owner: User, reviewer: User, client_of: ClientOf
) -> None:
    """It leaves the queue at once, and a page that is open says why."""
    client = client_of(reviewer)
    assert plan.get_absolute_url() in client.get("/review/").content.decode()
    goals.cancel(plan.goal, by=owner)
    assert plan.get_absolute_url() not in client.get("/review/").content.decode()
    standing = client.get(f"/review/{plan.pk}/standing/", {"state": "awaiting_review"}).content.decode()
    assert "cancelled" in standing
    assert owner.username in standing


def test_trap_the_clock_starts_before_a_person_could_act(plan: IntentPlan) -> None:
    """It starts when the plan entered the queue, however long ago it was made."""
    now = timezone.now()
    TimeLimit.objects.create(minutes=60)
    TimeLimit.objects.update(changed_at=now - timedelta(days=9))
    IntentPlan.objects.update(created_at=now - timedelta(days=3))
    Goal.objects.update(created_at=now - timedelta(days=4))
    deadlines.start()
    assert ReviewClock.objects.get().due_at == plan.queued_at + timedelta(hours=1)


def test_trap_approve_returns_approved_instead_of_the_tools_result(
    plan: IntentPlan, reviewer: User, api_of: Any
) -> None:
    """202 with the plan; with `wait` the answer holds what every step came to."""

    def work() -> None:
        wait_until(IntentPlan.objects.filter(pk=plan.pk, state="approved").exists, what="the approval")
        cycle.work(plan.goal_id)
        connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    answer = api_of(reviewer).post(f"intent-plans/{plan.pk}/approve?wait=60", {"digest": plan.digest})
    worker.join()
    body = answer.json()
    assert (answer.status_code, body["id"], body["state"]) == (202, str(plan.pk), "complete")
    assert [intent["result"]["status"] for intent in body["intents"]] == ["SUCCESS", "SUCCESS"]


def test_trap_the_agent_rewrites_an_approved_plan(plan: IntentPlan, owner: User, reviewer: User) -> None:
    """The stored document cannot change, and another plan for its goal is another revision, which is reviewed."""
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    with pytest.raises(IntegrityError), transaction.atomic():
        IntentPlan.objects.filter(pk=plan.pk).update(document=b"{}")
    with pytest.raises(Exception, match="approved already"):
        goals.supply_plan(plan.goal, by=owner, steps=[do("mkdir", path="other")])
    assert bytes(IntentPlan.objects.get(pk=plan.pk).document) == bytes(plan.document)


def test_trap_a_budget_reset_does_not_reset(admin: User) -> None:
    """A policy's budget is one of a day: what was used yesterday is not missing today."""
    policy = in_force(Action.AUTO_APPROVE, admin, budget=1, tools=["simple_coder"])
    version = policy.versions.get()
    with transaction.atomic():
        assert auto_approval.spend(version)
        assert not auto_approval.spend(version)
    yesterday = timezone.now().date() - timedelta(days=1)
    PolicyDay.objects.update(day=yesterday)
    with transaction.atomic():
        assert auto_approval.spend(version)
        assert not auto_approval.spend(version)


def test_trap_a_diff_summary_hides_deletions_behind_additions(
    owner: User, reviewer: User, propose_plan: Propose, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    """Deletions come first, and of many additions not one is left out."""
    first = propose_plan(owner, (do("write", path="old.txt", content="to be lost\n"),))
    decisions.approve(first, by=reviewer, digest=first.digest)
    cycle.work(first.goal_id)
    lines = "".join(f"line {number}\n" for number in range(1_500))
    removing = (
        do("write", path="a-new.txt", content=lines),
        do("toggle_autonomous_mode", on=True),
        do("rm", path="old.txt"),
    )
    workspace = Workspace.objects.get(pk=first.workspace_id)
    plan = propose_plan(make_goal(owner, "tidy up", workspace=workspace), removing)
    shadow_runs.one()
    page = page_of(client_of(reviewer), plan.get_absolute_url())
    assert page.index("old.txt deleted") < page.index("a-new.txt new")
    assert "to be lost" in page
    assert all(f"line {number} " in page for number in range(1_500))


def test_trap_preview_and_execution_use_different_checks(owner: User, reviewer: User, propose_plan: Propose) -> None:
    """One path: the step that fails in the copy fails in earnest for the same reason, found by the same function."""
    plan = propose_plan(owner, (fails(),))
    shadow_runs.one()
    run = shadowing.latest(plan)
    assert run is not None
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=1)
    cycle.work(plan.goal_id)
    assert run.findings[0]["why"] == Attempt.objects.get().reason == "exit code 3"
    assert vars(attempts)["run_step"] is vars(shadow)["run_step"] is steps.run_step


def test_trap_plan_only_mode_was_a_prompt(plan: IntentPlan) -> None:
    """Code enforces it: a worker finds nothing to run of a plan that nobody approved, and a trial leaves no trace."""
    head = Workspace.objects.get(pk=plan.workspace_id).head
    shadow_runs.one()
    cycle.work(plan.goal_id)
    assert not Attempt.objects.exists()
    assert Workspace.objects.get(pk=plan.workspace_id).head == head
    with pytest.raises(IntegrityError), transaction.atomic():
        IntentPlan.objects.filter(pk=plan.pk).update(state="executing")


def test_trap_retries_are_invisible(owner: User, reviewer: User, propose_plan: Propose, client_of: ClientOf) -> None:
    """Every attempt is on the timeline, with what was decided after it."""
    differently = "import os, sys; sys.stderr.write(os.urandom(8).hex()); sys.exit(3)"  # alike it is tried twice
    plan = propose_plan(owner, (do("run", command_line=f"python -c '{differently}'"),))
    decisions.approve(plan, by=reviewer, digest=plan.digest, tries=3)
    cycle.work(plan.goal_id)
    page = page_of(client_of(owner), f"/goals/{plan.goal_id}/")
    for number in (1, 2, 3):
        assert f"Try {number}" in page
    assert page.count("exit code 3") >= 3
    assert "retry with delay" in page


def test_trap_offset_pages_and_an_8_mb_log_freeze_the_page(
    plan: IntentPlan, owner: User, admin: User, client_of: ClientOf
) -> None:
    """No list counts through what it does not show, and a log comes tail first in pieces of a bounded size."""
    line = "x" * 1_000
    logs.write(plan.goal_id, [NewLine("stdout", "execute", line) for _ in range(8_000)])
    client = client_of(admin)
    for address in ("/review/", "/goals/", "/review/audit/", f"/goals/{plan.goal_id}/"):
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(address)
        assert answer.status_code == 200
        assert len(answer.content) < 1_000_000, address
        assert not [query for query in asked.captured_queries if " OFFSET " in query["sql"].upper()], address
    last = LogLine.objects.filter(goal=plan.goal_id).order_by("-number").values_list("number", flat=True)[0]
    assert f'data-n="{last}"' in answer.content.decode()
    assert 'data-n="1"' not in answer.content.decode()


def test_trap_tasks_lost_on_broker_flush_doubled_on_visibility_timeout(
    plan: IntentPlan, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Postgres is the truth: a wake-up that is lost is found by the sweep, and one that comes twice does nothing."""
    woken: list[int] = []
    monkeypatch.setattr(wake_ups, "wake", lambda goal_id: None)
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    monkeypatch.setattr(wake_ups, "wake", woken.append)
    monkeypatch.setattr(wake_ups, "untaken", lambda: 0)  # it was flushed
    cycle.sweep()
    assert woken == [plan.goal_id]

    def work() -> None:
        cycle.work(plan.goal_id)
        connections.close_all()

    twice = [threading.Thread(target=work) for _ in range(2)]
    for thread in twice:
        thread.start()
    for thread in twice:
        thread.join()
    cycle.work(plan.goal_id)
    assert state_of(plan) == GoalState.ACHIEVED
    assert list(Attempt.objects.order_by("pk").values_list("intent__position", "number")) == [(1, 1), (2, 1)]
    assert Transition.objects.filter(intent_plan=plan, new=PlanState.EXECUTING.value).count() == 1
    assert documents.digest_of(bytes(plan.document)) == plan.digest
