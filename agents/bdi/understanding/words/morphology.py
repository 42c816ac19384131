"""The base form of English words, as far as commands need it: creating, created and creation are all create."""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    "wrote": "write", "written": "write", "ran": "run", "made": "make", "gave": "give", "given": "give", "got": "get",
    "took": "take", "taken": "take", "shown": "show", "found": "find", "put": "put", "went": "go", "gone": "go",
    "going": "go", "goes": "go", "said": "say", "says": "say", "saying": "say", "told": "tell", "did": "do",
    "does": "do", "done": "do", "doing": "do", "threw": "throw", "thrown": "throw", "built": "build", "sent": "send",
    "kept": "keep", "brought": "bring", "began": "begin", "seen": "see", "saw": "see", "held": "hold", "read": "read",
    "stuck": "stick", "spun": "spin", "has": "have", "had": "have", "having": "have", "is": "be", "are": "be",
    "was": "be", "were": "be", "been": "be", "being": "be", "chose": "choose", "chosen": "choose", "left": "leave",
    "lay": "lie", "laid": "lay", "set": "set", "forgot": "forget", "forgotten": "forget",
}  # fmt: skip
_NOUNS = {
    "analysis": "analyze", "analyses": "analyze", "summary": "summarize", "summaries": "summarize",
    "summarization": "summarize", "deletion": "delete", "removal": "remove", "creation": "create",
    "installation": "install", "activation": "activate", "deactivation": "deactivate", "assessment": "assess",
    "evaluation": "evaluate", "optimization": "optimize", "improvement": "improve", "improvements": "improve",
    "enhancement": "enhance", "execution": "execute", "inspection": "inspect", "examination": "examine",
    "relocation": "relocate", "duplication": "duplicate", "initialization": "initialize", "extension": "extend",
    "evolution": "evolve", "termination": "terminate", "listing": "list",
}  # fmt: skip
_BRITISH = (
    ("yse", "yze"),
    ("ysing", "yzing"),
    ("ysed", "yzed"),
    ("yser", "yzer"),
    ("ise", "ize"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("iser", "izer"),
    ("isation", "ization"),
)
_NO_BRITISH = frozenset(
    {"rise", "wise", "otherwise", "likewise", "raise", "noise", "promise", "precise", "revise", "advise", "adviser"}
)
# “Seed” is nothing that was seen.
_NO_PAST = frozenset("seed need feed weed reed deed bleed breed speed indeed".split())
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")


@lru_cache(maxsize=16_384)
def bases(word: str) -> tuple[str, ...]:
    """The base forms that a word (in lower case) may have, the likeliest first; the word itself is one."""
    found = [word]
    spelt = american(word)
    found.append(spelt)
    for one in (word, spelt):
        if one in _IRREGULAR:
            found.append(_IRREGULAR[one])
        if one in _NOUNS:
            found.append(_NOUNS[one])
        found += [american(base) for base in _stripped(one)]
    return tuple(dict.fromkeys(found))


def american(word: str) -> str:
    """A word as it is spelt in America."""
    if word in _NO_BRITISH or len(word) < 6:
        return word
    for british, spelt in _BRITISH:
        if word.endswith(british):
            return word[: -len(british)] + spelt
    return word


def _stripped(word: str) -> list[str]:
    if len(word) < 4:
        return []
    if word.endswith("ing") and len(word) > 5:
        return _restored(word[:-3])
    if word.endswith("ied"):
        return [word[:-3] + "y"]
    if word.endswith("ed") and word not in _NO_PAST:
        return _restored(word[:-2])
    if word.endswith("ies"):
        return [word[:-3] + "y"]
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return [word[:-2], word[:-1]]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return [word[:-1]]
    return []


def _restored(stem: str) -> list[str]:
    """What stood before -ing or -ed: mov(e), cop(y) stays, run(n)."""
    found = [stem + "e", stem]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] in _CONSONANTS:
        found.insert(0, stem[:-1])
    return found


def singular(word: str) -> str:
    """The singular of a noun, as far as its form tells."""
    return next((base for base in _stripped(word) if not word.endswith(("ing", "ed"))), word)
