"""Words around a verb that make it something else than an order, or an order about only some of what was found."""

from __future__ import annotations

from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.words.lexicon import Met
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.tokens import WORD

_WHO_DOES = frozenset("he she it who which that somebody someone everybody everyone nobody".split())


def does_itself(state: State, met: Met) -> tuple[str, ...]:
    """“The day he cancels”: what somebody does is no order."""
    at = met.used[0]
    verb = state.tokens[at]
    before = state.tokens[at - 1].text if at else ""
    is_third = verb.kind == WORD and verb.text.endswith("s") and bases(verb.text)[-1] != verb.text
    return (verb.value,) if is_third and before in _WHO_DOES else ()


def on_both_sides(state: State, met: Met) -> tuple[str, ...]:
    """“Ask Dr Hahn and delete Mimi.md”: of a list that stands behind a verb nothing stands before it."""
    own = next((slot.parameter for slot in state.entry.sense.slots if slot.is_object), "")
    first = state.params.get(own)
    if first is None or not state.items:
        return ()
    verb = state.tokens[met.used[0]].start
    spans = [one.span for one in (first, *state.items) if one.span is not None]
    before = [state.situation.raw[start:end] for start, end in spans if start < verb]
    return tuple(before) if len(before) < len(spans) else ()
