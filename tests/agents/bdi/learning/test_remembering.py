"""What of an ended goal is told in its experience."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.learning.remembering import (
    OUTPUT_MAX,
    SAID_MAX,
    Ended,
    Recovery,
    Revision,
    experience_of,
    recoveries_of,
    used_version,
)

RAN = Revision(
    id=7,
    state="complete",
    rule={},
    main=["simple_coder.mkdir", "simple_coder.run", "simple_coder.run"],
    tools=["simple_coder", "web"],
    worked=True,
    printed=[],
    steps=["create the folder tides", "run python\nmeasure.py"],
    source="model",
    model="big",
)
GOAL = Ended(
    text="measure the tides",
    state="achieved",
    reason="",
    agent="mindx",
    workspace="tides",
    beliefs=["The programs are: bash and python.", "The tides are high in May", "Autonomous mode is off."],
    moves=[("approved", "rita", ""), ("superseded", "otto", "edited")],
    tries=4,
    failure="NETWORK_ERROR",
    revisions=2,
    revision=RAN,
    outcome="achieved",
    edits=[
        {
            "tool": "simple_coder",
            "command": "mkdir",
            "parameter": "path",
            "value": "tides",
            "original": "tide",
            "by": "rita",
        }
    ],
)
FAILED = Recovery(
    id=5,
    stage="execution",
    position=2,
    tool="simple_coder",
    command="run",
    failure_class="NETWORK_ERROR",
    reason="the station did not answer",
    strategy="retry_with_delay",
    variant="",
    why="it may answer later",
    overtaken_by="",
    succeeded=True,
)


def told(**changed: Any) -> dict[str, Any]:
    return experience_of(replace(GOAL, **changed))


def of(**changed: Any) -> Revision:
    return replace(RAN, **changed)


def test_everything_that_happened_is_in_it() -> None:
    assert experience_of(GOAL) == {
        "kind": "goal",
        "primary_goal_description": "measure the tides",
        "sub_task_description": "Create the folder tides. Run python measure.py. And 1 more step.",
        "initiating_agent_id": "mindx",
        "involved_components": ["tool simple_coder", "tool web"],
        "input_context_summary": "The tides are high in May.",
        "key_decisions_made": [
            "Planned by the model big, because no rule made a plan.",
            "rita approved the plan.",
            "otto had the plan replaced: edited.",
            "rita set path of simple_coder.mkdir to tides in place of tide.",
        ],
        "final_outcome": "success",
        "output_summary": "",
        "feedback_signals": {
            "revisions": 2,
            "tries": 4,
            "error_type": "NETWORK_ERROR",
            "verdict": "approved",
            "edits": 1,
            "correction_needed": True,
        },
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
    assert used_version(replace(GOAL, outcome=found, revision=of_a_rule)) == (3, worked)
    assert used_version(replace(GOAL, outcome=found, revision=of_a_rule, asked=True)) == (3, False)


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


def test_a_cancel_does_not_undo_the_failure_before_it() -> None:
    cancelled: dict[str, Any] = {"state": "dropped", "reason": "cancelled_by_person", "error": "step 2 had failed: x"}
    found = told(**cancelled, revision=of(worked=False))
    assert (found["final_outcome"], found["output_summary"]) == ("failure", "cancelled_by_person\nstep 2 had failed: x")
    stopped = of(rule={"component_version_id": 3}, state="cancelled")
    assert used_version(replace(GOAL, **cancelled, revision=stopped)) == (3, False)
    assert used_version(replace(GOAL, **{**cancelled, "error": ""}, revision=stopped)) is None


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
    assert used_version(replace(GOAL, revision=of(state=state, rule=rule))) == counts
    workflow = replace(of(state=state), workflow=next(iter(rule.values()), None))
    assert used_version(replace(GOAL, revision=workflow)) == counts
    assert used_version(replace(GOAL, revision=None)) is None


def test_a_rule_whose_every_step_was_skipped_after_it_failed_did_not_succeed() -> None:
    skipped = of(rule={"version_id": 4}, worked=False)
    assert used_version(replace(GOAL, revision=skipped)) == (4, False)
    assert used_version(replace(GOAL, revision=skipped, failure="")) == (4, True)


def test_a_sub_goal_says_what_the_whole_was_for_and_then_its_own_words() -> None:
    found = told(is_part=True, whole="write the report on the coast")
    assert (found["kind"], found["primary_goal_description"]) == ("sub_goal", "write the report on the coast")
    assert found["sub_task_description"].startswith("measure the tides\nCreate the folder tides.")
    # A whole that is somebody else's is not told.
    assert told(is_part=True)["primary_goal_description"] == "measure the tides"


def test_a_recovery_says_what_failed_what_was_done_and_whether_it_helped() -> None:
    (found,) = recoveries_of(replace(GOAL, recoveries=[FAILED]))
    assert found["kind"], found["part"] == ("recovery", "recovery 5")
    assert found["sub_task_description"] == "Recover from a failure of step 2 (simple_coder.run)."
    assert found["input_context_summary"] == "It failed with NETWORK_ERROR: the station did not answer."
    assert found["key_decisions_made"] == ["Chose retry with delay because it may answer later."]
    assert found["output_summary"] == "It helped: the step succeeded after retry with delay."
    assert found["feedback_signals"] == {"error_type": "NETWORK_ERROR", "strategy": "retry_with_delay"}


@pytest.mark.parametrize(
    ("succeeded", "overtaken", "outcome", "came"),
    [
        (None, "", "unchecked", "The goal ended before retry with delay had shown whether it helps."),
        (False, "", "failure", "Retry with delay did not help."),
        (None, "alternative_tool", "failure", "Retry with delay did not help; alternative tool was tried next."),
    ],
)
def test_a_recovery_that_did_not_help_says_so(succeeded: bool | None, overtaken: str, outcome: str, came: str) -> None:
    one = replace(FAILED, succeeded=succeeded, overtaken_by=overtaken)
    (found,) = recoveries_of(replace(GOAL, recoveries=[one]))
    assert (found["final_outcome"], found["output_summary"]) == (outcome, came)


def test_a_plan_by_a_rule_names_it_and_why() -> None:
    found = told(revision=of(source="rule", rule={"name": "tidy up", "version": "1.2.0"}))
    assert found["key_decisions_made"][0] == "Planned by the rule tidy up 1.2.0, because it applied."
