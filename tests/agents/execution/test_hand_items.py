"""The queue of hands: a real person is told, can act, and the run goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.bdi.recovery.strategies import MANUAL
from agents.cycle import cycle
from agents.hands import hand_items
from agents.models import Attempt, FailureRecord, Goal, HandItem, IntentPlan, RecoveryPolicy
from agents.record.errors import NotPossibleNow, NotYours
from agents.recovery import recovery_learning
from agents.states import GoalState, IntentState, PlanState
from people.models import User
from review.deciding import decisions
from review.errors import DecisionRefused
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
FAILS = run("python -c 'raise SystemExit(3)'")
FAILS_AS_SAID = f'run "{FAILS["params"]["command_line"]}"'
STEPS = [write("a.txt"), FAILS, write("c.txt")]


@pytest.fixture(autouse=True)
def _manual(operator: User, transactional_db: None) -> None:
    """Whatever fails as a program is a person's."""
    RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned=str(MANUAL), by=operator)


@pytest.fixture
def item(approved: Approved) -> HandItem:
    """The second of three steps has failed and waits for a hand."""
    plan = approved(STEPS, cleanup=[write("cleaned.txt")])
    cycle.work(plan.goal_id)
    return HandItem.objects.get()


def goal_of(item: HandItem) -> Goal:
    return Goal.objects.get(pk=item.goal_id)


def states(item: HandItem) -> list[str]:
    assert item.intent_plan is not None
    return list(item.intent_plan.intents.order_by("position").values_list("state", flat=True))


def test_manual_mode_is_a_real_persons_queue_and_no_goal_the_agent_plans_itself(
    item: HandItem, owner: User, outsider: User, client_of: Callable[[User], Client]
) -> None:
    """TRAPS: manual mode becomes a goal that the agent plans itself."""
    assert goal_of(item).state == GoalState.MANUAL
    assert Goal.objects.count() == 1
    cycle.work(item.goal_id)
    assert Attempt.objects.filter(intent__position=2).count() == 1, "nothing of it runs meanwhile"
    assert list(hand_items.open_for(owner)) == [item]
    assert not hand_items.open_for(outsider).exists()
    page = client_of(owner).get(f"/goals/{item.goal_id}/hand").content.decode()
    for said in ("exit code 3", "TOOL_EXECUTION_ERROR", "raise SystemExit(3)", "Take over by hand", "Give up"):
        assert said in page
    queue = client_of(owner).get("/review/").content.decode()
    assert f"/goals/{item.goal_id}/hand" in queue
    assert client_of(outsider).get(f"/goals/{item.goal_id}/hand").status_code == 404


def test_the_page_shows_the_end_of_both_streams(
    approved: Approved, owner: User, client_of: Callable[[User], Client]
) -> None:
    line = "python -c \"import sys; print('half of it is there'); sys.exit('the other half is missing')\""
    plan = approved([run(line), write("c.txt")])
    cycle.work(plan.goal_id)
    page = client_of(owner).get(f"/goals/{plan.goal_id}/hand").content.decode()
    assert ">half of it is there" in page
    assert ">the other half is missing" in page


def test_fixed_parameters_are_reviewed_and_the_run_goes_on_from_there(
    item: HandItem, owner: User, reviewer: User, file_of: Any
) -> None:
    revision = hand_items.fix(item, by=owner, values={"command_line": "python -c 'print(1)'"}, note="it is 1")
    (first, second) = documents.read(bytes(revision.document)).intents
    assert (first.params["command_line"], second.params["path"]) == ("python -c 'print(1)'", "c.txt")
    record = next(one for one in first.parameters if one.name == "command_line")
    assert (record.origin, record.original) == ("person", FAILS["params"]["command_line"])
    cycle.work(item.goal_id)
    assert goal_of(item).state == GoalState.AWAITING_REVIEW
    assert Attempt.objects.count() == 2, "what was not shown does not run"
    decisions.approve(revision, by=reviewer, digest=revision.digest)
    cycle.work(item.goal_id)
    assert goal_of(item).state == GoalState.ACHIEVED
    assert Attempt.objects.filter(intent__command="write").count() == 2, "nothing that was done is done again"
    assert file_of(revision, "c.txt") == b"x"
    recovery_learning.settle()
    assert FailureRecord.objects.get().succeeded is True


