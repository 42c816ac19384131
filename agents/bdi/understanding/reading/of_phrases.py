"""“Read a.sh, then line 3 of the readme”: the thing after “of” is what the words before it are about."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from agents.bdi.understanding.names.paths import find
from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.tokens import ORDINALS, WORD, Token, number_of

_OF = frozenset({"of", "from", "in"})
# A name may be said in so many words, and is one when it is this sure.
_MOST_WORDS, _SURE = 3, 0.8
_PARTS = frozenset(
    """
line lines row rows byte bytes page pages paragraph section sections sentence word words chapter half entry item record
element column cell field
    """.split()
)


def of_another(params: Mapping[str, Filled], state: State) -> tuple[str, ...]:
    """What is named behind an “of” and is not what the command is about, where that is named before."""
    own = next((slot.parameter for slot in state.entry.sense.slots if slot.is_object), "")
    about = params.get(own)
    if about is None or about.span is None or own not in state.lexicon.registry.said(state.entry.command).places:
        return ()
    begins = about.span[1]
    for item in state.items:
        # What is said of one thing of a list alone is not said of all of them.
        if item.span is not None and _says_more_of_it(state.tokens, begins, item.span[0]):
            return (state.situation.raw[item.span[0] : item.span[1]],)
    loose = {token.start for token in state.left}
    for at, token in enumerate(state.tokens):
        if token.text in _OF and token.start > begins and token.start in loose:
            words = list(itertools.takewhile(lambda one: one.kind == WORD, state.tokens[at + 1 :]))
            words = [one for one in words if one.text not in ARTICLES]
            if words and words[0].start in loose and (name := _names_another(words, about, state)):
                return (name,)
    return ()


def _says_more_of_it(tokens: Sequence[Token], begins: int, start: int) -> bool:
    """“… and the second line of b”: words before the “of” that joins them to the last of two things."""
    between = [one for one in tokens if begins <= one.start < start and one.text not in ARTICLES]
    if not between or between[-1].text not in _OF:
        return False
    return any(one.text in _PARTS or number_of(one) is not None for one in between[:-1])


def which_part(params: Mapping[str, Filled], state: State) -> tuple[str, ...]:
    """“The first line of x”, where no value was found for it, and “the first lines”: nobody knows how many."""
    taken = [one.span for one in params.values() if one.span and isinstance(one.value, int)]
    own = next((slot.parameter for slot in state.entry.sense.slots if slot.is_object), "")
    about = params.get(own)
    found = []
    name = str(about.value).casefold() if about is not None else ""
    for token, behind in itertools.pairwise(state.tokens):
        # Of a phrase its first word; empty quotation marks say none.
        part = next(iter((behind.said or behind.text).split()), "").casefold()
        if token.text not in ORDINALS or part not in _PARTS:
            continue
        is_taken = any(start <= token.start < end for start, end in taken)
        # “The first chapter” is chapter1.md; the first lines of lines.txt are lines.
        is_its_name = part in name and (token.text in name or str(number_of(token)) in name)
        if not is_its_name and (part.endswith("s") or not is_taken):
            found.append(f"{token.value} {part}")
    return tuple(found)


def _names_another(words: Sequence[Token], about: Filled, state: State) -> str:
    """The name at the beginning of these words, if it is of something else than what the command is about."""
    for many in range(min(_MOST_WORDS, len(words)), 0, -1):
        name = "".join(one.value for one in words[:many])
        found = find(name, state.situation.tree)
        if found.value is not None and found.confidence >= _SURE:
            # The folder that it lies in is no other thing.
            return "" if f"{about.value}/".startswith(f"{found.value}/") else name
    return ""
