"""A policy is narrowed by what tells its bad plans from the good ones, and by nothing else."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from review.policy.conditions import Conditions
from review.policy.narrowing import Case, best, passes
from review.policy.verdict import Action
from tests.review.policy.facts import a_plan, a_rule, a_step

AUTO = Action.AUTO_APPROVE
RULE = a_rule(AUTO, tools=["simple_coder"])


def cases(workspace: str, good: int, bad: int, command: str = "write") -> list[Case]:
    facts = a_plan(a_step(1, command), workspace=workspace)
    return [Case(facts, False)] * good + [Case(facts, True)] * bad


def test_the_workspace_that_all_bad_plans_share_is_left_out() -> None:
    found = best(RULE, cases("notes", 12, 0) + cases("legacy", 0, 4))
    assert found is not None
    assert (found.field, found.value, found.kept, found.kept_bad) == ("workspaces", "legacy", 12, 0)
    assert (found.dropped, found.dropped_bad) == (4, 4)
    assert found.conditions == Conditions(tools=("simple_coder",), workspaces=("notes",))


def test_a_command_that_is_stated_is_taken_out_of_those_stated() -> None:
    rule = a_rule(AUTO, commands=["write", "simple_coder.mkdir", "rm"])
    found = best(rule, cases("notes", 9, 0) + cases("notes", 1, 5, command="mkdir"))
    assert found is not None
    assert found.conditions == Conditions(commands=("rm", "write"))


def test_bad_luck_narrows_nothing() -> None:
    clean = cases("notes", 12, 0) + cases("legacy", 8, 0)
    assert best(RULE, clean) is None
    # Two bad ends are few, evenly spread ones have no cause that conditions could name, one workspace is no choice.
    assert best(RULE, cases("notes", 12, 0) + cases("legacy", 0, 2)) is None
    assert best(RULE, cases("notes", 40, 1) + cases("legacy", 0, 2)) is None, "two of the three"
    assert best(RULE, cases("notes", 6, 3) + cases("legacy", 6, 3)) is None
    assert best(RULE, cases("notes", 6, 6)) is None


def test_many_conditions_that_are_tried_ask_for_stronger_evidence() -> None:
    plain = cases("notes", 6, 0) + cases("legacy", 0, 3)
    assert best(RULE, plain) is not None, "1 in 84, among two that are tried"
    others = [Case(replace(one.facts, submitter=f"person {at % 4}"), one.is_bad) for at, one in enumerate(plain)]
    assert best(RULE, others) is None, "the same chance, among six"


@given(
    st.lists(
        st.builds(
            lambda workspace, command, submitter, is_bad: Case(
                a_plan(a_step(1, command), workspace=workspace, submitter=submitter), is_bad
            ),
            st.sampled_from(["notes", "legacy", "site"]),
            st.sampled_from(["write", "mkdir"]),
            st.sampled_from(["sue", "jo"]),
            st.booleans(),
        ),
        max_size=24,
    )
)
def test_nothing_passes_that_did_not_pass_before(found: list[Case]) -> None:
    rule = a_rule(AUTO, commands=["write", "mkdir"], workspaces=["notes", "legacy"])
    approved = [case for case in found if passes(rule, case.facts)]
    narrower = best(rule, approved)
    if narrower is not None:
        kept = [case for case in found if passes(replace(rule, conditions=narrower.conditions), case.facts)]
        assert all(passes(rule, case.facts) for case in kept)
        assert len(kept) == narrower.kept
        # Also of what nobody has seen yet.
        assert not passes(replace(rule, conditions=narrower.conditions), a_plan(workspace="elsewhere"))
