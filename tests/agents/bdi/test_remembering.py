"""What of an ended goal is told in its experience."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.remembering import OUTPUT_MAX, SAID_MAX, Ended, Revision, experience_of, used_rule

RAN = Revision(
    id=7,
    state="complete",
    rule={},
    main=["simple_coder.mkdir", "simple_coder.run", "simple_coder.run"],
    tools=["simple_coder", "web"],
    worked=True,
    printed=[],
)
GOAL = Ended(
    text="measure the tides",
    state="achieved",
    reason="",
    agent="mindx",
    workspace="tides",
    beliefs=["the folder tides exists"],
    moves=[("approved", "rita", ""), ("superseded", "otto", "edited")],
    tries=4,
    failure="NETWORK_ERROR",
    revisions=2,
    revision=RAN,
    outcome="achieved",
)


def told(**changed: Any) -> dict[str, Any]:
    return experience_of(replace(GOAL, **changed))


def of(**changed: Any) -> Revision:
    return replace(RAN, **changed)


def test_everything_that_happened_is_in_it() -> None:
    assert experience_of(GOAL) == {
        "primary_goal_description": "measure the tides",
        "sub_task_description": "simple_coder.mkdir, 2 × simple_coder.run",
        "initiating_agent_id": "mindx",
        "involved_components": ["tool simple_coder", "tool web"],
        "input_context_summary": "the folder tides exists",
        "key_decisions_made": ["approved by rita", "superseded by otto: edited"],
        "final_outcome": "success",
        "output_summary": "",
        "feedback_signals": {"revisions": 2, "tries": 4, "error_type": "NETWORK_ERROR"},
        "workflow_id": "7",
        "tags": ["tides"],
    }


@pytest.mark.parametrize(
    ("state", "worked", "failure", "outcome"),
    [
        ("achieved", True, "NETWORK_ERROR", "success"),
        # Its conditions left nothing to do.
        ("achieved", False, "", "success"),
        # A person skipped all that had failed.
        ("achieved", False, "NETWORK_ERROR", "partial_success"),
        ("dropped", True, "", "abandoned"),
        ("failed", True, "NETWORK_ERROR", "partial_success"),
        ("failed", False, "NETWORK_ERROR", "failure"),
    ],
)
def test_the_outcome_is_the_goals_and_what_worked_of_it(state: str, worked: bool, failure: str, outcome: str) -> None:
    assert told(state=state, failure=failure, revision=of(worked=worked))["final_outcome"] == outcome


@pytest.mark.parametrize(
    ("found", "outcome", "worked"),
    [
        ("achieved", "success", True),
        ("nothing_changed", "failure", False),
        ("check_failed", "failure", False),
        # A plan that nothing could check, and one from before there were checks.
        ("not_checked", "unchecked", True),
        ("", "unchecked", True),
    ],
)
def test_only_what_was_checked_is_a_success_and_what_was_missed_is_none(found: str, outcome: str, worked: bool) -> None:
    assert told(outcome=found)["final_outcome"] == outcome
    of_a_rule = of(rule={"component_version_id": 3}, state="complete")
    assert used_rule(replace(GOAL, outcome=found, revision=of_a_rule)) == (3, worked)


def test_a_goal_that_never_had_a_plan_is_remembered_too() -> None:
    found = told(state="failed", reason="no_relevant_rule", revision=None, revisions=0)
    assert (found["final_outcome"], found["output_summary"]) == ("failure", "no_relevant_rule")
    assert (found["sub_task_description"], found["involved_components"], found["workflow_id"]) == ("", [], "")


def test_the_reason_comes_before_the_ends_of_what_was_printed() -> None:
    found = told(reason="cancelled", revision=of(printed=[" last\n", "  ", "x" * 600 + "before"]))
    reason, last, before = found["output_summary"].split("\n")
    assert (reason, last, len(before)) == ("cancelled", "last", SAID_MAX)
    assert before.endswith("xbefore")
    assert len(told(reason="r" * 2 * OUTPUT_MAX)["output_summary"]) == OUTPUT_MAX


def test_a_rule_is_named_with_its_version() -> None:
    found = told(revision=of(rule={"name": "tidy up", "version": "1.2.0"}))
    assert found["involved_components"][0] == "rule tidy up 1.2.0"


@pytest.mark.parametrize(
    ("state", "rule", "counts"),
    [
        ("complete", {"component_version_id": 3}, (3, True)),
        ("failed", {"version_id": "4"}, (4, False)),
        ("rejected", {"component_version_id": 3}, None),
        ("cancelled", {"component_version_id": 3}, None),
        ("complete", {}, None),
    ],
)
def test_only_plans_that_ran_to_an_end_count_for_their_rule(
    state: str, rule: dict[str, Any], counts: tuple[int, bool] | None
) -> None:
    assert used_rule(replace(GOAL, revision=of(state=state, rule=rule))) == counts
    assert used_rule(replace(GOAL, revision=None)) is None


def test_a_rule_whose_every_step_was_skipped_after_it_failed_did_not_succeed() -> None:
    skipped = of(rule={"version_id": 4}, worked=False)
    assert used_rule(replace(GOAL, revision=skipped)) == (4, False)
    assert used_rule(replace(GOAL, revision=skipped, failure="")) == (4, True)
