"""The page of a goal: who sees it, what it says, what a person may do, and that foreign text stays text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.goals import goals
from agents.models import Agent, Attempt, Belief, Goal, Intent, IntentPlan, Plan, RecoveryAttempt, Transition, Workspace
from agents.pages.goals import goal_log, goal_page
from agents.record import logs
from agents.record.logs import NewLine
from agents.record.moves import move_goal
from agents.states import GoalState
from agents.workspaces import workspaces
from sandbox.store.snapshots import EMPTY

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

Maker = Callable[..., Goal]
Proposer = Callable[..., IntentPlan]
ClientOf = Callable[["User"], "Client"]

PARTS = ("goal", "goal-plans", "goal-beliefs", "goal-attempts", "goal-session", "goal-files", "goal-decisions")
EVERYTHING = (*PARTS, "goal-cancel", "goal-log", "goal-log-raw", "goal-plan-by-hand")
HOSTILE = "<script>alert('x')</script> \u202eevil {{ 7*7 }}"


def said(client: Client, name: str, *args: object, **query: str) -> str:
    answer = client.get(reverse(name, args=args), query)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def manual(goal: Goal, reason: str = "no_relevant_rule", evidence: dict[str, Any] | None = None) -> Goal:
    """The goal after planning has found no plan."""
    goal = move_goal(goal, GoalState.PLANNING, by="bdi_agent")
    Plan.objects.create(goal=goal, number=1, source="rule", steps=[], evidence=evidence or {}, problems=[reason])
    return move_goal(goal, GoalState.MANUAL, by="bdi_agent", reason=reason)


def run_plan(plan: IntentPlan, *, state: str = "executing") -> list[Intent]:
    """The rows of a plan that is being executed; the executor's own tests are about how it gets there."""
    IntentPlan.objects.filter(pk=plan.pk).update(state=state, approved_digest=plan.digest)
    return list(plan.intents.order_by("position"))


def tried(intent: Intent, number: int, outcome: str, seconds: float = 1.0, **more: Any) -> Attempt:
    started = timezone.now()
    return Attempt.objects.create(
        intent=intent,
        number=number,
        fence=number,
        worker="worker-1",
        started=started,
        finished=started + timedelta(seconds=seconds) if outcome else None,
        outcome=outcome,
        snapshot_before=intent.intent_plan.workspace.head,
        **more,
    )


# --- rights --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EVERYTHING)
def test_an_outsider_finds_no_such_goal(
    name: str, owner: User, outsider: User, make_goal: Maker, client_of: ClientOf
) -> None:
    goal = make_goal(owner)
    assert client_of(outsider).get(reverse(name, args=[goal.pk])).status_code == 404
    assert client_of(outsider).get(reverse(name, args=[goal.pk + 999])).status_code == 404


@pytest.mark.parametrize("name", EVERYTHING)
def test_nobody_sees_a_goal_without_logging_in(name: str, owner: User, make_goal: Maker, client: Client) -> None:
    answer = client.get(reverse(name, args=[make_goal(owner).pk]))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/")


