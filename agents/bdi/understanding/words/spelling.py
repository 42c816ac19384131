"""How far apart two words are by typing errors: a letter too many, too few, replaced, or two swapped."""

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
    one, other = _without_common_ends(one, other)
    if not one or not other:
        return len(one) + len(other)
    beyond, width = most + 1, len(other)
    before: list[int] = []
    row = [min(at, beyond) for at in range(width + 1)]
    for i, left in enumerate(one, 1):
        above, before = before, row
        row = [beyond] * (width + 1)
        row[0] = min(i, beyond)
        # What lies further from the diagonal costs more than is asked for.
        for j in range(max(1, i - most), min(width, i + most) + 1):
            right = other[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, above[j - 2] + 1)
            row[j] = cost
        if min(row) > most:
            return beyond
    return min(row[-1], beyond)


def _without_common_ends(one: str, other: str) -> tuple[str, str]:
    """Two words without the letters that both begin with, and those that both end with."""
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]


@lru_cache(maxsize=16_384)
def letters_of(word: str) -> int:
    """Which letters a word has, as bits; several letters may share one."""
    found = 0
    for letter in word:
        found |= 1 << (ord(letter) & 63)
    return found


def may_be_near(letters: int, other: int, most: int = 2) -> bool:
    """False where words with these letters are surely more than `most` slips from each other.

    A slip brings in one letter at most and takes one away.
    """
    return (letters & ~other).bit_count() <= most and (other & ~letters).bit_count() <= most


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
