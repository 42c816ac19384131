"""Wishes of the backlog as a page shows them: badges, and what came of them as bars."""

from __future__ import annotations

from collections.abc import Mapping

from agents.mastermind import stops
from agents.models import BacklogItem
from agents.presentation.code_report import Bar, bars
from agents.states import BacklogState, GoalState

# Whose look a state has, and its word.
_BADGES = {
    BacklogState.PENDING: ("awaiting_review", "to decide"),
    BacklogState.APPROVED: ("approved", "approved"),
    BacklogState.IN_PROGRESS: ("running", "in progress"),
    BacklogState.STOPPED: ("manual", "stopped"),
    BacklogState.DONE: ("succeeded", "done"),
    BacklogState.REJECTED: ("rejected", "rejected"),
    BacklogState.MERGED: ("superseded", "merged"),
}
_OUTCOMES = {
    "": ("running", "runs"),
    stops.IMPROVED: ("succeeded", "improved"),
    stops.UNMEASURED: ("outcome_unknown", "not measured"),
    stops.NO_BETTER: ("skipped", "no better"),
    stops.WORSE: ("failed", "worse"),
    stops.NOT_ACHIEVED: ("failed", "not achieved"),
}
# A goal that nobody works on while a person is asked does not run.
_STANDS = {
    GoalState.MANUAL.value: ("manual", "needs a person"),
    GoalState.AWAITING_REVIEW.value: ("awaiting_review", "waiting for review"),
}
_LOOKS = {stops.IMPROVED: "calm", stops.UNMEASURED: "plain", stops.NO_BETTER: "look"}


def badge(item: BacklogItem) -> tuple[str, str]:
    """The look and the word of an item's state."""
    return _BADGES[BacklogState(item.state)]


def outcome_badge(outcome: str, goal_state: str = "") -> tuple[str, str]:
    """The look and the word of what came of a try; of one that has not ended, where its goal stands."""
    return _OUTCOMES[outcome] if outcome else _STANDS.get(goal_state, _OUTCOMES[""])


def outcome_bars(counted: Mapping[str, int]) -> list[Bar]:
    """How many tries came to what; nothing where none has ended."""
    if not counted:
        return []
    return bars([(_OUTCOMES[name][1], counted.get(name, 0), _LOOKS.get(name, "hard")) for name in stops.OUTCOMES])


def outcomes_in_words(counted: Mapping[str, int], days: int) -> str:
    """The same in a sentence."""
    ended = sum(counted.values())
    better = counted.get(stops.IMPROVED, 0)
    return f"{better} of {ended} {'try' if ended == 1 else 'tries'} in the last {days} days improved something."
