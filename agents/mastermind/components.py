"""Which of the components that there are a line means.

One that is written otherwise (case, spelling, plural, a short form) is understood. What is merely alike is never taken
for what was meant; it becomes a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.bdi.understanding.names import naming
from agents.bdi.understanding.names.naming import Fit
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.spelling import distance

MOST_SUGGESTIONS = 3
_ALIKE = 0.6
_KIND_WORDS = naming.KINDS | {"rule", "firmware"}
_SMALL = naming.ARTICLES | _KIND_WORDS


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
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The words of each of its names, without those that all names have."""
        return tuple(words for text in (self.name, self.label) if (words := core(text)))

    def met_by(self, wanted: Sequence[str]) -> Fit | None:
        """How it is meant by these words; None when it is not, or by a slip of typing only."""
        fits = [fit for name in self.names if (fit := naming.fit(wanted, name, _KIND_WORDS)) and not fit.is_slip]
        return max(fits, key=lambda fit: fit.is_whole, default=None)


@dataclass(frozen=True)
class Match:
    """`component` when exactly one is meant, else what might have been meant, nearest first. `is_whole`: every word of
    its name was said, and not just one of them.
    """

    component: Component | None = None
    suggestions: tuple[Component, ...] = ()
    is_whole: bool = False


def core(text: str) -> tuple[str, ...]:
    """The words that tell it from others: without articles and “tool”; all of them where nothing else is left."""
    return naming.own(naming.words_of(text), _KIND_WORDS)


def names_a_kind(text: str) -> bool:
    """Whether the text says “tool”, “agent” … of itself, and so must mean a component."""
    return bool(_kinds_in(text))


def _kinds_in(text: str) -> frozenset[str]:
    return _KIND_WORDS.intersection(map(singular, naming.words_of(text)))


def find(reference: str, components: Iterable[Component]) -> Match:
    """The component that a reference means. Every word of the reference must be one of its name's."""
    known = list(components)
    wanted = core(reference)
    exact = [one for one in known if reference.strip().casefold() in (one.name.casefold(), one.label.casefold())]
    if len(exact) == 1:
        return Match(exact[0], is_whole=True)
    if _KIND_WORDS.issuperset(map(singular, wanted)):
        return Match(None, tuple(exact))
    fitting = {one: fit for one in known if (fit := one.met_by(wanted)) is not None}
    # The most complete first: “summarization” is all of one name and half of another.
    whole = [one for one, fit in fitting.items() if fit.is_whole]
    likely = whole or list(fitting)
    said = _kinds_in(reference)
    of_kind = [one for one in likely if one.kind in said] or likely
    if len(of_kind) == 1:
        return Match(of_kind[0], is_whole=bool(whole))
    return Match(None, tuple(of_kind[:MOST_SUGGESTIONS]) or alike(reference, known))


def misspelt(reference: str, components: Iterable[Component]) -> tuple[Component, ...]:
    """Those whose whole name was said with a slip in it or in the small words around it: to be asked about."""
    said = naming.words_of(reference)
    wanted = tuple(word for word in said if not _is_small(word))
    slipped = any(_is_small(word) and word not in _SMALL for word in said)
    found = [
        one
        for one in components
        if any((fit := naming.fit(wanted, name)) and fit.is_whole and (fit.is_slip or slipped) for name in one.names)
    ]
    return tuple(found[:MOST_SUGGESTIONS])


def _is_small(word: str) -> bool:
    """Whether it is an article or says what kind is meant, or is a slip of such a word: “teh”, “tol”."""
    return word in _SMALL or any(
        sorted(word) == sorted(one) if len(one) == 3 else len(one) > 3 and distance(word, one, 1) <= 1 for one in _SMALL
    )


def alike(reference: str, components: Iterable[Component]) -> tuple[Component, ...]:
    """What the reference might have been meant to be, nearest first: for people to choose from."""
    wanted = core(reference)
    if not wanted:
        return ()
    scored = sorted(
        ((max((naming.likeness(wanted, name) for name in one.names), default=0.0), one.key, one) for one in components),
        key=lambda row: (-row[0], row[1]),
    )
    return tuple(one for score, _, one in scored[:MOST_SUGGESTIONS] if score >= _ALIKE)


def suggestion_words(components: Sequence[Component]) -> str:
    """“did you mean a, b or c?”, or nothing."""
    names = [one.name for one in components]
    if not names:
        return ""
    return f"did you mean {' or '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)}?"
