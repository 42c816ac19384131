"""The reasoning cycle: its phases and the ways between them, and what an agent is doing as a whole. Pure.

The phases are those that `docs/images/cycle.svg` draws; a test compares the drawing with this table, and the table with
the moves of goals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agents.states import GoalState


class Phase(StrEnum):
    """Where an agent is with a goal."""

    DELIBERATE = "deliberate"
    PERCEIVE = "perceive"
    REVISE = "revise beliefs"
    PLAN = "plan"
    REVIEW = "review"
    EXECUTE = "execute one intent"
    RECONSIDER = "reconsider"
    RECOVER = "recover"
    ASK = "ask a person"
    LEARN = "learn"


P = Phase

WAYS: Mapping[Phase, frozenset[Phase]] = {
    # Adopted, or found impossible because of a goal it waits for.
    P.DELIBERATE: frozenset({P.PERCEIVE, P.ASK, P.LEARN}),
    P.PERCEIVE: frozenset({P.REVISE}),
    P.REVISE: frozenset({P.PLAN}),
    # Back to deliberating: told something meanwhile, or no model answers now.
    P.PLAN: frozenset({P.REVIEW, P.ASK, P.DELIBERATE, P.LEARN}),
    # Again to deliberate: sent back, or a belief it stood on has gone. To perceive: it was a design that was looked at.
    P.REVIEW: frozenset({P.EXECUTE, P.DELIBERATE, P.PERCEIVE, P.ASK, P.LEARN}),
    P.EXECUTE: frozenset({P.RECONSIDER, P.RECOVER, P.ASK, P.LEARN}),
    P.RECONSIDER: frozenset({P.EXECUTE, P.DELIBERATE, P.REVIEW, P.LEARN}),
    P.RECOVER: frozenset({P.EXECUTE, P.REVIEW, P.ASK, P.LEARN}),
    P.ASK: frozenset({P.DELIBERATE, P.REVIEW, P.EXECUTE, P.LEARN}),
    P.LEARN: frozenset(),
}

# The phases in which a goal can be in each of its states.
PHASES: Mapping[GoalState, frozenset[Phase]] = {
    GoalState.BLOCKED: frozenset({P.DELIBERATE}),
    GoalState.PENDING: frozenset({P.DELIBERATE}),
    GoalState.PLANNING: frozenset({P.PERCEIVE, P.REVISE, P.PLAN}),
    GoalState.AWAITING_REVIEW: frozenset({P.REVIEW}),
    GoalState.EXECUTING: frozenset({P.EXECUTE, P.RECONSIDER}),
    GoalState.RECOVERING: frozenset({P.RECOVER}),
    GoalState.MANUAL: frozenset({P.ASK}),
    GoalState.ACHIEVED: frozenset({P.LEARN}),
    GoalState.FAILED: frozenset({P.LEARN}),
    GoalState.DROPPED: frozenset({P.LEARN}),
}


class Decision(StrEnum):
    """What the agent itself decides. Each is one sentence of the goal's log, whose data name it and what it stands on.

    What people decide (a review, an answer, a cancel) is told by those who carry it out.
    """

    BEGIN = "begin"
    ADOPT = "adopt"
    DO_NOT_ADOPT = "do_not_adopt"
    TAKE_IN = "take_in"
    LET_GO_OF_BELIEF = "let_go_of_belief"
    CORRECT = "correct"
    CHOOSE_PLAN = "choose_plan"
    FIND_NO_PLAN = "find_no_plan"
    PLAN_LATER = "plan_later"
    RECONSIDER = "reconsider"
    DROP = "drop"
    ASK_AGAIN = "ask_again"
    YIELD = "yield"
    CLASSIFY = "classify"
    ESCALATE = "escalate"
    CHOOSE_STRATEGY = "choose_strategy"
    ASK_FOR_HAND = "ask_for_hand"
    ASK_FOR_OUTCOME = "ask_for_outcome"
    GIVE_UP = "give_up"


D = Decision


@dataclass(frozen=True)
class Told:
    """Where a decision is made, which ways of the cycle it takes (none: it stays there), and what its line holds."""

    phase: Phase
    ways: frozenset[Phase]
    data: frozenset[str]


def _told(phase: Phase, *ways: Phase, data: str) -> Told:
    return Told(phase, frozenset(ways), frozenset(data.split()))


DECISIONS: Mapping[Decision, Told] = {
    D.BEGIN: _told(P.DELIBERATE, data="waited_for"),
    D.ADOPT: _told(P.DELIBERATE, P.PERCEIVE, data="priority others before"),
    D.DO_NOT_ADOPT: _told(P.DELIBERATE, P.ASK, P.LEARN, data="why"),
    D.TAKE_IN: _told(P.PERCEIVE, P.REVISE, data="beliefs sources"),
    D.LET_GO_OF_BELIEF: _told(P.REVISE, P.PLAN, data="beliefs"),
    D.CORRECT: _told(P.PLAN, data="step parameter value original origin confidence"),
    D.CHOOSE_PLAN: _told(P.PLAN, P.REVIEW, data="source steps"),
    D.FIND_NO_PLAN: _told(P.PLAN, P.ASK, data="reason problems"),
    D.PLAN_LATER: _told(P.PLAN, P.DELIBERATE, data="why"),
    D.RECONSIDER: _told(P.RECONSIDER, P.EXECUTE, P.DELIBERATE, P.LEARN, data="course commitment"),
    D.DROP: _told(P.RECONSIDER, P.LEARN, data="parent"),
    D.ASK_AGAIN: _told(P.RECONSIDER, P.REVIEW, data="why position"),
    D.YIELD: _told(P.EXECUTE, data="then"),
    D.CLASSIFY: _told(P.EXECUTE, P.RECOVER, data="failure_class intent"),
    D.ESCALATE: _told(P.RECOVER, data="course"),
    D.CHOOSE_STRATEGY: _told(P.RECOVER, P.EXECUTE, P.REVIEW, P.ASK, data="strategy variant delay_s weighed"),
    D.ASK_FOR_HAND: _told(P.RECOVER, P.ASK, data="intent failure"),
    D.ASK_FOR_OUTCOME: _told(P.EXECUTE, P.ASK, data="intent"),
    D.GIVE_UP: _told(P.RECOVER, P.LEARN, data="reason"),
}
# Ways that the agent does not choose: a person does, or what a step came to.
NOT_CHOSEN: frozenset[tuple[Phase, Phase]] = frozenset(
    {
        *((P.REVIEW, end) for end in WAYS[P.REVIEW]),
        *((P.ASK, end) for end in WAYS[P.ASK]),
        # Cancelled while it was planned.
        (P.PLAN, P.LEARN),
        (P.EXECUTE, P.RECONSIDER),
        (P.EXECUTE, P.LEARN),
    }
)


class AgentStatus(StrEnum):
    """What an agent does as a whole: derived, never stored."""

    IDLE = "idle"
    DELIBERATING = "deliberating"
    PLANNING = "planning"
    EXECUTING = "executing"
    RECOVERING = "recovering"
    WAITING = "waiting"
    FAILED_PLANNING = "FAILED_PLANNING"
    PAUSED = "paused"


# What is said of an agent with goals in several states: the first that fits.
_FIRST_THAT_FITS = (
    (GoalState.EXECUTING, AgentStatus.EXECUTING),
    (GoalState.RECOVERING, AgentStatus.RECOVERING),
    (GoalState.PLANNING, AgentStatus.PLANNING),
    (GoalState.PENDING, AgentStatus.DELIBERATING),
)
_WAITS = (GoalState.AWAITING_REVIEW, GoalState.MANUAL, GoalState.BLOCKED)


def status_of(goals: Mapping[GoalState, int], *, paused: bool, without_plan: int) -> AgentStatus:
    """What the agent does, from how many of its goals are in each state.

    `without_plan`: how many of those that ask a person do so because no plan was found; one of them is what people must
    see, before what merely waits. An agent that is paused is paused, whatever it was in the middle of.
    """
    if paused:
        return AgentStatus.PAUSED
    for state, status in _FIRST_THAT_FITS:
        if goals.get(state):
            return status
    if without_plan:
        return AgentStatus.FAILED_PLANNING
    return AgentStatus.WAITING if any(goals.get(state) for state in _WAITS) else AgentStatus.IDLE
