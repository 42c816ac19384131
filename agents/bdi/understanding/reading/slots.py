"""Putting the words of a chunk into a slot: by preposition, as the object, as a list, or by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding.names.paths import FILE, FOLDER, NEW, Candidate, find
from agents.bdi.understanding.names.tree_index import by_folder
from agents.bdi.understanding.reading.chunks import Chunks
from agents.bdi.understanding.reading.sources import begins_source
from agents.bdi.understanding.reading.state import State, asked_of, shape_of
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.values.filling import fill, listed
from agents.bdi.understanding.words.filler import ARTICLES, IDLE, LEADING
from agents.bdi.understanding.words.lexicon import Met
from agents.bdi.understanding.words.tokens import PATH, QUOTED, SIGN, WORD, Token
from agents.toolkit.saying import Slot

# Values of these shapes leave words to other slots.
_LEAVING = frozenset(
    """
path word number newname address note pattern person email revision reference branchname tools version amount
    """.split()
)
_LISTED = frozenset({"path", "packages", "word"})


def fill_slots(state: State, chunks: Chunks, met: Met) -> bool:
    """Put values into the slots. False when this parting leaves a slot's little word without a value."""
    loose: list[Token] = []
    pending: list[tuple[Slot, list[Token]]] = []
    for slot, inside in chunks:
        tokens = [state.tokens[at] for at in inside]
        if slot is None:
            loose += tokens
        else:
            pending.append((slot, tokens))
    own = next((slot for slot in state.entry.sense.slots if slot.is_object), None)
    cued_object: list[Token] = []
    for slot, tokens in pending:
        if slot is own and shape_of(state, slot) in _LISTED:
            cued_object += tokens
            continue
        filled, rest = fill(tokens, asked_of(state, slot))
        if filled is None:
            return False
        if filled.value is None:
            slot, filled, rest = _elsewhere(state, slot, tokens) or (slot, filled, rest)
        state.params[slot.parameter] = filled
        if shape_of(state, slot) in _LEAVING:
            loose += rest
        else:
            state.left += rest
    if own is not None and own.parameter not in state.params:
        if cued_object:
            _object(state, own, cued_object, must=True)
            if own.parameter not in state.params:
                return False
            state.left += loose
        else:
            _object(state, own, _behind(state, own, loose, met))
    else:
        state.left += loose
    return True


def _elsewhere(state: State, slot: Slot, tokens: list[Token]) -> tuple[Slot, Filled, list[Token]] | None:
    """What is no folder may be the file that another slot takes behind the same little word."""
    places = state.lexicon.registry.said(state.entry.command).places
    for other in state.entry.sense.slots:
        place = places.get(other.parameter)
        if other is slot or other.is_object or other.parameter in state.params or place is None or place.wanted == NEW:
            continue
        filled, rest = fill(tokens, asked_of(state, other))
        if filled is not None and filled.value is not None and slot.parameter in places:
            return other, replace(filled, penalty=filled.penalty + 0.1), rest
    return None


def _behind(state: State, slot: Slot, tokens: list[Token], met: Met) -> list[Token]:
    """What an object in running words is read from: what follows the verb. Before it only what is plainly a value."""
    if shape_of(state, slot) not in ("text", "line"):
        return tokens
    verb = state.tokens[met.used[0]].start
    before = [token for token in tokens if token.start < verb]
    behind = [token for token in tokens if token.start >= verb]
    literal = next((token for token in before if token.is_literal), None)
    spoken = [token for token in behind if token.kind != SIGN and token.text not in IDLE]
    if literal is not None and not spoken:
        state.left += [token for token in tokens if token is not literal]
        return [literal]
    state.left += before
    return behind


