"""Recovery strategies that hardly ever help where others do: what to try banning. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from agents.evolution.auditing.facts import Facts, Proposal, Tried
from agents.evolution.auditing.statistics import more_often

SURE = 0.01
LEAST_CASES = 10
# What helps more often than this may be worth its cost, whatever the others do.
HARDLY_EVER = 0.1


def find(facts: Facts) -> Iterator[Proposal]:
    """Of each class of failures and tool, the strategies that fail far more often than the others together."""
    beside: dict[tuple[str, str], list[Tried]] = defaultdict(list)
    for one in facts.tried:
        beside[one.failure_class, one.tool].append(one)
    for one in facts.tried:
        others = [other for other in beside[one.failure_class, one.tool] if other is not one]
        cases, helped = sum(other.cases for other in others), sum(other.helped for other in others)
        if one.cases < LEAST_CASES or one.helped > HARDLY_EVER * one.cases:
            continue
        if more_often(one.cases - one.helped, one.cases, cases - helped, cases) > SURE:
            continue
        of = f"{one.failure_class} of {one.tool or 'every tool'}"
        yield Proposal(
            "setting",
            f"{one.failure_class} {one.tool} {one.strategy}",
            f"The strategy “{one.words}” hardly ever helps against {of}",
            f"It helped {one.helped} of {one.cases} times, all others together {helped} of {cases}.",
            weight=one.cases - one.helped,
            component=("setting", f"{one.failure_class}/{one.tool}/{one.strategy}"),
        )
