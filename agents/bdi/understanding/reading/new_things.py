"""What makes a reading doubtful that would make something new, although its name and place were found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import basename, dirname

from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.paths import FOLDER
from agents.bdi.understanding.names.tree_index import by_name
from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.lexicon import Met
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import FOLDER_HEADS
from agents.bdi.understanding.words.tokens import WORD

_DEFINITE = frozenset({"the", "this", "that", "my", "our", "his", "her", "their"})
_DETERMINING = _DEFINITE | {"a", "an", "another", "new", "one", "in", "into", "inside", "for", "of", "to"}
_HAVING = frozenset({"have", "get", "need", "want", "like", "open"})
_JOINS = frozenset({"and", "or", ",", "&", "plus"})


def doubts_of_making(params: Mapping[str, Filled], state: State, met: Met) -> tuple[str, ...]:
    """The words that speak against making a folder here: it is there, or another place is said too."""
    places = state.lexicon.registry.said(state.entry.command).places
    made = [params[name] for name, place in places.items() if place.makes == "folder" and name in params]
    made += state.items if made else []
    if not made:
        return ()
    # Pages about code go into a folder that may be there.
    there = _is_there(made, state) if len(places) == 1 else ()
    doubts = _wants_what_is_there(state, met) + there + _in_several_places(state)
    return doubts + _goes_on(made, state) + _is_one(state) + _may_be_looked_for(made, state, met)


def _wants_what_is_there(state: State, met: Met) -> tuple[str, ...]:
    """“I need the folder Photos”: whoever wants the one that they know of does not want a new one."""
    verb = state.tokens[met.used[0]]
    # “The folder for the pages is x” tells where they are.
    tells = any(one.kind == WORD and one.text in ("is", "are", "was") for one in state.tokens)
    if not tells and not any(base in _HAVING for base in bases(verb.text)):
        return ()
    for at, token in enumerate(state.tokens):
        if token.kind != WORD or token.text not in FOLDER_HEADS:
            continue
        # “The folder”, “the Cases folder”.
        before = next((one for one in reversed(state.tokens[max(0, at - 3) : at]) if one.text in _DETERMINING), None)
        if before is not None and before.text in _DEFINITE:
            return (f"{before.value} {token.value}",)
    return ()


def _is_there(made: Sequence[Filled], state: State) -> tuple[str, ...]:
    """“A folder in every folder of Shop”: what is a folder already, or has a slip of its name, is not made again."""
    tree = state.situation.tree
    found = []
    for one in made:
        if not isinstance(one.value, str):
            continue
        near = paths.find(one.value, tree, FOLDER)
        is_slip = near.value is not None and "spelt" in near.why
        if tree.kind(one.value) == FOLDER or (is_slip and dirname(str(near.value)) == dirname(one.value)):
            found.append(str(one.original or one.value))
    return tuple(found)


_A_NEW_ONE = re.compile(r"\b(?:an?|one|new|another)\s+(?:\w+\s+){0,2}(?:sub)?(?:folder|directory|dir)\b", re.IGNORECASE)


def _may_be_looked_for(made: Sequence[Filled], state: State, met: Met) -> tuple[str, ...]:
    """“Folder Songs in Choir”, without a verb, where a folder Songs lies elsewhere: it may be to be shown."""
    verb = state.tokens[met.used[0]]
    if verb.start < verb.end or _A_NEW_ONE.search(state.situation.raw):
        return ()
    tree = state.situation.tree
    named = ((one, tree.index.at(by_name, basename(str(one.value)).casefold())) for one in made)
    return tuple(str(one.value) for one, there in named if any(entry.kind == FOLDER for entry in there))


# Words that carry nothing, and yet may belong to a name before them.
_OF_NAMES = frozenset(
    "morning afternoon evening first second third last one version stuff thing things friend friends help".split()
)


def _goes_on(made: Sequence[Filled], state: State) -> tuple[str, ...]:
    """“A folder called Monday morning”: what stands behind its name may be a part of it."""
    ends = {one.span[1] for one in made if one.span}
    pairs = zip(state.tokens, state.tokens[1:], strict=False)
    return tuple(
        two.value for one, two in pairs if one.end in ends and two.start == one.end + 1 and two.text in _OF_NAMES
    )


def _is_one(state: State) -> tuple[str, ...]:
    """“A folder called Sails and ropes” is one, and no list of two."""
    if not state.items:
        return ()
    heads = [at for at, one in enumerate(state.tokens) if one.kind == WORD and one.text in FOLDER_HEADS]
    if len(heads) != 1 or state.tokens[heads[0]].text.endswith("s"):
        return ()
    before = [one.text for one in state.tokens[max(0, heads[0] - 3) : heads[0]]]
    return (state.tokens[heads[0]].value,) if {"a", "an", "one", "another"} & set(before) else ()


def _in_several_places(state: State) -> tuple[str, ...]:
    """“In Shop and Staff”, “in Shop, not in Staff”: what stands behind the place is another one, and no name."""
    if state.where is None or state.where.ends >= len(state.tokens):
        return ()
    ends = state.where.ends
    if state.tokens[ends].text not in _JOINS and state.tokens[ends].value[:1] != ",":
        return ()
    behind = [one for one in state.tokens[ends : ends + 4] if one.text not in _JOINS | ARTICLES]
    for token in behind[:2]:
        if token.kind == WORD and token.text in ("in", "inside", "under", "not", "within"):
            return (token.value,)
        if state.situation.tree.kind(token.value) == FOLDER:
            return (token.value,)
    return ()
