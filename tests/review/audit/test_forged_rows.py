"""Rows that a worker acts on, written with the application's database role alone: none of them takes effect.

`docs/why/security.md` lists what each kind of row could do and what stops it; each line that claims a protection has
its test here, or names the file that has it.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import beginning
from agents.goals import goals
from agents.hands import hand_commands, typed
from agents.models import Attempt, Goal, HandCommand, IntentPlan, Workspace
from agents.record import gate
from agents.record.lease import Lease
from agents.states import HandState, PlanState
from agents.workspaces import workspaces
from mindx_web.operations.grants import rights_of_tables
from people import sealing
from people.models import User
from review.deciding import auto_approval, holding
from review.deciding.ruling import Ruling
from review.models import Approval, AuditEntry, Decision, HeldDecision, ReviewPolicy
from review.policies import writing
from review.policy.verdict import Action
from tests.forging import forge
from tests.review import some_levels as levels
from tests.review.some_policies import in_force, tried

Propose = Callable[..., IntentPlan]
pytestmark = pytest.mark.django_db
_HELD = (
    "INSERT INTO review_helddecision"
    " (intent_plan_id, by_id, digest, verdict, ruling, made_at, due_at, dropped)"
    " VALUES (%s, %s, %s, 'approve', %s, now() - interval '20 s', now() - interval '10 s', '')"
)


@pytest.fixture
def typed_goal(operator: User, propose_plan: Propose) -> Goal:
    """A goal in whose session the operator may type: it is theirs."""
    operator.roles = ["operator", "submitter"]
    operator.save()
    return propose_plan(operator).goal


@pytest.fixture(autouse=True)
def _held(settings: object) -> None:
    settings.HOLD_S = 600  # type: ignore[attr-defined]


def held_by(plan: IntentPlan, judge: User, verdict: str = "approve", words: str = "") -> HeldDecision:
    holding.decide(plan, Ruling(verdict, plan.digest, words), by=judge)
    return HeldDecision.objects.get(dropped="")


def settle() -> None:
    """The sweep, when everything that is held is due."""
    forge("UPDATE review_helddecision SET due_at = now() - interval '1 s'")
    holding.settle_due()


def nothing_was_decided(plan: IntentPlan) -> None:
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"
    assert not Decision.objects.exists()
    assert not Approval.objects.exists()


def refused(row: HeldDecision) -> None:
    """The row says why, the journal tells of it."""
    row.refresh_from_db()
    assert "not sealed by mindX" in row.dropped
    told = AuditEntry.objects.get(event="forged")
    assert told.subject == f"plan:{row.intent_plan_id}"


def test_a_decision_that_was_written_into_the_table_approves_nothing(plan: IntentPlan, judge: User) -> None:
    forge(_HELD, plan.pk, judge.pk, plan.digest, json.dumps(Ruling("approve", plan.digest).as_json()))
    holding.settle_due()
    nothing_was_decided(plan)
    refused(HeldDecision.objects.get())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("ruling", lambda plan, other: json.dumps(Ruling("approve", plan.digest, tries=5).as_json())),
        ("ruling", lambda plan, other: json.dumps(Ruling("approve", plan.digest, comment="go").as_json())),
        ("by_id", lambda plan, other: other.pk),
        ("verdict", lambda plan, other: "reject"),
        ("made_at", lambda plan, other: "2026-01-01T00:00:00Z"),
    ],
)
def test_a_decision_that_was_changed_in_the_table_approves_nothing(
    plan: IntentPlan, judge: User, second_judge: User, column: str, value: Callable[[IntentPlan, User], object]
) -> None:
    row = held_by(plan, judge)
    assert forge(f"UPDATE review_helddecision SET {column} = %s", value(plan, second_judge)) == 1
    settle()
    nothing_was_decided(plan)
    refused(row)


def test_a_decision_that_its_person_took_back_cannot_be_put_back(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    kept = HeldDecision.objects.filter(pk=row.pk).values().get()
    assert holding.undo(row.pk, plan, by=judge)
    columns = ", ".join(kept)
    values = [json.dumps(each) if isinstance(each, dict) else each for each in kept.values()]
    forge(f"INSERT INTO review_helddecision ({columns}) VALUES ({', '.join(['%s'] * len(values))})", *values)
    settle()
    nothing_was_decided(plan)
    refused(row)


def test_a_decision_that_was_dropped_is_not_taken_up_again(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    User.objects.filter(pk=judge.pk).update(is_active=False)
    settle()
    User.objects.filter(pk=judge.pk).update(is_active=True)
    assert forge("UPDATE review_helddecision SET dropped = ''") == 1
    settle()
    nothing_was_decided(plan)
    refused(row)


def test_a_decision_that_nobody_touched_takes_effect(plan: IntentPlan, judge: User) -> None:
    held_by(plan, judge)
    settle()
    plan.refresh_from_db()
    assert plan.state == "approved"
    assert not AuditEntry.objects.filter(event="forged").exists()


def test_a_seal_is_not_made_changed_or_removed_by_the_application(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    for change in ("UPDATE people_rowseal SET mac = ''", "DELETE FROM people_rowseal"):
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            forge(change)
    copied = "INSERT INTO people_rowseal (model, row, number, mac) SELECT model, row, 2, mac FROM people_rowseal"
    forge(copied)
    assert not sealing.is_genuine(row), "a seal made for the first version fits no second one"


def test_verify_names_the_rows_whose_seals_do_not_fit(plan: IntentPlan, judge: User) -> None:
    row = held_by(plan, judge)
    out = io.StringIO()
    call_command("audit", "verify", stdout=out)
    assert "All sealed rows are genuine" in out.getvalue()
    forge("UPDATE review_helddecision SET verdict = 'reject'")
    with pytest.raises(CommandError, match=f"held decision {row.pk}"):
        call_command("audit", "verify", stdout=io.StringIO())


# --- policies ------------------------------------------------------------------------------------------------


def approved_by_itself(plan: IntentPlan) -> bool:
    tried(plan)
    auto_approval.sweep()
    plan.refresh_from_db()
    return plan.state == PlanState.APPROVED


_POLICY = (
    "INSERT INTO review_reviewpolicy"
    " (name, state, reason, number, replayed, replay, enabled_at, created_at, changed_at)"
    " VALUES ('pass', 'enabled', '', 1, 1, '{}', now(), now(), now()) "
)
_VERSION = (
    "INSERT INTO review_policyversion"
    " (policy_id, number, action, conditions, budget, expires_at, sampling_percent, owner_id, note, at)"
    " SELECT id, %s, 'auto_approve', %s, 9, now() + interval '1 day', 0, %s, '', now() FROM review_reviewpolicy"
)
_DONE = (
    "INSERT INTO agents_shadowrun (intent_plan_id, number, state, reason, base, after, findings, lease_owner,"
    " lease_fence, created_at) VALUES (%s, 1, 'done', '', %s, %s, %s, '', 1, now())"
)
_FINDINGS = json.dumps([{"position": position, "proof": "done", "answer": {}} for position in (1, 2)])
_BOTH_COMMANDS = json.dumps({"commands": ["mkdir", "write"]})


def test_a_policy_that_was_written_into_the_tables_approves_nothing(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    forge(_POLICY)
    forge(_VERSION, 1, _BOTH_COMMANDS, keeper.pk)
    assert not approved_by_itself(propose_plan(owner))


def test_a_policy_whose_newest_version_was_written_into_the_table_approves_nothing(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["ls"])
    forge(_VERSION, 2, _BOTH_COMMANDS, keeper.pk)
    forge("UPDATE review_reviewpolicy SET number = 2, replayed = 2")
    assert not approved_by_itself(propose_plan(owner))


def test_a_policy_that_a_bad_outcome_suspended_is_not_put_back_in_force(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"])
    kept = ReviewPolicy.objects.values("state", "enabled_at").get()
    writing.suspend(policy, by=None, reason="a plan failed")
    forge("UPDATE review_reviewpolicy SET state = %s, enabled_at = %s", kept["state"], kept["enabled_at"])
    assert not approved_by_itself(propose_plan(owner))
    with pytest.raises(CommandError, match="review policy"):
        call_command("audit", "verify", stdout=io.StringIO())


@pytest.mark.parametrize("change", ["state = 'suspended'", "state = 'retired'", "number = 7, replayed = 7"])
def test_a_policy_that_was_put_out_of_force_in_the_table_lets_nothing_pass(
    cases: None, owner: User, propose_plan: Propose, keeper: User, change: str
) -> None:
    """Another policy would approve it by itself: the one that forbids is gone, so a person decides."""
    in_force(Action.AUTO_APPROVE, keeper, "pass", commands=["mkdir", "write"])
    in_force(Action.FORBID, keeper, "no writing", commands=["write"])
    forge(f"UPDATE review_reviewpolicy SET {change} WHERE name = 'no writing'")
    assert not approved_by_itself(propose_plan(owner))


def test_a_policy_that_forbids_goes_on_forbidding_when_its_row_was_changed(
    owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.FORBID, keeper, "no writing", commands=["write"])
    forge("UPDATE review_reviewpolicy SET name = 'another name'")
    with pytest.raises(AssertionError, match="forbidden_by_policy"):
        propose_plan(owner)


def test_a_budget_that_was_written_anew_is_not_spent_twice(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"], budget=1)
    assert approved_by_itself(propose_plan(owner))
    forge("UPDATE review_policyday SET used = 0")
    assert not approved_by_itself(propose_plan(owner))


def test_a_policy_that_nobody_touched_approves(cases: None, owner: User, propose_plan: Propose, keeper: User) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"])
    assert approved_by_itself(propose_plan(owner))


# --- what a policy goes by -----------------------------------------------------------------------------------


def test_a_plan_that_was_written_into_the_table_is_approved_by_no_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    """The next revision of a real plan, as a policy would let it pass: only mindX did not propose it."""
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"])
    real = propose_plan(owner)
    document = dataclasses.replace(documents.read(bytes(real.document)), revision=2)
    data = documents.write(document)
    forge("UPDATE agents_intentplan SET state = 'superseded' WHERE id = %s", real.pk)
    columns = "goal_id, plan_id, workspace_id, reason, position, aborting, replaces, fence, approved_digest"
    columns += ", cancel_requested, left_out, rest, created_at, queued_at"
    made = f"INSERT INTO agents_intentplan ({columns}, state, revision, document, digest)"
    made += f" SELECT {columns}, 'awaiting_review', 2, %s, %s"
    forge(f"{made} FROM agents_intentplan WHERE id = %s", data, documents.digest_of(data), real.pk)
    forged = IntentPlan.objects.get(goal=real.goal, revision=2)
    forge("INSERT INTO review_plannews (intent_plan_id) VALUES (%s)", forged.pk)
    forge(_DONE, forged.pk, forged.workspace.head, forged.workspace.head, _FINDINGS)
    auto_approval.sweep()
    nothing_was_decided(forged)


def test_a_shadow_run_whose_result_was_written_into_the_table_convinces_no_policy(
    cases: None, owner: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"])
    plan = propose_plan(owner)
    forge("DELETE FROM agents_shadowrun")
    forge(_DONE, plan.pk, plan.workspace.head, plan.workspace.head, _FINDINGS)
    auto_approval.sweep()
    nothing_was_decided(plan)


def test_a_goal_that_was_given_to_somebody_else_is_approved_by_no_policy(
    cases: None, owner: User, outsider: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"], submitters=["otto"])
    plan = propose_plan(owner)
    forge("UPDATE agents_goal SET submitted_by_id = %s", outsider.pk)
    assert not approved_by_itself(plan)


# --- typed commands ------------------------------------------------------------------------------------------


def typed_by(operator: User, goal: Goal) -> HandCommand:
    return hand_commands.submit(goal, operator, "ls")


def did_not_run(command: HandCommand) -> None:
    assert typed.claim(command.pk) is None
    command.refresh_from_db()
    assert command.state == HandState.LOST
    assert "not as mindX stored it" in command.reason


def test_a_typed_command_that_was_written_into_the_table_does_not_run(operator: User, typed_goal: Goal) -> None:
    forge(
        "INSERT INTO agents_handcommand (workspace_id, goal_id, by_id, text, command, params, limits, session_before,"
        " snapshot_before, autonomous_once, created_at, state, reason, cancel_requested, lease_owner, lease_fence,"
        " snapshot_after) SELECT workspace_id, id, submitted_by_id, 'ls', 'ls', '{}', '{}', '{}',"
        " (SELECT head FROM agents_workspace), false, now(), 'waiting', '', false, '', 0, '' FROM agents_goal"
    )
    did_not_run(HandCommand.objects.get())


def test_a_typed_command_that_has_begun_does_not_run_again(operator: User, typed_goal: Goal) -> None:
    command = typed_by(operator, typed_goal)
    assert typed.claim(command.pk) is not None
    forge("UPDATE agents_handcommand SET state = 'waiting', lease_until = NULL")
    did_not_run(command)


def test_what_was_typed_cannot_be_changed_in_the_table(operator: User, typed_goal: Goal) -> None:
    typed_by(operator, typed_goal)
    with pytest.raises(DatabaseError), transaction.atomic():
        forge("UPDATE agents_handcommand SET text = 'rm -r .', command = 'rm'")


def test_a_typed_command_that_nobody_touched_runs(operator: User, typed_goal: Goal) -> None:
    assert typed.claim(typed_by(operator, typed_goal).pk) is not None


# --- designs and choices of rules ----------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["approved", "unreviewed"])
def test_a_design_that_was_settled_in_the_table_lets_nothing_be_planned(
    submitter: User, judge: User, state: str
) -> None:
    levels.switch_on("design")
    document = levels.with_design(submitter)
    forge("UPDATE agents_leveldocument SET state = %s, decided_by_id = %s, decided_at = now()", state, judge.pk)
    forge("UPDATE agents_goal SET state = 'pending'")
    goal = levels.worked(document.goal)
    assert (goal.state, goal.reason) == ("manual", "design_not_sealed")
    assert not goal.plans.exists()


def test_a_choice_of_rules_that_was_approved_in_the_table_is_made_again(submitter: User, judge: User) -> None:
    document = levels.asked_choice(submitter)
    forge("UPDATE agents_leveldocument SET state = 'approved', decided_by_id = %s, decided_at = now()", judge.pk)
    forge("UPDATE agents_goal SET state = 'pending'")
    goal = levels.worked(document.goal)
    assert goal.state == "awaiting_review"
    assert not goal.plans.exists()
    assert goal.level_documents.filter(state="awaiting_review").count() == 1


# --- plans, approvals, decisions -----------------------------------------------------------------------------


def nothing_runs(plan: IntentPlan) -> None:
    """A worker that comes for the goal begins nothing."""
    forge("UPDATE agents_goal SET lease_fence = 7, lease_owner = 'a test' WHERE id = %s", plan.goal_id)
    begun = beginning.begin(Lease(plan.goal_id, 7, "a test"))
    assert begun is None
    assert not Attempt.objects.filter(intent__intent_plan=plan, outcome="succeeded").exists()


def test_a_plan_that_was_approved_in_the_table_alone_does_not_run(plan: IntentPlan) -> None:
    forge("UPDATE agents_intentplan SET state = 'approved', approved_digest = digest WHERE id = %s", plan.pk)
    assert not gate.check(IntentPlan.objects.get(pk=plan.pk)).allowed
    nothing_runs(plan)


def test_an_approval_that_was_written_into_the_tables_lets_nothing_run(plan: IntentPlan, judge: User) -> None:
    forge(
        "INSERT INTO review_decision (intent_plan_id, digest, verdict, by_id, via, comment, edits, at, previous_hash,"
        " hash) VALUES (%s, %s, 'approve', %s, 'browser', '', '{}', now(), '', %s)",
        plan.pk,
        plan.digest,
        judge.pk,
        "0" * 64,
    )
    forge(
        "INSERT INTO review_approval (intent_plan_id, decision_id, digest, by_id, envelope, at, mac)"
        " SELECT intent_plan_id, id, digest, by_id, '{\"tries\": 3}', at, %s FROM review_decision",
        "0" * 64,
    )
    forge("UPDATE agents_intentplan SET state = 'approved', approved_digest = digest WHERE id = %s", plan.pk)
    assert "seal" in gate.check(IntentPlan.objects.get(pk=plan.pk)).reason
    nothing_runs(plan)


def test_the_steps_of_a_plan_cannot_be_changed(plan: IntentPlan) -> None:
    for change in ("document = '{}'", "digest = repeat('0', 64)", "goal_id = goal_id + 1"):
        with pytest.raises(DatabaseError), transaction.atomic():
            forge(f"UPDATE agents_intentplan SET {change} WHERE id = %s", plan.pk)


@pytest.mark.parametrize(
    "table",
    sorted(table for table, rights in rights_of_tables().items() if "UPDATE" not in rights),
)
def test_what_is_only_ever_added_to_is_neither_changed_nor_removed(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = %s LIMIT 1", [table])
        column = cursor.fetchone()[0]
    refusals = "permission denied|cannot (update|delete from) view"
    for change in (f'UPDATE {table} SET "{column}" = "{column}"', f"DELETE FROM {table}"):
        with pytest.raises(DatabaseError, match=refusals), transaction.atomic():
            forge(change)


# --- what shapes a plan: it is shown to a person before anything runs ----------------------------------------


def test_a_goal_that_was_written_into_the_table_is_planned_and_waits_for_a_person(
    owner: User, plan: IntentPlan
) -> None:
    forge(
        "INSERT INTO agents_goal (text, submitted_by_id, agent_id, workspace_id, priority, state, reason,"
        " submission_key, created_at, changed_at, lease_owner, lease_fence, lost_workers, lost_at, wishes)"
        " SELECT 'create the folder mine', submitted_by_id, agent_id, workspace_id, 1, 'pending', '', '', now(), now(),"
        " '', 0, 0, '', '[]' FROM agents_goal"
    )
    goal = Goal.objects.exclude(pk=plan.goal_id).get()
    cycle.work(goal.pk)
    cycle.work(goal.pk)
    made = IntentPlan.objects.get(goal=goal)
    assert made.state == "awaiting_review"
    nothing_runs(made)


def test_a_lesson_that_was_written_into_the_table_stands_in_the_plan_that_a_person_reads(
    submitter: User, reviewer: User, plan: IntentPlan, client_of: Callable[[User], Client]
) -> None:
    for name in ("app.txt", "secret.txt"):
        workspaces.put_file(plan.workspace, by=submitter, path=name, source=io.BytesIO(b"x"))
    forge(
        "INSERT INTO agents_lesson (at, note, kind, state, teacher_id, plan_id, step, said, path, tool, command,"
        " parameter) VALUES (now(), '', 'mapping', 'in_force', %s, %s, 1, 'app.txt', 'secret.txt', '', '', '')",
        submitter.pk,
        plan.pk,
    )
    workspace = Workspace.objects.get(pk=plan.workspace_id)
    goal = goals.submit(by=submitter, text="show app.txt", workspace=workspace)
    cycle.work(goal.pk)
    made = IntentPlan.objects.get(goal=goal)
    assert made.state == "awaiting_review"
    assert "secret.txt" in client_of(reviewer).get(made.get_absolute_url()).content.decode()
    nothing_runs(made)


# --- the upgrade ---------------------------------------------------------------------------------------------
