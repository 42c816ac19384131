"""The allowed moves of goals, intent plans, intents, typed commands, wishes, requests of the bus and what is reviewed
before a plan.

`agents.record.moves` moves them, and `agents.record.leased` work under a lease of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class GoalState(StrEnum):
    """Where a goal is. `manual`: a person must supply a plan or a hand."""

    BLOCKED = "blocked"
    PENDING = "pending"
    PLANNING = "planning"
    AWAITING_REVIEW = "awaiting_review"
    EXECUTING = "executing"
    RECOVERING = "recovering"
    MANUAL = "manual"
    ACHIEVED = "achieved"
    FAILED = "failed"
    DROPPED = "dropped"


class PlanState(StrEnum):
    """Where an intent plan is."""

    AWAITING_REVIEW = "awaiting_review"
    APPROVED = "approved"
    EXECUTING = "executing"
    COMPLETE = "complete"
    FAILED = "failed"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class IntentState(StrEnum):
    """Run state of one step. Approval never lives here."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    OUTCOME_UNKNOWN = "outcome_unknown"


class HandState(StrEnum):
    """Where a command typed by hand is. `lost`: it took no effect, since its worker or the sandbox failed, or
    since its row is not what mindX stored.
    """

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    LOST = "lost"
    CANCELLED = "cancelled"


class ShadowState(StrEnum):
    """Where a dry run is. `stopped`: its plan was decided first; `impossible`: the reason says what is missing."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    IMPOSSIBLE = "impossible"


class ReplayState(StrEnum):
    """Where a replay of a candidate is. `impossible`: the reason says what is missing."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    IMPOSSIBLE = "impossible"


class RolloutState(StrEnum):
    """Where a version is that was put to use. `kept`: no harm was seen; `returned`: the earlier one is used again."""

    WATCHED = "watched"
    KEPT = "kept"
    RETURNED = "returned"
    # Somebody put another version to use, or retired this one.
    ENDED = "ended"


class TrialState(StrEnum):
    """Whether an A/B trial of two versions runs. Its verdict is the result."""

    RUNNING = "running"
    ENDED = "ended"


class ModularRunState(StrEnum):
    """Where a run of a modular agent is. `waiting`: for a plan or a person; `paused`: until a person goes on."""

    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    ENDED = "ended"


class EnvironmentRunState(StrEnum):
    """Where a run in an environment is. `waiting`: for a person's choice; `paused`: until somebody goes on."""

    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    ENDED = "ended"


class TrainingState(StrEnum):
    """Where the training of a learned policy is. `waiting`: for a worker."""

    STOPPED = "stopped"
    WAITING = "waiting"
    RUNNING = "running"


class AskedState(StrEnum):
    """Where the trials of a tool, or the listing of a server's tools, are. People may ask for them again."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


class LevelState(StrEnum):
    """Where a design or a choice of rules is. `unreviewed`: the agent's level was off when it came in."""

    AWAITING_REVIEW = "awaiting_review"
    APPROVED = "approved"
    SENT_BACK = "sent_back"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"
    UNREVIEWED = "unreviewed"


class BacklogState(StrEnum):
    """Where a wish of the backlog is. `stopped`: it failed too often; `merged`: another one says the same."""

    PENDING = "pending"
    APPROVED = "approved"
    IN_PROGRESS = "in_progress"
    STOPPED = "stopped"
    DONE = "done"
    REJECTED = "rejected"
    MERGED = "merged"


