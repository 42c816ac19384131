"""The laws of the mind on Postgres, through the real services: people and a worker do things in any order."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from agents.actors import commitments, pauses
from agents.bdi.intentions.commitment import Commitment
from agents.cycle import cycle
from agents.goals import goals
from agents.models import Attempt, Belief, Goal, IntentPlan
from agents.plans import goal_families
from agents.record.errors import AgentsError
from agents.recovery import told_beliefs
from agents.states import MoveRefused, PlanState
from people.models import User
from review.deciding import decisions
from tests.agents.cycle.laws import Laws
from tests.cast import person
from tests.deep import DEEP

RULE = """RULE publish
IF your task is to publish the tides
CONSIDERING the network is up
THEN: create the folder out, write "one" to the file out/one.txt
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


class OnPostgres(Laws):
    """What people tell, decide and take back beside one worker."""

    @rule(up=st.booleans(), part_of=st.integers(-3, 3), priority=st.integers(1, 5))
    def submit(self, up: bool, part_of: int, priority: int) -> None:
        parent = self.one(part_of) if part_of >= 0 and len(self.ids) else None
        if len(self.ids) >= 4 or (parent is not None and parent.has_ended):
            return
        goal = self.take_in("Publish the tides", priority=priority, parent=parent)
        if up:
            told_beliefs.tell(goal, by=self.cast["owner"], sentence=SENTENCES[0])

    @rule(kind=st.sampled_from(list(Commitment)))
    def commit(self, kind: Commitment) -> None:
        if goal := self.one(0):
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

    @rule(which=st.integers(0, 9), sentence=st.sampled_from(SENTENCES), sure=st.sampled_from([0.5, 1.0]))
    def tell(self, which: int, sentence: str, sure: float) -> None:
        if goal := self.one(which):
            with suppress(*_REFUSED):
                told_beliefs.tell(goal, by=self.cast["owner"], sentence=sentence, confidence=sure)

    @rule(which=st.integers(0, 9), denies=st.booleans())
    def untell(self, which: int, denies: bool) -> None:
        goal = self.one(which)
        held = goal.beliefs.filter(retracted_by="", source="person").last() if goal else None
        if goal is None or held is None:
            return
        with suppress(*_REFUSED):
            act: Any = told_beliefs.contradict if denies else told_beliefs.retract
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
            self.go_on()
            cycle.one(self.ids[-1])
        self.cancel(self.ids.index(wholes[0].pk))

    @initialize()
    def begin(self) -> None:
        """A goal that can be planned, so that no sequence is about nothing."""
        self.submit(True, -1, 3)

    @rule(which=st.integers(0, 9))
    def expire(self, which: int) -> None:
        if goal := self.one(which):
            Belief.objects.filter(goal=goal, source="person", retracted_by="").update(expires_at="2020-01-01T00:00:00Z")
            told_beliefs.expire()

    @rule(which=st.integers(0, 9))
    def cancel(self, which: int) -> None:
        if goal := self.one(which):
            with suppress(*_REFUSED):
                goals.cancel(goal, by=self.cast["owner"])
            goal_families.drop_orphans()

    @rule(paused=st.booleans())
    def pause(self, paused: bool) -> None:
        if goal := self.one(0):
            (pauses.pause if paused else pauses.resume)(goal.agent, by=self.cast["chief"])


@pytest.mark.django_db(transaction=True)
def test_no_sequence_of_events_breaks_a_law_on_postgres(
    owner: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from library.components import services as components
    from tests.library.vectors import install

    install(monkeypatch)
    chief = person("oskar", "operator", "developer")
    components.publish("rule", "publish", RULE, by=chief, status="active")
    OnPostgres.cast = {"owner": owner, "reviewer": reviewer, "chief": chief}
    number = 60 if DEEP else 6
    bounded = settings(
        max_examples=number, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(OnPostgres, settings=bounded)
    assert Attempt.objects.exists(), "something ran, or nothing was tried"