def test_done_by_hand_goes_on_behind_the_step(item: HandItem, owner: User, file_of: Any) -> None:
    hand_items.done(item, by=owner, note="did it")
    cycle.work(item.goal_id)
    assert goal_of(item).state == GoalState.ACHIEVED
    assert states(item)[:3] == ["succeeded"] * 3
    assert file_of(item.intent_plan, "c.txt") == b"x"
    item.refresh_from_db()
    assert (item.answer, item.note, item.answered_by) == ("done", "did it", owner)


def test_the_last_step_done_by_hand_completes_the_plan(approved: Approved, owner: User) -> None:
    plan = approved([write("a.txt"), FAILS])
    cycle.work(plan.goal_id)
    hand_items.done(HandItem.objects.get(), by=owner)
    cycle.work(plan.goal_id)
    plan.refresh_from_db()
    assert (plan.state, goal_of(HandItem.objects.get()).state) == (PlanState.COMPLETE, GoalState.ACHIEVED)


def test_taking_over_by_hand_leaves_the_files_to_the_person(
    approved: Approved, typist: User, make_workspace: Any
) -> None:
    from agents.goals import goals
    from agents.hands import hand_commands, typed
    from agents.models import HandCommand
    from agents.plans import proposals
    from agents.record.moves import move_goal

    goal = goals.submit(by=typist, text="Write a note")
    draft, _ = proposals.draft_by_hand(goal, [FAILS, write("c.txt")], (), by=typist)
    move_goal(goal, GoalState.PLANNING, by="a test")
    plan = proposals.propose(goal, draft)
    reviewer = User.objects.create_user("rolf", roles=["reviewer"])
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    command = hand_commands.submit(goal, typist, "mkdir made")
    item = HandItem.objects.get()
    with pytest.raises(NotPossibleNow, match="unfinished"):
        hand_items.done(item, by=typist)
    typed.work(command.pk)
    assert HandCommand.objects.get().state == "done"
    hand_items.done(item, by=typist)
    cycle.work(goal.pk)
    assert goal_of(item).state == GoalState.ACHIEVED


def test_who_might_decide_the_plan_skips_at_once(item: HandItem, reviewer: User) -> None:
    assert hand_items.skip(item, by=reviewer) is None
    cycle.work(item.goal_id)
    assert goal_of(item).state == GoalState.ACHIEVED
    assert states(item)[:3] == ["succeeded", "skipped", "succeeded"]
    recovery_learning.settle()
    assert FailureRecord.objects.get().succeeded is False, "a step that was skipped did not succeed"


