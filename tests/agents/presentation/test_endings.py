"""A goal that stopped says what happened and what to do."""

from __future__ import annotations

import pytest

from agents.presentation.endings import notice_for


@pytest.mark.parametrize("state", ["pending", "planning", "awaiting_review", "executing", "recovering", "achieved"])
def test_a_goal_on_its_way_needs_no_notice(state: str) -> None:
    assert notice_for(state, "") is None


@pytest.mark.parametrize(
    ("state", "reason", "failure", "text", "way_out"),
    [
        (
            "failed",
            "step 2 failed",
            "TOOL_UNAVAILABLE",
            "Failed: step 2 failed.",
            "Submit the goal again and plan by hand without it",
        ),
        (
            "failed",
            "TOOL_EXECUTION_ERROR: step 2 (simple_coder.create_venv) failed: exit code 1: no room",
            "TOOL_EXECUTION_ERROR",
            "Step 2 (create venv) failed: exit code 1: no room.",
            "Read the last lines",
        ),
        ("failed", "", "", "no reason was recorded", "Read the log"),
        ("failed", "dependency_failed: goal 3 ended as failed", "", "dependency failed: goal 3", "Fix that one first"),
        ("dropped", "cancelled_by_person", "", "cancelled by person", "Submit it again"),
        (
            "dropped",
            "not_wanted: it is no longer wanted",
            "",
            "not wanted: it is no longer wanted",
            "if you still want it",
        ),
        ("dropped", "rejected: too broad", "", "rejected: too broad", "Reword the goal"),
        ("manual", "no_relevant_rule", "", "No rule matches this goal", ""),
        ("manual", "something new", "", "This goal needs a person: something new.", ""),
        ("blocked", "", "", "Waiting for 2 other goals.", ""),
    ],
)
def test_every_stop_names_its_way_out(state: str, reason: str, failure: str, text: str, way_out: str) -> None:
    notice = notice_for(state, reason, failure, waits_for=2)
    assert notice is not None
    assert text in notice.text
    assert way_out in notice.way_out
    assert bool(notice.way_out) or state in {"manual", "blocked"}


def test_a_question_says_first_which_rule_would_have_known_and_what_it_lacks() -> None:
    lacks = ("improve a component as somebody wishes", "nothing shows that a language model is available")
    notice = notice_for("manual", "question_open: What is meant by “x”?", rule_lacks=lacks)
    assert notice is not None
    assert notice.text == f"The rule “{lacks[0]}” matches this goal, but {lacks[1]}. What is meant by “x”?"
    alone = notice_for("manual", "question_open: What is meant by “x”?")
    assert alone is not None
    assert alone.text == "What is meant by “x”?"


def test_a_rule_that_does_not_apply_is_named_with_what_it_lacks() -> None:
    lacks = ("remove a folder", "“there is a folder named archive” is not true.")
    notice = notice_for("manual", "no_applicable_rule", rule_lacks=lacks)
    assert notice is not None
    assert notice.text == (
        "The rule “remove a folder” matches this goal, but “there is a folder named archive” is not true. "
        "Write the plan by hand."
    )
    unknown = notice_for("manual", "no_relevant_rule", rule_lacks=lacks)
    assert unknown is not None
    assert "remove a folder" not in unknown.text


def test_what_may_settle_a_failed_step_is_named_first() -> None:
    notice = notice_for("manual", "needs_a_hand: step 1 failed, no module ledgerly", remedies=["Install ledgerly"])
    assert notice is not None
    assert notice.text == "Step 1 failed, no module ledgerly."
    assert notice.way_out.startswith("“Install ledgerly” may settle it")


def test_a_step_that_needs_a_hand_is_named_with_why() -> None:
    notice = notice_for("manual", "needs_a_hand: step 2 failed, exit status 1; it asked for example.com.")
    assert notice is not None
    assert notice.text == "Step 2 failed, exit status 1; it asked for example.com. mindX could not fix it."
    assert notice.way_out.startswith("Fix its parameters")
    bare = notice_for("manual", "needs_a_hand")
    assert bare is not None
    assert bare.text.startswith("A step failed and mindX could not fix it. Fix")


def test_a_plan_that_may_not_be_says_what_is_wrong_with_it() -> None:
    problem = "path holds the hidden character U+202E; type the name without it."
    notice = notice_for("manual", "invalid_plan", problems=[problem])
    assert notice is not None
    assert notice.text == f"The plan has problems: {problem}"
    assert "Submit a new goal in other words" in notice.way_out
    other = notice_for("manual", "no_relevant_rule", problems=[problem])
    assert other is not None
    assert problem not in other.text
