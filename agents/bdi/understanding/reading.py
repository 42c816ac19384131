"""Reading one clause as one command: by each declared sense, with what it leaves unexplained counted against it.

A reading's cost is what speaks against it: words it cannot explain, values that are missing or in doubt, slips of
typing. Nothing is hidden: a word that no reading explains is never passed over, it makes the reading doubtful.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.understanding import paths
from agents.bdi.understanding.effort import Effort
from agents.bdi.understanding.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.filling import Asked, Filled, fill, listed, may_begin
from agents.bdi.understanding.lexicon import Cue, Entry, Lexicon, Met
from agents.bdi.understanding.morphology import bases, singular
from agents.bdi.understanding.paths import FILE, FOLDER, NEW, Candidate, Tree
from agents.bdi.understanding.tokens import FLAG, NUMBER, QUOTED, SIGN, WORD, Token, number_of
from agents.rules.words import fold
from agents.toolkit.command import Command
from agents.toolkit.saying import Place, Slot
from sandbox.command_line import PROGRAMS

MAX_CUE_READINGS = 48
_LISTED = frozenset({"path", "packages", "word"})
_TOOL_WORDS = frozenset(
    {"tool", "command", "use", "using", "with", "call", "run", "invoke", "via", "through", "execute", "start", "launch"}
)


@dataclass(frozen=True)
class Reading:
    """A clause as a command. `params` by name; `items` are further values of the object, each a command of its own."""

    command: Command
    params: Mapping[str, Filled]
    missing: tuple[str, ...]
    unexplained: tuple[Token, ...]
    superfluous: tuple[str, ...]
    doubts: tuple[str, ...]
    cost: float
    items: tuple[Filled, ...] = ()
    object_name: str = ""
    # Whether its own nouns, or more than one word of its verb, say that it is meant.
    is_grounded: bool = False

    @property
    def problems(self) -> tuple[str, ...]:
        """Parameters of which something is said that nobody can place."""
        found = [name for name, one in self.params.items() if one.value is None]
        if any(one.value is None for one in self.items) and self.object_name not in found:
            found.append(self.object_name)
        return tuple(found)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing, in doubt or left over."""
        return not (self.missing or self.unexplained or self.doubts or self.problems)

    def values(self) -> dict[str, Any]:
        return {name: one.value for name, one in self.params.items() if one.value is not None}


@dataclass(frozen=True)
class Situation:
    """What a clause is read in: the whole text, the files as they will be then, and what was spoken of."""

    raw: str
    tree: Tree
    last: tuple[str, ...] = ()
    # Values given before in the same text, by tool and parameter.
    before: Mapping[tuple[str, str], str] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort, compare=False)


@dataclass
class _State:
    """One try of one sense at a clause."""

    entry: Entry
    tokens: Sequence[Token]
    situation: Situation
    lexicon: Lexicon
    used: set[int]
    params: dict[str, Filled] = field(default_factory=dict)
    left: list[Token] = field(default_factory=list)
    about: int = 0
    cost: float = 0.0
    items: tuple[Filled, ...] = ()
    asides: tuple[str, ...] = ()