def test_anybody_elses_skip_is_a_change_that_is_asked_about(
    item: HandItem, owner: User, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    revision = hand_items.skip(item, by=owner)
    assert revision is not None
    assert [spec.command for spec in documents.read(bytes(revision.document)).intents] == ["write"]
    assert goal_of(item).state == GoalState.AWAITING_REVIEW
    page = client_of(reviewer).get(revision.get_absolute_url()).content.decode()
    assert "every step as it was approved" in page
    assert "with what would be done instead" not in page, "nothing is"
    cycle.work(item.goal_id)
    assert Attempt.objects.count() == 2


def test_with_four_eyes_nobody_skips_a_step_of_their_own_goal_at_once(
    item: HandItem, owner: User, settings: Any
) -> None:
    settings.FOUR_EYES = True
    owner.roles = ["submitter", "reviewer"]
    owner.save()
    assert hand_items.skip(item, by=owner) is not None
    assert goal_of(item).state == GoalState.AWAITING_REVIEW


def test_tried_again_by_a_reviewer_it_runs_as_it_was_approved(item: HandItem, reviewer: User) -> None:
    assert hand_items.again(item, by=reviewer) is None
    cycle.work(item.goal_id)
    assert Attempt.objects.filter(intent__position=2).count() == 2
    assert HandItem.objects.filter(answered_at=None).count() == 1, "it failed again, and is asked about again"


def test_given_up_the_clean_up_runs(item: HandItem, owner: User, file_of: Any) -> None:
    hand_items.abort(item, by=owner)
    cycle.work(item.goal_id)
    assert goal_of(item).state == GoalState.FAILED
    assert states(item) == ["succeeded", "failed", "skipped", "succeeded"]
    assert file_of(item.intent_plan, "cleaned.txt") == b"x"


@pytest.mark.parametrize("act", ["done", "skip", "again", "abort"])
def test_only_those_with_the_right_answer_and_only_once(item: HandItem, owner: User, outsider: User, act: str) -> None:
    answer = getattr(hand_items, act)
    with pytest.raises(NotYours):
        answer(item, by=outsider)
    assert goal_of(item).state == GoalState.MANUAL
    answer(item, by=owner)
    with pytest.raises(NotPossibleNow):
        answer(item, by=owner)


def test_a_step_whose_answer_is_read_cannot_be_done_by_hand(approved: Approved, owner: User, reviewer: User) -> None:
    plan = approved([FAILS, write("b.txt", "{{intents.1.result.stdout}}"), write("c.txt")])
    cycle.work(plan.goal_id)
    item = HandItem.objects.get()
    with pytest.raises(NotPossibleNow, match="Step 2 uses"):
        hand_items.done(item, by=owner)
    revision = hand_items.skip(item, by=reviewer)
    assert revision is not None, "what is left out with it is asked about, whoever skips"
    assert [spec.params["path"] for spec in documents.read(bytes(revision.document)).intents] == ["c.txt"]


def test_the_api_lists_shows_and_answers(item: HandItem, owner: User, outsider: User, api_of: Any) -> None:
    (shown,) = api_of(owner).get("hands").json()["items"]
    assert (shown["goal"], shown["position"], shown["failure_class"]) == (str(item.goal_id), 2, "TOOL_EXECUTION_ERROR")
    assert shown["params"]["command_line"] == FAILS["params"]["command_line"]
    assert "retry_with_delay" in shown["closed"] or shown["closed"] is not None
    address = f"goals/{item.goal_id}/hand"
    assert api_of(outsider).get(address).status_code == 404
    assert api_of(outsider).post(address, {"action": "abort"}).status_code == 404
    assert api_of(owner).post(address, {"action": "fix", "params": {"nothing": 1}}).status_code == 422
    made = api_of(owner).post(address, {"action": "fix", "params": {"command_line": "true"}})
    assert (made.status_code, made.json()["state"]) == (200, "awaiting_review")
    assert api_of(owner).post(address, {"action": "abort"}).status_code == 409


def test_on_the_page_a_wrong_value_changes_nothing_and_stays_in_the_form(
    item: HandItem, owner: User, client_of: Callable[[User], Client]
) -> None:
    client, address = client_of(owner), f"/goals/{item.goal_id}/hand"
    bad = client.post(address, {"answer": "fix", "p.command_line": "rm -rf / && x", "p.timeout_s": "soon"})
    assert bad.status_code == 422
    assert "soon" in bad.content.decode()
    assert client.post(address, {"answer": "nothing"}).status_code == 422
    assert goal_of(item).state == GoalState.MANUAL
    good = client.post(address, {"answer": "fix", "p.command_line": "true"})
    assert good.status_code == 302
    assert goal_of(item).state == GoalState.AWAITING_REVIEW


def test_the_form_as_it_stands_is_the_step_that_failed_and_an_emptied_value_is_taken_away(
    approved: Approved, owner: User, client_of: Callable[[User], Client]
) -> None:
    limited = {**FAILS, "params": {**FAILS["params"], "timeout_s": 20}}
    plan = approved([limited])
    cycle.work(plan.goal_id)
    client, address = client_of(owner), f"/goals/{plan.goal_id}/hand"
    as_it_stands = {
        "p.command_line": FAILS["params"]["command_line"],
        "p.timeout_s": "20",
        "p.stdin": "",
        "p.hosts": "",
    }
    same = client.post(address, {"answer": "fix", **as_it_stands})
    assert (same.status_code, "These are the values that failed" in same.content.decode()) == (409, True)
    assert client.post(address, {"answer": "fix", **as_it_stands, "p.timeout_s": ""}).status_code == 302
    (step,) = documents.read(bytes(IntentPlan.objects.latest("pk").document)).intents
    assert dict(step.params) == FAILS["params"]


def test_a_plan_by_hand_takes_the_place_of_the_one_that_waits(item: HandItem, owner: User) -> None:
    from agents.goals import goals

    plan = goals.supply_plan(goal_of(item), by=owner, steps=[write("other.txt")])
    assert plan.state == PlanState.AWAITING_REVIEW
    item.refresh_from_db()
    assert item.answer == "plan"
    assert states(item)[1:3] == [IntentState.FAILED, IntentState.SKIPPED]


def test_other_steps_in_its_place_are_reviewed_and_the_run_goes_on_behind_them(
    item: HandItem, owner: User, reviewer: User, client_of: Callable[[User], Client], file_of: Any
) -> None:
    client, address = client_of(owner), f"/goals/{item.goal_id}/hand"
    for refused in ("", "dance the tango", FAILS_AS_SAID, "read the file ../../etc/passwd"):
        answer = client.post(address, {"answer": "instead", "steps": refused})
        assert answer.status_code in (409, 422), refused
        assert refused == "" or refused.split()[0] in answer.content.decode(), "what was typed stays"
    assert goal_of(item).state == GoalState.MANUAL
    said = 'create the folder other\nwrite "by hand" to the file b.txt'
    assert client.post(address, {"answer": "instead", "steps": said}).status_code == 302
    revision = IntentPlan.objects.latest("pk")
    intents = documents.read(bytes(revision.document)).intents
    assert [spec.command for spec in intents] == ["mkdir", "write", "write"]
    assert intents[0].justification == "instead of simple_coder.run, which failed"
    assert Attempt.objects.count() == 2, "what was not shown does not run"
    decisions.approve(revision, by=reviewer, digest=revision.digest)
    cycle.work(item.goal_id)
    assert goal_of(item).state == GoalState.ACHIEVED
    assert file_of(revision, "b.txt") == b"by hand"
    item.refresh_from_db()
    assert item.get_answer_display() == "put other steps in its place"
    recovery_learning.settle()
    assert FailureRecord.objects.get().succeeded is True


def test_nothing_else_stands_where_a_later_step_reads_the_answer(approved: Approved, owner: User) -> None:
    reads = {
        "tool": "simple_coder",
        "command": "write",
        "params": {"path": "d.txt", "content": "{{intents.1.result.stdout}}"},
    }
    plan = approved([FAILS, reads])
    cycle.work(plan.goal_id)
    with pytest.raises(NotPossibleNow, match="Step 2 uses"):
        hand_items.instead(HandItem.objects.get(), by=owner, steps=[write("b.txt")])
    assert goal_of(HandItem.objects.get()).state == GoalState.MANUAL


def test_the_goals_words_are_read_again_into_the_form(
    approved: Approved, owner: User, client_of: Callable[[User], Client]
) -> None:
    plan = approved([FAILS], text="Run \"python -c 'print(7)'\"")
    cycle.work(plan.goal_id)
    address = f"/goals/{plan.goal_id}/hand?values=goal"
    page = client_of(owner).get(address).content.decode()
    assert "print(7)" in page.split('name="p.command_line"')[1][:200]
    assert "Read again from the goal: command_line" in page
    assert goal_of(HandItem.objects.get()).state == GoalState.MANUAL, "only a person proposes it"


def test_the_facts_stand_before_the_forms_and_lead_to_them(
    item: HandItem, owner: User, client_of: Callable[[User], Client]
) -> None:
    """A phone shows one column in this order."""
    page = client_of(owner).get(f"/goals/{item.goal_id}/hand").content.decode()
    facts, leads, form = (page.index(one) for one in ('id="hand-facts"', 'href="#hand-step"', 'id="hand-step"'))
    assert facts < leads < form
    behind = page.split('id="hand-behind"')[1].split("</section>")[0]
    assert all(one in behind for one in ("c.txt", "step 3", "cleaned.txt", "clean-up, when the plan is given up"))
    assert "an operator pinned" in page or "pinned" in page, "why it was left to a person"


@pytest.mark.parametrize("way", ["fix", "instead"])
def test_with_four_eyes_who_changed_what_failed_does_not_approve_it(
    item: HandItem, reviewer: User, settings: Any, way: str
) -> None:
    settings.FOUR_EYES = True
    if way == "fix":
        made = hand_items.fix(item, by=reviewer, values={"command_line": "true"})
    else:
        made = hand_items.instead(item, by=reviewer, steps=[write("b.txt")])
    with pytest.raises(DecisionRefused, match="You wrote or changed revision 2"):
        decisions.approve(made, by=reviewer, digest=made.digest)
