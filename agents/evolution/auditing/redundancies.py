"""Rules that do the same on the same goals. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from agents.evolution.auditing.facts import Facts, Proposal

LEAST_GOALS = 3


def pairs(facts: Facts) -> dict[tuple[str, str], list[int]]:
    """The rules that applied to the same goals, and these; each pair in order of name."""
    found: dict[tuple[str, str], list[int]] = {}
    for past in facts.pasts:
        for used in past.rules:
            for rival in past.rivals:
                if used != rival:
                    found.setdefault((min(used, rival), max(used, rival)), []).append(past.goal)
    return {pair: goals for pair, goals in found.items() if len(goals) >= LEAST_GOALS}


def find(facts: Facts) -> Iterator[Proposal]:
    """Pairs of which each alone plans the same steps for every goal that both apply to."""
    for (one, other), goals in facts.same_steps.items():
        if len(goals) >= LEAST_GOALS and all(goals.values()):
            says = f"The rules “{one}” and “{other}” do the same thing"
            why = f"For all {len(goals)} goals that both apply to, each alone makes the same steps. Keep one of them."
            yield Proposal("redundancy", f"{one} / {other}", says, why, tuple(goals), len(goals), ("rule", other))
