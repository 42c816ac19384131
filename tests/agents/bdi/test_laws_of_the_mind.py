"""Whatever happens in whatever order: no goal leaves the tables or is lost, nothing runs that was not approved, and no
limit is passed. Held on the pure core against a small world that does only what it decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agents.bdi.intentions.commitment import Commitment, Course, Situation, reconsider
from agents.bdi.intentions.deliberation import OLDEST_EVERY, Candidate, choose, is_turn_of_the_oldest
from agents.bdi.intentions.premises import Ground, Loss
from agents.bdi.intentions.reacting import Does, reaction
from agents.states import GOAL_ENDED, GOAL_MOVES, PLAN_ENDED, PLAN_MOVES, GoalState, PlanState
from agents.toolkit.types import Belief

G, P = GoalState, PlanState
LOST = (Loss(Ground("the network is up", "r 1.0.0", 3, ("The network is up.",), told=True), None),)
STEPS, MOST_OPEN = 3, 6
OPEN = tuple(state for state in G if state not in GOAL_ENDED)
WORDS = ("The goal is achieved.", "The goal is impossible.", "The goal is not wanted.")


@dataclass
class Plan:
    """A revision: `approved` is the number that a person approved; `ran` counts steps."""

    number: int
    state: PlanState = P.AWAITING_REVIEW
    approved: int = 0
    ran: int = 0


@dataclass
class World:
    """One goal as the rows would say it."""

    number: int
    priority: int
    kind: Commitment
    whole: World | None = None
    state: GoalState = G.PENDING
    plans: list[Plan] = field(default_factory=list)
    told: list[Belief] = field(default_factory=list)
    lost: bool = False
    # How many claims went to others while it waited, and how many older ones waited when it began to.
    passed_over: int = 0
    older: int = 0

    @property
    def superseded(self) -> str:
        """Why it is not needed any more."""
        return "the goal that it is a part of has ended" if self.whole and self.whole.state in GOAL_ENDED else ""

    @property
    def open_plan(self) -> Plan | None:
        return next((plan for plan in self.plans if plan.state not in PLAN_ENDED), None)

    def move(self, new: GoalState) -> None:
        assert new in GOAL_MOVES[self.state], f"{self.state} to {new}"
        self.state, self.passed_over = new, 0


def _move(plan: Plan, new: PlanState) -> None:
    assert new in PLAN_MOVES[plan.state], f"{plan.state} to {new}"
    plan.state = new


class Mind(RuleBasedStateMachine):
    """Goals of one agent, one worker, people who approve, tell and cancel."""

    def __init__(self) -> None:
        super().__init__()
        self.goals: dict[int, World] = {}
        self.claims = 0

    def _some(self, which: int, *states: GoalState) -> World | None:
        found = [goal for goal in self.goals.values() if goal.state in states]
        return found[which % len(found)] if found else None

    @precondition(lambda self: sum(goal.state not in GOAL_ENDED for goal in self.goals.values()) < MOST_OPEN)
    @rule(priority=st.integers(1, 5), kind=st.sampled_from(list(Commitment)), part_of=st.none() | st.integers(0, 9))
    def submit(self, priority: int, kind: Commitment, part_of: int | None) -> None:
        whole = None if part_of is None else self._some(part_of, *OPEN)
        goal = self.goals[len(self.goals)] = World(len(self.goals), priority, kind, whole)
        self._waits(goal)

    def _waits(self, goal: World) -> None:
        goal.older = sum(one.state is G.PENDING for one in self.goals.values() if one.number < goal.number)

    @rule(times=st.integers(1, 3 * OLDEST_EVERY))
    def urgent_ones_keep_coming(self, times: int) -> None:
        """Each is planned as soon as it is there, and cancelled."""
        for _ in range(times):
            self.submit(1, Commitment.BLIND, None)
            self.deliberate_and_plan(False)
            self.cancel(-1)

    @rule(finds_a_plan=st.booleans())
    def deliberate_and_plan(self, finds_a_plan: bool) -> None:
        waiting = [
            Candidate(str(goal.number), goal.priority, f"{goal.number:03}")
            for goal in self.goals.values()
            if goal.state is G.PENDING
        ]
        oldest = is_turn_of_the_oldest(self.claims)
        self.claims += 1
        choice = choose(waiting, frozenset(), frozenset(), "2026", oldest=oldest)
        assert (choice.goal is None) == (not waiting)
        if choice.goal is None:
            return
        goal = self.goals[int(choice.goal)]
        assert choice.reason
        for other in choice.before:
            self.goals[int(other)].passed_over += 1
        goal.move(G.PLANNING)
        if finds_a_plan and not goal.lost:
            goal.plans.append(Plan(len(goal.plans) + 1))
            goal.move(G.AWAITING_REVIEW)
        else:
            goal.move(G.MANUAL)

    @rule(which=st.integers(0, 9), approves=st.booleans())
    def review(self, which: int, approves: bool) -> None:
        goal = self._some(which, G.AWAITING_REVIEW)
        plan = goal.open_plan if goal else None
        if goal is None or plan is None or plan.state is not P.AWAITING_REVIEW:
            return
        if approves:
            _move(plan, P.APPROVED)
            plan.approved = plan.number
        else:
            _move(plan, P.REJECTED)
            goal.move(G.DROPPED)

    @rule(which=st.integers(0, 9))
    def execute_one_intent(self, which: int) -> None:
        goal = self._some(which, G.AWAITING_REVIEW, G.EXECUTING)
        plan = goal.open_plan if goal else None
        if goal is None or plan is None or plan.state not in (P.APPROVED, P.EXECUTING):
            return
        if plan.state is P.APPROVED:
            _move(plan, P.EXECUTING)
            goal.move(G.EXECUTING)
        assert plan.approved == plan.number, "it ran without an approval"
        plan.ran += 1
        if plan.ran == STEPS:
            _move(plan, P.COMPLETE)
            goal.move(G.ACHIEVED)
            return
        self._reconsider(goal, plan)

    def _reconsider(self, goal: World, plan: Plan) -> None:
        decided = reconsider(
            goal.kind, Situation(LOST if goal.lost else (), tuple(goal.told), superseded=goal.superseded)
        )
        assert decided.why
        if decided.course is Course.GO_ON:
            return
        begun = plan.state is P.EXECUTING
        _move(plan, P.SUPERSEDED)
        if decided.course is Course.PLAN_AGAIN:
            goal.move(G.PENDING)
            self._waits(goal)
        elif decided.course is Course.ACHIEVED and begun:
            goal.move(G.ACHIEVED)
        else:
            goal.move(G.DROPPED)

    @rule(which=st.integers(0, 9), word=st.sampled_from(WORDS), gone=st.booleans())
    def tell(self, which: int, word: str, gone: bool) -> None:
        goal = self._some(which, *OPEN)
        if goal is None:
            return
        if gone:
            goal.lost = not goal.lost
        else:
            goal.told.append(Belief(word, "person"))
        plan = goal.open_plan
        lost = LOST if goal.lost else ()
        does = reaction(goal.state, plan.state if plan else None, lost, lacks_a_plan=goal.state is G.MANUAL).does
        if does is Does.RECONSIDER and plan is not None and plan.state is P.APPROVED:
            self._reconsider(goal, plan)
        elif does is Does.PLAN_AGAIN:
            if plan is not None:
                _move(plan, P.SUPERSEDED)
            goal.move(G.PENDING)
            self._waits(goal)

    @rule()
    def sweep(self) -> None:
        """Parts of what has ended are let go of, whatever their agent is committed to."""
        for goal in self.goals.values():
            if goal.state in GOAL_ENDED or not goal.superseded:
                continue
            decided = reconsider(goal.kind, Situation(about_goal=tuple(goal.told), superseded=goal.superseded))
            assert decided.course is Course.DROP
            if (plan := goal.open_plan) is not None:
                _move(plan, P.CANCELLED)
            goal.move(G.DROPPED)

    @rule(which=st.integers(0, 9))
    def cancel(self, which: int) -> None:
        goal = self._some(which, *OPEN)
        if goal is None:
            return
        if (plan := goal.open_plan) is not None:
            _move(plan, P.CANCELLED)
        goal.move(G.DROPPED)

    @invariant()
    def no_goal_is_lost(self) -> None:
        """Each goal has ended, or somebody's turn it is: the worker's, or a person's."""
        for goal in self.goals.values():
            plan = goal.open_plan
            if goal.state in GOAL_ENDED:
                assert plan is None, f"goal {goal.number} has ended and its plan is {plan}"
            elif goal.state in (G.AWAITING_REVIEW, G.EXECUTING):
                assert plan is not None
            else:
                assert plan is None
                assert goal.state in (G.PENDING, G.MANUAL)

    @invariant()
    def nothing_starves(self) -> None:
        for goal in self.goals.values():
            assert goal.passed_over < (goal.older + 1) * OLDEST_EVERY

    @invariant()
    def no_limit_is_passed_and_nothing_runs_unapproved(self) -> None:
        for goal in self.goals.values():
            assert sum(plan.state not in PLAN_ENDED for plan in goal.plans) <= 1
            for plan in goal.plans:
                assert plan.ran <= STEPS
                assert plan.ran == 0 or plan.approved == plan.number


TestMind = Mind.TestCase
TestMind.settings = settings(max_examples=120, stateful_step_count=40)
