"""Requirements in words taken apart into the components that they ask for, by templates where no model does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

MOST = 20
DOES_MAX = 1_000
_MARK = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_SENTENCES = re.compile(r"(?<=[.;!?])\s+|,? and then |, then | afterwards,? ")
_CUE = re.compile(r"^(?:and |then |after that,? |afterwards,? |finally,? |next,? |at last,? )+", re.IGNORECASE)
_THINGS = re.compile(r"[\w./-]*\w\.[A-Za-z]\w{0,5}\b|“[^”]+”|\"[^\"]+\"")
# Words for what an earlier component leaves behind.
_BACK = re.compile(
    r"\b(?:it|them|its|their|these|those|the results?|the outputs?|the findings?|the figures?)\b", re.IGNORECASE
)
_SMALL = re.compile(
    r"a|an|the|of|in|on|to|for|from|with|and|or|by|all|each|every|its?|their|this|that|these|those|please|must|should"
    r"|them|shall|will|can|we|i|you|is|are|be|as|into|than"
)
_NAME_CHARS = 32


@dataclass(frozen=True)
class Need:
    """One component that is wanted: its name in the design, what it does, and whose work it goes on with."""

    name: str
    does: str
    after: tuple[str, ...] = ()


def of(requirements: str) -> tuple[Need, ...]:
    """The needs in the order in which they are said. A list has one in each item, a text one in each sentence."""
    lines = [line for line in requirements.splitlines() if line.strip()]
    items = [_MARK.sub("", line) for line in lines if _MARK.match(line)]
    said = items or [one for line in lines for one in _SENTENCES.split(line)]
    found: list[Need] = []
    for text in said:
        does = plain(text)
        if not re.search(r"\w", does) or len(found) == MOST:
            continue
        begins = bool(_CUE.match(does))
        does = _CUE.sub("", does).rstrip(".;!? ") or does
        name = _named(does, {one.name for one in found})
        found.append(Need(name, does[0].upper() + does[1:], _after(does, found, begins=begins)))
    return tuple(found)


def plain(text: str) -> str:
    """The text on one line, so that it can end no line of a design and begin none."""
    return " ".join(text.split())[:DOES_MAX]


def title(requirements: str) -> str:
    """What the solution is called: the first words of what is wanted."""
    said = plain(requirements)
    return said if len(said) <= 120 else said[:119].rstrip() + "…"


def checked(needs: Sequence[Need]) -> list[str]:
    """What is wrong with needs that somebody else wrote, as sentences."""
    wrong: list[str] = []
    names: set[str] = set()
    if not 1 <= len(needs) <= MOST:
        return [f"A design has 1 to {MOST} components."]
    for need in needs:
        if not re.fullmatch(r"[a-z][a-z0-9-]{0,31}", need.name):
            wrong.append(f"“{need.name[:40]}” is no name: use lower-case letters, digits and -.")
        if need.name in names:
            wrong.append(f"Two components are named {need.name}.")
        if not need.does.strip():
            wrong.append(f"{need.name}: say what it does.")
        if missing := [name for name in need.after if name not in names]:
            wrong.append(f"{need.name} waits for {missing[0]}, which does not come before it.")
        names.add(need.name)
    return wrong


def shortened(needs: Iterable[Need]) -> tuple[Need, ...]:
    """The same on one line each, as a design holds them."""
    return tuple(replace(need, does=plain(need.does)) for need in needs)


def _named(does: str, taken: set[str]) -> str:
    words = [word for word in re.findall(r"[a-z][a-z0-9]*", does.casefold()) if not _SMALL.fullmatch(word)]
    name = "-".join(words[:2])[:_NAME_CHARS].strip("-") or "component"
    number, found = 2, name
    while found in taken:
        found, number = f"{name[: _NAME_CHARS - 4]}-{number}", number + 1
    return found


def _after(does: str, before: Sequence[Need], *, begins: bool) -> tuple[str, ...]:
    """Whose work it goes on with: whoever named the same file last, and the one before where words say so."""
    if not before:
        return ()
    things = set(_THINGS.findall(does))
    found = [one.name for one in before if things & set(_THINGS.findall(one.does))][-1:]
    if begins or _BACK.search(does):
        found.append(before[-1].name)
    return tuple(dict.fromkeys(found))