def _object(state: State, slot: Slot, tokens: list[Token], *, must: bool = False) -> None:
    """The value, or the list of values, that stands without a little word."""
    shape = shape_of(state, slot)
    if (
        shape in ("path", "word", "newfolder")
        and len(items := _items(state, tokens)) > 1
        and _may_be_listed(shape, items)
    ):
        made = [fill(item, asked_of(state, slot)) for item in items]
        good = [(filled, rest) for filled, rest in made if filled is not None]
        ordinary = [item for item, (filled, _) in zip(items, made, strict=True) if filled is None]
        if len(good) > 1 and not any(token.is_literal for item in ordinary for token in item):
            state.params[slot.parameter] = good[0][0]
            # “The offer from Müller & Söhne” is one, by whichever of its words it is found.
            values = [filled.value for filled, _ in good]
            is_one = len(set(values)) == 1 and values[0] is not None
            state.items = () if is_one else tuple(filled for filled, _ in good[1:])
            state.left += [token for _, rest in good for token in rest] + [token for item in ordinary for token in item]
            return
    held: list[Token] = []
    if (
        shape == "text"
        and len(tokens) > 1
        and tokens[-1].kind in (WORD, "path")
        and state.situation.tree.kind(tokens[-1].value)
    ):
        # Typed as at a terminal: the text, then where.
        tokens, held = tokens[:-1], tokens[-1:]
    filled, rest = fill(tokens, replace(asked_of(state, slot), is_loose=not must))
    if filled is not None:
        _, number = state.counted
        if filled.value is None and 1 < number == len(filled.choices):
            # “Both sales files”: of what it may be there are as many as are meant.
            filled, *others = (_taken(filled, choice) for choice in filled.choices)
            state.items = tuple(others)
        elif number > 1 and len(inside := _inside(state, slot, filled)) == number:
            filled, *others = (_taken(filled, choice) for choice in inside)
            state.items = tuple(others)
        state.params[slot.parameter] = filled
    state.left += [*rest, *held]


def _inside(state: State, slot: Slot, filled: Filled) -> tuple[Candidate, ...]:
    """“Both deliveries”: what lies in the folder that is called so, where it is as many and no folder is said."""
    tree = state.situation.tree
    place = state.lexicon.registry.said(state.entry.command).places.get(slot.parameter)
    if place is None or place.wanted == FOLDER:
        return ()
    if not isinstance(filled.value, str) or filled.is_folder or tree.kind(filled.value) != FOLDER:
        return ()
    full = tree.full(filled.value)
    there = tree.index.at(by_folder, full)
    if any(entry.kind == FOLDER for entry in there):
        return ()
    return tuple(Candidate(tree.said(entry.path), 0.9, f"it lies in {filled.value}") for entry in there)


def _taken(filled: Filled, choice: Candidate) -> Filled:
    return replace(filled, value=choice.path, confidence=0.9, why=choice.why, problem="", choices=(), penalty=0.1)


def _items(state: State, tokens: list[Token]) -> list[list[Token]]:
    """The items of a list of values; none where a part of it begins another command."""
    items = listed(tokens)
    return (
        []
        # “With syntax highlighting and with a dark theme” is no list.
        if any(item[0].text in ("with", "using") for item in items[1:])
        or any(_begins_another(state, item) for item in items[1:])
        else items
    )


# What follows these is where something goes, and no further thing of a list.
_WHERETO = frozenset({"to", "into", "onto", "as"})


def _begins_another(state: State, item: Sequence[Token]) -> bool:
    """Whether a part of a list is a command of its own, however politely it begins: “a; please create it”."""
    first = next((one for one in item if not (one.kind == WORD and one.text in IDLE - LEADING)), item[0])
    is_verb = state.lexicon.is_verb(first) and not state.situation.tree.kind(first.value)
    # “It into the folder y” is what becomes of the one before.
    return is_verb or (item[0].text in ("it", "them") and len(item) > 1) or (len(item) > 1 and item[0].text in _WHERETO)


def _may_be_listed(shape: str, items: Sequence[Sequence[Token]]) -> bool:
    return shape in ("path", "newfolder") or all(
        len(item) == 1 and item[0].kind in (WORD, QUOTED) for item in items[1:]
    )


