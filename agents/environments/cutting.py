"""Cutting what an environment says into atomic beliefs: one short sentence for one thing that is so.

    In it, you see:                                          You see a table.
        a table. On the table is: a cup (containing tea).    You see a cup. You see a cup on the table.
                                                             You see tea. You see tea in the cup.
        a door to the hall (that is open)                    You see a door to the hall. The door to the hall is open.

What has no such form stays the sentence that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

MOST_CHARS = 20_000
_DEEPEST = 6
_HEADING = re.compile(
    r"(?P<before>.*?)(?P<verb>(?:in [^.:]*, )?(?:here )?you (?:also )?(?:see|have|carry)) ?:\s*\Z", re.IGNORECASE
)
_IS_CALLED = re.compile(
    r"this (?:[\w-]+ )?(?:room|location|place) is called (?:the )?(?P<name>[\w' -]+)\Z", re.IGNORECASE
)
_NAMED = re.compile(r"(?:an?|the|some) [\w -]+ called (?P<name>.+)\Z", re.IGNORECASE)
_HOLDS = re.compile(r"(?P<prep>in|on|inside|under) the (?P<holder>[^.:,]+?) is: (?P<things>.+)\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(r"\.+(?:\s+(?=[A-Z])|\s*\Z)")
_STATE = re.compile(r", (?:which|that) (?:is|are) (?P<state>[^,]+)")
_DETAIL = re.compile(r", (?P<detail>(?:currently )?\w+ing [^,]+)")
_ARTICLE = re.compile(r"(?:an?|the|some) ", re.IGNORECASE)
_NOTHING = ("nothing", "empty")


@lru_cache(maxsize=4_096)
def atomic_beliefs(text: str) -> tuple[str, ...]:
    """Return what a text says, sentence by sentence, in its order and each once; at most MOST_CHARS of it are read."""
    return tuple(dict.fromkeys(_of_lines(text[:MOST_CHARS])))


def _of_lines(text: str) -> Iterator[str]:
    verb = ""
    for line in text.splitlines():
        if not line.strip():
            verb = ""
        elif heading := _HEADING.match(line.strip()):
            verb = "You have" if _is_own(heading["verb"]) else "You see"
            yield from _of_prose(heading["before"])
        elif verb and line[0] in " \t-*":
            yield from _of_item(line.strip(" \t-*"), verb)
        else:
            verb = ""
            yield from _of_prose(line)


def _is_own(heading: str) -> bool:
    return any(word in heading.casefold() for word in ("inventory", "have", "carry"))


def _of_prose(line: str) -> Iterator[str]:
    for sentence in _sentences(line):
        yield from _of_sentence(sentence)


def _sentences(line: str) -> list[str]:
    """Part a line at full stops outside parentheses; what stands in them belongs to the thing before."""
    found, start = [], 0
    for end in _SENTENCE_END.finditer(line):
        if line.count("(", start, end.start()) == line.count(")", start, end.start()):
            found.append(line[start : end.start()].strip())
            start = end.end()
    found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def _of_sentence(sentence: str, depth: int = 0) -> Iterator[str]:
    if holds := _HOLDS.match(sentence):
        yield from _of_contents(holds["things"], holds["holder"], holds["prep"].casefold(), depth)
        return
    yield f"{sentence[0].upper()}{sentence[1:]}."
    if called := _IS_CALLED.match(sentence):
        yield f"You are in the {called['name']}."


def _of_item(item: str, verb: str) -> Iterator[str]:
    first, *rest = _sentences(item)
    yield from _of_thing(first, verb, "", 0)
    for sentence in rest:
        yield from _of_sentence(sentence)


def _of_contents(things: str, holder: str, prep: str, depth: int) -> Iterator[str]:
    if things.strip(" .").casefold() in _NOTHING:
        yield f"The {holder} is empty."
        return
    for thing in _listed(things) if depth < _DEEPEST else ():
        yield from _of_thing(thing, "You see", f" {prep} the {holder}", depth + 1)


def _of_thing(said: str, verb: str, where: str, depth: int) -> Iterator[str]:
    """What is said about one thing of a list: that it is there, how it is, and what it holds."""
    said = said.strip(" .")
    head, _, in_parentheses = said.partition(" (")
    states = _STATE.findall(head)
    details = _DETAIL.findall(head)
    thing = _DETAIL.sub("", _STATE.sub("", head)).strip()
    if not thing:
        return
    thing = thing[0].lower() + thing[1:]
    # What has a name of its own is spoken of by it.
    if named := _NAMED.match(thing):
        thing = named["name"]
    bare = _ARTICLE.sub("", thing, count=1)
    yield f"{verb} {thing}."
    if where:
        yield f"{verb} {thing}{where}."
    for state in (*states, *details):
        yield f"The {bare} is {state.strip()}."
    if in_parentheses:
        yield from _of_parentheses(in_parentheses.removesuffix(")").strip(), bare, depth)


def _of_parentheses(said: str, bare: str, depth: int) -> Iterator[str]:
    first, _, rest = said.partition(" ")
    if first == "containing":
        yield from _of_contents(rest, bare, "in", depth)
    elif first in ("that", "which") and rest.startswith("is "):
        yield f"The {bare} {rest}."
    else:
        yield f"The {bare} is {said}."


def _listed(things: str) -> list[str]:
    """Part a list at its commas; those in parentheses, or before something said about a thing, part nothing."""
    found: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(things):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0 and not (_STATE.match(things, at) or _DETAIL.match(things, at)):
            found.append(things[start:at].strip())
            start = at + 1
    return [*found, things[start:].strip()]
