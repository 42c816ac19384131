"""What a replay proves: the flips between parent and candidate, and whether they let the candidate in. Pure but for
the key that chooses the sealed cases.

A case flips when the two sides come to different ends on it. Were the candidate no better, each flip would be as likely
one way as the other, so the number of fixes among the flips is binomial: the one-sided sign test.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb

from django.conf import settings

from agents.evolution.sequential import Boundary, Spending, boundary, chance_to_cross

# Five fixes to none are the smallest case that convinces: 1 in 32.
SIGNIFICANT = 0.05
_SEALED_LABEL = b"mindx sealed case 1"


class Verdict(StrEnum):
    """What a replay says of a candidate; only `admitted` lets it in."""

    ADMITTED = "admitted"
    BROKE = "broke"
    TOO_FEW = "too_few"
    INERT = "inert"
    NO_CASES = "no_cases"


@dataclass(frozen=True)
class Flip:
    """How both sides of one case ended. None: a copy could prove nothing. `differs`: they made different steps."""

    parent: bool | None
    candidate: bool | None
    differs: bool


@dataclass(frozen=True)
class Judgement:
    """The flip table in numbers, and what follows. `p`: how likely so many fixes are by chance, 0 to 1."""

    verdict: Verdict
    fixed: int
    broken: int
    unchanged: int
    unproven: int
    differ: int
    p: float

    @property
    def is_admitted(self) -> bool:
        """Whether the candidate may be activated on this alone."""
        return self.verdict is Verdict.ADMITTED

    @property
    def says(self) -> str:
        """The verdict as a sentence."""
        return _SAYS[self.verdict].format(**vars(self))


_SAYS = {
    Verdict.ADMITTED: "Fixes {fixed} and breaks none (chance {p:.1%}).",
    Verdict.BROKE: "Breaks {broken} of what worked, fixes {fixed}.",
    Verdict.TOO_FEW: "Too few: {fixed} fixed, {broken} broken.",
    Verdict.INERT: "No effect: in every case it makes the same steps as its parent.",
    Verdict.NO_CASES: "No earlier case could be replayed, so nothing is proven.",
}


def judge(cases: Sequence[Flip]) -> Judgement:
    """Judge the cases that both sides have been tried on."""
    proven = [case for case in cases if case.parent is not None and case.candidate is not None]
    fixed = sum(bool(case.candidate) and not case.parent for case in proven)
    broken = sum(bool(case.parent) and not case.candidate for case in proven)
    differ = sum(case.differs for case in proven)
    p = sign_test(fixed, broken)
    return Judgement(
        _verdict(len(proven), differ, fixed, broken, p),
        fixed,
        broken,
        len(proven) - fixed - broken,
        len(cases) - len(proven),
        differ,
        p,
    )


def _verdict(proven: int, differ: int, fixed: int, broken: int, p: float) -> Verdict:
    if not proven:
        return Verdict.NO_CASES
    if not differ:
        return Verdict.INERT
    if broken:
        return Verdict.BROKE
    return Verdict.ADMITTED if p <= SIGNIFICANT else Verdict.TOO_FEW


def is_harmful(judgement: Judgement) -> bool:
    """Whether a version in use breaks more than it fixes, and more than chance explains however often one looks."""
    return watch_edge().is_crossed(judgement.broken, judgement.broken + judgement.fixed)


def watch_edge() -> Boundary:
    """How many of the flips may be broken ones in a watch before the version goes: five broken and none fixed are
    enough, as for the gate, and one as good goes in at most 5 of 100 watches, however long.
    """
    return boundary(Spending(SIGNIFICANT))


def chance_to_notice(broken: float, fixed: float, goals: int) -> float:
    """The power of the watch: how likely it takes back, within so many goals, a version that breaks this share of them
    and fixes that one; 0 to 1.
    """
    return chance_to_cross(watch_edge(), broken, fixed, goals)


def sign_test(fixed: int, broken: int) -> float:
    """The probability that the first kind has at least so many of the flips when either is as likely; 1 without one."""
    flips = fixed + broken
    return sum(comb(flips, more) for more in range(fixed, flips + 1)) / 2**flips


def is_sealed(component: str, number: int) -> bool:
    """Whether a case (the number of its goal or call) belongs to the half that no author of the component sees.

    The same in every replay, and known only to who has the key: authors could otherwise reckon which cases are hidden.
    """
    said = json.dumps([component, number]).encode()
    return bool(hmac.digest(settings.APPROVAL_KEY.encode(), _SEALED_LABEL + b"\0" + said, "sha256")[0] & 1)