def by_position(state: State) -> None:
    """A value left over, as it is typed at a terminal: `cp a b`, `grep text folder`. It goes to the next open slot."""
    open_slots = [slot for slot in state.entry.sense.slots if slot.parameter not in state.params]
    own = next((slot for slot in open_slots if slot.is_object), None)
    if own is not None and own.parameter in state.entry.command.required and shape_of(state, own) == "address":
        open_slots = [own]  # “check auth.py” gives no address, and not what goes with one
    places = state.lexicon.registry.said(state.entry.command).places
    there = next((token for token in state.left if token.kind == WORD and token.text in ("there", "thither")), None)
    for slot in open_slots if there is not None and state.situation.last else ():
        # “Copy it there”: into the folder that was spoken of.
        place = places.get(slot.parameter)
        takes = place is not None and (place.into or place.wanted == FOLDER)
        filled, rest = fill([there], asked_of(state, slot)) if there and takes else (None, [])
        if filled is not None and filled.value is not None and not rest:
            state.params[slot.parameter] = filled
            state.left = [token for token in state.left if token is not there]
            return
    left = {token.start for token in state.left}
    literals = [
        named
        for at, token in enumerate(state.tokens)
        if token.start in left
        and (
            named := token
            if token.is_literal or "@" in token.value[1:]
            else _by_its_name(at, state)
            if token.kind == WORD
            else None
        )
    ]
    if len(literals) != 1:
        return
    for slot in open_slots:
        place = places.get(slot.parameter)
        if place is None and shape_of(state, slot) not in ("address", "email"):
            continue
        if literals[0].said and place is not None and place.makes:
            continue
        if place is not None and place.makes and _is_source(literals[0], state):
            continue
        leaves = any(one.goes for one in places.values()) or state.situation.tree.kind(literals[0].value) == FILE
        if leaves and place is not None and place.makes == "same" and _stands_before(literals[0], state):
            continue  # “drop a.txt from docs”: what goes away is said first
        filled, rest = fill(literals, asked_of(state, slot))
        if filled is not None and filled.value is not None and not rest:
            # What is the name of something here is rarely what something new is to be called.
            against = 0.4 if literals[0].kind == WORD and place is not None and place.makes else 0.15
            state.params[slot.parameter] = replace(filled, penalty=filled.penalty + against)
            state.left = [token for token in state.left if token.start != literals[0].start]
            return


def _is_source(literal: Token, state: State) -> bool:
    at = next((at for at, token in enumerate(state.tokens) if token.start == literal.start), None)
    return at is not None and begins_source(state.tokens, at) is not None


def _stands_before(literal: Token, state: State) -> bool:
    spans = [one.span for one in state.params.values() if one.span]
    return bool(spans) and all(literal.end <= start for start, _ in spans)


def _by_its_name(at: int, state: State) -> Token | None:
    """A word left over that is the name of something here, if only without its ending; as that."""
    token, tree = state.tokens[at], state.situation.tree
    if tree.kind(token.value):
        # “Move a.txt from docs” says where it is, and not where it goes.
        places = state.lexicon.registry.said(state.entry.command).places.values()
        is_from = begins_source(state.tokens, at) is not None and any(one.makes == "same" for one in places)
        return None if is_from else token
    before = [one.text for one in state.tokens[max(0, at - 2) : at] if one.text not in ARTICLES]
    if token.text in state.entry.of_cues:
        return None  # “using the CA in x”, with a ca.pem here
    if token.text in IDLE or state.lexicon.is_exact_verb(token) or set(before[-1:]) & (_WHERETO | {"from", "with"}):
        return None
    found = find(token.value, tree)
    if found.value is None or found.confidence < _NAMED_SO:
        return None
    return replace(token, kind=PATH, value=found.value, said=token.value, sure=found.confidence)


# Only its case or its ending is another.
_NAMED_SO = 0.94
