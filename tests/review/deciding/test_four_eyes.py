"""Four eyes: whoever submitted a goal, or wrote or changed a plan of it, is not the second pair of eyes for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from agents.goals import goals
from agents.hands import hand_items
from agents.models import Goal, IntentPlan
from people.models import User
from review import rights
from review.deciding import auto_approval, batch, decisions, editing, gate, holding
from review.deciding.ruling import Ruling
from review.errors import DecisionRefused
from review.levels import decisions as level_decisions
from review.levels import page as levels
from review.models import Decision, HeldDecision
from review.notices import notify
from review.policies import evaluation
from review.policy.verdict import Action
from review.queue import counts, listing
from review.teaching import lessons
from tests.cast import ApiCaller
from tests.review import plans as with_plans
from tests.review import some_levels as with_levels
from tests.review.plans import goal_of
from tests.review.some_policies import in_force, tried

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
Propose = Callable[..., IntentPlan]
BY_HAND = [{"tool": "simple_coder", "command": "mkdir", "params": {"path": "by-hand"}}]


@pytest.fixture(autouse=True)
def _four_eyes(settings: Any) -> None:
    settings.FOUR_EYES = True


@pytest.fixture
def proposed(owner: User, propose_plan: Propose) -> IntentPlan:
    """What the agent planned for somebody else's goal."""
    return propose_plan(owner)


@pytest.fixture
def writer(judge: User) -> User:
    """Jo, who reviews, and who may also write a plan in somebody else's place."""
    judge.roles = [*judge.roles, "operator"]
    judge.save()
    return judge


@pytest.fixture
def edited(proposed: IntentPlan, judge: User) -> IntentPlan:
    """The revision that Jo made by editing a step."""
    return editing.edit(proposed, by=judge, digest=proposed.digest, position=1, params={"path": "other"})


@pytest.fixture
def written(proposed: IntentPlan, writer: User) -> IntentPlan:
    """The plan that Jo wrote in place of the agent's."""
    return goals.supply_plan(proposed.goal, by=writer, steps=BY_HAND)


def words_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", response.content.decode())).split())


def why(plan: IntentPlan) -> str:
    return f"You wrote or changed revision {plan.revision} of this plan, and four eyes are required"


def refused(plan: IntentPlan, by: User) -> None:
    """By every way that decides."""
    for verdict in ("approve", "reject", "request-changes"):
        with pytest.raises(DecisionRefused, match="four eyes"):
            holding.decide(plan, Ruling(verdict, plan.digest, "because"), by=by)
    plan.refresh_from_db()
    assert plan.state == "awaiting_review"


def allowed(plan: IntentPlan, by: User) -> None:
    decisions.approve(plan, by=by, digest=plan.digest)
    assert gate.check(IntentPlan.objects.get(pk=plan.pk)).allowed


def test_who_edited_a_step_does_not_decide_the_revision_and_another_reviewer_does(
    edited: IntentPlan, judge: User, second_judge: User
) -> None:
    refused(edited, judge)
    allowed(edited, second_judge)


def test_who_wrote_the_plan_by_hand_does_not_decide_it(written: IntentPlan, writer: User, second_judge: User) -> None:
    refused(written, writer)
    allowed(written, second_judge)


def test_who_sent_a_plan_by_the_api_does_not_decide_it(
    proposed: IntentPlan, writer: User, second_judge: User, api_of: Callable[..., ApiCaller]
) -> None:
    sent = api_of(writer).post(f"goals/{proposed.goal_id}/plan", {"steps": BY_HAND})
    assert sent.status_code == 201, sent.content
    plan = IntentPlan.objects.get(goal=proposed.goal, revision=2)
    answer = api_of(writer).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest})
    assert answer.status_code == 403
    assert why(plan) in answer.content.decode()
    assert api_of(second_judge).post(f"intent-plans/{plan.pk}/approve", {"digest": plan.digest}).status_code == 202


