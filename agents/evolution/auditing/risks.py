"""One cause behind the failures of several components. Pure.

A cause is something that steps of several rules touch and fail on more often than on anything else (a host, a program,
a workspace), or the same complaint from several of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from agents.evolution.auditing.facts import Facts, Past, Proposal
from agents.evolution.auditing.statistics import more_often

LEAST_RULES = 3
LEAST_GOALS = 4
# Over all causes that are tested together.
SURE = 0.01
_VARIES = re.compile(r"[\"“”'`‘’][^\"“”'`‘’]*[\"“”'`‘’]|\S*[/\\]\S*|\b0x[0-9a-f]+\b|\d+")


def signature(reason: str) -> str:
    """A complaint without what differs from case to case: names in quotes, paths, numbers."""
    return " ".join(_VARIES.sub("…", reason).split())[:160]


def find(facts: Facts) -> Iterator[Proposal]:
    """Marks that go with failures of at least three rules, then complaints that at least three rules share."""
    ran = [past for past in facts.pasts if past.worked is not None]
    marked: dict[str, list[Past]] = defaultdict(list)
    for past in ran:
        for mark in past.marks:
            marked[mark].append(past)
    told: set[int] = set()
    tested = [mark for mark, pasts in marked.items() if _is_wide([past for past in pasts if mark in past.failed_marks])]
    chances = {mark: _chance(mark, marked[mark], ran) for mark in tested}
    for mark in sorted(tested, key=lambda mark: (chances[mark], mark)):
        failed = [past for past in marked[mark] if mark in past.failed_marks]
        # What an earlier mark has explained is no second risk: a host and the one program that calls it.
        fresh = [past for past in failed if past.goal not in told]
        if chances[mark] * len(tested) > SURE or len(fresh) <= len(failed) / 2:
            continue
        told |= {past.goal for past in failed}
        yield _of_mark(mark, failed, marked[mark], ran)
    yield from _shared_complaints(ran, told)


def _chance(mark: str, pasts: Sequence[Past], ran: Sequence[Past]) -> float:
    failed = sum(mark in past.failed_marks for past in pasts)
    other_failed = sum(past.worked is False for past in ran) - sum(past.worked is False for past in pasts)
    return more_often(failed, len(pasts), other_failed, len(ran) - len(pasts))


def _is_wide(failed: Sequence[Past]) -> bool:
    return len(failed) >= LEAST_GOALS and len({rule for past in failed for rule in past.rules}) >= LEAST_RULES


def _of_mark(mark: str, failed: Sequence[Past], pasts: Sequence[Past], ran: Sequence[Past]) -> Proposal:
    rules = sorted({rule for past in failed for rule in past.rules})
    others = sum(past.worked is False for past in ran) - sum(past.worked is False for past in pasts)
    why = (
        f"{len(failed)} of {len(pasts)} goals that touch it failed on it, by {len(rules)} rules; of the other"
        f" {len(ran) - len(pasts)} goals {others} failed."
    )
    goals = tuple(past.goal for past in failed)
    return Proposal("risk", mark, f"Several rules fail on one thing: {mark}", why, goals, len(failed))


def _shared_complaints(ran: Sequence[Past], told: set[int]) -> Iterator[Proposal]:
    by_complaint: dict[str, list[Past]] = defaultdict(list)
    for past in ran:
        if past.failure and past.goal not in told:
            by_complaint[signature(past.failure)].append(past)
    for said, failed in sorted(by_complaint.items(), key=lambda item: -len(item[1])):
        if _is_wide(failed):
            rules = sorted({rule for past in failed for rule in past.rules})
            why = f"{len(failed)} goals of {len(rules)} rules ended with this: {', '.join(rules[:5])}."
            goals = tuple(past.goal for past in failed)
            # Where all say the very same, it is said in full.
            complaints = {" ".join(past.failure.split())[:160] for past in failed}
            said = complaints.pop() if len(complaints) == 1 else said
            yield Proposal(
                "risk", f"complaint {said}", f"Several rules fail in the same way: {said}", why, goals, len(failed)
            )
