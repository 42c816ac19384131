"""One side of a replay's case: how it ended, and the steps of a plan run in a throw-away copy of its files.

Steps run as in a dry run: no network, half the limits, the strictest jail. What a copy cannot prove is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from agents.bdi.forecast.shadow import Finding, Proof
from agents.bdi.outcome import outcome
from agents.bdi.outcome.outcome import MISSED
from agents.bdi.plans.document import Document, IntentSpec
from agents.execution.shadow import Trial, limits_of
from agents.execution.workplace import open_desk_in
from agents.plans import outcome_evaluation
from sandbox.contract import SessionState

GONE = "the goal or its plan was removed since"
SAID_MAX = 500


@dataclass(frozen=True)
class Side:
    """How one side of a case ended. `passes` None: a copy could prove nothing. `traces`: what is compared.

    Of a model's answer: `is_void` of one that cannot be used, `is_valid` of one that can and that no copy can prove;
    `call` is its row.
    """

    passes: bool | None
    said: str
    traces: tuple[Any, ...] = ()
    duration_s: float = 0.0
    is_void: bool = False
    is_valid: bool = False
    call: int | None = None


def run(document: Document, base: str, name: str, stop_work: Event) -> tuple[bool | None, str, Mapping[int, Any]]:
    """How the steps of a plan ended in a copy of this name, and what they answered by position. Raises Stopped."""
    with open_desk_in(name, base, SessionState(), limits_of(document.intents[0]), minimum="L3") as desk:
        trial = Trial(document, desk, stop_work)
        passes, said = judged(trial.findings())
        if not passes or not document.checks:
            return passes, said, trial.results
        facts = outcome_evaluation.facts_between(base, desk.head, trial.results)
        verdict = outcome.evaluate(document.checks, facts)
    if verdict.outcome in MISSED:
        failed = ", ".join(f"{one.check.kind.value} {one.check.path}".strip() for one in verdict.failed)
        return False, f"every step ran, but the goal was not met: {failed}", trial.results
    return True, said, trial.results


def steps_of(document: Document) -> tuple[Any, ...]:
    """What the steps of a plan do, whoever planned them."""
    return tuple(_does(spec) for spec in document.all_intents)


def _does(spec: IntentSpec) -> tuple[Any, ...]:
    alternatives = tuple(_does(one) for one in spec.alternatives)
    return (spec.phase, spec.tool, spec.command, dict(spec.params), spec.condition, spec.depends_on, alternatives)


def judged(findings: Sequence[Finding]) -> tuple[bool | None, str]:
    """Whether the steps did what they should; None where a copy cannot tell."""
    for one in findings:
        if one.proof is Proof.FAILED:
            return False, f"step {one.position} failed: {one.why}"
        if one.proof is Proof.UNPROVEN:
            return None, f"step {one.position} cannot be tried in a copy: {one.why}"
    return True, f"{len(findings)} step{'' if len(findings) == 1 else 's'} ran"
