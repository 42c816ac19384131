"""Whatever fails in whatever order, and whatever was learned or set: nothing runs again that was not granted, no count
is passed, and it comes to an end. A small world does only what the pure core decides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agents.bdi.recovery.agint import Decision, Health, Machine, Whole, assess
from agents.bdi.recovery.delays import LONGEST_PATIENCE_S, delay
from agents.bdi.recovery.failures import Failure, FailureClass
from agents.bdi.recovery.recovery import (
    Choice,
    Envelope,
    Policy,
    Situation,
    choose,
    closed,
)
from agents.bdi.recovery.recovery_learning import Cell
from agents.bdi.recovery.recovery_settings import USUAL
from agents.bdi.recovery.shared_causes import Kind, SharedCause
from agents.bdi.recovery.strategies import ABORT, AGINT, ALTERNATIVE, COOLED, MANUAL, RETRY, WAYS, Strategy, Way

EFFECTS = st.sampled_from(["idempotent", "workspace", "keyed", "once"])
CLASSES = st.sampled_from(list(FailureClass))
ONE_OF_WAYS, MOST_DECLARED = st.sampled_from(WAYS), 3


class Recovering(RuleBasedStateMachine):
    """One step of an approved plan, which fails and fails; a person is asked where the choice says so."""

    def __init__(self) -> None:
        super().__init__()
        # How often the step (0) and each of its alternatives has run; how often a person had it tried again.
        self.ran: Counter[int] = Counter()
        self.by_hand = 0
        self.failed_tries = 0
        self.chosen: list[Way] = []
        self.escalations = 0
        self.runs = 0
        self.waits_for = ""
        self.cell = Cell(USUAL.memory)
        self.known = 0

    @initialize(
        effect=EFFECTS,
        tries=st.integers(1, 5),
        declared=st.integers(0, MOST_DECLARED),
        granted=st.frozensets(st.integers(1, MOST_DECLARED)),
        pinned=st.none() | ONE_OF_WAYS,
        banned=st.just(frozenset()) | st.frozensets(ONE_OF_WAYS, max_size=3),
        living=st.sampled_from([(), (), (), ("server",)]),
        usually=CLASSES,
    )
    def approve(
        self,
        effect: str,
        tries: int,
        declared: int,
        granted: frozenset[int],
        pinned: Way | None,
        banned: frozenset[Way],
        living: tuple[str, ...],
        usually: FailureClass,
    ) -> None:
        granted = frozenset(number for number in granted if number <= declared)
        self.envelope, self.effect, self.living = Envelope(tries, declared, granted), effect, living
        self.policy, self.usually = Policy(pinned, banned), usually
        self._run(0)

    def _run(self, which: int) -> None:
        self.ran[which] += 1
        self.runs += 1
        self.running = which

    @rule(strategy=ONE_OF_WAYS, succeeded=st.booleans())
    def learn(self, strategy: Way, succeeded: bool) -> None:
        """Another plan's failure teaches something."""
        self.cell.learn(str(strategy), succeeded)
        self.known += 1

    @precondition(lambda self: not self.waits_for)
    @rule(
        another=st.none() | CLASSES,
        retry_after_s=st.sampled_from([0.0, 0.0, 30.0, 10 * LONGEST_PATIENCE_S]),
        is_over=st.sampled_from([False] * 9 + [True]),
        gets_simpler=st.booleans(),
        may_replan=st.sampled_from([False, False, True]),
        cpu=st.sampled_from([10.0, 99.0]),
    )
    def fail(
        self,
        another: FailureClass | None,
        retry_after_s: float,
        is_over: bool,
        gets_simpler: bool,
        may_replan: bool,
        cpu: float,
    ) -> None:
        self.failed_tries += self.running == 0
        now = Situation(
            effect=self.effect,
            tries=max(1, self.failed_tries),
            envelope=replace(self.envelope, after=self.running),
            living=self.living,
            is_over=is_over,
            chosen=tuple(self.chosen),
            simpler="" if gets_simpler else "the plan cannot be simplified further",
            escalated=self.escalations >= USUAL.most_escalations,
            retry_after_s=retry_after_s,
        )
        failure = Failure(another or self.usually, "x")
        choice = self._chosen(failure, now)
        self.chosen.append(choice.way)
        if choice.way == AGINT:
            self.escalations += 1
            choice = self._looked_at(failure, now, choice, may_replan, cpu)
        self._carry_out(choice, now)

    def _chosen(self, failure: Failure, now: Situation) -> Choice:
        known, policy = self.known, self.policy
        choice = choose(failure, now, policy=policy, cell=self.cell, known=known, rng=Random(self.runs))
        assert choice.way not in closed(now), "it was not open"
        assert choice.way == ABORT or choice.way not in policy.banned, "an operator banned it"
        assert choice.way == ABORT or not now.is_over, "there is no time left"
        assert choice.why
        return choice

    def _looked_at(self, failure: Failure, now: Situation, choice: Choice, may_replan: bool, cpu: float) -> Choice:
        """As `agents/execution/recovering.py` does what AGInt decided."""
        may_try = RETRY not in closed(now)
        whole = Whole(
            failure.failure_class,
            "t",
            machine=Machine(cpu),
            shared=SharedCause(Kind.PROGRAM, ("make",)),
            shared_health=Health(9, 2),
            may_try=may_try,
            may_replan=may_replan,
        )
        decision = assess(whole, USUAL).decision
        assert may_try or decision not in (Decision.COOL_DOWN, Decision.DELEGATE), "it has another try that is not open"
        assert may_replan or decision is not Decision.RESEARCH
        if decision is Decision.NOTHING:
            return self._chosen(failure, replace(now, escalated=True))
        again = may_try and decision is not Decision.RESEARCH
        return replace(choice, delay_s=delay(now.tries, USUAL, Random(0), now.retry_after_s).seconds, tries_again=again)

    def _carry_out(self, choice: Choice, now: Situation) -> None:
        if choice.goes_on:
            if choice.tries_again or choice.way in (RETRY, COOLED):
                assert choice.delay_s >= min(now.retry_after_s, LONGEST_PATIENCE_S), "a server asked for more patience"
                assert choice.delay_s <= LONGEST_PATIENCE_S * (1 + USUAL.jitter)
            self._run(choice.alternative if choice.way == ALTERNATIVE else 0)
        elif choice.way == MANUAL:
            self.waits_for = "a hand"
        elif choice.strategy is Strategy.GRACEFUL_ABORT:
            self.waits_for = "nothing"
        else:
            self.waits_for = "a review"

    @precondition(lambda self: self.waits_for == "a hand")
    @rule()
    def a_person_has_it_tried_again(self) -> None:
        self.by_hand += 1
        self.waits_for = ""
        self._run(0)

    @invariant()
    def nothing_runs_again_that_was_not_granted(self) -> None:
        envelope, by_itself = self.envelope, self.ran[0] - self.by_hand
        assert by_itself <= envelope.tries
        if self.effect == "once":
            assert by_itself == 1, "it may have taken effect"
            assert self.ran.keys() == {0}
        if self.living:
            assert self.runs - self.by_hand == 1, "what was started beside it is gone"
        for number, times in self.ran.items():
            assert number == 0 or (number in envelope.granted and number <= envelope.declared)
            assert number == 0 or times <= 1 + self.by_hand, "an alternative is tried once"

    @invariant()
    def it_comes_to_an_end(self) -> None:
        """Each further run uses something up; nothing asks AGInt for ever."""
        others = len(self.envelope.granted) * (1 + self.by_hand)
        assert self.runs - self.by_hand <= self.envelope.tries + others
        assert self.escalations <= USUAL.most_escalations


TestRecovering = Recovering.TestCase
TestRecovering.settings = settings(max_examples=100, stateful_step_count=20)
