"""Agents are made, changed and retired by steps of plans that people read: not sooner, not otherwise, not twice."""

from __future__ import annotations

from typing import Any

import pytest

from agents.actors import lifecycle
from agents.actors.step_model_calls import Means
from agents.bdi.plans import document as documents
from agents.components import agent_steps, agent_versions, approved_steps
from agents.coordinator import commanding
from agents.coordinator.commanding import Given
from agents.cycle import cycle
from agents.goals import agent_goals
from agents.goals.component_goals import Terms
from agents.mastermind.answers import Answer, Outcome
from agents.mastermind.configs import Config
from agents.models import Agent, Deed, Goal, Intent, IntentPlan
from agents.planning import answers
from agents.planning.answers import Reply
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.states import GoalState, PlanState
from agents.toolkit.tools.agent_registry import CREATE, SETTINGS
from people.models import User
from people.roles import Role
from review import upkeep
from review.deciding import decisions
from review.errors import DecisionRefused
from review.models import AuditEntry, PolicyEvaluation
from review.policy.verdict import Action
from tests.review.some_policies import in_force, tried

pytestmark = pytest.mark.django_db(transaction=True)

LINE = "agent_create bdi_agent scout tools=git_tool repairs=1 commitment=blind limits.git_tool.hard_s=30"


def give(line: str, by: User) -> Answer:
    return commanding.carry_out(Given(line, by, "terminal"))


def plan_of(answer: Answer) -> IntentPlan:
    assert answer.outcome is Outcome.DONE, answer.said
    return IntentPlan.objects.get(goal=answer.goals[0])


def approve(plan: IntentPlan, by: User) -> IntentPlan:
    return decisions.approve(plan, by=by, digest=plan.digest, via="api")


def run(plan: IntentPlan, by: User) -> Intent:
    """Approve the plan and have a worker carry it out; its one step as it is then."""
    approve(plan, by)
    cycle.work(plan.goal_id)
    return Intent.objects.get(intent_plan__goal=plan.goal_id, position=1)


def under_way(plan: IntentPlan, by: User) -> tuple[dict[str, Any], Means]:
    """The parameters of an approved plan whose step is about to run."""
    approve(plan, by)
    Goal.objects.filter(pk=plan.goal_id).update(state=GoalState.EXECUTING.value)
    IntentPlan.objects.filter(pk=plan.pk).update(state=PlanState.EXECUTING.value)
    spec = documents.read(bytes(plan.document)).intents[0]
    return dict(spec.params), Means(goal=plan.goal_id)


def scout(operator: User, config: str = "") -> Agent:
    return lifecycle.create("scout", lifecycle.read_config(config), by=operator)


def test_an_agent_is_made_when_its_plan_was_approved_and_is_what_was_shown(operator: User, reviewer: User) -> None:
    plan = plan_of(give(LINE, operator))
    assert not Agent.objects.filter(name="scout").exists()
    (spec,) = documents.read(bytes(plan.document)).all_intents
    assert spec.effect == "keyed"
    assert set(spec.params) == {"name", *SETTINGS}, "every value it will have, also those that nobody named"
    assert spec.params["limits"] == "git_tool.hard_s=30"
    assert "undo" in spec.justification
    step = run(plan, reviewer)
    assert step.state == "succeeded", step.result
    agent = Agent.objects.get(name="scout")
    assert (agent.tools, agent.max_repair_attempts, agent.commitments.get().kind) == (["git_tool"], 1, "blind")
    assert agent.limits.get(tool="git_tool").hard_s == 30
    entry = AuditEntry.objects.filter(event="agent", subject="agent:scout").latest("pk")
    assert entry.by == operator
    (version,) = agent_versions.of(agent).values()
    assert (version.version, version.status, version.created_by) == ("1.0.0", "active", operator)
    assert agent_versions.values_of(version) == agent_versions.set_now(agent)
    assert (step.result or {})["agent"] == "scout"
    assert "retire it" in (step.result or {})["message"]


def test_the_same_step_again_makes_no_second_agent_and_answers_as_before(operator: User, reviewer: User) -> None:
    params, means = under_way(plan_of(give(LINE, operator)), reviewer)
    first = agent_steps.make(params, {}, means)
    # Its worker died before it could record it, and somebody made a mess meanwhile.
    Agent.objects.filter(name="scout").update(max_repair_attempts=5)
    assert agent_steps.make(params, {}, means) == first
    assert Agent.objects.filter(name__startswith="scout").count() == 1
    assert Deed.objects.count() == 1