def test_who_edited_an_earlier_revision_does_not_decide_a_later_one(
    edited: IntentPlan, judge: User, second_judge: User, keeper: User
) -> None:
    later = editing.edit(edited, by=second_judge, digest=edited.digest, position=1, params={"path": "third"})
    refused(later, judge)
    refused(later, second_judge)
    allowed(later, keeper)


def test_who_answered_what_the_agent_asked_does_not_decide_the_plan_of_it(
    owner: User, writer: User, second_judge: User, valkey: object
) -> None:
    from agents.cycle import cycle
    from agents.planning import answers
    from agents.planning.answers import Reply

    goal = goals.submit(by=owner, text="Remove the folder")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.reason.startswith("question_open"), goal.reason
    plan = answers.answer(goal, [Reply(value="old")], by=writer)
    refused(plan, writer)
    allowed(plan, second_judge)


def test_who_approves_a_part_has_written_nothing(proposed: IntentPlan, judge: User) -> None:
    part = editing.approve_part(proposed, by=judge, digest=proposed.digest, intents=[1], reason="not the rest")
    assert gate.check(IntentPlan.objects.get(pk=part.pk)).allowed
    assert not rights.why_not(judge, part)


def test_a_part_of_what_one_wrote_is_no_more_ones_to_approve(written: IntentPlan, writer: User) -> None:
    with pytest.raises(DecisionRefused, match="four eyes"):
        editing.approve_part(written, by=writer, digest=written.digest, intents=[1])


def test_who_edited_may_edit_again_and_teach(edited: IntentPlan, judge: User, client_of: ClientOf) -> None:
    assert client_of(judge).get(f"/review/{edited.pk}/edit/1/").status_code == 200
    assert not lessons.why_not(judge, edited)
    again = editing.edit(edited, by=judge, digest=edited.digest, position=1, params={"path": "better"})
    refused(again, judge)


def test_the_page_says_why_and_shows_no_buttons(edited: IntentPlan, judge: User, client_of: ClientOf) -> None:
    page = client_of(judge).get(edited.get_absolute_url())
    assert why(edited) in words_of(page)
    assert f"/review/{edited.pk}/decide/" not in page.content.decode()
    assert f"/review/{edited.pk}/edit/1/" in page.content.decode()
    answer = client_of(judge).post(f"/review/{edited.pk}/decide/", {"digest": edited.digest, "verdict": "approve"})
    assert answer.status_code == 403
    assert why(edited) in words_of(answer)


def test_the_queue_gives_it_to_others(edited: IntentPlan, judge: User, second_judge: User) -> None:
    assert [entry.pk for entry in listing.decidable(judge)] == []
    assert [entry.pk for entry in listing.decidable(second_judge)] == [edited.pk]
    assert (counts.of(judge).waiting, counts.of(second_judge).waiting) == ("", "1")
    assert why(edited) in listing.page(judge, None)[0][0].refusal
    assert judge not in notify._deciders(edited)
    assert second_judge in notify._deciders(edited)


def test_a_batch_leaves_it_out(edited: IntentPlan, judge: User) -> None:
    from review.deciding import shown
    from review.models import QueueEntry

    run = with_plans.tried(edited, added=["x"])
    seal = shown.seal(QueueEntry.objects.get(pk=edited.pk), edited.digest, judge, run.pk)
    done = batch.decide([seal], "approve", "", by=judge)
    assert not done.decided
    assert why(edited) in done.refused[0].reason


def test_what_is_held_is_asked_again_when_its_moment_has_come(proposed: IntentPlan, judge: User, settings: Any) -> None:
    settings.HOLD_S = 600
    settings.FOUR_EYES = False
    revision = editing.edit(proposed, by=judge, digest=proposed.digest, position=1, params={"path": "other"})
    holding.decide(revision, Ruling("approve", revision.digest), by=judge)
    settings.FOUR_EYES = True
    HeldDecision.objects.update(due_at="2026-01-01T00:00:00Z")
    holding.settle_due()
    revision.refresh_from_db()
    assert revision.state == "awaiting_review"
    assert "four eyes" in HeldDecision.objects.get().dropped


