"""What makes a reading doubtful though its values are found: what speaks of something else, or of another command."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from agents.bdi.understanding.filler import IDLE
from agents.bdi.understanding.lexicon import Met
from agents.bdi.understanding.state import State
from agents.bdi.understanding.tokens import WORD, Token

_STOPS = frozenset({";", ".", "&&", "then"})


_JOINS = frozenset({"and", "then", ",", ";", ".", "&&", "next", "+"})


def speaks_of(token: Token, state: State, is_open: bool) -> bool:
    """Whether a word that is left over speaks of something that this reading has no place for."""
    if token.kind == WORD and token.text in ("this", "that", "these", "those"):
        named = any(one.span and one.span[0] > token.start for one in state.params.values())
        return (is_open or not named) and _points_at_a_file(token, state.tokens)
    if token.kind != WORD or token.text not in ("it", "them", "there"):
        return False
    if is_open:
        return True
    if token.text == "there" or token.text in state.entry.about or _is_empty_it(token, state.tokens):
        return False
    # What it speaks of is said before it: “main.py, please show it”.
    return not any(one.span and one.span[0] < token.start for one in state.params.values())


def _points_at_a_file(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether it says “that file”, which somebody sees and we do not. “This folder” is the one where we are."""
    at = next(number for number, one in enumerate(tokens) if one is token)
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return following in ("file", "files") or (token.text != "this" and following in ("folder", "folders", "directory"))


def _is_empty_it(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether it speaks of nothing: “is it possible to”, “it is required that”."""
    at = next(number for number, one in enumerate(tokens) if one is token)
    beside = [one.text for one in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])]
    return any(text in ("be", "is", "was", "would", "will", "has") for text in beside)


def verbs_in_values(state: State, met: Met) -> tuple[str, ...]:
    """Words before the verb that begin a command themselves and were taken for a name: “switch branch”."""
    verb = state.tokens[met.used[0]].start
    spans = [one.span for one in (*state.params.values(), *state.items) if one.span]
    return tuple(
        token.text
        for token in state.tokens
        if token.start < verb
        and state.lexicon.is_exact_verb(token)
        and any(start <= token.start and token.end <= end for start, end in spans)
        and not state.situation.tree.kind(token.value)
    )


def other_commands(state: State, left: Sequence[Token]) -> tuple[str, ...]:
    """The words with which further commands seem to begin in what is idle here, or was taken for running text."""
    loose = {id(token) for token in left}
    running = {slot.parameter for slot in state.entry.sense.slots if slot.shape in ("line", "packages")}
    spans = [
        one.span
        for name, one in state.params.items()
        if one.span and (one.why == "it is not in quotes" or name in running)
    ]
    found = []
    for before, token in itertools.pairwise(state.tokens):
        parted = before.text in _STOPS or token.after_break
        if not (parted or before.text in _JOINS) or not state.lexicon.is_verb(token):
            continue
        if parted:
            # Behind a stop, or “then”, another command begins, whatever this one makes of its words.
            found.append(token.text)
            continue
        inside = any(start <= token.start < end for start, end in spans)
        if (id(token) in loose and token.text in IDLE) or inside:
            found.append(token.text)
    return tuple(found)