def readings(tokens: Sequence[Token], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """Every reading of a clause that is worth a thought, the likeliest first."""
    situation.effort.spend(len(tokens))
    found: list[Reading] = []
    named_tools, named = _named(tokens, lexicon)
    for number, mets in lexicon.met(tokens).items():
        entry = lexicon.entries[number]
        of_tool = frozenset(named_tools.get(entry.command.tool, ()))
        for met in _longest(mets):
            if met.typos and any(situation.tree.kind(tokens[at].value) for at in met.used):
                # What is the name of something here is no slip of a verb.
                continue
            found += _by(entry, met, tokens, situation, lexicon, of_tool)
    for at, command in named:
        of_tool = frozenset(named_tools.get(command.tool, ()))
        for entry in lexicon.entries:
            if entry.command is command:
                found += _by(entry, Met((at,), 0, 2), tokens, situation, lexicon, of_tool, by_name=True)
    found += _typed(tokens, situation, lexicon)
    for tool, where in named_tools.items():
        first = lexicon.registry.tool(tool).commands[0]
        entry = next(one for one in lexicon.entries if one.command is first)
        for one in _by(entry, Met(where, 0, 1), tokens, situation, lexicon, frozenset(where), by_name=True):
            found.append(replace(one, cost=one.cost + 0.35))
    return sorted(found, key=lambda one: one.cost)


def _typed(tokens: Sequence[Token], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """A command line as at a terminal: it begins with the name of a program that no command is said by."""
    first = tokens[0] if tokens else None
    if first is None or first.kind != WORD or first.value not in PROGRAMS:
        return []
    entry = next((one for one in lexicon.entries if any(slot.shape == "line" for slot in one.sense.slots)), None)
    if entry is None:
        return []
    slot = next(slot for slot in entry.sense.slots if slot.shape == "line")
    state = _State(entry, tokens, situation, lexicon, set())
    filled, rest = fill(tokens, _asked(state, slot))
    if filled is None or rest:
        return []
    prose = sum(1 for token in tokens if token.kind == WORD and token.text in IDLE)
    return [
        Reading(
            entry.command,
            {slot.parameter: filled},
            (),
            (),
            (),
            (),
            (0.6 if lexicon.is_verb(first) else -0.5) + 0.4 * prose + filled.penalty,
            (),
            slot.parameter,
        )
    ]


def _named(tokens: Sequence[Token], lexicon: Lexicon) -> tuple[dict[str, tuple[int, ...]], list[tuple[int, Command]]]:
    """Tools and commands that are named by their own names."""
    tools: dict[str, tuple[int, ...]] = {}
    commands: list[tuple[int, Command]] = []
    names = {tool.name: tool for tool in lexicon.registry.tools}
    for at, token in enumerate(tokens):
        if token.text in names and ("_" in token.text or "simplecoder" in token.text):
            tools[token.text] = (at,)
        if (
            token.kind not in (QUOTED, SIGN)
            and token.text in lexicon.commands
            and ("_" in token.text or "." in token.text)
        ):
            commands.append((at, lexicon.commands[token.text]))
            continue
        if token.text in names and at + 1 < len(tokens):
            own = lexicon.commands.get(f"{token.text}.{tokens[at + 1].text}")
            if own is not None:
                commands.append((at + 1, own))
                tools[token.text] = (at,)
        if token.text in names and token.text not in tools and at + 1 < len(tokens) and tokens[at + 1].text == "tool":
            tools[token.text] = (at, at + 1)
    for name, tool in names.items():
        spoken = [fold(word) for word in tool.label.split()]
        for said in {tuple(spoken), tuple(name.split("_"))}:
            if len(said) < 2:
                continue
            for at in range(len(tokens) - len(said) + 1):
                if tuple(one.text for one in tokens[at : at + len(said)]) == said:
                    tools.setdefault(name, tuple(range(at, at + len(said))))
    return tools, commands


def _longest(mets: Sequence[Met]) -> list[Met]:
    """The verb expressions of a sense in a clause: the longest at each place, at most three of them."""
    best: dict[int, Met] = {}
    for met in mets:
        before = best.get(met.used[0])
        if before is None or (met.words - met.typos) > (before.words - before.typos):
            best[met.used[0]] = met
    return sorted(best.values(), key=lambda met: (-(met.words - met.typos), met.used[0]))[:3]


def _by(
    entry: Entry,
    met: Met,
    tokens: Sequence[Token],
    situation: Situation,
    lexicon: Lexicon,
    of_tool: frozenset[int],
    *,
    by_name: bool = False,
) -> list[Reading]:
    """The readings of a clause by one sense whose verb stands at one place."""
    found: list[Reading] = []
    used = set(met.used) | set(of_tool)
    if of_tool or by_name:
        used |= {
            at
            for at, token in enumerate(tokens)
            if token.text in _TOOL_WORDS and min((*of_tool, *met.used)) - 3 <= at < max((*of_tool, *met.used)) + 2
        }
    situation.effort.spend(len(tokens))
    base = _State(entry, tokens, situation, lexicon, used)
    _take_flags(base)
    _take_keys(base)
    _take_counted(base)
    _take_asides(base)
    if entry.key and not by_name and not _is_about(base):
        return []
    for chunks in itertools.islice(_chunked(base), MAX_CUE_READINGS):
        situation.effort.spend(len(tokens))
        state = replace(base, used=set(base.used), params=dict(base.params), left=[], cost=0.0)
        if _fill(state, chunks, met) and (by_name or not _lacks(state)):
            found.append(_judged(state, met, by_name or bool(of_tool)))
    return found


def _lacks(state: _State) -> bool:
    """Whether this way of saying it makes sense only with a value that is not there."""
    wants = state.entry.sense.wants
    return bool(wants) and not any(name in state.params for name in wants)


def _is_about(state: _State) -> bool:
    """Whether one of the nouns is said that the sense needs; its verb's own words count."""
    wanted = state.entry.key
    return any(_noun(token, wanted, state.lexicon) for token in state.tokens if token.kind == WORD)


def _noun(token: Token, wanted: frozenset[str], lexicon: Lexicon) -> bool:
    if token.text in wanted or singular(token.text) in wanted or any(base in wanted for base in bases(token.text)):
        return True
    return any(lexicon.same(token, word) == 1 for word in wanted if len(word) > 4)


def _take_flags(state: _State) -> None:
    """Phrases that set a switch or a choice."""
    for words, name, value in state.entry.flags:
        if name in state.params:
            continue
        for at in range(len(state.tokens) - len(words) + 1):
            span = range(at, at + len(words))
            if any(one in state.used for one in span):
                continue
            if all(state.lexicon.same(state.tokens[one], word) == 0 for one, word in zip(span, words, strict=True)):
                state.used |= set(span)
                start, end = state.tokens[at].start, state.tokens[at + len(words) - 1].end
                state.params[name] = Filled(value, (start, end))
                break


def _take_keys(state: _State) -> None:
    """`name=value` and `name: value` with a name of the command's parameters."""
    also = state.lexicon.registry.said(state.entry.command).also
    at = 0
    while at + 2 < len(state.tokens) + 0:
        key, sign, value = state.tokens[at], state.tokens[at + 1], state.tokens[at + 2]
        name = key.text if key.text in state.entry.command.properties else also.get(key.text, "")
        is_key = key.kind == WORD and sign.kind == SIGN and sign.value in ("=", ":") and at not in state.used
        if (
            is_key
            and name
            and name not in state.params
            and (sign.value == "=" or value.is_literal or value.end - value.start > 0)
        ):
            slot = next((one for one in state.entry.sense.slots if one.parameter == name), Slot(name))
            filled, rest = fill([value], _asked(state, slot))
            if filled is not None and not rest:
                state.params[name] = replace(filled, penalty=0.0)
                state.used |= {at, at + 1, at + 2}
                at += 3
                continue
        at += 1


def _take_counted(state: _State) -> None:
    """Numbers before their noun: five commits, 10 seconds, at most 3 sentences."""
    for slot in state.entry.sense.slots:
        if not slot.behind or slot.parameter in state.params:
            continue
        for at in range(len(state.tokens) - 1):
            if at in state.used or at + 1 in state.used or number_of(state.tokens[at]) is None:
                continue
            after = at + 1
            while after < len(state.tokens) - 1 and state.tokens[after].text in (
                "most",
                "recent",
                "newest",
                "latest",
                "last",
                "more",
                "key",
                "short",
            ):
                after += 1
            factor = _FACTORS.get(state.tokens[after].text, 0) if slot.parameter.endswith("_s") else 0
            named = any(state.lexicon.same(state.tokens[after], fold(word)) is not None for word in slot.behind)
            if not named and not factor:
                continue
            first, number = _number_before(state.tokens, at)
            span = (state.tokens[first].start, state.tokens[at].end)
            state.params[slot.parameter] = Filled(number * (factor or 1), span, literals=1)
            while after + 1 < len(state.tokens) and state.tokens[after + 1].text in _LIMITS:
                after += 1
            state.used |= set(range(first, after + 1))
            _take_cue_before(state, slot, first)
            break


# How many seconds a unit of time has.
_FACTORS = {"minute": 60, "minutes": 60, "min": 60, "mins": 60, "hour": 3600, "hours": 3600, "sec": 1, "secs": 1}
# Said behind a number or before it, these say no more than that it is a limit.
_LIMITS = frozenset({"max", "maximum", "limit", "tops", "timeout", "most"})
_ABOUT_SO_MANY = frozenset({"max", "maximum", "about", "around", "roughly", "ca", "circa", "approximately", "limit"})


def _number_before(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Where the number that ends here begins, and what it is: “twenty five”, “two hundred”."""
    number = number_of(tokens[at]) or 0
    before = number_of(tokens[at - 1]) if at and tokens[at - 1].kind == WORD else None
    if before is None or tokens[at].kind != WORD:
        return at, number
    if number in (100, 1000) and before < 100:
        return at - 1, before * number
    if before in range(20, 100, 10) and 0 < number < 10:
        return at - 1, before + number
    return at, number


def _take_asides(state: _State) -> None:
    """“Using 2 workers”, “with 8 threads”: a number of something that the language knows nothing of."""
    for at in range(len(state.tokens) - 2):
        word, number, noun = state.tokens[at : at + 3]
        span = {at, at + 1, at + 2}
        if span & state.used or word.text not in ("with", "using") or number.kind != NUMBER or noun.kind != WORD:
            continue
        if not state.lexicon.knows(noun.text):
            state.used |= span
            state.asides = (*state.asides, f"{word.value} {number.value} {noun.value}")


def _take_cue_before(state: _State, slot: Slot, at: int) -> None:
    for cue in sorted(slot.cues, key=len, reverse=True):
        span = range(at - len(cue), at)
        if at < len(cue) or any(one in state.used for one in span):
            continue
        if all(state.tokens[one].text == fold(word) for one, word in zip(span, cue, strict=True)):
            state.used |= set(span)
            return
    if at and at - 1 not in state.used and state.tokens[at - 1].text in _ABOUT_SO_MANY:
        state.used.add(at - 1)


_Chunks = tuple[tuple[Slot | None, tuple[int, ...]], ...]


def _chunked(state: _State) -> Iterator[_Chunks]:
    """Ways to part the tokens among the object (None) and the slots by their little words, the fullest first."""
    starts: list[tuple[int, int, Slot]] = []
    for at, token in enumerate(state.tokens):
        if at in state.used:
            continue
        cues = (cue for word in state.lexicon.meanings(token) for cue in state.entry.cues.get(word, ()))
        here = [cue for cue in cues if cue.slot.parameter not in state.params and _is_cue(state, cue, at)]
        for cue in sorted(here, key=lambda one: (-len(one.words), one.order))[:3]:
            starts.append((at, len(cue.words), cue.slot))
    yield from _ways(state, starts, 0, -1, ())


def _is_cue(state: _State, cue: Cue, at: int) -> bool:
    after = at + len(cue.words)
    if after > len(state.tokens) or any(one in state.used for one in range(at, after)):
        return False
    for one, word in zip(range(at, after), cue.words, strict=True):
        token = state.tokens[one]
        if token.kind not in (WORD, SIGN, FLAG):
            return False
        exact = (token.text if token.kind != SIGN else token.value) == word
        slips = len(cue.words) > 1 or len(word) > 4
        if not exact and not (slips and token.kind == WORD and state.lexicon.same(token, word) is not None):
            return False
    shape = _shape(state, cue.slot)
    while after < len(state.tokens) and (after in state.used or state.tokens[after].text in ARTICLES):
        after += 1
    return after < len(state.tokens) and may_begin(shape, state.tokens[after])


def _ways(
    state: _State,
    starts: Sequence[tuple[int, int, Slot]],
    at: int,
    free_from: int,
    taken: tuple[tuple[int, int, Slot], ...],
) -> Iterator[_Chunks]:
    if at == len(starts):
        yield _parted(state, taken)
        return
    start, length, slot = starts[at]
    if start > free_from and all(slot.parameter != other.parameter for _, _, other in taken):
        yield from _ways(state, starts, at + 1, start + length - 1, (*taken, (start, length, slot)))
    yield from _ways(state, starts, at + 1, free_from, taken)


def _parted(state: _State, taken: Sequence[tuple[int, int, Slot]]) -> _Chunks:
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
            if chunks[-1][0] is not None and _shape(state, chunks[-1][0]) not in ("text", "line"):
                chunks.append((None, []))
        elif (
            token.kind == SIGN
            and token.value in (",", ";", ":", ".", "!", "?")
            and _shape(state, chunks[-1][0]) not in ("text", "line", "packages")
        ):
            if chunks[-1][0] is not None and not _goes_on(state, at):
                chunks.append((None, []))
            else:
                chunks[-1][1].append(at)
        else:
            chunks[-1][1].append(at)
        at += 1
    return tuple((slot, tuple(inside)) for slot, inside in chunks)


def _goes_on(state: _State, at: int) -> bool:
    """Whether a list goes on behind a comma: another value, not another part of the sentence."""
    return at + 1 < len(state.tokens) and state.tokens[at].value == "," and state.tokens[at + 1].is_literal


def _fill(state: _State, chunks: _Chunks, met: Met) -> bool:
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
        if slot is own and _shape(state, slot) in _LISTED:
            cued_object += tokens
            continue
        filled, rest = fill(tokens, _asked(state, slot))
        if filled is None:
            return False
        if filled.value is None:
            slot, filled, rest = _elsewhere(state, slot, tokens) or (slot, filled, rest)
        state.params[slot.parameter] = filled
        if _shape(state, slot) in ("path", "word", "number", "newname", "address", "note", "pattern"):
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


def _elsewhere(state: _State, slot: Slot, tokens: list[Token]) -> tuple[Slot, Filled, list[Token]] | None:
    """What is no folder may be the file that another slot takes behind the same little word."""
    places = state.lexicon.registry.said(state.entry.command).places
    for other in state.entry.sense.slots:
        place = places.get(other.parameter)
        if other is slot or other.is_object or other.parameter in state.params or place is None or place.wanted == NEW:
            continue
        filled, rest = fill(tokens, _asked(state, other))
        if filled is not None and filled.value is not None and slot.parameter in places:
            return other, replace(filled, penalty=filled.penalty + 0.1), rest
    return None


def _behind(state: _State, slot: Slot, tokens: list[Token], met: Met) -> list[Token]:
    """What an object in running words is read from: what follows the verb. Before it only what is plainly a value."""
    if _shape(state, slot) not in ("text", "line"):
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


def _object(state: _State, slot: Slot, tokens: list[Token], *, must: bool = False) -> None:
    """The value, or the list of values, that stands without a little word."""
    shape = _shape(state, slot)
    if shape in ("path", "word") and len(items := _items(state, tokens)) > 1 and _may_be_listed(shape, items):
        made = [fill(item, _asked(state, slot)) for item in items]
        good = [(filled, rest) for filled, rest in made if filled is not None]
        ordinary = [item for item, (filled, _) in zip(items, made, strict=True) if filled is None]
        if len(good) > 1 and not any(token.is_literal for item in ordinary for token in item):
            state.params[slot.parameter] = good[0][0]
            state.items = tuple(filled for filled, _ in good[1:])
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
    filled, rest = fill(tokens, _asked(state, slot))
    if filled is not None:
        state.params[slot.parameter] = filled
    state.left += [*rest, *held]


def _items(state: _State, tokens: list[Token]) -> list[list[Token]]:
    """The items of a list of values; none where a part of it begins another command."""
    items = listed(tokens)
    return (
        []
        if any(state.lexicon.is_verb(item[0]) and not state.situation.tree.kind(item[0].value) for item in items[1:])
        else items
    )


def _shape(state: _State, slot: Slot | None) -> str:
    if slot is None:
        return ""
    if slot.shape:
        return slot.shape
    kind = state.entry.command.kind(slot.parameter)
    return {"name": "word", "text": "text"}.get(kind, kind)


def _asked(state: _State, slot: Slot) -> Asked:
    place: Place | None = state.lexicon.registry.said(state.entry.command).places.get(slot.parameter)
    described = state.entry.command.properties[slot.parameter]
    return Asked(
        state.situation.raw,
        _shape(state, slot),
        state.situation.tree,
        place,
        state.entry.about,
        state.entry.command.tool,
        slot.parameter,
        tuple(map(str, described.get("enum", ()))),
        state.situation.last,
        state.situation.before.get((state.entry.command.tool, slot.parameter), ""),
        state.lexicon.is_exact_verb,
    )


def _by_position(state: _State) -> None:
    """A value left over, as it is typed at a terminal: `cp a b`, `grep text folder`. It goes to the next open slot."""
    open_slots = [slot for slot in state.entry.sense.slots if slot.parameter not in state.params]
    literals = [
        token
        for token in state.left
        if token.is_literal or (token.kind == WORD and state.situation.tree.kind(token.value))
    ]
    if len(literals) != 1:
        return
    for slot in open_slots:
        place = state.lexicon.registry.said(state.entry.command).places.get(slot.parameter)
        if place is None and _shape(state, slot) != "address":
            continue
        filled, rest = fill(literals, _asked(state, slot))
        if filled is not None and filled.value is not None and not rest:
            state.params[slot.parameter] = replace(filled, penalty=filled.penalty + 0.15)
            state.left = [token for token in state.left if token is not literals[0]]
            return


def _judged(state: _State, met: Met, is_named: bool) -> Reading:
    command, sense = state.entry.command, state.entry.sense
    _by_position(state)
    params = dict(state.params)
    for name, value in sense.fixed.items():
        params.setdefault(name, Filled(value, why="this way of saying it means that"))
    if sense.line:
        name = next(slot.parameter for slot in sense.slots if slot.is_object)
        if name in params and params[name].value is not None:
            params[name] = replace(
                params[name],
                value=sense.line.format(params[name].value),
                original=params[name].value,
                why="packages are installed by pip",
            )
    _put_where_said(params, state)
    _of_what_is_there(params, state)
    _put_into_folders(params, state)
    _no_folders_for_files(params, state)
    missing = tuple(name for name in command.required if name not in params)
    left, superfluous = _superfluous(state.left)
    superfluous = (*state.asides, *superfluous)
    nouns = [token for token in left if token.kind == WORD and _noun(token, state.entry.about, state.lexicon)]
    left = [token for token in left if token not in nouns and token.kind != SIGN]
    doubts = tuple(dict.fromkeys(token.text for token in left if token.kind == WORD and token.text in DOUBT))
    own = next((slot.parameter for slot in sense.slots if slot.is_object), "")
    # “Make it better” speaks of something, and nobody knows of what.
    doubts += tuple(dict.fromkeys(one.text for one in left if _speaks_of(one, state, own not in params)))
    doubts += _verbs_in_values(state, met) + _other_commands(state, left)
    slips = [token for token in left if state.lexicon.is_idle_slip(token)]
    left = [token for token in left if token not in slips]
    unexplained = tuple(
        token for token in left if not (token.kind == WORD and token.text in IDLE) and token.text not in DOUBT
    )
    about = {singular(token.text) for token in nouns} | {
        state.tokens[at].text for at in met.used if state.tokens[at].text in state.entry.about
    }
    about |= _nouns_in_values(state)
    values = [*params.values(), *state.items]
    cost = 0.0
    cost += sum(2.0 if token.is_literal else 1.0 for token in unexplained)
    cost += 1.0 * len(doubts) + 0.1 * len(superfluous)
    cost += 0.05 * sum(1 for token in left if token.kind == WORD and token.text in IDLE and token.text not in ARTICLES)
    cost += 0.3 * met.typos + 0.6 * len(missing) + 0.1 * len(slips)
    cost += sum(one.penalty + (0.5 if one.value is None else 0.8 * (1 - one.confidence)) for one in values)
    cost += 0.15 * _nouns_in_text(state)
    cost -= 0.25 * min(len(about), 2) + 0.3 * min(sum(one.literals for one in values), 3)
    cost -= min(0.15 * (met.words - 1), 0.3) + (0.5 if is_named else 0.0)
    first = next((at for at, token in enumerate(state.tokens) if token.kind != SIGN and token.text not in IDLE), 0)
    cost += 0.0 if met.used[0] <= first else 0.25
    if missing and not values:
        cost += 0.3
    return Reading(
        command,
        params,
        missing,
        unexplained,
        superfluous,
        doubts,
        round(cost, 4),
        state.items,
        own,
        bool(state.entry.key) or met.words > 1,
    )


def _speaks_of(token: Token, state: _State, is_open: bool) -> bool:
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


def _verbs_in_values(state: _State, met: Met) -> tuple[str, ...]:
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


def _nouns_in_text(state: _State) -> int:
    """How many nouns that some way of saying must have were taken for somebody's own text."""
    spans = [one.span for one in state.params.values() if one.span and one.why == "it is not in quotes"]
    return sum(
        token.kind == WORD
        and token.text in state.lexicon.keys
        and any(start <= token.start and token.end <= end for start, end in spans)
        for token in state.tokens
    )


def _may_be_listed(shape: str, items: Sequence[Sequence[Token]]) -> bool:
    return shape == "path" or all(len(item) == 1 and item[0].kind in (WORD, QUOTED) for item in items[1:])


_STOPS = frozenset({";", ".", "&&", "then"})
_JOINS = frozenset({"and", "then", ",", ";", ".", "&&", "next", "+"})


def _other_commands(state: _State, left: Sequence[Token]) -> tuple[str, ...]:
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


def _nouns_in_values(state: _State) -> set[str]:
    """Nouns of the sense that were taken up by its little words: “the folder docs” behind “in the folder”."""
    left = {id(token) for token in state.left}
    spans = [one.span for one in (*state.params.values(), *state.items) if one.span]
    found = set()
    for token in state.tokens:
        inside = any(start <= token.start and token.end <= end for start, end in spans)
        if (
            token.kind == WORD
            and id(token) not in left
            and not inside
            and (token.text in state.entry.about or singular(token.text) in state.entry.about)
        ):
            found.add(singular(token.text))
    return found


def _put_into_folders(params: dict[str, Filled], state: _State) -> None:
    """A folder that is there, or is called one, takes what is put under its own name; a new name stays in place."""
    said = state.lexicon.registry.said(state.entry.command)
    source = params.get("path")
    for slot in state.entry.sense.slots:
        target = params.get(slot.parameter)
        place = said.places.get(slot.parameter)
        if target is None or target.value is None or not isinstance(target.value, str):
            continue
        if _shape(state, slot) == "newname":
            if source is not None and isinstance(source.value, str) and "/" not in target.value:
                folder = posixpath.dirname(source.value)
                if folder:
                    value = posixpath.join(folder, target.value)
                    params[slot.parameter] = replace(
                        target, value=value, original=target.value, why="it stays in its folder"
                    )
            continue
        if place is None or not place.into:
            continue
        name = _own_name(params, state)
        is_folder = state.situation.tree.kind(target.value.rstrip("/")) == FOLDER or target.value.endswith("/")
        is_folder = is_folder or (
            target.is_folder
            and not posixpath.splitext(target.value)[1]
            and source is not None
            and state.situation.tree.kind(str(source.value)) != FOLDER
        )
        if is_folder and name:
            value = posixpath.normpath(posixpath.join(target.value, name))
            original = target.original if target.original is not None else target.value
            params[slot.parameter] = replace(
                target, value=value, original=original, why="a folder takes it under its own name"
            )
        elif target.value.endswith("/"):
            params[slot.parameter] = replace(target, value=target.value.rstrip("/"))


def _no_folders_for_files(params: dict[str, Filled], state: _State) -> None:
    """A folder that is there is no file that could be written."""
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        filled = params.get(name)
        if filled is None or place.makes != "file" or not isinstance(filled.value, str):
            continue
        if state.situation.tree.kind(filled.value) == FOLDER:
            said = filled.original or filled.value
            params[name] = Filled(None, filled.span, said, 0.2, problem=f"“{said}” is a folder", penalty=0.6)


_WHERE = frozenset({"in", "inside", "under", "below", "within", "into", "beneath"})


def _put_where_said(params: dict[str, Filled], state: _State) -> None:
    """What is made in a folder that is named for itself: “a folder called memes in docs”."""
    left = sorted(state.left, key=lambda token: token.start)
    at = next((at for at, token in enumerate(left) if token.kind == WORD and token.text in _WHERE), None)
    if at is None:
        return
    behind = [token for token in left[at + 1 :] if token.text not in ARTICLES and token.kind != SIGN]
    named = [token for token in behind if not _noun(token, _FOLDERS, state.lexicon)]
    if len(named) != 1:
        return
    tree = state.situation.tree
    found = paths.find(named[0].value, tree, FOLDER, tool=state.entry.command.tool)
    if found.value is None or found.confidence < 0.85:
        return
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        made = params.get(name)
        if made is None or place.makes not in ("file", "folder") or place.into or not isinstance(made.value, str):
            continue
        if "/" in made.value:
            continue
        value = posixpath.normpath(posixpath.join(found.value, made.value))
        said = made.value if made.original is None else made.original
        sure = min(made.confidence, found.confidence)
        params[name] = replace(made, value=value, original=said, confidence=sure, why=f"it is made in {found.value}")
        state.left = [token for token in left[:at] if token not in behind]
        return


_FOLDERS = frozenset({"folder", "directory", "dir"})


def _of_what_is_there(params: dict[str, Filled], state: _State) -> None:
    """What is replaced or added to is there: where nothing is, it lies elsewhere or its name has a slip."""
    over = params.get("overwrite")
    mode = params.get("mode")
    is_over = (over is not None and over.value is True) or (mode is not None and mode.value == "append")
    tree = state.situation.tree
    for name, place in state.lexicon.registry.said(state.entry.command).places.items():
        made = params.get(name)
        if made is None or place.makes not in ("file", "same") or not isinstance(made.value, str):
            continue
        if tree.kind(made.value) or made.value.endswith("/") or (place.into and not is_over):
            continue
        found = paths.find(made.value, tree, FILE)
        if found.value is None or found.confidence < 0.8 or "ending" in found.why:
            continue
        said = made.value if made.original is None else made.original
        if is_over:
            sure = min(made.confidence, found.confidence)
            params[name] = replace(made, value=found.value, original=said, confidence=sure, why=found.why)
        elif "spelt" in found.why and posixpath.dirname(found.value) == posixpath.dirname(made.value):
            choices = (Candidate(found.value, found.confidence, found.why), Candidate(made.value, 0.5, "it is new"))
            problem = f"“{said}” is not there, and {found.value} is"
            params[name] = Filled(None, made.span, said, 0.3, problem=problem, choices=choices)


def _own_name(params: Mapping[str, Filled], state: _State) -> str:
    source = params.get("path") or params.get("url")
    if source is None or not isinstance(source.value, str):
        return ""
    return posixpath.basename(source.value.split("?")[0].rstrip("/"))


_MEANS = frozenset({"with", "using", "at", "in", "and", "under", "via", "on", "by", "of", "to"})


def _superfluous(left: Sequence[Token]) -> tuple[list[Token], tuple[str, ...]]:
    """Values that no parameter takes: flags, `name=value`, “with 8 threads”, “with mode 755”. The rest comes back."""
    rest: list[Token] = []
    found: list[str] = []
    at = 0
    while at < len(left):
        token = left[at]
        if token.kind == FLAG and token.text.lstrip("-") not in DOUBT:
            found.append(token.value)
        elif token.kind == WORD and at + 2 < len(left) and left[at + 1].value == "=":
            found.append(f"{token.value}={left[at + 2].value}")
            at += 2
        elif (
            token.kind == WORD and token.text in ("with", "using", "at", "in") and (length := _counted(left[at + 1 :]))
        ):
            found.append(" ".join(one.value for one in left[at : at + 1 + length]))
            at += length
        else:
            rest.append(token)
        at += 1
    return rest, tuple(found)


def _counted(tokens: Sequence[Token]) -> int:
    """How many tokens an aside with a number takes: (a) timeout (of) 30 (seconds), 8 threads, verbosity 3."""
    words = 0
    for at, token in enumerate(tokens[:5]):
        if token.kind == NUMBER:
            after = tokens[at + 1 : at + 2]
            takes = (
                after
                and after[0].kind == WORD
                and not words
                and after[0].start - token.end < 3
                and after[0].text not in IDLE
            )
            return at + 2 if takes else (at + 1 if words else 0)
        if token.kind != WORD or token.text in DOUBT:
            return 0
        if token.text not in ARTICLES and token.text != "of":
            words += 1
        if words > 2:
            return 0
    return 0


__all__ = ["NEW", "Reading", "Situation", "readings"]
