"""The strictest policy wins, whatever the order; what approves must cover everything and is barred by danger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.policy.verdict import Action, Rule, decide, refusal, second_person
from review.risk.assessment import Level
from tests.review.policy.facts import a_plan, a_rule, a_step, touch

AUTO = Action.AUTO_APPROVE


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    conditions: dict[str, Any] = {}
    if draw(st.booleans()):
        conditions["commands"] = draw(
            st.lists(st.sampled_from(["write", "rm", "run", "mkdir"]), min_size=1, max_size=4)
        )
    if draw(st.booleans()):
        conditions["workspaces"] = draw(st.lists(st.sampled_from(["notes", "other"]), min_size=1, max_size=4))
    return a_rule(draw(st.sampled_from(list(Action))), draw(st.integers(1, 9)), **conditions)


@given(st.lists(rules(), max_size=8), st.randoms())
def test_the_order_of_policies_changes_nothing(found: list[Rule], random: Any) -> None:
    plan = a_plan(a_step(1), a_step(2, "mkdir"))
    shuffled = list(found)
    random.shuffle(shuffled)
    one, other = decide(found, plan), decide(shuffled, plan)
    assert one.action is other.action
    assert sorted(map(repr, one.fired)) == sorted(map(repr, other.fired))


@given(st.lists(rules(), max_size=8), rules())
def test_another_policy_never_makes_the_verdict_milder_than_a_restricting_one(found: list[Rule], more: Rule) -> None:
    plan = a_plan(a_step(1), a_step(2, "rm"))
    before, after = decide(found, plan).action, decide([*found, more], plan).action
    if before is not None:
        assert after is not None
        assert after.strictness <= before.strictness
    if before is Action.FORBID:
        assert after is Action.FORBID


@given(st.lists(rules(), max_size=8))
def test_the_strictest_one_that_spoke_decides(found: list[Rule]) -> None:
    outcome = decide(found, a_plan())
    spoke = {fired.rule.action for fired in outcome.fired}
    assert outcome.action is (min(spoke, key=lambda action: action.strictness) if spoke else None)


def test_without_a_policy_a_person_decides() -> None:
    outcome = decide([], a_plan())
    assert (outcome.action, outcome.approvals, refusal(outcome)) == (None, 1, "")


def test_a_refusal_names_policy_version_step_and_condition() -> None:
    outcome = decide([a_rule(Action.FORBID, commands=["rm"])], a_plan(a_step(1), a_step(2, "rm")))
    assert refusal(outcome) == "Forbidden by policy “policy 1” (version 1) at step 2: command simple_coder.rm."


def test_two_different_people_are_two_and_one_person_twice_is_one() -> None:
    outcome = decide([a_rule(Action.REQUIRE_TWO)], a_plan())
    assert second_person(outcome, [5]) != ""
    assert second_person(outcome, [5, 5]) != ""
    assert second_person(outcome, [5, 6]) == ""


def test_what_approves_must_cover_every_step_and_the_clean_up() -> None:
    rule = a_rule(AUTO, commands=["write"])
    assert decide([rule], a_plan(a_step(1), a_step(2))).action is AUTO
    outcome = decide([rule], a_plan(a_step(1), a_step(2, "mkdir", is_cleanup=True)))
    assert outcome.action is None
    assert "does not cover" in outcome.declined[0].why


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"risk": Level.HIGH}, "risk of step 1 is high"),
        ({"risk": Level.UNKNOWN}, "risk of step 1 is unknown"),
        ({"effect": "once"}, "effect once"),
        ({"effect": "keyed"}, "effect keyed"),
        ({"touch": touch("a.txt", makes_autonomous=True)}, "autonomous"),
        ({"hosts": ("packages",)}, "hosts"),
    ],
)
def test_a_dangerous_step_is_never_approved_without_a_person(changed: dict[str, Any], words: str) -> None:
    rule = a_rule(AUTO, tools=["simple_coder"])
    assert decide([rule], a_plan(a_step())).action is AUTO
    outcome = decide([rule], a_plan(replace(a_step(), **changed)))
    assert outcome.action is None
    assert words in outcome.declined[0].why


@pytest.mark.parametrize(
    "changed", [{"holds_tool_output": True}, {"is_asked_again": True}, {"shadow_problem": "the workspace has changed"}]
)
def test_a_plan_with_a_tools_words_or_an_unclean_shadow_run_is_never_approved_without_a_person(
    changed: dict[str, Any],
) -> None:
    assert decide([a_rule(AUTO, tools=["simple_coder"])], a_plan(**changed)).action is None


@pytest.mark.parametrize(
    ("step", "plan", "passes"),
    [
        ({}, {}, True),
        ({"effect": "workspace"}, {}, False),
        ({"hosts": ("packages",)}, {}, False),
        ({"touch": touch("a.txt", is_program=True)}, {}, False),
        ({"touch": touch("a.txt", is_unsure=True)}, {}, False),
        ({"touch": touch("a.txt", removes=("a.txt",))}, {}, False),
        ({"touch": touch("a.txt", makes=("a.txt",))}, {}, False),
        ({"touch": touch("a.txt", overwrites=True)}, {}, False),
        ({"touch": touch("a.txt", asks_model=True)}, {}, False),
        ({}, {"is_call": False}, False),
        ({}, {"changes_files": True}, False),
        ({}, {"shadow_problem": "it has had no dry run"}, False),
    ],
)
def test_a_call_of_an_agent_passes_only_where_it_reads_and_the_policy_says_so(
    step: dict[str, Any], plan: dict[str, Any], passes: bool
) -> None:
    facts = {"holds_tool_output": True, "is_call": True, "changes_files": False} | plan
    call = a_plan(a_step(command="read", **{"effect": "idempotent"} | step), **facts)
    saying_so = a_rule(AUTO, commands=["read"], hosts=["packages"] if step.get("hosts") else [], reading_calls=True)
    assert decide([saying_so], call).action is (AUTO if passes else None)
    assert decide([a_rule(AUTO, commands=["read"])], call).action is None


def test_hosts_must_be_named_exactly() -> None:
    plan = a_plan(a_step(hosts=("packages",)))
    assert decide([a_rule(AUTO, hosts=["packages"])], plan).action is AUTO
    assert decide([a_rule(AUTO, hosts=["packages", "example.org"])], plan).action is None
    assert decide([a_rule(AUTO, hosts=["example.org"])], plan).action is None