@pytest.mark.parametrize("name", PARTS)
def test_owner_and_reviewer_see_every_part(
    name: str, owner: User, reviewer: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    for person in (owner, reviewer):
        page = said(client_of(person), name, plan.goal_id)
        assert 'id="goal-state"' in page
        assert page.count("<h1") == 1


@pytest.mark.parametrize("name", ["goal-cancel", "goal-again", "goal-plan-by-hand", "goal-terms"])
def test_who_may_only_look_changes_nothing(
    name: str, owner: User, reviewer: User, make_goal: Maker, client_of: ClientOf
) -> None:
    goal = make_goal(owner)
    assert client_of(reviewer).post(reverse(name, args=[goal.pk])).status_code == 403
    goal.refresh_from_db()
    assert goal.state == "pending"
    page = said(client_of(reviewer), "goal", goal.pk)
    assert reverse("goal-cancel", args=[goal.pk]) not in page


def test_a_number_no_database_holds_is_not_found(owner: User, client_of: ClientOf) -> None:
    assert client_of(owner).get(f"/goals/{10**30}/").status_code == 404


# --- what it says --------------------------------------------------------------------------------------------------
def test_foreign_text_stays_text_wherever_it_is_shown(
    owner: User, make_goal: Maker, propose_plan: Proposer, client_of: ClientOf
) -> None:
    goal = make_goal(owner, HOSTILE)
    steps = [{"tool": "simple_coder", "command": "write", "params": {"path": "a.txt", "content": HOSTILE}}]
    plan = propose_plan(goal, steps)
    intent = run_plan(plan)[0]
    attempt = tried(intent, 1, "failed", failure_class="TOOL_EXECUTION_ERROR", reason=HOSTILE)
    RecoveryAttempt.objects.create(
        attempt=attempt, failure_class="TOOL_EXECUTION_ERROR", strategy="retry_with_delay", why=HOSTILE
    )
    Belief.objects.create(goal=goal, sentence=HOSTILE, source="person", by=owner, at=timezone.now())
    logs.write(goal.pk, [NewLine("stdout", "execute", HOSTILE)])
    client = client_of(owner)
    for name in PARTS:
        page = said(client, name, goal.pk)
        assert "<script>alert" not in page
        assert "\u202e" not in page
        assert "U+202E" in page
        assert "{{ 7*7 }}" in page


def test_every_try_and_every_recovery_is_on_the_timeline(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    first, second = run_plan(plan)[:2]
    Intent.objects.filter(pk=first.pk).update(state="succeeded")
    Intent.objects.filter(pk=second.pk).update(state="running")
    tried(first, 1, "succeeded", 0.04)
    failed = tried(second, 1, "failed", 6.2, failure_class="RATE_LIMIT_ERROR", reason="the index answered 429")
    RecoveryAttempt.objects.create(
        attempt=failed, failure_class="RATE_LIMIT_ERROR", strategy="retry_with_delay", why="it is only busy", delay_s=5
    )
    tried(second, 2, "")
    Goal.objects.filter(pk=plan.goal_id).update(state="executing")
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "failed after 6.2 s" in page
    assert "rate limit error: the index answered 429" in page
    assert "retry with delay, 5 s" in page
    assert "<strong>Try 2</strong>" in page
    assert "executing, try 2 of step 2" in page
    table = said(client_of(owner), "goal-attempts", plan.goal_id)
    assert table.count('<span title="RATE_LIMIT_ERROR">rate limit error</span>') == 1
    assert "the index answered 429" in table


def test_a_manual_goal_says_why_and_offers_the_plan_by_hand(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    rejected = [{"rule": {"name": "start a project"}, "code": "not_applicable", "why": "there is a folder named api"}]
    goal = manual(make_goal(owner), "no_applicable_rule", {"rejected": rejected})
    page = said(client_of(owner), "goal", goal.pk)
    assert "matches this goal, but there is a folder named api. Write the plan by hand." in page
    assert "start a project" in page
    assert "there is a folder named api" in page
    assert reverse("goal-plan-by-hand", args=[goal.pk]) in page


def test_an_approved_goal_says_whose_files_it_waits_for_and_that_one_how_many_wait(
    owner: User, outsider: User, reviewer: User, make_goal: Maker, propose_plan: Proposer, client_of: ClientOf
) -> None:
    workspace = Workspace.objects.create(name="shared", owner=owner, head=EMPTY)
    holder, waiting = (
        propose_plan(make_goal(owner, text, workspace=workspace)) for text in ("Holds the files", "Waits for them")
    )
    run_plan(waiting, state="approved")
    client = client_of(owner)
    assert "is using the files of its workspace" not in said(client, "goal", waiting.goal_id)
    run_plan(holder)
    Goal.objects.filter(pk=holder.goal_id).update(state="executing")
    address = holder.goal.get_absolute_url()
    before = goal_page.signature(waiting.goal_id)
    page = said(client, "goal", waiting.goal_id)
    assert f"goal {holder.goal_id} is using the files of its workspace and is running." in page
    assert "It starts automatically when that one has ended." in page
    assert f'href="{address}">Goal {holder.goal_id}</a> has been like this since <time' in page
    assert "waiting for its files" not in said(client, "goal", holder.goal_id)

    Goal.objects.filter(pk=holder.goal_id).update(state="manual", reason="needs_a_hand: step 1 failed")
    assert goal_page.signature(waiting.goal_id) != before
    assert "and needs a person." in said(client, "goal", waiting.goal_id)
    assert "1 approved goal is waiting for its files until then." in said(client, "goal", holder.goal_id)

    # Whoever may not see the goal learns that there is one, and nothing of it.
    Goal.objects.filter(pk=holder.goal_id).update(submitted_by=outsider)
    page = said(client, "goal", waiting.goal_id)
    assert "another goal is using the files of its workspace and needs a person." in page
    assert "It has been like this since <time" in page
    assert address not in page
    assert f"oal {holder.goal_id}" not in page
    assert address in said(client_of(reviewer), "goal", waiting.goal_id)


def test_a_failed_goal_says_what_to_do(owner: User, propose_plan: Proposer, client_of: ClientOf) -> None:
    plan = propose_plan(owner)
    intent = run_plan(plan, state="failed")[0]
    tried(intent, 1, "failed", failure_class="PERMISSION_ERROR", reason="rm needs autonomous mode")
    Goal.objects.filter(pk=plan.goal_id).update(state="failed", reason="step 1 failed", ended_at=timezone.now())
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "Failed: step 1 failed." in page
    assert "Deleting needs autonomous mode" in page
    assert reverse("goal-again", args=[plan.goal_id]) in page


def test_a_blocked_goal_names_what_it_waits_for(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    first = make_goal(owner, "First")
    second = make_goal(owner, "Second", depends_on=[first])
    page = said(client_of(owner), "goal", second.pk)
    assert "Waiting for 1 other goal." in page
    assert f'href="/goals/{first.pk}/"' in page


def test_changed_bytes_are_said_aloud_and_nothing_breaks(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    from django.db import connection

    plan = propose_plan(owner)
    with connection.cursor() as cursor:  # as somebody with the keys of the database would
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE agents_intentplan DISABLE TRIGGER USER")
        cursor.execute("UPDATE agents_intentplan SET document = %s WHERE id = %s", [b"{not a document", plan.pk])
        cursor.execute("ALTER TABLE agents_intentplan ENABLE TRIGGER USER")
    for name in PARTS:
        assert "its bytes were changed" in said(client_of(owner), name, plan.goal_id)


def test_a_very_long_goal_is_shown_whole_but_not_as_a_title(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner, "word " * 700 + "END")
    page = said(client_of(owner), "goal", goal.pk)
    assert "END" not in page.split("<h1>")[1].split("</h1>")[0]
    assert "END" in page
    assert "main-fill" not in page


def test_a_plan_by_hand_that_worked_offers_to_become_a_rule(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    link = f"/rules/new?from_goal={plan.goal_id}"
    assert link not in said(client_of(owner), "goal", plan.goal_id).replace("/new/?", "/new?")
    run_plan(plan, state="complete")
    Goal.objects.filter(pk=plan.goal_id).update(state="achieved", outcome="achieved", ended_at=timezone.now())
    page = said(client_of(owner), "goal", plan.goal_id)
    assert link in page.replace("/new/?", "/new?")
    assert "Achieved." in page


def came_to(plan: IntentPlan, outcome: str, reason: str = "", results: list[dict[str, Any]] | None = None) -> None:
    """The goal of a plan that has run, as the executor leaves it."""
    run_plan(plan, state="complete")
    IntentPlan.objects.filter(pk=plan.pk).update(check_results=results)
    Goal.objects.filter(pk=plan.goal_id).update(
        state="achieved", outcome=outcome, reason=reason, ended_at=timezone.now()
    )
    Transition.objects.create(goal_id=plan.goal_id, old="executing", new="achieved", reason=reason, by="a worker")


def result(kind: str, holds: bool | None, said: str = "", **about: Any) -> dict[str, Any]:
    return {"kind": kind, "path": "", "steps": [], "word": "", "holds": holds, "said": said, **about}


@pytest.mark.parametrize(
    ("outcome", "results", "words", "tone"),
    [
        ("achieved", [result("exists", True, path="a.txt")], "Achieved", "nt-good"),
        ("nothing_changed", [result("changed", False, word="fix")], "Ran, but nothing changed", "nt-person"),
        ("check_failed", [result("gone", False, path="a.txt")], "Ran, but a check failed", "nt-person"),
        ("check_failed", [result("tests_pass", False, "no test ran", steps=[1])], "Ran, but no test ran", "nt-person"),
        ("not_checked", [result("unknown", None, steps=[1])], "Ran, not checked", ""),
        # From before there were checks.
        ("", None, "Ran, not checked", ""),
    ],
)
def test_what_came_of_a_goal_is_said_in_words_and_only_what_was_checked_is_green(
    owner: User,
    propose_plan: Proposer,
    client_of: ClientOf,
    outcome: str,
    results: list[dict[str, Any]] | None,
    words: str,
    tone: str,
) -> None:
    plan = propose_plan(owner)
    came_to(plan, outcome, results=results)
    page = said(client_of(owner), "goal", plan.goal_id)
    assert f"<span>{words}. " in page
    assert f"{words.lower()}</span>" in page, "the badge"
    assert f"{words}</" in page, "the timeline"
    notice = re.search(rf'<div class="notice ?([a-z-]*)">[^\n]*\n\s*<span>{words}\.', page)
    assert notice is not None
    assert notice[1] == tone
    assert ('data-s="achieved"' in page) == (outcome == "achieved")
    assert (">Checks</h2>" in page) == (results is not None)


def test_an_ended_goal_shows_its_result_first(
    owner: User, make_goal: Maker, propose_plan: Proposer, client_of: ClientOf
) -> None:
    goal = make_goal(owner)
    for path in ("kept.txt", "old.txt"):
        workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(b"1"))
    goal.workspace.refresh_from_db()
    plan = propose_plan(goal, [{"tool": "simple_coder", "command": "run", "params": {"command_line": "python a.py"}}])
    before = goal.workspace.head
    workspaces.put_file(goal.workspace, by=owner, path="kept.txt", source=io.BytesIO(b"2"))
    workspaces.put_file(goal.workspace, by=owner, path="docs/<b>new.txt", source=io.BytesIO(b"3"))
    after = Workspace.objects.get(pk=goal.workspace_id).head
    (step,) = run_plan(plan)
    printed = "".join(f"line {n}\n" for n in range(30)) + HOSTILE
    attempt = tried(step, 1, "succeeded", result={"return_code": 0, "stdout": printed}, snapshot_after=after)
    Attempt.objects.filter(pk=attempt.pk).update(snapshot_before=before)
    assert 'id="result-title"' not in said(client_of(owner), "goal", goal.pk), "it has not ended"
    came_to(plan, "achieved")
    page = said(client_of(owner), "goal", goal.pk)
    shown = page[page.index('id="result-title"') : page.index('id="goal-tabs"')]
    assert "Step 1: run python a.py" in shown
    assert '<strong class="small nowrap is-good">exit code 0</strong>' in shown
    assert "line 29\n" in shown
    assert "line 22" not in shown
    assert "<script>" not in shown
    files = re.findall(r"<li><span class=\"is-[a-z]+\">(\w+)</span> <a[^>]*>([^<]*)</a>", shown)
    assert files == [("changed", "kept.txt"), ("new", "docs/&lt;b&gt;new.txt")]
    assert 'id="result-title"' not in said(client_of(owner), "goal-plans", goal.pk)


def test_the_result_of_a_failed_goal_is_the_step_that_failed_it(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    line = {"tool": "simple_coder", "command": "run", "params": {"command_line": "python a.py"}}
    plan = propose_plan(owner, [line, line])
    first, second = run_plan(plan)
    tried(first, 1, "failed", result={"return_code": 3, "stderr": "it broke"})
    tried(second, 1, "cancelled")
    Goal.objects.filter(pk=plan.goal_id).update(state="failed", reason="it broke", ended_at=timezone.now())
    page = said(client_of(owner), "goal", plan.goal_id)
    assert '<strong class="small nowrap is-bad">exit code 3</strong>' in page
    assert "it broke" in page[page.index('class="result-out"') :]


def test_each_check_stands_there_with_its_result_and_foreign_names_stay_text(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    results = [
        result("exists", True, path=HOSTILE),
        result("parses", False, "line 3: invalid syntax", path="a.py"),
        result("unknown", None, steps=[2]),
        {"kind": "of a later version"},
    ]
    came_to(plan, "check_failed", f"{HOSTILE} is not there", results)
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "does not hold: </span>a.py cannot be read as Python: line 3: invalid syntax" in page
    assert "not known: </span>No check is defined for step 2" in page


def test_what_was_handed_over_links_to_where_it_goes_on(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    came_to(plan, "handed_over", "goal 40 has a design of 3 parts; people are asked: item 7 of the backlog <b>")
    page = said(client_of(owner), "goal", plan.goal_id)
    assert '<a class="link" href="/goals/40/">Goal 40</a> has a design' in page
    assert f'<a class="link" href="{reverse("mastermind-item", args=[7])}">item 7 of the backlog</a> &lt;b&gt;' in page


def test_where_no_file_changed_no_files_are_pointed_to(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    came_to(plan, "handed_over", "people are asked")
    tried(plan.intents.get(position=1), 1, "succeeded", snapshot_after=plan.workspace.head)
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "No file changed." in page
    assert "The files are in" not in page


def test_a_goal_that_was_missed_offers_no_rule_of_its_plan(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    came_to(plan, "not_checked")
    assert "saved as a rule" in said(client_of(owner), "goal", plan.goal_id)
    Goal.objects.filter(pk=plan.goal_id).update(outcome="nothing_changed")
    assert "saved as a rule" not in said(client_of(owner), "goal", plan.goal_id)


def test_an_achieved_goal_says_which_steps_were_skipped_and_offers_no_rule_of_one_that_failed(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    run_plan(plan, state="complete")
    Goal.objects.filter(pk=plan.goal_id).update(state="achieved", outcome="achieved", ended_at=timezone.now())
    step = plan.intents.get(position=2)
    step.attempts.all().delete()
    plan.intents.filter(pk=step.pk).update(state="skipped")
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "Achieved, without step 2, which was skipped." in page
    assert "saved as a rule" in page, "its condition did not hold, which a rule may say"
    step.attempts.create(number=1, fence=1, worker="w", started=timezone.now())
    assert "saved as a rule" not in said(client_of(owner), "goal", plan.goal_id)
    plan.intents.filter(pk=step.pk).update(state="succeeded", result={"status": "SUCCESS", "by_hand": "olga"})
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "Achieved, with step 2 done by hand." in page
    assert "saved as a rule" not in page, "the step that stands in the plan has failed"


def test_a_plan_that_is_asked_about_again_says_why_at_the_top(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    why = "step 1 (simple_coder.read) failed: nothing.txt: there is no such file; step 1 is left out"
    plans = type(plan.plan).objects.filter(pk=plan.plan_id)
    plans.update(evidence={"delta": {"why": why, "kind": "recovery"}})
    page = said(client_of(owner), "goal", plan.goal_id)
    assert f"Needs approval again: {why}. The rest of the plan is waiting for review." in page
    plans.update(evidence={"delta": {"why": "f5.txt changed since it was tried", "kind": "files"}})
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "Needs approval again: f5.txt changed since it was tried. The plan is waiting for review." in page


def test_a_plan_that_was_approved_is_nobodys_turn_also_while_its_agent_is_paused(
    owner: User, reviewer: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    from review.deciding import decisions

    plan = propose_plan(owner)
    assert "waiting for a person" in said(client_of(owner), "goal", plan.goal_id)
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    Agent.objects.update(paused=True)
    page = said(client_of(owner), "goal", plan.goal_id)
    assert "waiting for a person" not in page
    assert "approved, paused" in page
    assert "is paused. No further step of this goal starts" in page
    asks = said(client_of(owner), "goal-cancel", plan.goal_id)
    assert ("Nothing of the approved plan runs." in asks, "leaves the review queue" in asks) == (True, False)


# --- what a person may do --------------------------------------------------------------------------------------------
def test_cancelling_asks_first_and_then_drops_the_goal(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    client = client_of(owner)
    address = reverse("goal-cancel", args=[goal.pk])
    assert "Cancel goal" in said(client, "goal-cancel", goal.pk)
    goal.refresh_from_db()
    assert goal.state == "pending"
    assert client.post(address).status_code == 302
    goal.refresh_from_db()
    assert (goal.state, goal.reason) == ("dropped", "cancelled_by_person")
    assert "has ended already" in client.post(address, follow=True).content.decode()


def test_cancelling_speaks_of_a_running_step_only_while_one_runs(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    first = run_plan(plan)[0]
    tried(first, 1, "failed")
    Goal.objects.filter(pk=plan.goal_id).update(state="recovering")
    Intent.objects.filter(pk=first.pk).update(state="failed")
    waits = said(client_of(owner), "goal-cancel", plan.goal_id)
    assert "The running step is stopped" not in waits
    assert "No further step runs, and no clean-up." in waits
    Intent.objects.filter(pk=first.pk).update(state="running")
    assert "The running step is stopped" in said(client_of(owner), "goal-cancel", plan.goal_id)


def test_submitting_again_makes_one_new_goal_for_a_doubled_click(
    owner: User, make_goal: Maker, client_of: ClientOf
) -> None:
    goal = goals.cancel(make_goal(owner, "Write it"), by=owner)
    address = reverse("goal-again", args=[goal.pk])
    client = client_of(owner)
    answers = {client.post(address, {"key": "7"})["Location"] for _ in range(2)}
    assert len(answers) == 1
    fresh = Goal.objects.latest("pk")
    assert (fresh.text, fresh.workspace_id, fresh.state) == ("Write it", goal.workspace_id, "pending")
    assert Goal.objects.count() == 2


def test_a_goal_that_goes_on_is_not_submitted_again(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    client_of(owner).post(reverse("goal-again", args=[goal.pk]))
    assert Goal.objects.count() == 1


def asked_about(plan: IntentPlan) -> Intent:
    """The first step of a plan that ran: nobody knows what became of it."""
    intent = run_plan(plan)[0]
    Intent.objects.filter(pk=intent.pk).update(state="outcome_unknown")
    Goal.objects.filter(pk=plan.goal_id).update(state="manual", reason="outcome_unknown")
    return intent


def test_a_person_says_what_became_of_a_step(owner: User, propose_plan: Proposer, client_of: ClientOf) -> None:
    plan = propose_plan(owner)
    intent = asked_about(plan)
    client = client_of(owner)
    page = said(client, "goal", plan.goal_id)
    assert "Did it take effect?" in page
    spec = documents.read(bytes(plan.document)).at(intent.position)
    for known in (spec.sentence, *map(str, spec.params.values())):
        assert known in page.split('id="unknown-1"')[1].split("</form>")[0], "what one must know to say so"
    address = reverse("goal-outcome", args=[plan.goal_id, intent.pk])
    client.post(address, {"outcome": "nonsense"})
    intent.refresh_from_db()
    assert intent.state == "outcome_unknown"
    client.post(address, {"outcome": "succeeded"})
    intent.refresh_from_db()
    assert intent.state == "succeeded"


def test_no_other_plan_is_taken_before_it_is_said_what_became_of_a_step(
    owner: User, propose_plan: Proposer, client_of: ClientOf, api_of: Any
) -> None:
    plan = propose_plan(owner)
    asked_about(plan)
    client, address = client_of(owner), reverse("goal-plan-by-hand", args=[plan.goal_id])
    assert f'"{address}"' not in said(client, "goal", plan.goal_id)
    answer = client.post(address, {"action": "propose", "steps": "create the folder other"}, follow=True)
    assert "say first whether its step took effect" in answer.content.decode()
    steps = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "other"}}]
    refused = api_of(owner).post(f"goals/{plan.goal_id}/plan", {"steps": steps})
    assert (refused.status_code, "whether step 1 took effect" in refused.json()["detail"]) == (409, True)
    assert plan.goal.intent_plans.count() == 1


def test_who_may_only_look_is_asked_nothing_and_answers_nothing(
    owner: User, reviewer: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    intent = asked_about(plan)
    page = said(client_of(reviewer), "goal", plan.goal_id)
    assert "Did it take effect?" in page
    assert 'name="outcome"' not in page
    address = reverse("goal-outcome", args=[plan.goal_id, intent.pk])
    assert client_of(reviewer).post(address, {"outcome": "succeeded"}).status_code == 403
    intent.refresh_from_db()
    assert intent.state == "outcome_unknown"


def test_nobody_is_asked_about_a_step_of_a_goal_that_was_cancelled(
    owner: User, propose_plan: Proposer, client_of: ClientOf
) -> None:
    plan = propose_plan(owner)
    intent = asked_about(plan)
    goals.cancel(Goal.objects.get(pk=plan.goal_id), by=owner)
    client = client_of(owner)
    assert "Did it take effect?" not in said(client, "goal", plan.goal_id)
    address = reverse("goal-outcome", args=[plan.goal_id, intent.pk])
    answer = client.post(address, {"outcome": "succeeded"}, follow=True)
    assert "no answer is needed" in answer.content.decode()
    assert Goal.objects.get(pk=plan.goal_id).state == "dropped"
    intent.refresh_from_db()
    assert intent.state == "outcome_unknown"


def test_an_intent_of_another_goal_cannot_be_answered_here(
    owner: User, outsider: User, propose_plan: Proposer, make_goal: Maker, client_of: ClientOf
) -> None:
    intent = run_plan(propose_plan(owner))[0]
    Intent.objects.filter(pk=intent.pk).update(state="outcome_unknown")
    mine = make_goal(outsider)
    answer = client_of(outsider).post(reverse("goal-outcome", args=[mine.pk, intent.pk]), {"outcome": "succeeded"})
    assert answer.status_code == 404
    intent.refresh_from_db()
    assert intent.state == "outcome_unknown"


# --- the log without a socket ------------------------------------------------------------------------------------
def fill(goal: Goal, count: int, source: str = "stdout") -> int:
    return logs.write(goal.pk, [NewLine(source, "execute", f"line {n}") for n in range(count)])


def shown(html: str) -> list[int]:
    return [int(part.split('"', 1)[0]) for part in html.split('data-n="')[1:]]


def test_the_page_shows_the_tail_and_walks_up_by_number(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    last = fill(goal, 500)
    client = client_of(owner)
    tail = said(client, "goal", goal.pk)
    assert shown(tail) == list(range(last - 199, last + 1))
    assert f"?before={last - 199}" in tail
    older = said(client, "goal", goal.pk, before=str(last - 199))
    assert shown(older) == list(range(last - 399, last - 199))
    first = said(client, "goal", goal.pk, before="50")
    assert shown(first) == list(range(1, 50))
    assert "Older lines" not in first


def test_polling_gets_exactly_what_follows_in_batches(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    seen = fill(goal, 10)
    last = fill(goal, 450)
    client = client_of(owner)
    numbers: list[int] = []
    after = seen
    while after < last:
        answer = client.get(reverse("goal-log", args=[goal.pk]), {"after": after}).json()
        assert answer["after"] == after
        numbers += shown(answer["lines"])
        after = answer["last"]
    assert numbers == list(range(seen + 1, last + 1))
    nothing = client.get(reverse("goal-log", args=[goal.pk]), {"after": last}).json()
    assert (nothing["lines"].strip(), nothing["last"]) == ("", last)
    assert "goal-timeline" in nothing["fragments"]


def test_one_source_can_be_read_alone(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    fill(goal, 5, "stdout")
    wanted = fill(goal, 1, "stderr")
    page = said(client_of(owner), "goal", goal.pk, source="stderr")
    assert shown(page) == [wanted]
    assert '<option value="stderr" selected>' in page
    assert 'value="bdi_agent"' in page


def test_the_raw_log_is_a_file_and_exactly_what_was_written(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    logs.write(goal.pk, [NewLine("stdout", "execute", "\x1b[31mred <b>")])
    answer = client_of(owner).get(reverse("goal-log-raw", args=[goal.pk]))
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert "\x1b[31mred <b>\n" in text
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_megabyte_in_one_line_is_bounded_on_the_page_and_whole_in_the_file(
    owner: User, make_goal: Maker, client_of: ClientOf
) -> None:
    goal = make_goal(owner)
    number = logs.write(goal.pk, [NewLine("stdout", "execute", "x" * 1_000_000)])
    client = client_of(owner)
    page = said(client, "goal", goal.pk)
    assert len(page) < 100_000
    address = reverse("goal-log-line", args=[goal.pk, number])
    assert address in page
    assert len(client.get(address).content) > 60_000


def test_what_a_line_stands_on_opens_under_it_and_is_whole_in_its_file(
    owner: User, make_goal: Maker, client_of: ClientOf
) -> None:
    goal = make_goal(owner)
    fill(goal, 1)
    data = {"original": HOSTILE, "value": "docs/read<me>.md", "span": [4, 17], "note": "n" * 5000}
    number = logs.write(goal.pk, [NewLine("bdi_agent", "resolve", "step 1, path: corrected", data=data)])
    logs.write(goal.pk, [NewLine("model", "plan", "so it answers", data={"answer": True})])
    client = client_of(owner)
    page = said(client, "goal", goal.pk)
    assert page.count('<details class="line-data">') == 1
    fold = page.split('<details class="line-data">')[1].split("</details>")[0]
    assert "<dt>value</dt><dd><code>docs/read&lt;me&gt;.md</code></dd>" in fold
    assert "<dt>span</dt><dd><code>[4, 17]</code></dd>" in fold
    assert "<script>" not in fold
    assert "U+202E" in fold
    assert len(fold) < 3000
    address = reverse("goal-log-line", args=[goal.pk, number])
    assert address in fold
    assert "n" * 5000 in client.get(address).content.decode()


def test_ten_thousand_lines_stay_a_small_page(
    owner: User, make_goal: Maker, client_of: ClientOf, django_assert_max_num_queries: Any
) -> None:
    goal = make_goal(owner)
    fill(goal, 10_000)
    client = client_of(owner)
    with django_assert_max_num_queries(17):
        page = said(client, "goal", goal.pk)
    assert len(shown(page)) == 200
    assert len(page) < 200_000


def test_a_line_an_error_and_a_text_are_found_by_number(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    fill(goal, 700)
    error = logs.write(goal.pk, [NewLine("worker", "execute", "it broke: 100% of <b>it</b>", "error")])
    last = fill(goal, 700)
    client = client_of(owner)
    page = said(client, "goal", goal.pk, line="400")
    assert shown(page) == list(range(380, 580))
    assert "?line=580" in page
    assert 'data-n="400" data-wanted' in page
    assert shown(said(client, "goal", goal.pk, line="1"))[0] == 1
    assert shown(said(client, "goal", goal.pk, line=str(last + 50)))[-1] == last
    assert f'data-n="{error}" data-l="error" data-wanted' in said(client, "goal", goal.pk, error="first")
    found = said(client, "goal", goal.pk, find="BROKE: 100% of <b>")
    assert f"found in line {error}." in found
    assert "<b>it</b>" not in found
    assert f"line={error + 1}" in found
    nothing = said(client, "goal", goal.pk, find="broke", line=str(error + 1))
    assert "is in no line from here to the end" in nothing
    assert f"found in line {error}." in said(client, "goal", goal.pk, find="%")


def test_a_search_looks_at_so_many_lines_and_says_where_it_stopped(
    owner: User, make_goal: Maker, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_log, "FIND_LINES", 50)
    goal = make_goal(owner)
    last = fill(goal, 60)
    wanted = logs.write(goal.pk, [NewLine("stdout", "execute", "the needle")])
    client = client_of(owner)
    page = said(client, "goal", goal.pk, find="needle")
    assert f"is not in the lines up to 50 of {wanted}" in page
    assert "line=51" in page
    assert f"found in line {wanted}." in said(client, "goal", goal.pk, find="needle", line=str(last))


def test_scrolling_asks_for_lines_alone(owner: User, make_goal: Maker, client_of: ClientOf) -> None:
    goal = make_goal(owner)
    last = fill(goal, 10)
    answer = client_of(owner).get(f"{reverse('goal-log', args=[goal.pk])}?after={last - 5}&still=").json()
    assert shown(answer["lines"]) == list(range(last - 4, last + 1))
    assert "fragments" not in answer


def test_nobody_searches_the_log_of_a_goal_that_is_not_theirs(
    owner: User, outsider: User, make_goal: Maker, client_of: ClientOf
) -> None:
    goal = make_goal(owner)
    fill(goal, 3)
    for query in ("find=line", "line=1", "error=first"):
        assert client_of(outsider).get(f"{reverse('goal', args=[goal.pk])}?{query}").status_code == 404


def test_the_raw_log_comes_in_pieces_and_ends_where_it_ended_when_it_was_asked_for(
    owner: User, make_goal: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goal_log, "RAW_BATCH", 4)
    goal = make_goal(owner)
    last = fill(goal, 10)
    pieces = iter(goal_log.raw(goal))
    first = next(pieces)
    fill(goal, 5, "later")
    rest = list(pieces)
    assert first.count("\n") == 4
    assert all(piece.count("\n") <= 4 for piece in rest)
    numbers = [int(line.split("\t")[0]) for line in "".join([first, *rest]).splitlines()]
    assert numbers == list(range(1, last + 1))
