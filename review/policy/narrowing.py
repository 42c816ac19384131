"""Narrower conditions for a policy that approves, with which most plans that ended badly would not pass. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.evolution.auditing.statistics import more_often
from review.policy.conditions import MOST_ENTRIES, Conditions, PlanFacts
from review.policy.verdict import Action, Rule, decide

# Five per cent, over all conditions that are tried together. A wrong proposal is safe: plans that no longer pass go to
# a person.
SURE = 0.05
# Fewer bad ends may be bad luck.
LEAST_BAD = 3


@dataclass(frozen=True)
class Case:
    """A plan that the policy approved and would approve again, and whether it ended badly."""

    facts: PlanFacts
    is_bad: bool


@dataclass(frozen=True)
class Narrowing:
    """`conditions` leave one value out: how many would still pass, and how many of both ended badly."""

    field: str
    value: str
    conditions: Conditions
    kept: int
    kept_bad: int
    dropped: int
    dropped_bad: int

    @property
    def chance(self) -> float:
        """The probability of so many bad ends among those left out, if bad ends are random."""
        return more_often(self.dropped_bad, self.dropped, self.kept_bad, self.kept)


def best(rule: Rule, cases: Sequence[Case]) -> Narrowing | None:
    """The narrowing that best separates bad ends from good ones; None if none is significant."""
    if sum(case.is_bad for case in cases) < LEAST_BAD:
        return None
    tried = list(_narrowings(rule, cases))
    sure = [one for one in tried if one.dropped_bad >= LEAST_BAD and one.chance * len(tried) <= SURE]
    return min(sure, key=lambda one: (one.chance, one.dropped, one.field, one.value), default=None)


def passes(rule: Rule, facts: PlanFacts) -> bool:
    """Whether this policy alone would approve such a plan."""
    return decide([rule], facts).action is Action.AUTO_APPROVE


def _narrowings(rule: Rule, cases: Sequence[Case]) -> Iterator[Narrowing]:
    for field, value, conditions in _without_one(rule.conditions, cases):
        narrower = replace(rule, conditions=conditions)
        kept = [case for case in cases if passes(narrower, case.facts)]
        bad, kept_bad = sum(case.is_bad for case in cases), sum(case.is_bad for case in kept)
        if 0 < len(kept) < len(cases):
            dropped = len(cases) - len(kept)
            yield Narrowing(field, value, conditions, len(kept), kept_bad, dropped, bad - kept_bad)


def _without_one(stated: Conditions, cases: Sequence[Case]) -> Iterator[tuple[str, str, Conditions]]:
    """The conditions without one of their values; if a field has none, with all seen values except one."""
    for field, values in _seen(cases).items():
        entries = getattr(stated, field) or tuple(values)
        for value in values:
            left = tuple(entry for entry in entries if not _names(field, entry, value))
            if left and len(left) < len(entries) and len(left) <= MOST_ENTRIES:
                yield field, value, Conditions.read({**stated.to_json(), field: left})


def _seen(cases: Sequence[Case]) -> dict[str, list[str]]:
    plans = [case.facts for case in cases]
    return {
        "commands": sorted({f"{step.tool}.{step.command}" for plan in plans for step in plan.steps}),
        "workspaces": sorted({plan.workspace for plan in plans}),
        "submitters": sorted({plan.submitter for plan in plans}),
        "agents": sorted({plan.agent for plan in plans}),
        "sources": sorted({plan.source for plan in plans}),
    }


def _names(field: str, entry: str, value: str) -> bool:
    """Whether an entry is this value. A command may be written without its tool."""
    return entry == value or (field == "commands" and value.partition(".")[2] == entry)
