"""The gate: may this plan, this intent, run? Declared here, answered above (review), wired by composition.

`forbidden` is asked when a plan is written, `check` at each claim and by recovery, `by_hand` for a command that a
person types and nobody reviews. With nothing wired the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.document import Document
from agents.models import Goal, IntentPlan
from people.models import User


@dataclass(frozen=True)
class Verdict:
    """The gate's answer. `reason` is a sentence for the log and the page; `tries` is the approved envelope.

    `minimum` is the least isolation under which it may run, "" for the operator's. `waits`: refused for now only, until
    somebody has done what the reason says.
    """

    allowed: bool
    reason: str
    tries: int = 1
    minimum: str = ""
    waits: bool = False


@dataclass(frozen=True)
class Forbidden:
    """Why a step may not even be proposed; position 0 is the plan as a whole."""

    position: int
    reason: str


Check = Callable[[IntentPlan, Mapping[str, Any] | None], Verdict]
Forbids = Callable[[Goal, Document], Sequence[Forbidden]]
ByHand = Callable[[Goal, Document, User], str]

_check: Check | None = None
_forbids: Forbids | None = None
_by_hand: ByHand | None = None


def register(check: Check, forbids: Forbids, by_hand: ByHand) -> None:
    """Wire the implementation. Called once, by composition."""
    global _check, _forbids, _by_hand
    _check, _forbids, _by_hand = check, forbids, by_hand


def by_hand(goal: Goal, document: Document, by: User) -> str:
    """Why this person may not have this one step done without a review; "" when they may."""
    if _by_hand is None:
        return "no gate is wired, so nothing may run"
    return _by_hand(goal, document, by)


def forbidden(goal: Goal, document: Document) -> Sequence[Forbidden]:
    """What of a plan for this goal may not be proposed. Everything, when nothing is wired."""
    if _forbids is None:
        return [Forbidden(0, "no gate is wired, so nothing may be proposed")]
    return _forbids(goal, document)


def check(plan: IntentPlan, intent: Mapping[str, Any] | None = None) -> Verdict:
    """Whether the plan (or one of its intents, as in the document) may run now. Refuses when nothing is wired."""
    if _check is None:
        return Verdict(allowed=False, reason="no gate is wired, so nothing may run")
    return _check(plan, intent)
