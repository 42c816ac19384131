"""The laws of the mind on Postgres, through the real services: people and a worker do things in any order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from agents.bdi.commitment import Commitment
from agents.errors import AgentsError, StaleDigest
from agents.execution import record
from agents.execution.lease import LOST_WORKERS_MAX, claim
from agents.models import Attempt, Belief, Goal, IntentPlan, Transition
from agents.services import commitments, cycle, families, goals, pausing, telling
from agents.states import GOAL_ENDED, GOAL_MOVES, PLAN_ENDED, PLAN_MOVES, GoalState, MoveRefused, PlanState
from people.models import User
from review import envelope
from review.models import Approval
from review.services import decisions, editing
from tests.agents.execution.taking import take_up
from tests.cast import person

RULE = """RULE publish
IF your task is to publish the tides
CONSIDERING the network is up
THEN: create the folder out, write "one" to the file out/one.txt
ON FAILURE: remove the folder out
"""
# Its last step fails each time; nobody is asked about another way to do it.
FAILING_RULE = """RULE count
IF your task is to count the tides
THEN: create the folder out, run false
ON FAILURE: remove the folder out
"""
SENTENCES = (
    "The network is up.",
    "The network is not up.",
    "The goal is achieved.",
    "The goal is impossible.",
    "The goal is not wanted.",
)
_REFUSED = (AgentsError, MoveRefused)
Guard = Callable[[str, str], AbstractContextManager[None]]


class OnPostgres(RuleBasedStateMachine):
    """Everything is done by the services that pages and workers call; what they refuse has changed nothing."""

    cast: dict[str, User]
    without_guard: Guard

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[int] = []
        Goal.objects.filter(learned_at=None, state__in=[s.value for s in GOAL_ENDED]).update(
            learned_at="2020-01-01T00:00:00Z"
        )

    def _one(self, which: int) -> Goal | None:
        return Goal.objects.get(pk=self.ids[which % len(self.ids)]) if self.ids else None

    @rule(up=st.booleans(), part_of=st.integers(-3, 3), priority=st.integers(1, 5))
    def submit(self, up: bool, part_of: int, priority: int) -> None:
        parent = self._one(part_of) if part_of >= 0 and len(self.ids) else None
        if len(self.ids) >= 4 or (parent is not None and parent.has_ended):
            return
        goal = self._submit("Publish the tides", priority=priority, parent=parent)
        if up:
            telling.tell(goal, by=self.cast["owner"], sentence=SENTENCES[0])

    def _submit(self, text: str, **more: Any) -> Goal:
        goal = goals.submit(by=self.cast["owner"], text=text, **more)
        self.ids.append(goal.pk)
        return goal

    @rule(kind=st.sampled_from(list(Commitment)))
    def commit(self, kind: Commitment) -> None:
        if goal := self._one(0):
            commitments.set_to(goal.agent, kind, by=self.cast["chief"])

    @rule()
    def work(self) -> None:
        cycle.one()

    @rule()
    def get_on(self) -> None:
        """A plan is made, approved and worked on: so that much of what is tried comes that far."""
        self.work()
        self.review(0, 1)
        self.work()

    @rule(which=st.integers(0, 9), approves=st.integers(0, 4))
    def review(self, which: int, approves: int) -> None:
        plan = IntentPlan.objects.filter(goal_id__in=self.ids, state=PlanState.AWAITING_REVIEW.value).first()
        if plan is None:
            return
        if approves:
            decisions.approve(plan, by=self.cast["reviewer"], digest=plan.digest, via="api")
        else:
            decisions.reject(plan, by=self.cast["reviewer"], digest=plan.digest, reason="no", via="api")

    @rule(tries=st.integers(1, 3))
    def fail_and_fail_again(self, tries: int) -> None:
        """A step that always fails is tried as often as was granted at most; then it is over, or a person's turn."""
        self._resume()
        goal = self._submit("Count the tides", priority=1)
        plan = self._approved(goal, tries=tries)
        for _ in range(tries + 2):
            cycle.one(goal.pk)
            Goal.objects.filter(pk=goal.pk, wake_at__gt=timezone.now()).update(wake_at=timezone.now())
        assert 0 < _failed_tries(plan, 2) <= tries
        assert Goal.objects.get(pk=goal.pk).state not in (GoalState.EXECUTING, GoalState.RECOVERING)

    @rule(is_cancelled=st.booleans())
    def workers_die(self, is_cancelled: bool) -> None:
        """One after another in the middle of the same step; then it is not begun once more."""
        self._resume()
        goal = self._submit("Count the tides", priority=1)
        plan = self._approved(goal, tries=3)
        for _ in range(LOST_WORKERS_MAX):
            lease = claim(goal.pk)
            assert lease is not None
            taken = take_up(lease)
            assert taken is not None
            record.begin(taken, lease, taken.position)
            Goal.objects.filter(pk=goal.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
            if is_cancelled:
                goals.cancel(goal, by=self.cast["owner"])
                return
        cycle.work(goal.pk)
        assert Attempt.objects.filter(intent__intent_plan=plan, intent__position=1).count() == LOST_WORKERS_MAX
        assert Goal.objects.get(pk=goal.pk).state == GoalState.FAILED

    def _resume(self) -> None:
        pausing.resume(Goal.objects.get(pk=self.ids[0]).agent, by=self.cast["chief"])

    def _approved(self, goal: Goal, *, tries: int) -> IntentPlan:
        cycle.one(goal.pk)
        plan = IntentPlan.objects.get(goal=goal, state=PlanState.AWAITING_REVIEW.value)
        return decisions.approve(plan, by=self.cast["reviewer"], digest=plan.digest, via="api", tries=tries)

    @rule(which=st.integers(0, 9))
    def edit(self, which: int) -> None:
        """What was read before stands for nothing any more."""
        plan = IntentPlan.objects.filter(goal_id__in=self.ids, state=PlanState.AWAITING_REVIEW.value).first()
        if plan is None:
            return
        values = {"path": "out/one.txt", "content": f"revision {plan.revision}"}
        now = editing.edit(plan, by=self.cast["reviewer"], digest=plan.digest, position=2, params=values, via="api")
        for stale, digest in ((plan, plan.digest), (now, plan.digest), (plan, now.digest)):
            with pytest.raises(StaleDigest):
                decisions.approve(stale, by=self.cast["reviewer"], digest=digest, via="api")

    @rule()
    def change_behind_its_back(self) -> None:
        """Whoever owns the database puts other bytes where approved ones were."""
        self.get_on_until_approved()
        plan = IntentPlan.objects.filter(goal_id__in=self.ids, state=PlanState.APPROVED.value).last()
        if plan is None:
            return
        other = bytes(plan.document).replace(b"out", b"etc")
        with self.without_guard("agents_intentplan", "intent_plan_immutable"):
            IntentPlan.objects.filter(pk=plan.pk).update(document=other)
        self._resume()
        cycle.work(plan.goal_id)
        assert not Attempt.objects.filter(intent__intent_plan=plan).exists()
        assert IntentPlan.objects.get(pk=plan.pk).state in PLAN_ENDED

    def get_on_until_approved(self) -> None:
        self.submit(True, -1, 3)
        self.work()
        self.review(0, 1)

    @rule(which=st.integers(0, 9), sentence=st.sampled_from(SENTENCES), sure=st.sampled_from([0.5, 1.0]))
    def tell(self, which: int, sentence: str, sure: float) -> None:
        if goal := self._one(which):
            with suppress(*_REFUSED):
                telling.tell(goal, by=self.cast["owner"], sentence=sentence, confidence=sure)

    @rule(which=st.integers(0, 9), denies=st.booleans())
    def untell(self, which: int, denies: bool) -> None:
        goal = self._one(which)
        held = goal.beliefs.filter(retracted_by="", source="person").last() if goal else None
        if goal is None or held is None:
            return
        with suppress(*_REFUSED):
            act: Any = telling.contradict if denies else telling.retract
            act(goal, by=self.cast["reviewer"], belief_id=held.pk)

    @rule(which=st.integers(0, 9), denies=st.booleans())
    def think_again(self, which: int, denies: bool) -> None:
        """What a plan in review stands on goes."""
        self.work()
        self.untell(which, denies)

    @rule(denies=st.booleans())
    def think_again_of_what_was_approved(self, denies: bool) -> None:
        """An open-minded agent lets go of a plan that nobody has begun."""
        self.submit(True, -1, 3)
        self.commit(Commitment.OPEN_MINDED)
        self.work()
        self.review(0, 1)
        plan = IntentPlan.objects.filter(goal_id__in=self.ids, state=PlanState.APPROVED.value).last()
        if plan is not None:
            self.untell(self.ids.index(plan.goal_id), denies)

    @rule(works=st.booleans())
    def cancel_a_whole(self, works: bool) -> None:
        """One of its parts is left over."""
        wholes = [goal for goal in Goal.objects.filter(pk__in=self.ids) if not goal.has_ended]
        if not wholes or len(self.ids) >= 4:
            return
        self.submit(True, self.ids.index(wholes[0].pk), 3)
        if works:
            self._resume()
            cycle.one(self.ids[-1])
        self.cancel(self.ids.index(wholes[0].pk))

    @initialize()
    def begin(self) -> None:
        """A goal that can be planned, so that no sequence is about nothing."""
        self.submit(True, -1, 3)

    @rule(which=st.integers(0, 9))
    def expire(self, which: int) -> None:
        if goal := self._one(which):
            Belief.objects.filter(goal=goal, source="person", retracted_by="").update(expires_at="2020-01-01T00:00:00Z")
            telling.expire()

    @rule(which=st.integers(0, 9))
    def cancel(self, which: int) -> None:
        if goal := self._one(which):
            with suppress(*_REFUSED):
                goals.cancel(goal, by=self.cast["owner"])
            families.drop_orphans()

    @rule(paused=st.booleans())
    def pause(self, paused: bool) -> None:
        if goal := self._one(0):
            (pausing.pause if paused else pausing.resume)(goal.agent, by=self.cast["chief"])

    @invariant()
    def every_move_is_in_the_tables(self) -> None:
        for move in Transition.objects.filter(goal_id__in=self.ids):
            if move.intent_plan_id is None:
                assert GoalState(move.new) in GOAL_MOVES[GoalState(move.old)]
            else:
                assert PlanState(move.new) in PLAN_MOVES[PlanState(move.old)]

    @invariant()
    def every_state_was_moved_to(self) -> None:
        """Each move begins where the one before it ended, and the last one ended where the goal or the plan is."""
        moves = list(Transition.objects.filter(goal_id__in=self.ids).order_by("pk"))
        for goal_id, state in Goal.objects.filter(pk__in=self.ids).values_list("pk", "state"):
            of_goal = [one for one in moves if one.goal_id == goal_id and one.intent_plan_id is None]
            _follow(of_goal, state, GoalState.PENDING)
        for plan_id, state in IntentPlan.objects.filter(goal_id__in=self.ids).values_list("pk", "state"):
            _follow([one for one in moves if one.intent_plan_id == plan_id], state, PlanState.AWAITING_REVIEW)

    @invariant()
    def no_goal_is_lost(self) -> None:
        """Each has ended, or a worker can claim it, or a person is asked; and none keeps a lease that nobody holds."""
        for goal in Goal.objects.filter(pk__in=self.ids):
            assert goal.lease_until is None, "a turn is over when it returns"
            plans = goal.intent_plans.exclude(state__in=[state.value for state in PLAN_ENDED])
            if goal.has_ended:
                assert not plans.exists()
            elif goal.state in (GoalState.AWAITING_REVIEW, GoalState.EXECUTING):
                assert plans.count() == 1
            else:
                assert goal.state in (GoalState.PENDING, GoalState.MANUAL, GoalState.RECOVERING), goal.state
                assert goal.state != GoalState.PENDING or not plans.exists(), "it is planned anew beside an open plan"
            if goal.parent_id and Goal.objects.get(pk=goal.parent_id).state == GoalState.DROPPED:
                families.drop_orphans()
                goal.refresh_from_db()
                running = goal.state == GoalState.EXECUTING
                assert goal.has_ended or running

    @invariant()
    def nothing_ran_that_was_not_approved_nor_twice(self) -> None:
        for attempt in Attempt.objects.filter(intent__intent_plan__goal_id__in=self.ids).select_related("intent"):
            plan = IntentPlan.objects.get(pk=attempt.intent.intent_plan_id)
            assert plan.approved_digest == plan.digest == hashlib.sha256(plan.document).hexdigest()
            approval = Approval.objects.get(intent_plan=plan, digest=plan.digest)
            assert _failed_tries(plan, attempt.intent.position) <= envelope.tries_in(approval.envelope)

    def teardown(self) -> None:
        for goal_id in self.ids:
            goal = Goal.objects.get(pk=goal_id)
            pausing.resume(goal.agent, by=self.cast["chief"])
            if not goal.has_ended:
                goals.cancel(goal, by=self.cast["owner"])


def _failed_tries(plan: IntentPlan, position: int) -> int:
    return Attempt.objects.filter(
        intent__intent_plan=plan, intent__position=position, outcome="failed", alternative=0
    ).count()


def _follow(moves: list[Transition], state: str, first: str) -> None:
    ways = [first, *(one.new for one in moves)]
    assert [one.old for one in moves] == ways[:-1]
    assert state == ways[-1]


@pytest.mark.django_db(transaction=True)
def test_no_sequence_of_events_breaks_a_law_on_postgres(
    owner: User, reviewer: User, monkeypatch: pytest.MonkeyPatch, without_guard: Guard
) -> None:
    from library.components import services as components
    from tests.library.vectors import install

    install(monkeypatch)
    chief = person("oskar", "operator", "developer")
    components.publish("rule", "publish", RULE, by=chief, status="active")
    components.publish("rule", "count", FAILING_RULE, by=chief, status="active")
    OnPostgres.without_guard = staticmethod(without_guard)
    OnPostgres.cast = {"owner": owner, "reviewer": reviewer, "chief": chief}
    bounded = settings(max_examples=12, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(OnPostgres, settings=bounded)
    assert Attempt.objects.exists(), "something ran, or nothing was tried"
