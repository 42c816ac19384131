"""Which plan of a group stands out, and how, in words. Pure.

A bad plan could hide in a batch, among many that look the same. Standing out is not a verdict; it only means that a
person must open the plan before deciding it with the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from agents.presentation.hidden import is_hidden
from review.reading.members import WHOLE, Fact, Key
from review.reading.texts import size
from review.risk.assessment import Level

# What counts as usual: this many of the others, of at least this many.
MOST_PERCENT = 65
FEWEST = 3
LONGER_CHARS = 200
_PATHS = ("path", "to")
_PROGRAMS = ("command_line",)
# Facts about a plan that do not say what it does, and those that another check words better.
_NO_ARGUMENTS = ("why", "made with", "planned by", "limits")

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Traits:
    """The compared facts of one plan. `rank` and `danger` as in its place in the queue; `sentence` says the danger."""

    facts: Mapping[Key, Fact]
    hosts: frozenset[str]
    rank: int
    danger: int
    sentence: str


def apart(one: Traits, others: Sequence[Traits]) -> tuple[str, ...]:
    """How a plan stands out from the others of its group; empty if it does not."""
    found = [*_hidden(one), *_risk(one, others), *_hosts(one, others)]
    for key, fact in one.facts.items():
        if (reason := _value(fact, [other.facts[key].text for other in others if key in other.facts])) is not None:
            found.append(f"{_place(key)} {reason}")
    return tuple(found)


def custom(values: Sequence[T]) -> T | None:
    """The most frequent value; None if there is none, or too few plans."""
    if len(values) < FEWEST:
        return None
    value, times = Counter(values).most_common(1)[0]
    return value if 100 * times >= MOST_PERCENT * len(values) else None


def _place(key: Key) -> str:
    return key.name if key.position == WHOLE else f"step {key.position}, {key.name}:"


def _hidden(one: Traits) -> list[str]:
    """Hidden characters are always reported, because people cannot see them."""
    places = [_place(fact.key) for fact in one.facts.values() if any(_is_odd(char) for char in fact.text)]
    return [f"{place} hidden characters" for place in places]


def _is_odd(char: str) -> bool:
    return char not in "\n\t" and is_hidden(char)


def _risk(one: Traits, others: Sequence[Traits]) -> list[str]:
    found = []
    usual = _usual([other.rank for other in others])
    if usual is not None and one.rank < usual:
        levels = tuple(Level)
        found.append(f"{levels[one.rank]} risk, where the others have {levels[usual]}")
    usual = _usual([other.danger for other in others])
    if usual is not None and one.danger < usual:
        found.append(f"more dangerous than the others: {one.sentence}")
    return found


def _usual(values: Sequence[int]) -> int | None:
    """The most frequent value; among few plans that of the least dangerous one, so that the other of two stands out."""
    return custom(values) if len(values) >= FEWEST else max(values, default=None)


def _hosts(one: Traits, others: Sequence[Traits]) -> list[str]:
    reached = Counter(host for other in others for host in other.hosts)
    alone = sorted(host for host in one.hosts if 2 * reached[host] < len(others) or not others)
    return [f"reaches {', '.join(alone)}, which the others do not"] if alone and others else []


def _value(fact: Fact, others: Sequence[str]) -> str | None:
    name, text = fact.key.name.rpartition(": ")[2], fact.text
    if name in _NO_ARGUMENTS or name.endswith("before correction"):
        return None
    usual = custom(others)
    if usual is not None and text != usual:
        return "is not what the others have"
    if name in _PATHS:
        return _path(text, others)
    if name in _PROGRAMS:
        programs = [_program(other) for other in others]
        if (program := custom(programs)) is not None and _program(text) != program:
            return f"runs “{_program(text)}”, where the others run “{program}”"
    return _length(text, others)


def _path(text: str, others: Sequence[str]) -> str | None:
    folder = custom([_folder(other) for other in others])
    if folder is not None and _folder(text) != folder:
        return f"lies in {_named(_folder(text))}, where the others lie in {_named(folder)}"
    if _is_concealed(text) and not any(_is_concealed(other) for other in others):
        return "is a hidden path"
    return None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _named(folder: str) -> str:
    return f"“{folder}”" if folder else "the root"


def _is_concealed(path: str) -> bool:
    return any(part.startswith(".") and part != "." for part in path.split("/"))


def _program(line: str) -> str:
    """The program with its subcommand or module: `git push`, `python -m pytest`."""
    words = line.split()
    for at, word in enumerate(words[1:], 1):
        if not word.startswith("-"):
            return " ".join(words[: at + 1])
    return " ".join(words)


def _length(text: str, others: Sequence[str]) -> str | None:
    if not others:
        return None
    usual = median(len(other) for other in others)
    if len(text) <= 2 * usual or len(text) - usual < LONGER_CHARS:
        return None
    return f"is much longer than the others: {size(len(text.encode('utf-8', 'surrogatepass')))}"
