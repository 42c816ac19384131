"""What an agent holds true: what it perceives now, and what it remembers. These are two things.

What is seen now says “you see a cup”; once it is out of sight it is remembered as “in the kitchen you saw a cup”, and
the state of a thing that was seen as “in the kitchen the cup is empty”: a rule says by its words which of both it
means. Any other sentence is remembered as it was said, until something perceived speaks against it. Memories age by
one a step and are dropped when they are too old.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from agents.rules.entailment import decidable, entailed

PERCEPT, MEMORY = "percept", "memory"
# Of the moment: nothing is left of it once it is over.
_MOMENTARY = re.compile(r"(?:you|this|it|i)\b|.*\bhere\b", re.IGNORECASE)
_SEEN = re.compile(r"You see (?:an?|the|some)? ?(?P<what>.+)\.\Z")
# As `_as_memories` words them; what is here now is never said so.
_ELSEWHERE = re.compile(r"In the [\w' -]+? (?:you saw|the) ")
_PLACE = re.compile(r"You are in (?P<where>the [\w' -]+)\.\Z")
# The oldest memory is held half as firmly as what is seen.
_FADING = 0.5


@dataclass(frozen=True)
class Held:
    """A belief: its sentence, whether it is perceived or remembered, and how many steps ago it was perceived."""

    sentence: str
    source: str = PERCEPT
    age: int = 0


class Beliefs:
    """The beliefs of one run. `now` are those of the current percept, `remembered` all others, the newest first."""

    def __init__(self, oldest: int) -> None:
        """`oldest` is the age, in steps, beyond which a memory is dropped."""
        self._oldest = oldest
        self.now: tuple[Held, ...] = ()
        self.remembered: tuple[Held, ...] = ()

    def perceive(self, sentences: Iterable[str]) -> None:
        """Take a new percept: what was perceived before is remembered, ages, or is dropped."""
        past = (*_as_memories(self.now), *self.remembered)
        self.now = tuple(Held(sentence) for sentence in dict.fromkeys(sentences))
        kept: dict[str, Held] = {}
        for held in past:
            if held.age < self._oldest and not self._is_replaced(held.sentence):
                kept.setdefault(held.sentence, replace(held, age=held.age + 1))
        self.remembered = tuple(kept.values())

    def all(self) -> tuple[Held, ...]:
        """Everything held true, what is perceived before what is remembered."""
        return (*self.now, *self.remembered)

    def firmness(self, held: Held) -> float:
        """How firmly a belief is held, 0 to 1: memories fade."""
        return 1.0 - _FADING * held.age / self._oldest if held.source == MEMORY else 1.0

    def _is_replaced(self, memory: str) -> bool:
        """Whether what is perceived says the same, shows the place that it is about, or speaks against it."""
        where = _place(self.now)
        if where and memory.startswith(f"In {where} "):
            return True
        said = [held.sentence for held in self.now]
        return memory in said or (decidable(memory) and any(each.answer == "no" for each in entailed(said, memory)))


def is_of_another_place(sentence: str) -> bool:
    """Whether this is worded as what is remembered of a place that the agent is not in."""
    return _ELSEWHERE.match(sentence) is not None


def _as_memories(now: tuple[Held, ...]) -> Iterator[Held]:
    where = _place(now)
    seen = {found["what"] for held in now if (found := _SEEN.match(held.sentence))}
    for held in now:
        said = held.sentence
        if where and said.startswith("You see "):
            yield Held(f"In {where} you saw {said.removeprefix('You see ')}", MEMORY)
        elif where and said.startswith("The ") and said[4:].partition(" is ")[0] in seen:
            yield Held(f"In {where} the {said.removeprefix('The ')}", MEMORY)
        elif not _MOMENTARY.match(said):
            yield Held(said, MEMORY)


def _place(now: Iterable[Held]) -> str | None:
    return next((place["where"] for held in now if (place := _PLACE.match(held.sentence))), None)
