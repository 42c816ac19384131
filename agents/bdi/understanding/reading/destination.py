"""Where something new is to be made, when a phrase of its own says it: “in Shop/Invoices, make a folder”.

The words are taken before the values are looked for, wherever in the clause they stand, so that no value takes them up;
the name of what is made is then one in that folder.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.paths import FOLDER
from agents.bdi.understanding.reading.state import State, Where, shape_of
from agents.bdi.understanding.words.filler import ARTICLES, IDLE
from agents.bdi.understanding.words.naming_words import FOLDER_HEADS
from agents.bdi.understanding.words.tokens import NUMBER, PATH, QUOTED, WORD, Token

IN = frozenset("in inside into within under underneath below beneath among amongst".split())
_BESIDE = (("next", "to"), ("beside",), ("alongside",))
_TOP = (("at", "top", "level"), ("at", "root"), ("in", "root"), ("in", "root", "folder"), ("on", "top", "level"))
# So surely the words must name the folder.
_LEAST = 0.85
_LONGEST = 5


@dataclass(frozen=True)
class _Said:
    """A folder and the tokens that say it, with the little word before them."""

    folder: str
    at: tuple[int, ...]
    sure: float
    is_here: bool = True


def with_places(state: State) -> list[State]:
    """The tries of this state: with the place taken that is said for what it makes, and as it stands where that may be
    meant too: what is in somebody's own text says no place.
    """
    if not _makes(state):
        return [state]
    said = next(_said_places(state), None) or (None if _is_its_name(state) else _elsewhere(state))
    if said is None:
        return [state]
    where = Where(said.folder, said.sure, said.at[-1] + 1, is_here=said.is_here)
    placed = replace(state, used=state.used | set(said.at), params=dict(state.params), left=[], where=where)
    has_text = any(shape_of(state, slot) == "text" for slot in state.entry.sense.slots)
    return [placed, state] if has_text else [placed]


def _makes(state: State) -> bool:
    places = state.lexicon.registry.said(state.entry.command).places
    return bool(places) and all(place.makes in ("file", "folder") and not place.into for place in places.values())


def _is_its_name(state: State) -> bool:
    """Whether what stands behind “in” names what is made: “an environment in env312”, and not “… called x in y”."""
    by_in = any(cue.words == ("in",) for cue in state.entry.cues.get("in", ()))
    return by_in and _NAMING.isdisjoint(token.text for token in state.tokens)


_NAMING = frozenset({"called", "named", "call", "name", "as", "titled"})


def _said_places(state: State) -> Iterator[_Said]:
    for at, token in enumerate(state.tokens):
        if at in state.used or token.kind != WORD:
            continue
        for words in _TOP:
            if (end := _phrase(state, at, words)) is not None:
                yield _Said("", tuple(range(at, end)), 1.0)
        beside = next((end for words in _BESIDE if (end := _phrase(state, at, words)) is not None), None)
        if beside is not None and (said := _named(state, at, beside, paths.ANY)) is not None:
            yield replace(said, folder=posixpath.dirname(said.folder))
        if (spoken := _spoken_of(state, at)) is not None:
            yield spoken
        if token.text in IN and (said := _named(state, at, at + 1, FOLDER)) is not None:
            yield said


_EXISTING = frozenset("be is are was were should must exist exists let need needs".split())


def _spoken_of(state: State, at: int) -> _Said | None:
    """“In it”, “there”: the folder that was spoken of last."""
    token, tree = state.tokens[at], state.situation.tree
    beside = [one.text for one in (*state.tokens[max(0, at - 1) : at], *state.tokens[at + 1 : at + 2])]
    if token.text == "there" and _EXISTING.isdisjoint(beside):
        taken: tuple[int, ...] = (at,)
    elif token.text in IN and at + 1 < len(state.tokens) and state.tokens[at + 1].text in ("it", "there"):
        taken = (at, at + 1)
    else:
        return None
    if len(taken) == 2 and any(one.kind == QUOTED for one in state.tokens):
        return None  # “a file with the text 'x' in it”: the text is in the file
    folder = next((path for path in reversed(state.situation.last) if tree.kind(path) == FOLDER), None)
    if folder is None:
        return None
    # What was put elsewhere since then may mean that other folder.
    is_last = tree.full(state.situation.last[-1]) == tree.full(folder)
    inside = posixpath.dirname(tree.full(state.situation.last[-1])) == tree.full(folder)
    return _Said(tree.full(folder), taken, 0.9) if is_last or inside else None


def _phrase(state: State, at: int, words: tuple[str, ...]) -> int | None:
    """Where these words end that begin here, articles aside."""
    for word in words:
        while at < len(state.tokens) and state.tokens[at].text in ARTICLES and state.tokens[at].text != word:
            at += 1
        if at >= len(state.tokens) or at in state.used or state.tokens[at].text != word:
            return None
        at += 1
    return at


def _named(state: State, begin: int, at: int, wanted: str) -> _Said | None:
    """The longest row of words from here that names what is there, with the noun of its kind."""
    tokens = state.tokens
    while at < len(tokens) and (tokens[at].text in ARTICLES | {"of"} or _is_head(tokens[at], state)):
        at += 1
    for end in range(min(len(tokens), at + _LONGEST), at, -1):
        if not all(_may_name(tokens[one], one, state) for one in range(at, end)):
            continue
        said = "_".join(one.value for one in tokens[at:end]) if end > at + 1 else tokens[at].value
        found = paths.find(said, state.situation.tree, wanted, tool=state.entry.command.tool)
        if found.value is None or found.confidence < _LEAST:
            continue
        end += end < len(tokens) and end not in state.used and _is_head(tokens[end], state)
        return _Said(state.situation.tree.full(found.value), tuple(range(begin, end)), found.confidence)
    return None


# Behind “in” these say when or how, and no place.
_NO_PLACES = frozenset(
    "advance general case short time total parallel order particular addition fact background future it them".split()
)
_BEHIND_A_PLACE = frozenset("called named titled with for containing saying that which please and or".split())


def _elsewhere(state: State) -> _Said | None:
    """“In Stuff”, where nothing is called so: a place is said all the same, and nothing is made in another one."""
    tokens = state.tokens
    for at, token in enumerate(tokens):
        if at in state.used or token.kind != WORD or token.text not in IN:
            continue
        name = at + 1
        while name < len(tokens) and (tokens[name].text in ARTICLES - {"a", "an"} or _is_head(tokens[name], state)):
            name += 1
        is_free = name < len(tokens) and name not in state.used
        if is_free and _may_be_a_place(tokens, name) and not _is_done(tokens[name], state):
            ends = name + 1
            ends += ends < len(tokens) and ends not in state.used and _is_head(tokens[ends], state)
            return _Said(tokens[name].value, tuple(range(at, ends)), 0.5, is_here=False)
    return None


def _is_done(token: Token, state: State) -> bool:
    """“And inside write …”: what is written small and is a verb says what is done there."""
    return token.value.islower() and state.lexicon.is_exact_verb(token)


def _may_be_a_place(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.kind == PATH:
        return "/" not in token.value.rstrip("/") and "." not in token.value
    if token.kind != WORD or token.text in _NO_PLACES:
        return False
    if token.value[:1].isupper():
        return True
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    ends = behind is None or behind.text in _BEHIND_A_PLACE | FOLDER_HEADS or behind.kind not in (WORD, NUMBER, PATH)
    return ends and token.text not in IDLE


def _is_head(token: Token, state: State) -> bool:
    return token.kind == WORD and token.text in FOLDER_HEADS and not state.situation.tree.kind(token.value)


def _may_name(token: Token, at: int, state: State) -> bool:
    if at in state.used or (token.kind == WORD and token.text in IDLE and not state.situation.tree.kind(token.value)):
        return False
    return token.kind in (WORD, NUMBER, PATH, QUOTED)
