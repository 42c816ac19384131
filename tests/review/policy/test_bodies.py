"""What a policy that approves remembers of tools, and which tools it is about: pure decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from review.policy.bodies import Body, LookedAt, is_known, together, why_new
from review.policy.conditions import Conditions
from review.policy.verdict import Action, concerns, decide
from tests.review.policy.facts import a_plan, a_rule, a_step

AUTO = Action.AUTO_APPROVE
OLD, NEW, GONE = Body("word_count", "1.0.0", "a1"), Body("word_count", "1.1.0", "b2"), Body("word_count", "", "")
LOOKED_AT: LookedAt = {"word_count": {"a1": "1.0.0"}}


@pytest.mark.parametrize(("body", "says"), [(OLD, ""), (NEW, "1.1.0 is new"), (GONE, "is not in use")])
def test_only_a_body_that_somebody_looked_at_is_approved(body: Body, says: str) -> None:
    plan = a_plan(a_step(), a_step(2, "count_words", tool="word_count"), bodies=(body,))
    outcome = decide([replace(a_rule(AUTO), looked_at=LOOKED_AT)], plan)
    assert outcome.action is (None if says else AUTO)
    assert [(one.position, says in one.why) for one in outcome.declined] == ([(2, True)] if says else [])
    assert is_known(body, LOOKED_AT) is not bool(says)


def test_the_digest_of_another_tool_or_of_nothing_is_none_that_somebody_looked_at() -> None:
    assert not is_known(replace(OLD, tool="other"), LOOKED_AT)
    assert not is_known(GONE, {"word_count": {"": "1.0.0"}})
    assert "came into use" in why_new(replace(NEW, tool="other"), LOOKED_AT)


def test_a_policy_that_restricts_is_as_strict_for_every_body() -> None:
    plan = a_plan(a_step(), bodies=(NEW,))
    for action in (Action.FORBID, Action.REQUIRE_TWO, Action.REQUIRE_REVIEW):
        assert decide([a_rule(action, commands=["write"])], plan).action is action


@pytest.mark.parametrize(
    ("conditions", "effect", "about"),
    [
        ({"tools": ["word_count"]}, "idempotent", True),
        ({"tools": ["other"]}, "idempotent", False),
        ({"commands": ["count_words"]}, "idempotent", True),
        ({"commands": ["word_count.count_words"]}, "idempotent", True),
        ({"commands": ["other.count_words"]}, "idempotent", False),
        ({"tools": ["word_count"], "commands": ["write"]}, "idempotent", False),
        ({"agents": ["mindx"]}, "workspace", True),
        # No policy approves such a step; one that names it says so, and others are not about it.
        ({"agents": ["mindx"]}, "once", False),
        ({"tools": ["word_count"]}, "once", True),
    ],
)
def test_a_policy_is_about_the_tools_that_it_names_or_else_about_all_that_it_could_approve(
    conditions: dict[str, Any], effect: str, about: bool
) -> None:
    assert concerns(Conditions.read(conditions), "word_count", {"count_words": effect}) is about


def test_what_is_confirmed_is_added_to_what_was_looked_at() -> None:
    both = together(LOOKED_AT, {"word_count": {"b2": "1.1.0"}, "other": {"c3": "1.0.0"}})
    assert both == {"word_count": {"a1": "1.0.0", "b2": "1.1.0"}, "other": {"c3": "1.0.0"}}
    assert together(both, LOOKED_AT) == both
