"""The way says which stage a goal stands in, and whether it waits there, was mended or was left."""

from __future__ import annotations

import pytest

from mindx_web.presentation.way import STAGES, way


def looks(state: str, reason: str = "", *, begun: bool = False, learned: bool = False) -> dict[str, str]:
    return {stage.name: stage.look for stage in way(state, reason, begun=begun, learned=learned) if stage.look}


@pytest.mark.parametrize("reason", ["needs_a_hand: step 2 failed", "outcome_unknown"])
def test_who_asks_for_a_hand_in_the_middle_of_a_plan_stands_at_execute(reason: str) -> None:
    assert looks("manual", reason)["execute"] == "turn"
    assert list(looks("manual", "no_relevant_rule")) == ["perceive", "plan"]


def test_a_goal_that_was_let_go_of_in_the_middle_was_planned_and_reviewed() -> None:
    assert looks("dropped", "impossible: it is believed impossible") == {"perceive": "done", "plan": "bad"}
    begun = way("dropped", "impossible: it is believed impossible", begun=True, learned=False)
    assert [stage.look for stage in begun] == ["done", "done", "done", "left", ""]
    assert begun[3].said == "stopped early"
    assert looks("dropped", "cancelled_by_person", begun=True)["execute"] == "left"


def test_a_failed_goal_failed_where_it_was() -> None:
    assert looks("failed", "TOOL_EXECUTION_ERROR: exit code 3", begun=True)["execute"] == "bad"
    assert tuple(stage.name for stage in way("failed")) == STAGES


@pytest.mark.parametrize("state", ["achieved", "failed", "dropped"])
def test_what_is_remembered_of_a_goal_that_ended_was_learned_however_it_ended(state: str) -> None:
    assert looks(state, begun=True, learned=True)["learn"] == "done"
    assert looks(state, begun=True).get("learn") == ("now" if state == "achieved" else None)


@pytest.mark.parametrize(
    ("state", "stage"), [("executing", "execute"), ("planning", "plan"), ("recovering", "execute")]
)
def test_nothing_is_in_motion_of_what_waits(state: str, stage: str) -> None:
    waits = {one.name: one.said for one in way(state, waits=True)}
    assert waits[stage] == "waiting, nothing is running"
    assert not {"in progress", "the agent is planning", "recovering"} & set(waits.values())
    assert waits["perceive"] == "done"


@pytest.mark.parametrize(
    ("state", "look"),
    [("nothing_changed", "missed"), ("check_failed", "missed"), ("handed_over", "given"), ("not_checked", "done")],
)
def test_what_was_missed_stands_where_it_was_to_come_about(state: str, look: str) -> None:
    assert looks(state, learned=True) == {**dict.fromkeys(STAGES, "done"), "execute": look}
