"""The ways to split a clause into the object and the slots, at the prepositions before values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.bdi.understanding.reading.state import State, shape_of
from agents.bdi.understanding.values.filling import may_begin
from agents.bdi.understanding.words.filler import ARTICLES, INFINITIVE
from agents.bdi.understanding.words.lexicon import Cue
from agents.bdi.understanding.words.tokens import FLAG, SIGN, WORD
from agents.toolkit.saying import Slot

_WISHING = frozenset({"'d", "would", "i", "we", "i'd", "d", "should"})
Chunks = tuple[tuple[Slot | None, tuple[int, ...]], ...]


def chunked(state: State) -> Iterator[Chunks]:
    """Ways to part the tokens among the object (None) and the slots by their little words, the fullest first."""
    starts: list[tuple[int, int, Slot]] = []
    for at, token in enumerate(state.tokens):
        if at in state.used:
            continue
        cues = (cue for word in state.lexicon.meanings(token) for cue in state.cues_of(word))
        here = [cue for cue in cues if cue.slot.parameter not in state.params and _is_cue(state, cue, at)]
        longest: dict[str, Cue] = {}
        for cue in sorted(here, key=lambda one: (-len(one.words), one.order)):
            # Of “to” and “to be” before the same value only the longer is meant.
            longest.setdefault(cue.slot.parameter, cue)
        starts += [(at, len(cue.words), cue.slot) for cue in list(longest.values())[:3]]
    yield from _ways(state, starts, 0, -1, ())


def _is_cue(state: State, cue: Cue, at: int) -> bool:
    after = at + len(cue.words)
    if after > len(state.tokens) or not state.used.isdisjoint(range(at, after)):
        return False
    if cue.words == ("to",) and at and state.tokens[at - 1].text in INFINITIVE:
        # “I want to work there” names no place “work”.
        return False
    if cue.words == ("like",) and at and state.tokens[at - 1].text in _WISHING:
        # “I would like the list” looks for nothing that is like it.
        return False
    for one, word in zip(range(at, after), cue.words, strict=True):
        token = state.tokens[one]
        if token.kind not in (WORD, SIGN, FLAG):
            return False
        exact = (token.text if token.kind != SIGN else token.value) == word
        slips = len(cue.words) > 1 or len(word) > 4
        if not exact and not (slips and token.kind == WORD and state.lexicon.same(token, word) is not None):
            return False
    shape = shape_of(state, cue.slot)
    while after < len(state.tokens) and (after in state.used or state.tokens[after].text in ARTICLES):
        after += 1
    return after < len(state.tokens) and may_begin(shape, state.tokens[after])


def _ways(
    state: State,
    starts: Sequence[tuple[int, int, Slot]],
    at: int,
    free_from: int,
    taken: tuple[tuple[int, int, Slot], ...],
) -> Iterator[Chunks]:
    if at == len(starts):
        yield _parted(state, taken)
        return
    start, length, slot = starts[at]
    if start > free_from and all(slot.parameter != other.parameter for _, _, other in taken):
        yield from _ways(state, starts, at + 1, start + length - 1, (*taken, (start, length, slot)))
    yield from _ways(state, starts, at + 1, free_from, taken)


def _parted(state: State, taken: Sequence[tuple[int, int, Slot]]) -> Chunks:
    by_start = {start: (length, slot) for start, length, slot in taken}
    chunks: list[tuple[Slot | None, list[int]]] = [(None, [])]
    at = 0
    while at < len(state.tokens):
        if at in by_start:
            length, slot = by_start[at]
            chunks.append((slot, []))
            at += length
            continue
        token = state.tokens[at]
        if at in state.used:
            if chunks[-1][0] is not None and shape_of(state, chunks[-1][0]) not in ("text", "line"):
                chunks.append((None, []))
        elif (
            token.kind == SIGN
            and token.value in (",", ";", ":", ".", "!", "?")
            and shape_of(state, chunks[-1][0]) not in ("text", "line", "packages", "tools")
        ):
            if chunks[-1][0] is not None and not _goes_on(state, at):
                chunks.append((None, []))
            else:
                chunks[-1][1].append(at)
        else:
            chunks[-1][1].append(at)
        at += 1
    return tuple((slot, tuple(inside)) for slot, inside in chunks)


def _goes_on(state: State, at: int) -> bool:
    """Whether a list goes on behind a comma: another value, not another part of the sentence."""
    return at + 1 < len(state.tokens) and state.tokens[at].value == "," and state.tokens[at + 1].is_literal
