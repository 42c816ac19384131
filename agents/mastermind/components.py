"""Which component somebody means who writes “the base generator”, “summarisation tool” or “Summarization_Tool”.

What counts as the same word is narrow: spelling (case, -ise/-ize, plural) and a short form that begins a long one (gen,
generator). What is merely alike is never taken for what was meant; it becomes a suggestion.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

MOST_SUGGESTIONS = 3
_ALIKE = 0.6
# A short form has so many letters at least: “a” begins half of the dictionary.
_SHORT_FORM = 3
_STEM = 7
_KIND_WORDS = frozenset({"tool", "agent", "rule", "component", "module", "firmware", "helper"})
_EMPTY = frozenset({"the", "a", "an", "our", "my", "this", "that", "of", "for", "and"})
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Component:
    """Something that can be meant: `kind` is tool, agent, rule, firmware or path; `label` is its name for people."""

    kind: str
    name: str
    label: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def key(self) -> str:
        """How rows keep it."""
        return f"{self.kind}:{self.name}"

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of each of its names, without those that all names have."""
        return tuple(words for text in (self.name, self.label) if (words := core(text)))


@dataclass(frozen=True)
class Match:
    """`component` when exactly one is meant, else what might have been meant, nearest first. `is_whole`: every word of
    its name was said, and not just one of them.
    """

    component: Component | None = None
    suggestions: tuple[Component, ...] = ()
    is_whole: bool = False


def folded(word: str) -> str:
    """A word as it is compared."""
    word = word.casefold().replace("isation", "ization").replace("yse", "yze")
    if word.endswith(("ise", "ised", "iser")):
        word = re.sub(r"ise(d|r)?$", r"ize\1", word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "is", "us")) else word


def words_of(text: str) -> list[str]:
    """The words of a text, folded; `base_gen_agent` has three."""
    return [folded(word) for word in _WORD.findall(text)]


def core(text: str) -> frozenset[str]:
    """The words that tell it from others: without articles and “tool”; all of them where nothing else is left."""
    words = [word for word in words_of(text) if word not in _EMPTY]
    return frozenset(word for word in words if word not in _KIND_WORDS) or frozenset(words)


def names_a_kind(text: str) -> bool:
    """Whether the text says “tool”, “agent” … of itself, and so must mean a component."""
    return any(word in _KIND_WORDS for word in words_of(text))


def find(reference: str, components: Iterable[Component]) -> Match:
    """The component that a reference means. Every word of the reference must be one of its name's."""
    known = list(components)
    wanted = core(reference)
    exact = [one for one in known if reference.strip().casefold() in (one.name.casefold(), one.label.casefold())]
    if len(exact) == 1:
        return Match(exact[0], is_whole=True)
    if not wanted or wanted <= _KIND_WORDS:
        return Match(None, tuple(exact))
    said = [word for word in words_of(reference) if word in _KIND_WORDS]
    fitting = [one for one in known if any(_covers(name, wanted) for name in one.names)]
    # The most complete first: “summarization” is all of one name and half of another.
    whole = [one for one in fitting if any(len(name) == len(wanted) and _covers(name, wanted) for name in one.names)]
    likely = whole or fitting
    of_kind = [one for one in likely if one.kind in said] or likely
    if len(of_kind) == 1:
        return Match(of_kind[0], is_whole=bool(whole))
    return Match(None, tuple(of_kind[:MOST_SUGGESTIONS]) or alike(reference, known))


def alike(reference: str, components: Iterable[Component]) -> tuple[Component, ...]:
    """What the reference might have been meant to be, nearest first: for people to choose from."""
    wanted = " ".join(sorted(core(reference)))
    if not wanted:
        return ()
    scored = sorted(((_likeness(wanted, one), one.key, one) for one in components), key=lambda row: (-row[0], row[1]))
    return tuple(one for score, _, one in scored[:MOST_SUGGESTIONS] if score >= _ALIKE)


def _likeness(wanted: str, component: Component) -> float:
    names = [" ".join(sorted(name)) for name in component.names]
    return max((difflib.SequenceMatcher(None, wanted, name).ratio() for name in names), default=0.0)


def _covers(name: frozenset[str], wanted: frozenset[str]) -> bool:
    return all(any(same(word, one) for one in name) for word in wanted)


def same(left: str, right: str) -> bool:
    """Whether two folded words are one: equal, one short for the other, or of one long stem (summarizer)."""
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    if len(short) >= _SHORT_FORM and long.startswith(short):
        return True
    return len(short) > _STEM and short[:_STEM] == long[:_STEM]


def suggestion_words(components: Sequence[Component]) -> str:
    """“did you mean a, b or c?”, or nothing."""
    names = [one.name for one in components]
    if not names:
        return ""
    return f"did you mean {' or '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)}?"
