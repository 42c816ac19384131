"""Tasks that no rule serves: goals without a rule that mean about the same. Pure.

How near two goals must be is read off the goals that rules did serve: far nearer than two goals of different rules
are. What two goals name (files, numbers, quoted words) is left out of the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from agents.evolution.auditing.facts import Facts, Past, Proposal, Vector

LEAST_GOALS = 3
# So many robust standard deviations above the middle of pairs that different rules planned: a few rules that are
# nearly the same do not move it, as they would a quantile.
_DEVIATIONS = 4
_OF_MAD = 1.4826
_LEAST_PAIRS = 100
# Where too few goals were served to tell: what MiniLM gives to sentences that say the same.
_NEAR = 0.75
_LEAST_NEAR = 0.5
_MOST = 2_000
_MOST_COMPARED = 300
_NAMED = re.compile(r"[\"“”'`][^\"“”'`]*[\"“”'`]|\S*[./\\_\d@:]\S*")


def plain(text: str) -> str:
    """A goal's text without what it names, so that two goals about other files are the same task."""
    return " ".join(_NAMED.sub("it", text.rstrip(" .!?")).split()).casefold()


def find(facts: Facts) -> Iterator[Proposal]:
    """Groups of at least three goals that no rule planned, each a task that a rule could serve."""
    if not facts.vectors:
        return
    unserved = [past for past in facts.pasts if not past.is_served and plain(past.text) in facts.vectors][:_MOST]
    near = _near(facts)
    for group in _groups(unserved, facts.vectors, near):
        if len(group) < LEAST_GOALS:
            continue
        typical = _typical(group, facts.vectors)
        why = f"{len(group)} goals like this had no rule. Mostly a person or a model had to plan them."
        goals = tuple(past.goal for past in group)
        yield Proposal("gap", plain(typical.text), f"No rule matches “{typical.text[:120]}”", why, goals, len(group))


def _near(facts: Facts) -> float:
    """A similarity that two goals hardly reach which different rules planned."""
    served: dict[tuple[str, str], Vector] = {}
    for past in facts.pasts:
        if len(past.rules) == 1 and plain(past.text) in facts.vectors:
            served.setdefault((past.rules[0], plain(past.text)), facts.vectors[plain(past.text)])
    keys = list(served)[:_MOST_COMPARED]
    if not keys:
        return _NEAR
    vectors = np.asarray([served[key] for key in keys])
    names = np.asarray([name for name, _ in keys])
    apart = (vectors @ vectors.T)[np.triu(names[:, None] != names[None, :])]
    if len(apart) < _LEAST_PAIRS:
        return _NEAR
    middle = float(np.median(apart))
    return max(_LEAST_NEAR, middle + _DEVIATIONS * _OF_MAD * float(np.median(np.abs(apart - middle))))


def _groups(pasts: Sequence[Past], vectors: Mapping[str, Vector], near: float) -> list[list[Past]]:
    """Each goal joins the group whose middle is nearest, if near enough, else it begins one; the newest goes first."""
    groups: list[list[Past]] = []
    sums = np.zeros((0, len(next(iter(vectors.values())))))
    for past in pasts:
        vector = np.asarray(vectors[plain(past.text)])
        likeness = sums @ vector / np.linalg.norm(sums, axis=1) if groups else np.zeros(1)
        best = int(likeness.argmax())
        if groups and likeness[best] >= near:
            groups[best].append(past)
            sums[best] += vector
        else:
            groups.append([past])
            sums = np.vstack([sums, vector])
    return groups


def _typical(group: Sequence[Past], vectors: Mapping[str, Vector]) -> Past:
    """The goal that is nearest to all others; the newest of equals."""
    rows = np.asarray([vectors[plain(past.text)] for past in group])
    return group[int((rows @ rows.sum(axis=0)).argmax())]
