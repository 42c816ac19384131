"""Whether a phrase is read to its end: it names one thing, or it is a sentence with a plain denial in it.

The words below change what a sentence says without naming anything: how often, when, how many, whether, and which of
several. A reader that took them for part of a name would draw conclusions from words that it has not understood, so a
phrase with one of them is not read at all. The list is that of the closed word classes of English, not of examples.
"""

from __future__ import annotations

from collections.abc import Sequence


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_CONJUNCTIONS = _words(
    "and or but nor if unless until while when whenever because since though although than as whether except so"
)
_RELATIVE = _words("that which who whom whose where")
_QUANTIFIERS = _words(
    "some any all every each most many much few several both either neither none more less fewer enough another other",
    "others something anything everything nothing someone anyone everyone somebody anybody everybody nobody one",
)
_ADVERBS = _words(
    "not no never always often sometimes seldom ever still yet already again now then today tomorrow yesterday tonight",
    "soon later once twice just only even also too maybe perhaps almost rather quite usually mostly normally generally",
    "rarely frequently occasionally regularly currently temporarily recently probably possibly nearly barely hardly",
    "scarcely partly",
)
_MODALS = _words("may might must should could ought shall")
_SCOPE = _CONJUNCTIONS | _RELATIVE | _QUANTIFIERS | _ADVERBS | _MODALS
# What follows the name of a place without being a part of it.
_BESIDE_A_PLACE = _words("alone together here there inside outside upstairs downstairs")

_PRONOUNS = _words("you i we they he she it there")
_DETERMINERS = _words("the this these those my your our its his her their")
_AUXILIARIES = _words("am is are was were do does did has have had can will would")
_LONGEST_SUBJECT = 3


def is_name(words: Sequence[str]) -> bool:
    """Whether folded words name something: none of them says how often, when, how many or which."""
    return bool(words) and _SCOPE.isdisjoint(words)


def is_name_of_a_place(words: Sequence[str]) -> bool:
    """Whether they are the whole name of a place, such as kitchen or living room, and nothing about it besides."""
    if len(words) == 2 and (words[1].endswith(("ing", "ed", "ly")) or words[1] in _BESIDE_A_PLACE):
        return False
    return is_name(words) and len(words) <= 2


def without_denial(words: Sequence[str]) -> tuple[str, ...] | None:
    """The sentence that a plain denial denies, in its words; None for what is no denial, or none that is understood.

    A denial is plain where the whole sentence is denied: one definite subject, then “not” or “never”, or “no” before
    what follows. “Some tests do not pass” denies nothing of “some tests pass”, nor does a denial inside a clause.
    """
    at = next((number for number, word in enumerate(words) if word in ("not", "never", "no")), None)
    if at is None:
        return None
    before, denied, after = words[:at], words[at], words[at + 1 :]
    rest = [*before, *after]
    if not after or not _SCOPE.isdisjoint(rest):
        return None
    subject = _subject(before)
    if denied == "no":
        plain = not before or (subject is not None and len(before) == subject + 1)
    else:
        verbs = before[subject:] if subject is not None else None
        plain = verbs is not None and len(verbs) <= 1 and _AUXILIARIES.issuperset(verbs)
        plain = plain and (denied == "never" or bool(verbs))
    return tuple(rest) if plain else None


def _subject(words: Sequence[str]) -> int | None:
    """How many words a definite subject at the beginning has; None where there is none."""
    if words and words[0] in _PRONOUNS:
        return 1
    if not words or words[0] not in _DETERMINERS:
        return None
    verb = next((number for number, word in enumerate(words) if word in _AUXILIARIES), len(words))
    return verb if 1 < verb <= 1 + _LONGEST_SUBJECT else None
