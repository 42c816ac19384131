"""Between two steps an agent holds on or lets go as its commitment says; what it plans instead is reviewed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.actors import commitments
from agents.bdi.intentions.commitment import Commitment
from agents.cycle import cycle
from agents.execution import attempts, executor, reconsidering
from agents.models import Agent, Belief, Goal, Intent, IntentPlan
from agents.plans import goal_families, reporting
from agents.record.lease import LeaseLost
from agents.recovery import told_beliefs
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import decisions
from tests.cast import person

pytestmark = pytest.mark.django_db(transaction=True)

RULE = """RULE publish
IF your task is to publish the tides
CONSIDERING the network is up
AND there is no folder named out
THEN: create the folder out, write "one" to the file out/one.txt, write "two" to the file out/two.txt
ON FAILURE: remove the folder out
"""
UP = "The network is up."


@pytest.fixture
def chief(db: None) -> User:
    return person("oskar", "operator", "developer")


@pytest.fixture
def planned(owner: User, reviewer: User, make_goal: Callable[..., Goal], chief: User) -> Callable[..., IntentPlan]:
    """`planned("open_minded")`: an approved plan of the rule above, that stands on what its owner has said."""
    from library.components import services as components

    def made(kind: str = "single_minded", **goal: Any) -> IntentPlan:
        version = components.publish("rule", "publish", RULE, by=chief)
        components.activate(version, by=chief)
        of = make_goal(owner, "Publish the tides", **goal)
        told_beliefs.tell(of, by=owner, sentence=UP)
        commitments.set_to(of.agent, Commitment(kind), by=chief)
        cycle.one(of.pk)
        plan = of.intent_plans.get()
        return decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")

    return made


@pytest.fixture
def after_the_first_step(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """`after_the_first_step(act)`: act while the first step runs, and have the companion look right after."""

    def set_up(act: Callable[[], object]) -> None:
        real = attempts.Attempts.attempt

        def tried(self: attempts.Attempts, desk: Any, running: reporting.Running) -> Any:
            self._companion._is_cancelled()
            outcome = real(self, desk, running)
            if running.position == 1 and running.number == 1:
                act()
            self._companion._is_cancelled()
            return outcome

        monkeypatch.setattr(attempts.Attempts, "attempt", tried)

    return set_up


def _states(plan: IntentPlan) -> list[str]:
    return list(plan.intents.filter(phase="main").order_by("position").values_list("state", flat=True))


def _is_cleaned_up(plan: IntentPlan) -> bool:
    return set(plan.intents.filter(phase="cleanup").values_list("state", flat=True)) == {"succeeded"}


def test_an_open_minded_agent_plans_again_when_what_its_plan_stood_on_was_taken_back(
    planned: Callable[..., IntentPlan], after_the_first_step: Callable[..., None], owner: User
) -> None:
    plan = planned("open_minded")
    goal = plan.goal

    def take_back() -> None:
        told_beliefs.retract(goal, by=owner, belief_id=goal.beliefs.get(sentence=UP).pk)

    after_the_first_step(take_back)
    cycle.one(goal.pk)
    plan.refresh_from_db()
    goal.refresh_from_db()
    assert plan.state == PlanState.SUPERSEDED
    assert plan.reason.startswith("the plan depended on “the network is up”")
    assert _states(plan) == ["succeeded", "skipped", "skipped"]
    assert not _is_cleaned_up(plan), "what was done stays for the plan that comes"
    assert (goal.state, goal.lease_until) == (GoalState.PENDING, None)
    line = goal.log_lines.get(stage="reconsider", text__startswith="plans again")
    assert line.data["lost"][0]["context"] == "the network is up"
    assert line.data["commitment"] == "open_minded"
    # What is planned now is planned from what holds now; nothing runs that was not shown.
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert not goal.intent_plans.exclude(pk=plan.pk).exists()


def test_who_was_taken_over_since_lets_go_of_nothing(
    planned: Callable[..., IntentPlan],
    after_the_first_step: Callable[..., None],
    owner: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = planned("open_minded")
    goal = plan.goal
    after_the_first_step(lambda: told_beliefs.retract(goal, by=owner, belief_id=goal.beliefs.get(sentence=UP).pk))
    real, lease_lost = reconsidering.carry_out, list[int]()

    def taken_over(*args: Any, **kwargs: Any) -> None:
        Goal.objects.filter(pk=goal.pk).update(lease_fence=F("lease_fence") + 1)
        try:
            real(*args, **kwargs)
        except LeaseLost:
            lease_lost.append(1)
            raise

    monkeypatch.setattr(reconsidering, "carry_out", taken_over)
    cycle.one(goal.pk)
    plan.refresh_from_db()
    assert lease_lost == [1]
    assert (plan.state, Goal.objects.get(pk=goal.pk).state) == (PlanState.EXECUTING, GoalState.EXECUTING)
    assert not goal.log_lines.filter(text__startswith="plans again").exists()


def test_a_commitment_that_an_operator_sets_while_the_plan_runs_counts_from_the_next_step(
    planned: Callable[..., IntentPlan], after_the_first_step: Callable[..., None], owner: User, chief: User
) -> None:
    plan = planned("blind")
    goal = plan.goal

    def both() -> None:
        commitments.set_to(goal.agent, Commitment.OPEN_MINDED, by=chief, why="The weather turns.")
        told_beliefs.retract(goal, by=owner, belief_id=goal.beliefs.get(sentence=UP).pk)

    after_the_first_step(both)
    cycle.one(goal.pk)
    plan.refresh_from_db()
    assert (plan.state, _states(plan)) == (PlanState.SUPERSEDED, ["succeeded", "skipped", "skipped"])
    line = goal.log_lines.get(stage="reconsider", text__startswith="plans again")
    assert line.data["commitment"] == "open_minded"


@pytest.mark.parametrize("kind", ["blind", "single_minded"])
def test_who_is_less_open_goes_on_and_says_so(
    kind: str, planned: Callable[..., IntentPlan], after_the_first_step: Callable[..., None], owner: User
) -> None:
    plan = planned(kind)
    goal = plan.goal
    after_the_first_step(lambda: told_beliefs.retract(goal, by=owner, belief_id=goal.beliefs.get(sentence=UP).pk))
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.ACHIEVED
    (line,) = goal.log_lines.filter(stage="reconsider", text__startswith="goes on")
    assert line.text.endswith(f"a {kind.replace('_', '-')} agent goes on")


@pytest.mark.parametrize(
    ("kind", "state", "reason"),
    [
        ("blind", GoalState.ACHIEVED, ""),
        ("single_minded", GoalState.DROPPED, "impossible: it is believed impossible: The goal is impossible."),
        ("open_minded", GoalState.DROPPED, "impossible: it is believed impossible: The goal is impossible."),
    ],
)
def test_an_impossible_goal_is_dropped_and_cleaned_up_but_by_a_blind_agent(
    kind: str,
    state: GoalState,
    reason: str,
    planned: Callable[..., IntentPlan],
    after_the_first_step: Callable[..., None],
    owner: User,
    file_of: Callable[[IntentPlan, str], bytes],
) -> None:
    plan = planned(kind)
    goal = plan.goal
    after_the_first_step(lambda: told_beliefs.tell(goal, by=owner, sentence="The goal is impossible."))
    cycle.one(goal.pk)
    plan.refresh_from_db()
    goal.refresh_from_db()
    assert (goal.state, goal.reason, goal.lease_until) == (state, reason, None)
    if state == GoalState.DROPPED:
        assert plan.state == PlanState.SUPERSEDED
        # The clean-up, which was approved with the plan, has removed what the first step had made.
        assert _states(plan) == ["succeeded", "skipped", "skipped"]
        assert _is_cleaned_up(plan)
        with pytest.raises(KeyError):
            file_of(plan, "out/one.txt")
    else:
        assert file_of(plan, "out/two.txt") == b"two"


def test_a_goal_that_is_believed_achieved_is_not_worked_on_any_more(
    planned: Callable[..., IntentPlan], after_the_first_step: Callable[..., None], owner: User
) -> None:
    plan = planned("blind")
    after_the_first_step(lambda: told_beliefs.tell(plan.goal, by=owner, sentence="The goal is achieved."))
    cycle.one(plan.goal_id)
    plan.goal.refresh_from_db()
    assert plan.goal.state == GoalState.ACHIEVED
    assert _states(plan) == ["succeeded", "skipped", "skipped"]


def test_its_own_steps_are_no_reason_to_plan_again(planned: Callable[..., IntentPlan]) -> None:
    plan = planned("open_minded")
    cycle.one(plan.goal_id)
    plan.goal.refresh_from_db()
    assert plan.goal.state == GoalState.ACHIEVED, "“there is no folder named out” is false by its own first step"


def test_an_approved_plan_that_has_not_begun_is_let_go_of_at_once(
    planned: Callable[..., IntentPlan], owner: User
) -> None:
    plan = planned("open_minded")
    told_beliefs.retract(plan.goal, by=owner, belief_id=plan.goal.beliefs.get(sentence=UP).pk)
    plan.refresh_from_db()
    plan.goal.refresh_from_db()
    assert (plan.state, plan.goal.state) == (PlanState.SUPERSEDED, GoalState.PENDING)
    assert not Intent.objects.filter(intent_plan=plan).exclude(state="skipped").exists()


def test_what_was_told_while_nobody_worked_on_the_plan_is_seen_before_the_next_step(
    planned: Callable[..., IntentPlan], after_the_first_step: Callable[..., None], owner: User, chief: User
) -> None:
    from agents.actors import pauses

    plan = planned("open_minded")
    after_the_first_step(lambda: pauses.pause(plan.goal.agent, by=chief))
    cycle.one(plan.goal_id)
    assert _states(plan)[:2] == ["succeeded", "pending"]
    told_beliefs.retract(plan.goal, by=owner, belief_id=plan.goal.beliefs.get(sentence=UP).pk)
    pauses.resume(plan.goal.agent, by=chief)
    cycle.one(plan.goal_id)
    plan.refresh_from_db()
    assert plan.state == PlanState.SUPERSEDED
    assert _states(plan)[1] == "skipped"


def test_a_part_is_dropped_and_cleaned_up_when_the_whole_has_ended(
    planned: Callable[..., IntentPlan],
    after_the_first_step: Callable[..., None],
    owner: User,
    make_goal: Callable[..., Goal],
) -> None:
    from agents.goals import goals

    whole = make_goal(owner, "Publish everything")
    running = planned("blind", parent=whole)
    waiting = make_goal(owner, "Read the tides", parent=whole)
    after_the_first_step(lambda: goals.cancel(whole, by=owner))
    cycle.one(running.goal_id)
    goal_families.drop_orphans()
    for goal in (running.goal, waiting):
        goal.refresh_from_db()
        assert goal.state == GoalState.DROPPED
        assert f"goal {whole.pk}, which it is a part of, is dropped" in goal.reason
        assert goal.lease_until is None
    assert _states(running) == ["succeeded", "skipped", "skipped"]
    assert _is_cleaned_up(running)


@pytest.mark.parametrize(("kind", "more"), [("blind", 0), ("single_minded", 0), ("open_minded", 1)])
def test_only_an_open_minded_agent_pays_for_looking_again(
    kind: str, more: int, planned: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(kind)
    asked: list[int] = []
    real = executor.Executor._looked_again

    def counted(self: executor.Executor, *rest: Any) -> Any:
        with CaptureQueriesContext(connection) as queries:
            answer = real(self, *rest)
        asked.append(len(queries))
        return answer

    monkeypatch.setattr(executor.Executor, "_looked_again", counted)
    cycle.one(plan.goal_id)
    assert [count > 0 for count in asked] == [bool(more)] * 2, asked


def test_the_commitment_that_counts_is_the_newest_and_only_operators_set_it(owner: User, chief: User) -> None:
    from agents.record.errors import NotYours

    agent = Agent.objects.get_or_create(name="mindx")[0]
    assert commitments.of(agent.pk) is Commitment.SINGLE_MINDED
    commitments.set_to(agent, Commitment.BLIND, by=chief)
    commitments.set_to(agent, Commitment.OPEN_MINDED, by=chief, why="it plans by the weather")
    commitments.set_to(agent, Commitment.OPEN_MINDED, by=chief)
    assert commitments.of(agent.pk) is Commitment.OPEN_MINDED
    assert list(agent.commitments.order_by("pk").values_list("kind", flat=True)) == ["blind", "open_minded"]
    with pytest.raises(NotYours):
        commitments.set_to(agent, Commitment.BLIND, by=owner)


def test_a_goal_whose_deadline_has_passed_is_not_begun_and_a_person_lets_it_go_on(
    make_goal: Callable[..., Goal], owner: User
) -> None:
    from agents.planning import planning

    goal = make_goal(owner, "Read the tides")
    Goal.objects.filter(pk=goal.pk).update(deadline="2020-01-01T00:00:00Z")
    cycle.one(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert goal.reason.startswith("deadline_passed: its deadline passed at 2020-01-01")
    goal = planning.plan_again(goal, by=owner)
    assert (goal.state, goal.deadline) == (GoalState.PENDING, None)


def test_expired_words_are_let_go_of_and_wake_who_stood_on_them(planned: Callable[..., IntentPlan]) -> None:
    plan = planned("open_minded")
    Belief.objects.filter(sentence=UP).update(expires_at=timezone.now())
    assert told_beliefs.expire() == 1
    assert told_beliefs.expire() == 0
    plan.refresh_from_db()
    plan.goal.refresh_from_db()
    assert (plan.state, plan.goal.state) == (PlanState.SUPERSEDED, GoalState.PENDING)
    assert plan.goal.beliefs.get(sentence=UP).retracted_by == "expired"
    assert plan.goal.log_lines.filter(stage="revise", text=f"it expired: {UP}").exists()
