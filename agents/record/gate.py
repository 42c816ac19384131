"""The gate: may this plan, this intent, run? Declared here, answered above (review), wired by composition.

`forbidden` is asked when a plan is written, `check` at each claim, `by_hand` for a command that a person types and
nobody reviews. Between two steps `stamp` says whether anything has changed that the last answer stood on; when it has,
`check` is asked again; it is a function of the database, so that the statement that begins a step asks it too. With
nothing wired the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agents.bdi.plans.document import Document
from agents.models import Goal, IntentPlan
from agents.record import prepared
from people.models import User


@dataclass(frozen=True)
class Verdict:
    """The gate's answer. `reason` is a sentence for the log and the page.

    `tries` and `alternatives` are the approved envelope: how often a step may be tried, and what may be done in its
    place when it fails, as (position, number of the declared alternative).

    `minimum` is the least isolation under which it may run, "" for the operator's. `waits`: refused for now only, until
    somebody has done what the reason says. `asks`: refused as it stands, and people are asked again with the reason.
    `stamp` is that of the moment before the answer.
    """

    allowed: bool
    reason: str
    tries: int = 1
    alternatives: frozenset[tuple[int, int]] = frozenset()
    minimum: str = ""
    waits: bool = False
    asks: bool = False
    stamp: str = ""


@dataclass(frozen=True)
class Forbidden:
    """Why a step may not even be proposed; position 0 is the plan as a whole."""

    position: int
    reason: str


Check = Callable[[IntentPlan, Mapping[str, Any] | None, Sequence[prepared.Row] | None], Verdict]
Forbids = Callable[[Goal, Document], Sequence[Forbidden]]
ByHand = Callable[[Goal, Document, User], str]


@dataclass(frozen=True)
class Wired:
    """What answers, all of it at once. `stamp_function` is the database's function that makes a plan's stamp; `reads`
    are statements of what `check` reads around a plan, in which `{which}` says of which `plan`. Both are used as they
    are.
    """

    check: Check
    forbids: Forbids
    by_hand: ByHand
    stamp_function: str
    reads: tuple[str, ...]


_wired: Wired | None = None


def register(wired: Wired) -> None:
    """Wire the implementation. Called once, by composition."""
    global _wired
    _wired = wired


def by_hand(goal: Goal, document: Document, by: User) -> str:
    """Why this person may not have this one step done without a review; "" when they may."""
    if _wired is None:
        return "no gate is wired, so nothing may run"
    return _wired.by_hand(goal, document, by)


def forbidden(goal: Goal, document: Document) -> Sequence[Forbidden]:
    """What of a plan for this goal may not be proposed. Everything, when nothing is wired."""
    if _wired is None:
        return [Forbidden(0, "no gate is wired, so nothing may be proposed")]
    return _wired.forbids(goal, document)


def check(
    plan: IntentPlan, intent: Mapping[str, Any] | None = None, read: Sequence[prepared.Row] | None = None
) -> Verdict:
    """Whether the plan (or one of its intents, as in the document) may run now. Refuses when nothing is wired.

    `read` are the first rows of `reads`, when these were asked in this transaction, behind what locked the plan.
    """
    if _wired is None:
        return Verdict(allowed=False, reason="no gate is wired, so nothing may run")
    return _wired.check(plan, intent, read)


def reads(which: str) -> Sequence[str]:
    """The statements whose first rows `check` goes by, of the `plan` that the condition tells; none when nothing is
    wired.
    """
    return _of(_wired.reads, which) if _wired is not None else ()


@lru_cache(maxsize=4)
def _of(statements: tuple[str, ...], which: str) -> Sequence[str]:
    return [each.replace("{which}", which) for each in statements]


def stamp(plan_id: int) -> str:
    """One word for everything that `check` reads of this plan and that somebody could change: the stored bytes, the
    approval, the decisions, who made them, policies, component versions. Another word means that `check` must be asked
    again. It takes one statement, so that it can be asked before every step. Empty when nothing is wired.
    """
    found = prepared.row(f"SELECT {stamp_call()}", {"plan": plan_id} if _wired is not None else {})
    return str(found[0]) if found is not None else ""


def stamp_call() -> str:
    """The stamp as an expression of SQL, of the plan that the parameter `plan` names."""
    return f"{_wired.stamp_function}(%(plan)s)" if _wired is not None else "''"