def test_what_a_step_did_can_not_be_done_by_half(
    operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    params, means = under_way(plan_of(give(LINE, operator)), reviewer)

    def dies(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the worker died")

    with monkeypatch.context() as broken:
        broken.setattr(agent_versions, "first", dies)
        with pytest.raises(RuntimeError):
            agent_steps.make(params, {}, means)
    assert not Agent.objects.filter(name="scout").exists()
    assert not Deed.objects.exists()
    agent_steps.make(params, {}, means)
    assert Agent.objects.filter(name="scout").count() == 1


@pytest.mark.parametrize("changed", [{"name": "spy"}, {"tools": ""}, {"people_only": True}, {"limits": ""}])
def test_nothing_is_done_that_does_not_stand_in_the_approved_plan(
    operator: User, reviewer: User, changed: dict[str, Any]
) -> None:
    params, means = under_way(plan_of(give(LINE, operator)), reviewer)
    with pytest.raises(NotYours, match="no such step"):
        agent_steps.make({**params, **changed}, {}, means)
    assert not Deed.objects.exists()


def test_nothing_is_done_for_a_plan_that_nobody_approved_or_that_does_not_run(
    operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(give(LINE, operator))
    params = dict(documents.read(bytes(plan.document)).intents[0].params)
    for means in (Means(), Means(goal=plan.goal_id)):
        with pytest.raises(NotYours):
            agent_steps.make(params, {}, means)
    params, means = under_way(plan, reviewer)
    for state in (GoalState.AWAITING_REVIEW, GoalState.MANUAL):
        Goal.objects.filter(pk=plan.goal_id).update(state=state.value)
        with pytest.raises(NotYours, match="no such step"):
            agent_steps.make(params, {}, means)
    Goal.objects.filter(pk=plan.goal_id).update(state=GoalState.EXECUTING.value)
    monkeypatch.setattr(approved_steps, "digest_of", lambda document: "0" * 64)
    with pytest.raises(NotYours, match="no such step"):
        agent_steps.make(params, {}, means)
    assert not Agent.objects.filter(name="scout").exists()


@pytest.mark.parametrize("line", [LINE, "agent_evolve scout repairs=1", "agent_delete scout"])
def test_without_the_role_nobody_asks_for_it(owner: User, operator: User, line: str) -> None:
    if "create" not in line:
        scout(operator)
    answer = give(line, owner)
    assert answer.outcome is Outcome.NOT_ALLOWED
    assert "operators" in answer.said[0]
    assert not Goal.objects.exists()


def test_a_goal_of_somebody_without_the_role_has_no_such_plan(owner: User) -> None:
    answer = give("deploy an agent named scout", owner)
    goal = Goal.objects.get(pk=answer.goals[0])
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert not goal.intent_plans.exists()
    assert "Only operators can create, change and retire agents." in goal.plans.latest("pk").problems[0]


def test_who_lost_the_role_before_it_ran_makes_no_agent(operator: User, reviewer: User) -> None:
    plan = plan_of(give("agent_create bdi_agent scout", operator))
    approve(plan, reviewer)
    # Developers write and activate what is in the library, and make no agents.
    User.objects.filter(pk=operator.pk).update(roles=["submitter", "developer"])
    cycle.work(plan.goal_id)
    attempt = Intent.objects.get(intent_plan=plan, position=1).attempts.latest("pk")
    assert attempt.failure_class == "PERMISSION_ERROR"
    assert not Agent.objects.filter(name="scout").exists()


def test_who_lost_the_role_before_it_was_approved_gets_no_approval(operator: User, reviewer: User) -> None:
    plan = plan_of(give(LINE, operator))
    User.objects.filter(pk=operator.pk).update(roles=["submitter"])
    with pytest.raises(DecisionRefused, match="with the rights of opal"):
        approve(plan, reviewer)


def test_a_name_that_was_taken_meanwhile_is_not_approved_and_not_made_twice(operator: User, reviewer: User) -> None:
    plan, other = plan_of(give(LINE, operator)), plan_of(give(LINE, operator))
    params, means = under_way(other, reviewer)
    agent_steps.make(params, {}, means)
    with pytest.raises(DecisionRefused, match="There is already an agent named scout"):
        approve(plan, reviewer)


def test_a_name_that_was_taken_after_the_approval_fails_the_step(operator: User, reviewer: User) -> None:
    plan = plan_of(give(LINE, operator))
    approve(plan, reviewer)
    scout(operator)
    cycle.work(plan.goal_id)
    attempt = Intent.objects.get(intent_plan=plan, position=1).attempts.latest("pk")
    assert attempt.failure_class == "INVALID_PARAMETERS"
    assert Agent.objects.filter(name="scout").count() == 1


def test_a_typed_name_that_one_has_is_answered_with_a_question(operator: User) -> None:
    scout(operator)
    answer = give("agent_create bdi_agent Scout tools=git_tool", operator)
    assert answer.outcome is Outcome.NOT_UNDERSTOOD
    assert answer.said == ("An agent named Scout already exists. Choose another name.",)
    assert answer.suggestions == ("agent_create bdi_agent Scout_2 tools=git_tool",)
    assert not Goal.objects.exists()


def test_a_goal_in_words_that_names_a_taken_name_asks_and_its_answer_makes_the_plan(
    operator: User, reviewer: User
) -> None:
    scout(operator)
    goal = Goal.objects.get(pk=give("deploy an agent named scout", operator).goals[0])
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert "What should the new one be called?" in goal.reason
    plan = answers.answer(goal, [Reply(choice=1)], by=operator)
    assert run(plan, reviewer).state == "succeeded"
    assert set(Agent.objects.values_list("name", flat=True)) >= {"scout", "scout_2"}


def test_an_agent_that_there_is_not_is_asked_about(operator: User, make_goal: Any) -> None:
    scout(operator)
    goal = Goal.objects.get(pk=make_goal(operator, "Retire the agent scuot").pk)
    cycle.work(goal.pk)
    open_ = answers.open_questions(Goal.objects.get(pk=goal.pk))
    assert open_ is not None
    assert [choice.value for choice in open_.questions[0].choices] == ["scout"]


def test_a_change_is_a_candidate_until_it_ran_and_can_be_taken_back(operator: User, reviewer: User) -> None:
    agent = scout(operator, "repairs=2 limits.git_tool.hard_s=30")
    plan = plan_of(give("agent_evolve scout repairs=1 limits.*.processes=50", operator))
    versions = agent_versions.of(agent)
    assert {one.version: one.status for one in versions.values()} == {"1.0.0": "active", "1.1.0": "candidate"}
    agent.refresh_from_db()
    assert agent.max_repair_attempts == 2
    (spec,) = documents.read(bytes(plan.document)).all_intents
    assert dict(spec.params) == {
        "name": "scout", "version": "1.1.0", "max_repair_attempts": 1,
        "limits": "*.processes=50 git_tool.hard_s=30",
    }  # fmt: skip
    assert run(plan, reviewer).state == "succeeded"
    agent.refresh_from_db()
    assert (agent.max_repair_attempts, agent.limits.count()) == (1, 2)
    back = plan_of(give("agent_evolve scout version=1.0.0", operator))
    assert run(back, reviewer).state == "succeeded"
    agent.refresh_from_db()
    assert (agent.max_repair_attempts, [row.tool for row in agent.limits.all()]) == (2, ["git_tool"])
    statuses = {one.version: one.status for one in agent_versions.of(agent).values()}
    assert statuses == {"1.0.0": "active", "1.1.0": "retired"}


def test_a_change_that_no_longer_makes_what_was_read_is_not_made(operator: User, reviewer: User) -> None:
    agent = scout(operator)
    params, means = under_way(plan_of(give("agent_evolve scout repairs=1", operator)), reviewer)
    lifecycle.change(agent, Config({"people_only": True}), by=operator)
    with pytest.raises(NotPossibleNow, match="has been changed since"):
        agent_steps.change(params, {}, means)
    agent.refresh_from_db()
    assert agent.max_repair_attempts == 2


def test_nothing_that_would_change_nothing_is_planned(operator: User) -> None:
    agent = scout(operator, "repairs=1")
    with pytest.raises(GoalRefused, match="Nothing would change"):
        agent_goals.change(agent, Config({"max_repair_attempts": 1}), Terms(operator))
    assert not Goal.objects.exists()


def test_an_agent_is_retired_by_a_plan_and_not_while_it_has_goals(
    operator: User, reviewer: User, make_goal: Any
) -> None:
    agent = scout(operator)
    plan = plan_of(give("agent_delete scout its work is done", operator))
    params, means = under_way(plan, reviewer)
    held = make_goal(operator, "Tidy up", agent=agent)
    with pytest.raises(NotPossibleNow, match="still has goals"):
        agent_steps.retire(params, {}, means)
    Goal.objects.filter(pk=held.pk).update(state=GoalState.DROPPED.value)
    agent_steps.retire(params, {}, means)
    agent.refresh_from_db()
    assert agent.retired_at is not None
    entry = AuditEntry.objects.filter(event="agent").latest("pk")
    assert entry.data["after"]["reason"] == "its work is done"


def test_no_policy_approves_a_plan_that_makes_an_agent(operator: User, reviewer: User) -> None:
    done = plan_of(give("agent_create bdi_agent porter", operator))
    run(done, reviewer)
    # Twelve steps that ended well: with fewer every risk is unknown, and no policy that asks for it would pass it.
    well = {"tool": "agent_registry", "command": CREATE, "effect": "keyed", "state": "succeeded"}
    Intent.objects.bulk_create(Intent(intent_plan=done, position=number, **well) for number in range(10, 22))
    keeper = User.objects.create_user("keeper", roles=[Role.OPERATOR, Role.REVIEWER])
    in_force(Action.AUTO_APPROVE, keeper, "agents pass", tools=["agent_registry"], risk_at_most="medium")
    plan = plan_of(give(LINE, operator))
    tried(plan)
    upkeep.sweep()
    plan.refresh_from_db()
    assert plan.state == PlanState.AWAITING_REVIEW
    assert PolicyEvaluation.objects.filter(intent_plan=plan).exists(), "it was looked at"
    assert not Agent.objects.filter(name="scout").exists()


def test_a_plan_by_hand_cannot_make_two_of_one_name(operator: User, propose_plan: Any, make_goal: Any) -> None:
    from agents.plans import proposals

    steps = [{"tool": "agent_registry", "command": CREATE, "params": {"name": name}} for name in ("twin", "Twin")]
    _, problems = proposals.draft_by_hand(make_goal(operator, "Make twins"), steps, (), by=operator)
    assert [problem.position for problem in problems] == [2]
    assert "two agents" in problems[0].message
