"""AGInt looks at the whole agent and decides for a reason that it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.bdi.agint import Decision, Health, Machine, Whole, assess
from agents.bdi.failures import FailureClass
from agents.bdi.recovery_settings import USUAL

CALM = Whole(FailureClass.UNKNOWN_ERROR, "simple_coder", machine=Machine(10.0, 20.0, 30.0), may_try=True)


@pytest.mark.parametrize(
    ("whole", "decision"),
    [
        (CALM, Decision.DELEGATE),
        (replace(CALM, machine=Machine(99.0, 20.0, 30.0)), Decision.COOL_DOWN),
        (replace(CALM, machine=Machine(None, None, None)), Decision.DELEGATE),
        (replace(CALM, tool_health=Health(10, 9)), Decision.COOL_DOWN),
        (replace(CALM, tool_health=Health(2, 2)), Decision.DELEGATE),
        (replace(CALM, asks_model=True, model_health=Health(6, 6)), Decision.COOL_DOWN),
        (replace(CALM, mendable=("the disk is nearly full",)), Decision.SELF_REPAIR),
        (replace(CALM, may_replan=True), Decision.RESEARCH),
        (replace(CALM, may_try=False), Decision.NOTHING),
        (replace(CALM, failure_class=FailureClass.PERMISSION_ERROR), Decision.NOTHING),
    ],
)
def test_each_decision_is_taken_for_what_is_seen(whole: Whole, decision: Decision) -> None:
    found = assess(whole, USUAL)
    assert found.decision is decision
    assert found.why


def test_what_is_seen_becomes_beliefs_that_replace_earlier_ones_and_end() -> None:
    whole = replace(CALM, tool_health=Health(10, 9), same_failures=3, machine=Machine(99.0, 20.0, 30.0))
    beliefs = assess(whole, USUAL).beliefs
    assert len({one.about for one in beliefs}) == len(beliefs) == 3
    assert all(one.for_s > 0 and 0 < one.confidence <= 1 for one in beliefs)
