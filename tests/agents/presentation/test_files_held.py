"""Who has the files that an approved plan waits for, and what would end that."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agents.presentation.endings import notice_for
from agents.presentation.files_held import TYPED, Holder
from agents.states import GoalState

RUNS = Holder(7, "executing", "", datetime(2026, 3, 1, tzinfo=UTC), "", named=True)


@pytest.mark.parametrize(
    ("state", "reason", "does", "until", "person"),
    [
        ("executing", "", "is running", "that one has ended", False),
        ("manual", "needs_a_hand: step 1 failed", "needs a person", "fixed, skipped or given up", True),
        (
            "manual",
            "outcome_unknown: step 1",
            "asks whether a step took effect",
            "whether the step took effect",
            True,
        ),
        (
            "recovering",
            "waits_for_person: two",
            "is waiting for another person's approval",
            "approved or cancelled",
            True,
        ),
        ("recovering", "sandbox_unavailable: none", "is waiting for the sandbox", "the sandbox can start again", False),
        ("recovering", "", "tries to recover from a failed step", "that one has ended", False),
        (TYPED, "", "runs a typed command on them", "that command has ended", False),
        ("failed", "", "is failed, but its plan was left running", "mindX has ended that plan", False),
    ],
)
def test_it_says_how_it_stands_and_what_would_end_that(
    state: str, reason: str, does: str, until: str, person: bool
) -> None:
    holder = replace(RUNS, state=state, reason=reason)
    assert holder.does == does
    assert until in holder.until
    assert holder.needs_a_person is person


@pytest.mark.parametrize("state", sorted(GoalState))
def test_every_state_has_words_and_a_stranger_learns_no_name(state: GoalState) -> None:
    secret = replace(RUNS, state=state.value, reason="secret words", agent="secret agent", named=False)
    notice = notice_for("awaiting_review", "", before_it=secret)
    assert notice is not None
    assert notice.text.startswith("Approved, not started: another goal is using the files of its workspace and ")
    assert notice.way_out.startswith("It starts automatically when ")
    assert "secret" not in notice.text + notice.way_out
    assert "7" not in notice.text + notice.way_out


def test_a_paused_agent_is_named_to_who_may_see_its_goal() -> None:
    paused = replace(RUNS, agent="Ada")
    assert paused.does == "is paused with its agent"
    assert "resumed its agent Ada" in paused.until
