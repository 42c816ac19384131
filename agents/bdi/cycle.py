"""The reasoning cycle: its phases and the ways between them, and what an agent is doing as a whole. Pure.

The phases are those that `docs/images/cycle.svg` draws; a test compares the drawing with this table, and the table with
the moves of goals.
"""

from __future__ import annotations

from collections.abc import Mapping
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
