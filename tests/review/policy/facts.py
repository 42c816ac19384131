"""Plans as policies see them, for the pure tests."""

from __future__ import annotations

from typing import Any

from agents.bdi.forecast.touched_paths import Touched
from review.policy.conditions import Conditions, PlanFacts, StepFacts
from review.policy.verdict import Action, Rule
from review.risk.assessment import Level


def touch(*paths: str, position: int = 1, **also: Any) -> Touched:
    """What a step names; a file command unless told otherwise."""
    usual: dict[str, Any] = {"is_unsure": False, "is_program": False, "goes_deep": True}
    return Touched(position, paths, **usual | also)


def a_step(position: int = 1, command: str = "write", paths: tuple[str, ...] = ("a.txt",), **also: Any) -> StepFacts:
    """A harmless step of low risk."""
    usual: dict[str, Any] = {
        "is_cleanup": False,
        "tool": "simple_coder",
        "effect": "workspace",
        "hosts": (),
        "touch": touch(*paths, position=position),
        "risk": Level.LOW,
    }
    return StepFacts(position=position, command=command, **usual | also)


def a_plan(*steps: StepFacts, **also: Any) -> PlanFacts:
    """A plan whose dry run is clean."""
    usual: dict[str, Any] = {
        "agent": "mindx",
        "submitter": "sue",
        "roles": ("submitter",),
        "workspace": "notes",
        "source": "rule",
        "shadow_problem": "",
    }
    return PlanFacts(steps=steps or (a_step(),), **usual | also)


def a_rule(action: Action, policy_id: int = 1, **conditions: Any) -> Rule:
    """A policy in force."""
    return Rule(policy_id, policy_id * 10, f"policy {policy_id}", 1, action, Conditions.read(conditions))
