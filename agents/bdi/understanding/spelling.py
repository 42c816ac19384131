"""How far two words are from each other, as typing goes wrong: a letter too many, too few, another, or two swapped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=65_536)
def distance(one: str, other: str, most: int = 3) -> int:
    """Damerau and Levenshtein's distance (optimal string alignment), cut off: `most` + 1 says "more than that"."""
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        above, before = before, row
        row = [i]
        for j, right in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def tolerated(word: str) -> int:
    """How many slips a word of this length may have and still be that word: short words are other words at once."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def is_near(said: str, meant: str) -> bool:
    """Whether `said` is `meant`, or a likely slip of it. The first letter is rarely the wrong one."""
    if said == meant:
        return True
    if not said or not meant:
        return False
    # Asked for each new word with every word that is known: what is cheap and rules most of them out comes first.
    if abs(len(said) - len(meant)) > 2 or (said[0] != meant[0] and sorted(said[:2]) != sorted(meant[:2])):
        return False
    most = min(tolerated(said), tolerated(meant))
    if not most or abs(len(said) - len(meant)) > most or _DIGIT.search(said + meant):
        return False
    return distance(said, meant, most) <= most


def nearest(said: str, known: Iterable[str]) -> str:
    """The known word that `said` most likely is; empty when none is near, or two are equally."""
    ranked = sorted((distance(said, word), word) for word in set(known) if is_near(said, word))
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return ""
    return ranked[0][1]
