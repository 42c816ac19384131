"""Which component a text is about, and what is wished of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.mastermind import components, forms
from agents.mastermind.components import Component

_MOST_SPAN = 6
# After a component these begin the wish.
_BEGINS_WISH = re.compile(r"^(?:[:,;–—-]\s*|(?:so that|to|by|with the wish|with|and)\s+)+", re.IGNORECASE)
_ENDS_NAME = re.compile(r"^(?:[:,;–—]|(?:so that|to|by|with|and|in order)\b|$)", re.IGNORECASE)
_PATH = re.compile(r"^(?=.*[\w])(?:[\w.-]+/)*[\w.-]+(?:/|\.(?:py|md|toml|txt|json|ya?ml|js|ts|css|html|sh|sql))$")
_ARTICLES = frozenset({"the", "a", "an", "our", "my", "this", "that", "of"})
# What these begin or stand before is turned round by them, or hangs on something.
_TURNING = frozenset(
    {
        *("not", "never", "no", "don't", "except", "excluding", "unless", "if", "when", "until", "only", "but"),
        *("nor", "or", "neither", "everything"),
    }
)
_JOINS = re.compile(r"^[,;]?\s*(?:and|or|plus|&)\s+", re.IGNORECASE)
_LISTS = re.compile(r"^[,;]\s*(?P<next>[^,;:]+?)(?:\s*(?:[,;:]|\band\b|\bor\b).*)?$", re.IGNORECASE)


@dataclass(frozen=True)
class About:
    """What a text is about. Without a component, `near` may have been meant by the words `called`; with one, `other` is
    a second one that the text names, and `doubt` a word that turns round what is said of it.
    """

    component: Component | None = None
    wish: str = ""
    near: tuple[Component, ...] = ()
    called: str = ""
    other: Component | None = None
    doubt: str = ""


def about(text: str, known: Sequence[Component], *, component_first: bool = False) -> About:
    """What a text is about. `component_first`: the form has the component before everything else."""
    first = _first_words(text, known) if component_first else None
    return first or _component_in(text, known)


def _first_words(text: str, known: Sequence[Component]) -> About | None:
    """The component where the form has it: the first word or words that are all of its name, and the wish behind."""
    words = text.split(" ")
    skipped = 1 if words[0].casefold() in _ARTICLES else 0
    for count in range(min(len(words) - skipped, _MOST_SPAN), 0, -1):
        head = " ".join(words[skipped : skipped + count]).strip(" ,;:“”\"'")
        match = components.find(head, known)
        if match.component is None or not match.is_whole or head.casefold() in _ARTICLES:
            continue
        after = " ".join(words[skipped + count :])
        # “Git handling in the summarization tool” is about the one that says that it is one.
        other = None if "_" in head or _says_so(head) else _component_in(after, known).component
        return About(match.component, _wish([], _without_kind(after, match.component)), other=other)
    return None


def _without_kind(after: str, named: Component) -> str:
    """What follows a name, without the word that only says what kind it is of: “summarization tool Make …”."""
    word, _, rest = after.partition(" ")
    return rest if word.casefold() == named.kind and rest.strip(" :,;") else after


def _named(
    component: Component, before: Sequence[str], last_word: str, after: str, known: Sequence[Component]
) -> About:
    """What is said around a component: the wish, a second one that is joined to it, and what turns the whole round."""
    other = None
    signed = f"{last_word[-1:]} {after}" if last_word[-1:] in (",", ";") else after
    if joined := _JOINS.match(signed):
        other = _begins(signed[joined.end() :], known)
    elif listed := _LISTS.match(signed):
        match = components.find(listed["next"], known)
        other = match.component if match.is_whole else None
    behind = after.split(" ")[:1] if last_word[-1:] != ":" else []
    words = [word.casefold().strip(" ,;").replace("’", "'") for word in (*before, *behind)]
    doubt = next((word for word in words if word in _TURNING), "")
    return About(component, _wish(before, after), other=other, doubt=doubt)


def _begins(text: str, known: Sequence[Component]) -> Component | None:
    """The component that a text begins with, by all of its name."""
    words = text.split(" ")
    spans = (" ".join(words[:count]).strip(" ,;:.!?") for count in range(min(len(words), _MOST_SPAN), 0, -1))
    matches = (components.find(span, known) for span in spans if span and span.casefold() not in _ARTICLES)
    return next((match.component for match in matches if match.component is not None and match.is_whole), None)


def _component_in(text: str, known: Sequence[Component]) -> About:
    """The component that a text names somewhere."""
    words = text.split(" ")
    near: tuple[Component, ...] = ()
    called = wished = ""
    for first in range(len(words)):
        for last in range(min(len(words), first + _MOST_SPAN), first, -1):
            span = " ".join(words[first:last]).strip(" ,;:.!?“”\"'")
            after = " ".join(words[last:])
            if not span or not _may_be_named(span, words[last - 1], after, first, words):
                continue
            if last - first == 1 and _PATH.match(span):
                return _named(Component("path", span.strip("/")), words[:first], words[last - 1], after, known)
            match = components.find(span, known)
            if not match.is_whole and (slips := components.misspelt(span, known)):
                return About(None, _wish(words[:first], after), slips, span)
            says_so = _says_so(span)
            if match.component is not None and (says_so or match.is_whole):
                return _named(match.component, words[:first], words[last - 1], after, known)
            if says_so and not called:
                near, called, wished = match.suggestions, span, _wish(words[:first], after)
    if called:
        return About(None, wished, near, called)
    head = words[0].strip(" ,;:")
    return About(None, _wish([], " ".join(words[1:])), components.alike(head, known))


def _says_so(span: str) -> bool:
    """Whether the words say of themselves that they name a component: an underscore in one word, or “tool”, “agent”."""
    inner = span.split(" ")
    if len(inner) == 1:
        return "_" in span
    return any(components.names_a_kind(word) and "_" not in word for word in (inner[0], inner[1], inner[-1]))


def _may_be_named(span: str, last_word: str, after: str, first: int, words: Sequence[str]) -> bool:
    """Whether a span of words may be a name and not just words that a name also has.

    It must say so itself (an underscore, a path, “tool”, “agent”), or stand alone: at the beginning of the text, and
    followed by nothing or by what begins a wish.
    """
    *before, last = inner = span.split(" ")
    if last.casefold() in _ARTICLES:
        return False
    if not before and ("_" in span or _PATH.match(span)):
        return True
    if before and components.names_a_kind(last):
        return not any(components.names_a_kind(word) for word in before if "_" not in word)
    says_kind = bool(before) and components.names_a_kind(inner[0]) and inner[0].casefold() not in _ARTICLES
    begins = says_kind or all(word.casefold() in _ARTICLES for word in words[:first])
    return begins and (not after or last_word[-1] in ":,;" or bool(_ENDS_NAME.match(after)))


def _wish(before: Sequence[str], after: str) -> str:
    """What should become better: what follows the name; what stands before it is part of it, articles aside."""
    lead = list(before)
    while lead and lead[-1].casefold() in (*_ARTICLES, "in", "for", "to"):
        lead.pop()
    wish = forms.unquoted(_BEGINS_WISH.sub("", after).strip())
    return " ".join([*lead, wish]).strip() if lead else wish
