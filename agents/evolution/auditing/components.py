"""Components that fail more than others, fail lately, are never used, or whose owner has left. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from agents.evolution.auditing.facts import Facts, Part, Proposal
from agents.evolution.auditing.statistics import more_often

# One false alarm in a hundred components of each kind of finding.
SURE = 0.01
LEAST_CASES = 5
UNUSED_AFTER = timedelta(days=60)


def find(facts: Facts) -> Iterator[Proposal]:
    """What the counts of the components in use say."""
    for part in facts.parts:
        if (found := _fails(part, facts) or _fails_lately(part)) is not None:
            yield found
        if part.owner_is_gone:
            says = f"{_named(part)} belongs to an account that is no longer active"
            yield Proposal("orphaned", _subject(part), says, "There is nobody to ask about it.", component=_key(part))
    yield from _unused(facts)


def _fails(part: Part, facts: Facts) -> Proposal | None:
    """It fails more often than everything else does."""
    others = [other for other in facts.parts if other.kind == part.kind and other is not part]
    cases, failed = part.successes + part.failures, part.failures
    other_cases = sum(other.successes + other.failures for other in others)
    other_failed = sum(other.failures for other in others)
    if cases < LEAST_CASES or more_often(failed, cases, other_failed, other_cases) > SURE:
        return None
    rest = f"; of all other {part.kind}s, {other_failed} of {other_cases} did"
    goals = tuple(past.goal for past in facts.pasts if part.name in past.rules and past.worked is False)
    why = f"{failed} of its {cases} runs failed{rest}."
    return Proposal("low_success", _subject(part), f"{_named(part)} fails often", why, goals, failed, _key(part))


def _fails_lately(part: Part) -> Proposal | None:
    """It fails more often than it did before: its newest ten ends beside all earlier ones."""
    new = part.recent[:10]
    new_failed = new.count(False)
    cases = part.successes + part.failures
    failed_before, before = part.failures - new_failed, cases - len(new)
    if len(new) < LEAST_CASES or more_often(new_failed, len(new), failed_before, before) > SURE:
        return None
    why = f"{new_failed} of its last {len(new)} runs failed, {failed_before} of {before} before."
    return Proposal("failing", _subject(part), f"{_named(part)} began to fail", why, (), new_failed, _key(part))


def _unused(facts: Facts) -> Iterator[Proposal]:
    idle = [part for part in facts.parts if (part.last_used or part.since) < facts.now - UNUSED_AFTER]
    for part in idle:
        if not part.is_starter:
            says = f"{_named(part)} has not been used for {UNUSED_AFTER.days} days"
            yield Proposal("unused", _subject(part), says, "Retire it, or check its wording.", component=_key(part))


def _named(part: Part) -> str:
    return f"The {part.kind} “{part.name}”"


def _subject(part: Part) -> str:
    return f"{part.kind} {part.name}"


def _key(part: Part) -> tuple[str, str]:
    return part.kind, part.name
