"""The gate: may this plan, this intent, run? Declared here, answered above (review), wired by composition.

It is asked when a plan is proposed, at each claim and by recovery. With nothing wired the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.models import IntentPlan


@dataclass(frozen=True)
class Verdict:
    """The gate's answer. `reason` is a sentence for the log and the page; `tries` is the approved envelope."""

    allowed: bool
    reason: str
    tries: int = 1


Check = Callable[[IntentPlan, Mapping[str, Any] | None], Verdict]

_check: Check | None = None


def register(check: Check) -> None:
    """Wire the implementation. Called once, by composition."""
    global _check
    _check = check


def check(plan: IntentPlan, intent: Mapping[str, Any] | None = None) -> Verdict:
    """Whether the plan (or one of its intents, as in the document) may run now. Refuses when nothing is wired."""
    if _check is None:
        return Verdict(allowed=False, reason="no gate is wired, so nothing may run")
    return _check(plan, intent)
