"""Sentences of what is here: “you see a cup on the table”, “there is a cup here”, “the table holds a cup”. Pure.

What is seen is here. What is here need not be seen, so this does not follow the other way round.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.rules.facts import Sight
from agents.rules.phrases import is_name
from agents.toolkit.wording.words import NOISE, fold

_X = r"(?P<what>[\w{][\w{} '-]*)"
_H = r"the (?P<holder>[\w{][\w{} '-]*)"
_A = r"(?:an? |the |any )?"
_IN = r"(?P<prep>in|inside|on|under|behind)"
_SEE = r"you (?P<no>do not |can not )?(?:can )?(?:also )?(?:see|notice|spot|observe) (?P<none>no )?"
_THERE = r"there (?:is|are) (?P<no>not )?(?P<none>no )?(?:also )?"
_HERE = r"(?:here|nearby|around|present|in (?:this|the) (?:room|place))"
_STANDS = r"(?:(?:is|are)(?: (?:standing|lying|sitting))?|stands?|lies?|sits?)"
# Each is read to its last word; those with a holder come before those without.
_SEEN = (
    rf"{_SEE}{_A}{_X} {_IN} {_H}",
    rf"{_IN} {_H} {_SEE}{_A}{_X}",
    rf"(?P<none>no )?{_A}{_X} can (?P<no>not )?be seen {_IN} {_H}",
    rf"{_SEE}{_A}{_X}",
    rf"(?P<none>no )?{_A}{_X} can (?P<no>not )?be seen(?: {_HERE})?",
    rf"(?P<none>no )?{_A}{_X} (?:is|are) (?P<no>not )?(?:visible|(?:with)?in (?:sight|view))(?: here)?",
)
_PRESENT = (
    rf"{_THERE}{_A}{_X} {_HERE}",
    rf"{_THERE}{_A}{_X} {_IN} {_H}",
    rf"{_IN} {_H} {_THERE}{_A}{_X}",
    rf"{_H} (?:contains|holds) (?P<none>no )?{_A}{_X}",
    rf"(?P<none>no |an? ){_X} {_STANDS} {_IN} {_H}",
    rf"(?:this|the) (?:room|place) (?:has|contains|holds) (?P<none>no )?{_A}{_X}",
    rf"(?P<none>no )?{_A}{_X} {_STANDS} (?P<no>not )?{_HERE}",
    rf"{_THERE}{_A}{_X}",
)
_ALL = tuple(
    (re.compile(rf"{pattern}\Z", re.IGNORECASE), seen)
    for patterns, seen in ((_SEEN, True), (_PRESENT, False))
    for pattern in patterns
)
# Where a door leads to is said in many ways, and is a part of what is seen.
_LEADING = re.compile(r"\bdoor (?:(?:that|which) leads|leading|(?:that|which) goes|going) to\b", re.IGNORECASE)
_LEADS = re.compile(r"\A(an?|no) door (?:(?:from )?here )?(?:leads|goes) to\b", re.IGNORECASE)
# An inclined plane with a tin surface: two things, each with its noun at the end.
_PARTS = re.compile(r" (?:of|with|containing|to|from) ")
# That something else is here besides changes nothing about whether this is, unless it is denied.
_BESIDES = re.compile(r",? (?:too|as well)\Z", re.IGNORECASE)
_SLOT = re.compile(r"\{[\w-]+\}")
_LONGEST = 300


@lru_cache(maxsize=16_384)
def sight_of(text: str) -> Sight | None:
    """What a tidied sentence says to be here; None where it says something else or is not read to its end."""
    if len(text) > _LONGEST:
        return None
    alone = _BESIDES.sub("", text)
    said = _LEADS.sub(r"there is \1 door to", _LEADING.sub("door to", alone))
    for pattern, seen in _ALL:
        if (found := pattern.match(said)) and (sight := _read(found.groupdict(), seen)):
            return sight if sight.positive or alone == text else None
    return None


def _read(found: dict[str, str | None], seen: bool) -> Sight | None:
    what, holder = _words(found["what"] or ""), _words(found.get("holder") or "")
    if not is_name(what.split()) or (holder and not is_name(holder.split())):
        return None
    denied = bool(found.get("no")) or fold(found.get("none") or "").strip() == "no"
    preposition = fold(found.get("prep") or "in").replace("inside", "in") if holder else ""
    return Sight(what, preposition, holder, not denied, seen)


def only_describes(said: str, wanted: str) -> bool:
    """Whether what is wanted is only named in what is seen to describe another thing: tin in a tin cup. Tidied."""
    seen, sought = sight_of(said), sight_of(wanted)
    if seen is None or sought is None:
        return False
    name = sought.what.split()[-1]
    things = [thing.split() for each in (seen.what, seen.holder) for thing in _PARTS.split(each) if thing]
    return any(name in thing for thing in things) and all(name != thing[-1] for thing in things)


def as_seen(text: str) -> str:
    """A sentence or a context with slots of what is here, in the words in which it is seen; any other as it is."""
    sight = sight_of(text)
    if sight is None or not sight.positive:
        return text
    return f"you see {sight.what}" + (f" {sight.preposition} the {sight.holder}" if sight.holder else "")


def _words(text: str) -> str:
    """Folded, without articles; slots stay as they are written."""
    kept = []
    for word in text.split():
        said = word if _SLOT.search(word) else fold(word)
        if said not in NOISE:
            kept.append(said)
    return " ".join(kept)