@pytest.mark.parametrize("who", ["submitter", "editor"])
def test_the_gate_asks_again_about_what_one_pair_of_eyes_approved(
    proposed: IntentPlan, judge: User, settings: Any, who: str
) -> None:
    """Approved while four eyes were off, claimed after they were switched on."""
    settings.FOUR_EYES = False
    revision = editing.edit(proposed, by=judge, digest=proposed.digest, position=1, params={"path": "other"})
    if who == "submitter":
        revision = proposed_by(judge)
    decisions.approve(revision, by=judge, digest=revision.digest)
    assert gate.check(IntentPlan.objects.get(pk=revision.pk)).allowed
    settings.FOUR_EYES = True
    answer = gate.check(IntentPlan.objects.get(pk=revision.pk))
    assert (answer.allowed, answer.asks) == (False, True)
    assert "four eyes" in answer.reason


def proposed_by(user: User) -> IntentPlan:
    from tests.review.plans import proposed as stored

    return stored(goal_of(user))


def test_a_first_approval_of_who_edited_is_none(
    edited: IntentPlan, judge: User, second_judge: User, keeper: User, settings: Any
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["mkdir"])
    settings.FOUR_EYES = False
    decisions.approve(edited, by=judge, digest=edited.digest)
    settings.FOUR_EYES = True
    decisions.approve(edited, by=second_judge, digest=edited.digest)
    assert Decision.objects.last().verdict == Decision.Verdict.FIRST_APPROVAL  # type: ignore[union-attr]
    decisions.approve(edited, by=keeper, digest=edited.digest)
    plan = IntentPlan.objects.get(pk=edited.pk)
    assert plan.state == "approved"
    assert judge.pk not in evaluation.approvers(plan, plan.approval)


def test_a_policy_does_not_approve_in_the_name_of_an_owner_who_edited(
    cases: None, proposed: IntentPlan, keeper: User, owner: User, propose_plan: Propose
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"])
    revision = editing.edit(
        proposed, by=keeper, digest=proposed.digest, position=2, params={"path": "notes/one.txt", "content": "other\n"}
    )
    other = propose_plan(owner)
    for plan in (revision, other):
        tried(plan)
    auto_approval.sweep()
    revision.refresh_from_db()
    other.refresh_from_db()
    assert (revision.state, other.state) == ("awaiting_review", "approved")
    assert why(revision) in revision.policy_evaluations.latest("pk").outcome


def test_who_wrote_a_design_decides_neither_it_nor_what_follows(
    submitter: User, writer: User, second_judge: User
) -> None:
    from agents.plans import designs

    with_levels.switch_on("design")
    first = with_levels.with_design(submitter)
    design = designs.revise(first.goal, "# How\n\n- In one file\n", by=writer)
    with pytest.raises(DecisionRefused, match="four eyes"):
        level_decisions.approve(design, by=writer, digest=design.digest)
    assert design not in levels.decidable(writer)
    assert design in levels.decidable(second_judge)
    level_decisions.approve(design, by=second_judge, digest=design.digest)
    from tests.review.plans import proposed as stored

    plan = stored(Goal.objects.get(pk=first.goal_id))
    with pytest.raises(DecisionRefused, match="You wrote a design of this goal"):
        decisions.approve(plan, by=writer, digest=plan.digest)


def test_who_wrote_may_answer_a_hand_but_lets_nothing_go_on_alone(
    written: IntentPlan, writer: User, second_judge: User
) -> None:
    assert not hand_items.why_not(writer, written.goal)
    assert not hand_items.may_decide(writer, written.goal)
    assert hand_items.may_decide(second_judge, written.goal)


def test_without_four_eyes_whoever_edits_may_approve(edited: IntentPlan, judge: User, settings: Any) -> None:
    settings.FOUR_EYES = False
    allowed(edited, judge)
