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


SEND = replace(
    step("post", url="https://example.org/x", json="{}"), tool="http_request", effect="once", hosts=("example.org",)
)
WIPE = step("run", command_line="python wipe.py")
MOVE_OVER = step("mv", path="b.txt", to="a.txt", overwrite=True)


def test_what_the_dry_run_did_not_get_to_is_told_by_the_steps(submitter: User) -> None:
    over = step("write", path="b.txt", content="other")
    plan = proposed(holding_files(submitter, "a.txt", "b.txt"), [RUN, ON, step("rm", path="a.txt"), over])
    run = ran(plan, plan.workspace.head)
    proofs = ["failed", "not_reached", "not_reached", "not_reached"]
    run.findings = [{**one, "proof": proof} for one, proof in zip(run.findings, proofs, strict=True)]
    run.save()
    risks.store(plan, run)
    assert told(plan).startswith("Deletes a.txt, which also exists elsewhere")
    assert "overwrites b.txt" in told(plan)
    assert QueueEntry.objects.get(pk=plan.pk).danger == Danger.DELETES


@pytest.mark.parametrize(
    ("cleanup", "sentence", "kind"),
    [
        ([WRITE_OVER], "Overwrites a.txt after a failure; writes new.txt", Danger.OVERWRITES),
        ([SEND], "Sends to example.org, which mindX cannot take back after a failure", Danger.REACHES_OUT),
        (
            [FETCH, RUN_IT],
            "Runs python tool.py after a failure, after files came from example.org",
            Danger.RUNS_FOREIGN,
        ),
        ([ON, WIPE], "Runs python wipe.py after a failure; writes new.txt", Danger.CHANGES),
    ],
    ids=["overwrites", "sends", "runs what came", "runs"],
)
def test_what_the_clean_up_does_is_told(cleanup: Any, sentence: str, kind: Danger, submitter: User) -> None:
    goal = holding_files(submitter, "a.txt")
    plan = proposed(goal, [step("write", path="new.txt", content="x")], cleanup=cleanup)
    run = ran(plan, state_of(submitter, **{"a.txt": "a.txt", "new.txt": "x"}))
    assert told(plan).startswith(sentence)
    assert QueueEntry.objects.get(pk=plan.pk).danger == kind
    says = dangers.for_people(plan, documents.read(bytes(plan.document)), run)
    assert bool(says) == (kind <= Danger.RUNS_FOREIGN), "no policy approves it"


@pytest.mark.parametrize(
    ("other", "sentence", "kind"),
    [
        (MOVE_OVER, "May overwrite a.txt if step 1 fails", Danger.OVERWRITES),
        (WRITE_OVER, "May overwrite a.txt if step 1 fails", Danger.OVERWRITES),
        (WIPE, "May run python wipe.py if step 1 fails", Danger.CHANGES),
    ],
    ids=["moves over", "writes over", "runs"],
)
def test_what_a_declared_alternative_does_is_told(other: Any, sentence: str, kind: Danger, submitter: User) -> None:
    first = step("mkdir", path="k")
    plan = proposed(
        holding_files(submitter, "a.txt", "b.txt"), [replace(first, alternatives=(replace(other, position=1),))]
    )
    ran(plan, plan.workspace.head)
    assert told(plan).startswith(sentence)
    assert QueueEntry.objects.get(pk=plan.pk).danger == kind


@pytest.mark.parametrize("is_on", [True, False])
def test_a_program_in_autonomous_mode_may_remove_files_whatever_its_dry_run_showed(
    is_on: bool, submitter: User
) -> None:
    plan = proposed(
        holding_files(submitter, "a.txt"), [ON, RUN] if is_on else [ON, step("toggle_autonomous_mode", on=False), RUN]
    )
    ran(plan, plan.workspace.head)
    assert told(plan) == ("Runs python job.py, which may remove files" if is_on else "Runs python job.py")


def test_nothing_grave_is_cut_from_the_sentence(submitter: User) -> None:
    gone = [step("rm", path=name) for name in ("a.txt", "b.txt", "c.txt")]
    plan = proposed(
        holding_files(submitter, "a.txt", "b.txt", "c.txt", "d.txt"), [SEND, FETCH], cleanup=[WRITE_OVER, *gone]
    )
    ran(plan, plan.workspace.head)
    assert "deletes a.txt, b.txt and c.txt after a failure" in told(plan).replace("Deletes", "deletes")
    assert "overwrites a.txt after a failure" in told(plan)
    assert "sends to example.org" in told(plan)
    assert "fetches from example.org" in told(plan)


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ("z", "Overwrites a.txt"),
        ("one\ntwo\nthree\nfour\n", "Changes a.txt"),
        ("four\nfive\n", "Overwrites a.txt"),
    ],
    ids=["nothing left", "a line more", "all lines new"],
)
def test_a_text_of_which_nothing_remains_is_overwritten(left: str, words: str, submitter: User) -> None:
    goal = goal_of(submitter)
    workspaces.put_file(goal.workspace, by=submitter, path="a.txt", source=io.BytesIO(b"one\ntwo\nthree\n"))
    plan = proposed(Goal.objects.get(pk=goal.pk), [RUN])
    ran(plan, state_of(submitter, **{"a.txt": left}))
    assert told(plan).startswith(words)


def test_the_familiar_met_the_same_in_what_its_programs_read(submitter: User) -> None:
    """The program is the same in all three; what it imports is not."""
    met = []
    for helper in ("x = 1", "x = 1", "import shutil"):
        goal = goal_of(submitter)
        for path, content in (("job.py", "import helper"), ("helper.py", helper)):
            workspaces.put_file(goal.workspace, by=submitter, path=path, source=io.BytesIO(content.encode()))
        plan = proposed(Goal.objects.get(pk=goal.pk), [RUN])
        run = ran(plan, plan.workspace.head)
        run.findings = [{**one, "reads": ["job.py", "helper.py"]} for one in run.findings]
        run.save()
        met.append(dangers.met(plan, documents.read(bytes(plan.document))))
    assert met[0] == met[1] != met[2]


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
