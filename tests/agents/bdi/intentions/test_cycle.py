"""The drawn cycle, the table and the moves of goals say the same; and what an agent does as a whole."""

from __future__ import annotations

import itertools
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agents.bdi.intentions.cycle import DECISIONS, NOT_CHOSEN, PHASES, WAYS, AgentStatus, Decision, Phase, status_of
from agents.states import GOAL_ENDED, GOAL_MOVES, GoalState

DRAWING = Path(__file__).parents[4] / "docs" / "images" / "cycle.svg"


def test_the_drawing_shows_each_phase_and_each_way_and_nothing_else() -> None:
    drawn = list(ElementTree.parse(DRAWING).getroot().iter())  # our own file
    assert sorted(each.get("data-phase", "") for each in drawn if each.get("data-phase")) == sorted(Phase)
    ways = {each.get("data-way", "") for each in drawn if each.get("data-way")}
    assert ways == {f"{start} > {end}" for start, ends in WAYS.items() for end in ends}


@pytest.mark.parametrize("old", GoalState)
def test_each_move_of_a_goal_is_a_way_of_the_cycle(old: GoalState) -> None:
    for new in GOAL_MOVES[old] - {old}:
        ways = [(a, b) for a, b in itertools.product(PHASES[old], PHASES[new]) if b in WAYS[a] or a == b]
        assert ways, f"nothing leads from {old} to {new}"


def test_every_phase_is_reached_and_all_of_them_can_end() -> None:
    reached, waiting = set(), [Phase.DELIBERATE]
    while waiting:
        phase = waiting.pop()
        if phase not in reached:
            reached.add(phase)
            waiting += WAYS[phase]
    assert reached == set(Phase)
    can_end = {Phase.LEARN}
    for _ in Phase:
        can_end |= {phase for phase, ways in WAYS.items() if ways & can_end}
    assert can_end == set(Phase)
    assert all(PHASES[state] == {Phase.LEARN} for state in GOAL_ENDED)


def test_what_an_agent_does_follows_from_its_goals() -> None:
    def status(*states: GoalState, paused: bool = False, without_plan: int = 0) -> AgentStatus:
        counts = {state: states.count(state) for state in states}
        return status_of(counts, paused=paused, without_plan=without_plan)

    G = GoalState
    assert status() == AgentStatus.IDLE
    assert status(G.ACHIEVED, G.FAILED, G.DROPPED) == AgentStatus.IDLE
    assert status(G.BLOCKED) == AgentStatus.WAITING
    assert status(G.AWAITING_REVIEW, G.MANUAL) == AgentStatus.WAITING
    assert status(G.AWAITING_REVIEW, G.MANUAL, without_plan=1) == AgentStatus.FAILED_PLANNING
    assert status(G.MANUAL, G.PENDING, without_plan=1) == AgentStatus.DELIBERATING
    assert status(G.PENDING, G.PLANNING) == AgentStatus.PLANNING
    assert status(G.PLANNING, G.RECOVERING) == AgentStatus.RECOVERING
    assert status(G.RECOVERING, G.EXECUTING) == AgentStatus.EXECUTING
    assert status(G.EXECUTING, paused=True) == AgentStatus.PAUSED


@pytest.mark.parametrize("state", [GoalState.AWAITING_REVIEW, GoalState.MANUAL, GoalState.BLOCKED])
def test_an_agent_waits_with_any_goal_that_waits(state: GoalState) -> None:
    assert status_of({state: 1}, paused=False, without_plan=0) is AgentStatus.WAITING
    assert status_of({state: 0}, paused=False, without_plan=0) is AgentStatus.IDLE


def test_a_goal_that_is_planned_is_perceived_revised_and_planned() -> None:
    assert PHASES[GoalState.PLANNING] == {Phase.PERCEIVE, Phase.REVISE, Phase.PLAN}


def test_every_way_that_the_agent_chooses_is_a_decision_and_every_decision_says_what_it_stands_on() -> None:
    assert set(DECISIONS) == set(Decision)
    chosen = {(told.phase, end) for told in DECISIONS.values() for end in told.ways}
    assert chosen | NOT_CHOSEN == {(start, end) for start, ends in WAYS.items() for end in ends}
    assert not chosen & NOT_CHOSEN
    assert all(told.data for told in DECISIONS.values())
