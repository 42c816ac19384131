"""Sentences end values: a plain word of the sentence before is not a value of the next command."""

from __future__ import annotations

import re

from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.words.lexicon import Met
from agents.bdi.understanding.words.tokens import WORD

_STOP = re.compile(r"[.!?…]\s")


def across_a_stop(state: State, met: Met) -> tuple[str, ...]:
    """“The auditor called. Please list …”: who called is nothing that is to be looked for.

    What is the name of something here may well be said first: “The rota. Show it.”
    """
    raw, tree = state.situation.raw, state.situation.tree
    plain = {token.start for token in state.tokens if token.kind == WORD and not token.said}
    verb = state.tokens[met.used[0]].start
    return tuple(
        raw[one.span[0] : one.span[1]]
        for one in state.params.values()
        if one.span is not None
        and one.span[0] in plain
        and not (isinstance(one.value, str) and tree.kind(one.value))
        and _STOP.search(raw, one.span[1], max(verb, one.span[1]))
    )
