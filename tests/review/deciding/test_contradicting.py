"""A person's word against a belief: who may give it, when, and that the agent plans anew with it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from agents.beliefs import perceiving
from agents.cycle import cycle
from agents.models import Belief, Goal, IntentPlan, LogLine, Workspace
from agents.record.errors import NotPossibleNow, NotYours, StaleDigest
from agents.recovery import contradictions as services
from agents.workspaces.stores import store
from people.models import User
from people.roles import Role
from review.deciding import contradicting, decisions, holding
from review.deciding.ruling import Ruling
from review.errors import WordsRefused
from review.models import AuditEntry
from sandbox.store.snapshots import EMPTY
from tests.library import vectors
from tests.review.plans import goal_of, person, proposed

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]
PROGRAMS = "The installed programs are: pytest, python."


@pytest.fixture
def planned(submitter: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch) -> IntentPlan:
    """A plan that the starter rules made because pytest is installed."""
    vectors.install(monkeypatch)  # the sentence model would only cost seconds here
    call_command("load_starters", verbosity=0)
    monkeypatch.setattr(perceiving, "programs", lambda: ("python", "pytest"))
    head = store().with_files(EMPTY, [(b"test_one.py", io.BytesIO(b"def test_one(): pass\n"))]).digest
    files = Workspace.objects.create(name="with-tests", owner=submitter, head=head)
    goal = make_goal(submitter, "Run the tests of the workspace", workspace=files)
    cycle.work(goal.pk)
    return IntentPlan.objects.get(goal=goal)


def simple(owner: User) -> IntentPlan:
    """A plan that stands on one belief."""
    plan = proposed(goal_of(owner))
    Belief.objects.create(
        goal=plan.goal, sentence="There is a folder named old.", source="perception", at=plan.created_at
    )
    return plan


def deny(plan: IntentPlan, by: User, **also: Any) -> IntentPlan:
    sent = {"digest": plan.digest, "sentence": "There is a folder named old.", **also}
    return contradicting.contradict(plan, by=by, **sent)


def unchanged(plan: IntentPlan) -> bool:
    now = IntentPlan.objects.get(pk=plan.pk).state, Goal.objects.get(pk=plan.goal_id).state
    held = Belief.objects.filter(goal=plan.goal, retracted_by="", denies="")
    return (
        now == (plan.state, plan.goal.state)
        and held.count() == 1
        and Belief.objects.filter(goal=plan.goal).count() == 1
    )


def commands(plan: IntentPlan) -> str:
    return " ".join(str(step["params"].get("command_line", {}).get("value")) for step in plan.plan.steps)


def test_the_agent_plans_anew_with_what_holds_instead_and_says_because_of_what(
    planned: IntentPlan, judge: User, client_of: ClientOf
) -> None:
    assert "pytest" in commands(planned)
    deny(planned, judge, sentence=PROGRAMS, instead="pytest is not installed.")
    planned = IntentPlan.objects.get(pk=planned.pk)
    assert (planned.state, planned.goal.state) == ("superseded", "pending")
    cycle.work(planned.goal_id)
    second = planned.goal.intent_plans.get(revision=2)
    assert "unittest" in commands(second)
    assert second.plan.evidence["contradicted"] == [
        {"denied": PROGRAMS, "holds": "pytest is not installed.", "by": "Jo Lindt"}
    ]
    page = client_of(judge).get(f"/review/{second.pk}/").content.decode()
    assert "said that this is wrong" in page
    assert f"/review/{second.pk}/compare/1/" in page
    kept = Belief.objects.get(sentence=PROGRAMS)
    assert kept.retracted_by == "denied by jo"
    word = Belief.objects.get(denies=PROGRAMS)
    assert (word.sentence, word.source, word.by) == ("pytest is not installed.", "person", judge)
    assert AuditEntry.objects.get(event="belief").data["sentence"] == PROGRAMS
    assert LogLine.objects.filter(goal=planned.goal, text__contains="says that this is wrong").exists()


def test_a_belief_that_carried_nothing_leaves_the_same_plan_which_says_so(
    planned: IntentPlan, submitter: User, client_of: ClientOf
) -> None:
    deny(planned, submitter, sentence=Belief.objects.get(goal=planned.goal, sentence__startswith="Autonomous").sentence)
    cycle.work(planned.goal_id)
    second = planned.goal.intent_plans.get(revision=2)
    assert commands(second) == commands(planned)
    assert (
        "The steps did not change: none depended on it"
        in client_of(submitter).get(f"/review/{second.pk}/").content.decode()
    )


def test_without_the_belief_no_rule_may_apply_and_a_person_is_asked(planned: IntentPlan, judge: User) -> None:
    deny(planned, judge, sentence="The workspace has tests.")
    cycle.work(planned.goal_id)
    goal = Goal.objects.get(pk=planned.goal_id)
    assert (goal.state, goal.reason) == ("manual", "no_applicable_rule")


def test_a_denial_can_be_put_back_on_the_goals_page(
    planned: IntentPlan, judge: User, submitter: User, stranger: User, client_of: ClientOf
) -> None:
    deny(planned, judge, sentence="The workspace has tests.")
    cycle.work(planned.goal_id)
    word = Belief.objects.get(denies="The workspace has tests.")
    address = f"/goals/{planned.goal_id}/beliefs/{word.pk}/back"
    assert client_of(stranger).post(address).status_code == 404
    client = client_of(submitter)
    assert address in client.get(f"/goals/{planned.goal_id}/beliefs/").content.decode()
    assert client.post(address).status_code == 302
    cycle.work(planned.goal_id)
    again = planned.goal.intent_plans.get(revision=2)
    assert commands(again) == commands(planned)
    assert again.plan.evidence.get("contradicted") is None
    word.refresh_from_db()
    assert word.retracted_by == "put back by sue"
    with pytest.raises(NotPossibleNow, match="already"):
        services.put_back(planned.goal, by=submitter, belief_id=word.pk)


@pytest.mark.parametrize("roles", [[Role.SUBMITTER], [Role.OPERATOR], [Role.DEVELOPER], []])
def test_who_neither_owns_the_goal_nor_decides_is_refused(submitter: User, roles: list[Role]) -> None:
    plan, other = simple(submitter), person("other", *roles)
    with pytest.raises(NotYours):
        deny(plan, other)
    with pytest.raises(NotYours):
        services.put_back(plan.goal, by=other, belief_id=1)
    gone = person("gone", Role.REVIEWER, is_active=False)
    with pytest.raises(NotYours):
        deny(plan, gone)
    assert unchanged(plan)


def test_what_is_approved_or_running_or_ended_is_not_changed(submitter: User, judge: User) -> None:
    approved = simple(submitter)
    decisions.approve(approved, by=judge, digest=approved.digest)
    approved.refresh_from_db()
    with pytest.raises(NotPossibleNow, match="Cancel the goal"):
        deny(approved, judge)
    ended = simple(submitter)
    decisions.reject(ended, by=judge, digest=ended.digest, reason="No")
    ended = IntentPlan.objects.get(pk=ended.pk)
    with pytest.raises(NotPossibleNow, match="Submit it again"):
        deny(ended, judge)
    assert not Belief.objects.exclude(denies="").exists()


def test_a_stale_page_a_belief_not_held_and_a_word_that_says_the_same_change_nothing(
    submitter: User, judge: User, second_judge: User, settings: Any
) -> None:
    plan = simple(submitter)
    for digest in ("", "0" * 64, "x"):
        with pytest.raises(StaleDigest):
            deny(plan, judge, digest=digest)
    with pytest.raises(NotPossibleNow, match="does not hold"):
        deny(plan, judge, sentence="There is a folder named new.")
    with pytest.raises(NotPossibleNow, match="says the same"):
        deny(plan, judge, instead="There is a folder named old")
    for words in ("x" * 501, "left \u202e right", "\x1b[31m"):
        with pytest.raises(WordsRefused):
            deny(plan, judge, instead=words)
    settings.HOLD_S = 10
    holding.decide(plan, Ruling("reject", plan.digest, "No"), by=second_judge)
    with pytest.raises(StaleDigest, match="was first"):
        deny(plan, judge)
    assert unchanged(plan)


def test_the_panel_offers_it_to_those_who_may_and_takes_it(
    planned: IntentPlan, judge: User, submitter: User, operator: User, client_of: ClientOf
) -> None:
    address = f"/review/{planned.pk}/contradict/"
    assert address in client_of(judge).get(f"/review/{planned.pk}/").content.decode()
    assert address in client_of(submitter).get(f"/review/{planned.pk}/").content.decode()
    assert address not in client_of(operator).get(f"/review/{planned.pk}/").content.decode()
    row = Belief.objects.get(goal=planned.goal, sentence="The workspace has tests.")
    sent = {"digest": planned.digest, "belief": str(row.pk), "instead": ""}
    assert client_of(operator).post(address, sent).status_code == 403
    foreign = Belief.objects.create(
        goal=simple(submitter).goal, sentence="Elsewhere.", source="person", at=planned.created_at
    )
    for wrong in ("", "x", "9" * 30, str(foreign.pk)):
        assert client_of(judge).post(address, {**sent, "belief": wrong}).status_code == 409
    answer = client_of(judge).post(address, sent)
    assert (answer.status_code, answer["Location"]) == (302, f"/goals/{planned.goal_id}/")
    assert client_of(judge).post(address, sent).status_code == 409
    assert Belief.objects.filter(denies="The workspace has tests.").count() == 1


def test_hostile_sentences_are_shown_and_do_nothing(submitter: User, judge: User, client_of: ClientOf) -> None:
    plan = simple(submitter)
    deny(plan, judge, instead="<script>alert(1)</script> \u200b is there")
    Goal.objects.filter(pk=plan.goal_id).update(state="awaiting_review")
    page = client_of(judge).get(f"/goals/{plan.goal_id}/beliefs/").content.decode()
    assert "<script>alert" not in page
    assert "U+200B" in page
