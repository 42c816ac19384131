"""When two wishes about one component are the same wish.

Said in the same words they are, whatever the case and punctuation. Said in other words they are when their meanings lie
near enough and nothing that changes a meaning without moving it far speaks against it: a number, a negation, an
opposite, the same words in another order. Measured with all-MiniLM-L6-v2: wordings of one wish lie at 0.89 to 0.98,
different wishes about one thing at 0.39 to 0.84, and “for 1 hour” and “for 24 hours” at 0.93.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter

NEAR_ENOUGH = 0.88
_TOKEN = re.compile(r"[^\W_]+(?:[._/-][^\W_]+)*")
_TELLING = re.compile(r"\d|[^\W_][._/]|[a-z][A-Z]")
_NEGATIONS = frozenset({"not", "no", "never", "without", "don't", "dont", "cannot", "nothing", "neither", "stop"})
_OPPOSITES = (
    ({"add", "introduce", "create"}, {"remove", "delete", "drop"}),
    ({"enable", "allow", "show"}, {"disable", "forbid", "hide"}),
    ({"more", "increase", "raise", "longer", "larger"}, {"less", "fewer", "decrease", "lower", "shorter", "smaller"}),
    ({"before"}, {"after"}),
    ({"faster"}, {"slower"}),
)


def normal(text: str) -> str:
    """A wish as it is compared: case, punctuation and spaces do not count."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_TOKEN.findall(folded))


def key(target: str, text: str) -> str:
    """What two wishes share that are said in the same words about the same component."""
    return hashlib.sha256(f"{target}\n{normal(text) or text.strip()}".encode()).hexdigest()


def differ(left: str, right: str) -> bool:
    """Whether something tells two wishes apart that their meanings' nearness would not."""
    if _telling(left) != _telling(right):
        return True
    one, other = normal(left).split(), normal(right).split()
    if bool(_NEGATIONS & set(one)) != bool(_NEGATIONS & set(other)):
        return True
    if one != other and Counter(one) == Counter(other):
        return True
    return any(_opposed(set(one), set(other), *pair) for pair in _OPPOSITES)


def are_one(left: str, right: str, likeness: float, near_enough: float = NEAR_ENOUGH) -> bool:
    """Whether two wishes about the same component are one; `likeness` is the cosine of their meanings."""
    return likeness >= near_enough and not differ(left, right)


def _telling(text: str) -> frozenset[str]:
    """Its numbers, paths and names: of a word that is one of these there is no other word for the same."""
    return frozenset(word.casefold() for word in _TOKEN.findall(text) if _TELLING.search(word))


def _opposed(one: set[str], other: set[str], these: set[str], those: set[str]) -> bool:
    return bool((one & these and other & those) or (one & those and other & these))
