"""Where something is taken from, which is not what is taken: “remove me from contacts.csv”, “take a.txt out of old”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.lexicon import Met
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import WORD, Token

# What stands before a name and says no more than the name does.
_OF_NAMES = ARTICLES | FILE_HEADS | FOLDER_HEADS
_SOURCES = (("from",), ("out", "of"), ("off", "of"), ("off",))


def begins_source(tokens: Sequence[Token], at: int) -> int | None:
    """Where the little words begin that make the name at `at` a place to take something from; None without them."""
    while at and tokens[at - 1].kind == WORD and tokens[at - 1].text in _OF_NAMES:
        at -= 1
    for words in _SOURCES:
        begin = at - len(words)
        if begin >= 0 and tuple(token.text for token in tokens[begin:at]) == words:
            return begin
    return None


def takes_the_source(params: Mapping[str, Filled], state: State, met: Met) -> bool:
    """Whether what would be gone is what something is to be taken from.

    What gets another place may be said by where it was, when nothing else is said to be moved: “move from a to b”.
    """
    places = state.lexicon.registry.said(state.entry.command).places
    moves = any(place.makes for place in places.values())
    gone = [params[name] for name, place in places.items() if place.goes and name in params]
    for one in (*gone, *state.items) if gone else ():
        start = one.span[0] if one.span is not None and one.value is not None else None
        at = next((at for at, token in enumerate(state.tokens) if token.start == start), None)
        begin = begins_source(state.tokens, at) if at is not None else None
        if begin is None:
            continue
        before = state.tokens[max(met.used) + 1 : begin]
        if not moves or any(token.text not in _OF_NAMES for token in before):
            return True
    return False
