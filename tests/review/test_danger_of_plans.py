"""The danger of stored plans: worked out from real states, and shown before anybody can decide past it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.models import Goal, IntentPlan, ShadowRun
from agents.states import PlanState
from agents.workspaces import workspaces
from agents.workspaces.base_files import BaseUnreadable
from people.models import User
from people.roles import Role
from review.deciding import holding
from review.deciding.ruling import Ruling
from review.entries import dangers, risks
from review.models import HeldDecision, PlanRisk, QueueEntry
from review.policies import evaluation
from review.policy.verdict import Action
from review.reading.danger import Danger
from sandbox.store.snapshots import EMPTY
from tests.review.plans import goal_of, person, proposed, step
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
ON = step("toggle_autonomous_mode", on=True)
RUN = step("run", command_line="python job.py")
RUN_IT = step("run", command_line="python tool.py")
FETCH = replace(
    step("download", url="https://example.org/tool.py", file="tool.py"), tool="http_request", hosts=("example.org",)
)
WRITE_OVER = step("write", path="a.txt", content="other")
DUE = "Not known before the dry run has ended"
HERE = "in this workspace and its history (going back to before the plan restores that)"


def holding_files(owner: User, *names: str) -> Goal:
    """A goal in a workspace that got these files one after the other, each with its name as content."""
    goal = goal_of(owner)
    for name in names:
        workspaces.put_file(goal.workspace, by=owner, path=name, source=io.BytesIO(name.encode()))
    return Goal.objects.get(pk=goal.pk)


def state_of(owner: User, **files: str) -> str:
    """The state of a workspace with these contents."""
    goal = goal_of(owner)
    for name, content in files.items():
        workspaces.put_file(goal.workspace, by=owner, path=name, source=io.BytesIO(content.encode()))
    return Goal.objects.get(pk=goal.pk).workspace.head


def ran(plan: IntentPlan, after: str) -> ShadowRun:
    """A dry run whose steps were done and that came to this state, looked at as review does."""
    positions = plan.intents.filter(phase="main").values_list("position", flat=True)
    done = {"proof": "done", "why": "", "answer": None, "duration_s": 0.0}
    run = ShadowRun.objects.create(
        intent_plan=plan,
        number=plan.shadow_runs.count() + 1,
        state="done",
        finished_at=timezone.now(),
        base=plan.workspace.head,
        after=after,
        findings=[{"position": position, **done} for position in positions],
    )
    risks.store(plan, run)
    return run


def told(plan: IntentPlan) -> str:
    return IntentPlan.objects.get(pk=plan.pk).risk.told.sentence


def post(client: Client, plan: IntentPlan, **more: Any) -> Any:
    return client.post(f"/review/{plan.pk}/decide/", {"verdict": "approve", "digest": plan.digest, **more})


# --- what is found -------------------------------------------------------------------------------------------


def test_what_only_the_newest_state_holds_exists_nowhere_else(submitter: User) -> None:
    plan = proposed(holding_files(submitter, "old.txt", "new.txt"), [ON, step("rm", path="new.txt")])
    risks.store(plan, None)
    assert told(plan) == f"Deletes new.txt, which exists nowhere else {HERE}"
    assert QueueEntry.objects.get(pk=plan.pk).danger == Danger.LOSES


def test_what_an_earlier_state_holds_is_not_lost(submitter: User) -> None:
    plan = proposed(holding_files(submitter, "old.txt", "new.txt"), [ON, step("rm", path="old.txt")])
    risks.store(plan, None)
    assert told(plan) == "Deletes old.txt, which also exists elsewhere in this workspace or its history"


def test_states_of_other_workspaces_count_for_nothing(submitter: User, stranger: User) -> None:
    holding_files(stranger, "new.txt", "later.txt")
    plan = proposed(holding_files(submitter, "new.txt"), [ON, step("rm", path="new.txt")])
    risks.store(plan, None)
    assert told(plan).startswith("Deletes new.txt, which exists nowhere else")


def test_the_dry_run_shows_what_a_program_does(submitter: User) -> None:
    plan = proposed(holding_files(submitter, "a.txt", "b.txt"), [RUN])
    risks.store(plan, None)
    assert told(plan) == DUE
    ran(plan, EMPTY)
    assert told(plan) == f"Deletes a.txt and b.txt; one exists nowhere else {HERE}; runs python job.py"


def test_a_download_that_runs_is_named_with_its_host(submitter: User) -> None:
    plan = proposed(goal_of(submitter), [FETCH, RUN_IT])
    risks.store(plan, None)
    assert told(plan).startswith("Runs code that comes from example.org (python tool.py)")


def test_a_plan_whose_files_are_gone_says_so(submitter: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(snapshot: str) -> Any:
        raise BaseUnreadable(snapshot)

    plan = proposed(goal_of(submitter))
    monkeypatch.setattr(dangers, "held_in", gone)
    risks.store(plan, None)
    assert told(plan) == "Not known: the files it was made on can no longer be read"


# --- what is decided -----------------------------------------------------------------------------------------


def test_while_the_dry_run_is_due_an_approval_is_asked_for_once_more(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = proposed(goal_of(submitter), [RUN])
    client = client_of(judge)
    answer = post(client, plan, danger=Danger.UNKNOWN.value)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f"{DUE}. Nothing was approved yet." in page
    assert 'name="knowing" value="1"' in page
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW
    assert post(client, plan, danger=Danger.UNKNOWN.value, knowing="1").status_code == 302
    plan.refresh_from_db()
    assert plan.state == PlanState.APPROVED


def test_a_plan_whose_danger_is_not_stored_yet_is_approved_by_what_its_page_says(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan, client = proposed(goal_of(submitter)), client_of(judge)
    assert not PlanRisk.objects.filter(pk=plan.pk).exists()
    page = client.get(plan.get_absolute_url()).content.decode()
    (shown,) = re.findall(r'name="danger" value="(\d+)"', page)
    assert Danger(int(shown)) > Danger.UNKNOWN
    assert post(client, plan, danger=int(shown)).status_code == 302


def test_an_approval_counts_only_for_the_danger_that_was_on_the_page(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = proposed(holding_files(submitter, "a.txt"), [RUN])
    ran(plan, plan.workspace.head)
    client = client_of(judge)
    page = client.get(plan.get_absolute_url()).content.decode()
    assert f'name="danger" value="{Danger.CHANGES.value}"' in page
    ran(plan, EMPTY)
    answer = post(client, plan, danger=Danger.CHANGES.value)
    assert answer.status_code == 409
    assert "More is known of this plan than when you opened it: Deletes a.txt" in answer.content.decode()
    assert f'name="danger" value="{Danger.LOSES.value}"' in answer.content.decode()
    assert post(client, plan, danger=Danger.LOSES.value).status_code == 302


def test_a_held_approval_ends_when_more_danger_is_known(submitter: User, judge: User, settings: Any) -> None:
    settings.HOLD_S = 10
    plan = proposed(holding_files(submitter, "a.txt"), [RUN])
    holding.decide(plan, Ruling("approve", plan.digest, seen=Danger.UNKNOWN.value), by=judge)
    ran(plan, EMPTY)
    HeldDecision.objects.update(due_at=timezone.now())
    holding.settle_due()
    assert "More is known of this plan" in HeldDecision.objects.get(intent_plan=plan).dropped
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW


@pytest.mark.parametrize(
    ("steps", "left"),
    [([RUN], {}), ([WRITE_OVER], {"a.txt": "other"}), ([FETCH, RUN_IT], {"a.txt": "a.txt"})],
    ids=["deletes", "overwrites", "runs what came"],
)
def test_what_no_policy_approves(steps: Any, left: dict[str, str], submitter: User) -> None:
    plan = proposed(holding_files(submitter, "a.txt"), steps)
    run = ran(plan, state_of(submitter, **left))
    assert dangers.for_people(plan, documents.read(bytes(plan.document)), run)


def test_a_policy_that_covers_a_plan_leaves_its_danger_to_people(submitter: User) -> None:
    in_force(Action.AUTO_APPROVE, person("opal", Role.OPERATOR, Role.REVIEWER), commands=["simple_coder.write"])
    harmless = proposed(holding_files(submitter, "a.txt"), [step("write", path="b.txt", content="other")])
    dangerous = proposed(holding_files(submitter, "a.txt"), [WRITE_OVER])
    ran(harmless, state_of(submitter, **{"a.txt": "a.txt", "b.txt": "other"}))
    ran(dangerous, state_of(submitter, **{"a.txt": "other"}))
    outcome = evaluation.outcome_of(dangerous)
    assert outcome.action is None
    assert "overwrites a.txt" in outcome.declined[0].why
    assert "overwrites" not in str(evaluation.outcome_of(harmless).declined)