class RequestState(StrEnum):
    """Where a request of the bus is. `with_goal`: its goal is planned, reviewed and run; its answer is the goal's."""

    WAITING = "waiting"
    RUNNING = "running"
    WITH_GOAL = "with_goal"
    ANSWERED = "answered"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class BreakerState(StrEnum):
    """Whether requests reach a member of the bus. `half_open`: one request tries whether it answers again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


G, P, I, H = GoalState, PlanState, IntentState, HandState  # noqa: E741  # one letter each keeps the tables readable

GOAL_MOVES: Mapping[GoalState, frozenset[GoalState]] = {
    # To manual: turns that should have begun it failed inside mindX.
    # To achieved: its sub-goals, which it waited for, are.
    G.BLOCKED: frozenset({G.PENDING, G.MANUAL, G.ACHIEVED, G.FAILED, G.DROPPED}),
    # To blocked: a person has it wait for another goal after all.
    G.PENDING: frozenset({G.BLOCKED, G.PLANNING, G.DROPPED}),
    # To achieved: an agent of another framework ended its work, each call of which was a goal of its own.
    G.PLANNING: frozenset({G.PENDING, G.AWAITING_REVIEW, G.MANUAL, G.ACHIEVED, G.FAILED, G.DROPPED}),
    G.AWAITING_REVIEW: frozenset({G.PENDING, G.PLANNING, G.AWAITING_REVIEW, G.EXECUTING, G.MANUAL, G.DROPPED}),
    # To pending: the approved part is done, and the rest is planned again. To blocked: it waits for its sub-goals.
    G.EXECUTING: frozenset(
        {G.PENDING, G.BLOCKED, G.RECOVERING, G.AWAITING_REVIEW, G.MANUAL, G.ACHIEVED, G.FAILED, G.DROPPED}
    ),
    G.RECOVERING: frozenset({G.EXECUTING, G.AWAITING_REVIEW, G.MANUAL, G.FAILED, G.DROPPED}),
    G.MANUAL: frozenset({G.PENDING, G.AWAITING_REVIEW, G.EXECUTING, G.FAILED, G.DROPPED}),
    G.ACHIEVED: frozenset(),
    G.FAILED: frozenset(),
    G.DROPPED: frozenset(),
}

PLAN_MOVES: Mapping[PlanState, frozenset[PlanState]] = {
    P.AWAITING_REVIEW: frozenset({P.APPROVED, P.REJECTED, P.SUPERSEDED, P.EXPIRED, P.CANCELLED}),
    P.APPROVED: frozenset({P.EXECUTING, P.FAILED, P.SUPERSEDED, P.CANCELLED}),
    # Superseded on the way: what is left is asked about again.
    P.EXECUTING: frozenset({P.COMPLETE, P.FAILED, P.SUPERSEDED, P.CANCELLED}),
    P.COMPLETE: frozenset(),
    P.FAILED: frozenset(),
    P.REJECTED: frozenset(),
    P.SUPERSEDED: frozenset(),
    P.EXPIRED: frozenset(),
    P.CANCELLED: frozenset(),
}

INTENT_MOVES: Mapping[IntentState, frozenset[IntentState]] = {
    I.PENDING: frozenset({I.RUNNING, I.SKIPPED}),
    # Running again after a retry or a lost worker is a new attempt of the same running intent.
    # It is skipped when its condition turns out not to hold.
    I.RUNNING: frozenset({I.RUNNING, I.SUCCEEDED, I.FAILED, I.SKIPPED, I.OUTCOME_UNKNOWN}),
    I.SUCCEEDED: frozenset(),
    # Mended by a person: done by hand, or gone on without.
    I.FAILED: frozenset({I.RUNNING, I.SUCCEEDED, I.SKIPPED}),
    I.SKIPPED: frozenset(),
    I.OUTCOME_UNKNOWN: frozenset({I.SUCCEEDED, I.FAILED, I.RUNNING}),
}

HAND_MOVES: Mapping[HandState, frozenset[HandState]] = {
    H.WAITING: frozenset({H.RUNNING, H.CANCELLED}),
    # Never again: what was typed is carried out at most once, so a lost one waits for a person, not for a worker.
    H.RUNNING: frozenset({H.DONE, H.LOST, H.CANCELLED}),
    H.DONE: frozenset(),
    H.LOST: frozenset(),
    H.CANCELLED: frozenset(),
}

S = ShadowState
SHADOW_MOVES: Mapping[ShadowState, frozenset[ShadowState]] = {
    S.WAITING: frozenset({S.RUNNING, S.STOPPED}),
    # Running again: the worker that had it did not come back.
    S.RUNNING: frozenset({S.RUNNING, S.DONE, S.STOPPED, S.IMPOSSIBLE}),
    S.DONE: frozenset(),
    S.STOPPED: frozenset(),
    S.IMPOSSIBLE: frozenset(),
}

REPLAY_MOVES: Mapping[ReplayState, frozenset[ReplayState]] = {
    ReplayState.WAITING: frozenset({ReplayState.RUNNING}),
    # Running again: the worker that had it did not come back.
    ReplayState.RUNNING: frozenset({ReplayState.RUNNING, ReplayState.DONE, ReplayState.IMPOSSIBLE}),
    ReplayState.DONE: frozenset(),
    ReplayState.IMPOSSIBLE: frozenset(),
}

ROLLOUT_MOVES: Mapping[RolloutState, frozenset[RolloutState]] = {
    RolloutState.WATCHED: frozenset({RolloutState.KEPT, RolloutState.RETURNED, RolloutState.ENDED}),
    RolloutState.KEPT: frozenset(),
    RolloutState.RETURNED: frozenset(),
    RolloutState.ENDED: frozenset(),
}

TRIAL_MOVES: Mapping[TrialState, frozenset[TrialState]] = {
    TrialState.RUNNING: frozenset({TrialState.ENDED}),
    TrialState.ENDED: frozenset(),
}

M = ModularRunState
MODULAR_RUN_MOVES: Mapping[ModularRunState, frozenset[ModularRunState]] = {
    M.READY: frozenset({M.RUNNING, M.PAUSED, M.ENDED}),
    # Running again: the worker that had it did not come back.
    M.RUNNING: frozenset({M.RUNNING, M.READY, M.WAITING, M.PAUSED, M.ENDED}),
    M.WAITING: frozenset({M.READY, M.PAUSED, M.ENDED}),
    M.PAUSED: frozenset({M.READY, M.ENDED}),
    # Somebody opened one of its states, changed it, and goes on from there.
    M.ENDED: frozenset({M.READY, M.PAUSED}),
}

E = EnvironmentRunState
ENVIRONMENT_RUN_MOVES: Mapping[EnvironmentRunState, frozenset[EnvironmentRunState]] = {
    E.READY: frozenset({E.RUNNING, E.PAUSED, E.ENDED}),
    # Running again: the worker that had it did not come back.
    E.RUNNING: frozenset({E.RUNNING, E.READY, E.WAITING, E.PAUSED, E.ENDED}),
    E.WAITING: frozenset({E.READY, E.PAUSED, E.ENDED}),
    E.PAUSED: frozenset({E.READY, E.ENDED}),
    E.ENDED: frozenset(),
}

T = TrainingState
TRAINING_MOVES: Mapping[TrainingState, frozenset[TrainingState]] = {
    T.STOPPED: frozenset({T.WAITING}),
    T.WAITING: frozenset({T.RUNNING, T.STOPPED}),
    T.RUNNING: frozenset({T.RUNNING, T.WAITING, T.STOPPED}),
}

A = AskedState
ASKED_MOVES: Mapping[AskedState, frozenset[AskedState]] = {
    # Waiting again, from everywhere: somebody asked once more, and what a worker has of before counts no longer.
    # To ended: nobody needs it any more.
    A.WAITING: frozenset({A.WAITING, A.RUNNING, A.ENDED}),
    A.RUNNING: frozenset({A.RUNNING, A.WAITING, A.ENDED}),
    A.ENDED: frozenset({A.WAITING}),
}

L = LevelState
# What lets a goal with a design, or with a choice of rules, be planned.
LEVEL_SETTLED = frozenset({LevelState.APPROVED, LevelState.UNREVIEWED})
LEVEL_MOVES: Mapping[LevelState, frozenset[LevelState]] = {
    L.AWAITING_REVIEW: frozenset({L.APPROVED, L.SENT_BACK, L.REJECTED, L.SUPERSEDED, L.CANCELLED}),
    L.APPROVED: frozenset(),
    # A new version is a row of its own.
    L.SENT_BACK: frozenset(),
    L.REJECTED: frozenset(),
    L.SUPERSEDED: frozenset(),
    L.CANCELLED: frozenset(),
    L.UNREVIEWED: frozenset(),
}

B = BacklogState
BACKLOG_MOVES: Mapping[BacklogState, frozenset[BacklogState]] = {
    B.PENDING: frozenset({B.APPROVED, B.REJECTED, B.MERGED}),
    B.APPROVED: frozenset({B.IN_PROGRESS, B.REJECTED, B.MERGED}),
    # To approved: it failed, and may be tried again.
    B.IN_PROGRESS: frozenset({B.DONE, B.APPROVED, B.STOPPED}),
    B.STOPPED: frozenset({B.APPROVED, B.REJECTED}),
    B.DONE: frozenset(),
    B.REJECTED: frozenset({B.PENDING}),
    B.MERGED: frozenset({B.PENDING}),
}
BACKLOG_OPEN = (B.PENDING, B.APPROVED, B.IN_PROGRESS, B.STOPPED)

R = RequestState
_REQUEST_ENDS = frozenset({R.ANSWERED, R.FAILED, R.EXPIRED, R.CANCELLED})
REQUEST_MOVES: Mapping[RequestState, frozenset[RequestState]] = {
    # Answered only by the worker that has begun it.
    R.WAITING: frozenset({R.RUNNING, R.FAILED, R.EXPIRED, R.CANCELLED}),
    # Running again: the worker that had it did not come back. Waiting again: another try is allowed, or nobody is
    # healthy at the moment.
    R.RUNNING: frozenset({R.RUNNING, R.WAITING, R.WITH_GOAL, *_REQUEST_ENDS}),
    R.WITH_GOAL: _REQUEST_ENDS,
    R.ANSWERED: frozenset(),
    R.FAILED: frozenset(),
    R.EXPIRED: frozenset(),
    R.CANCELLED: frozenset(),
}

K = BreakerState
BREAKER_MOVES: Mapping[BreakerState, frozenset[BreakerState]] = {
    K.CLOSED: frozenset({K.OPEN}),
    # Closed: a person says that the member is well again.
    K.OPEN: frozenset({K.HALF_OPEN, K.CLOSED}),
    K.HALF_OPEN: frozenset({K.OPEN, K.CLOSED}),
}

# With what a member came to; the other ends are none.
REQUEST_ANSWERED = frozenset({RequestState.ANSWERED, RequestState.FAILED})
REQUEST_ENDED = frozenset(state for state, targets in REQUEST_MOVES.items() if not targets)
GOAL_ENDED = frozenset(state for state, targets in GOAL_MOVES.items() if not targets)
PLAN_ENDED = frozenset(state for state, targets in PLAN_MOVES.items() if not targets)

HAND_ENDED = frozenset(state for state, targets in HAND_MOVES.items() if not targets)


class MoveRefused(Exception):
    """That move is not in the table, or somebody else moved first."""
