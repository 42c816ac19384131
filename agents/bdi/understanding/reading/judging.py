"""What speaks for and against a clause being meant as one command; every word of it is accounted for."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.understanding.reading.doubts import (
    adds_what_is_left,
    as_a_kind,
    asks_how_it_is,
    asks_whether,
    begun_and_left,
    lists_places,
    lists_what_is_no_name,
    makes_another_kind,
    names_nothing,
    other_commands,
    says_an_order,
    says_both,
    says_only_it,
    says_only_its_verb,
    says_there,
    says_where_in_a_text,
    searches_where,
    speaks_of,
    starts_no_file,
    verbs_in_values,
    who_does_it,
)
from agents.bdi.understanding.reading.full_stops import across_a_stop
from agents.bdi.understanding.reading.new_things import doubts_of_making
from agents.bdi.understanding.reading.of_phrases import of_another, which_part
from agents.bdi.understanding.reading.placing import (
    code_only_where_code_is,
    no_folders_for_files,
    of_what_is_there,
    put_into_folders,
    put_where_said,
    said_where_it_is,
    the_only_environment,
)
from agents.bdi.understanding.reading.slots import by_position
from agents.bdi.understanding.reading.sources import takes_the_source
from agents.bdi.understanding.reading.state import State, is_noun
from agents.bdi.understanding.reading.superfluous import (
    adjuncts,
    appositions,
    is_open_behind,
    kind_nouns,
    labels,
    of_an_address,
    without_superfluous,
)
from agents.bdi.understanding.reading.verb_context import does_itself, on_both_sides
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE, LEADING_NOUNS, is_manner
from agents.bdi.understanding.words.lexicon import Entry, Met
from agents.bdi.understanding.words.morphology import bases, singular
from agents.bdi.understanding.words.naming_words import NAMING, WHOLE
from agents.bdi.understanding.words.tokens import SIGN, WORD, Token
from agents.toolkit.command import Command

# A reading may have that much against it.
MOST_COST = 0.55


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
    # Where the tokens begin that it makes use of: verb, nouns, values and the little words before them.
    explained: frozenset[int] = frozenset()
    # Where the words of its verb begin.
    verb: frozenset[int] = frozenset()

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


_KINDS = frozenset({"file", "folder", "directory"})


@dataclass(frozen=True)
class _Left:
    """The words that no value and no verb took, by what they are."""

    nouns: tuple[Token, ...]
    idle: tuple[Token, ...]
    slips: tuple[Token, ...]
    unexplained: tuple[Token, ...]
    superfluous: tuple[str, ...]
    doubts: tuple[str, ...]
    # What no parameter takes, token by token.
    dropped: tuple[Token, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """Which readings are of use: only those that are whole, only those that are grounded. Most ways of reading a clause
    that is none as it stands are neither, and it costs most of the time to say all that speaks against them.
    """

    whole: bool = False
    grounded: bool = False


ANY_READING = Wanted()


def is_grounded(entry: Entry, met: Met) -> bool:
    """Whether its own nouns, or more than one word of its verb, say that a sense is meant."""
    return bool(entry.key) or met.words > 1


def judged(state: State, met: Met, is_named: bool, wanted: Wanted = ANY_READING) -> Reading | None:
    """A try whose values are found, as a reading: what is missing, what is left over, and what all that costs.

    None where it is not whole and only whole ones are wanted, and where it cannot be meant: it would take away what
    something is to be taken from, or take a kind of thing for a name.
    """
    command = state.entry.command
    by_position(state)
    params = _with_fixed(state)
    put_where_said(params, state)
    said_where_it_is(params, state)
    of_what_is_there(params, state)
    put_into_folders(params, state)
    no_folders_for_files(params, state)
    code_only_where_code_is(params, state)
    the_only_environment(params, state)
    if takes_the_source(params, state, met) or as_a_kind(state):
        return None
    own = next((slot.parameter for slot in state.entry.sense.slots if slot.is_object), "")
    missing = tuple(name for name in command.required if name not in params)
    if wanted.whole and (missing or any(one.value is None for one in (*params.values(), *state.items))):
        return None
    left = _left(state, met, params, own not in params, wanted)
    if left is None:
        return None
    cost = _of_words(state, met, left) + _of_values([*params.values(), *state.items], missing)
    return Reading(
        command,
        params,
        missing,
        left.unexplained,
        left.superfluous,
        left.doubts,
        round(cost - (0.5 if is_named else 0.0), 4),
        state.items,
        own,
        is_grounded(state.entry, met),
        _explained(state, left),
        frozenset(state.tokens[at].start for at in met.used),
    )


def _explained(state: State, left: _Left) -> frozenset[int]:
    passed_over = {token.start for token in (*left.idle, *left.slips, *left.unexplained, *left.dropped)}
    return frozenset(token.start for token in state.tokens if token.kind != SIGN) - passed_over


def _with_fixed(state: State) -> dict[str, Filled]:
    """The values with those that this way of saying it means."""
    sense, params = state.entry.sense, dict(state.params)
    for name, value in sense.fixed.items():
        params.setdefault(name, Filled(value, why="this way of saying it means that"))
    if sense.line:
        name = next(slot.parameter for slot in sense.slots if slot.is_object)
        if name in params and params[name].value is not None:
            said = params[name].value
            why = "packages are installed by pip"
            params[name] = replace(params[name], value=sense.line.format(said), original=said, why=why)
    return params


def _left(
    state: State, met: Met, params: Mapping[str, Filled], is_open: bool, wanted: Wanted = ANY_READING
) -> _Left | None:
    """What is left over, sorted; None where something is and only whole readings are wanted.

    `is_open`: the object of the command was not found.
    """
    giving = state.lexicon.words_of_values(state.entry.command)
    left, superfluous = without_superfluous(state.left, giving, lambda word: is_open_behind(word, state))
    for phrase in adjuncts(left, state):
        superfluous = (*superfluous, " ".join(token.value for token in phrase))
        left = [token for token in left if token not in phrase]
    beside = {*appositions(left, state), *kind_nouns(left, state), *labels(left, state), *of_an_address(left, state)}
    left = [token for token in left if token not in beside]
    kept = frozenset(left)
    dropped = tuple(token for token in state.left if token not in kept)
    # “The directroy x”: what kind of thing a path is may be misspelt as well.
    places = state.lexicon.registry.said(state.entry.command).places.values()
    about = state.entry.about | (_KINDS if any(place.wanted != "note" for place in places) else frozenset())
    nouns = [token for token in left if token.kind == WORD and is_noun(token, about, state.lexicon)]
    named = frozenset(nouns)
    left = [token for token in left if token not in named and token.kind != SIGN]
    doubtful = [token for token in left if token.kind == WORD and token.text in DOUBT]
    harmless = [
        token
        for token in doubtful
        if asks_whether(token, state)
        or (token.text == "but" and _but_only(token, state))
        or (token.text == "only" and (_restricts_what_is_said(token, state) or _is_before_its_verb(token, state, met)))
    ]
    left = [token for token in left if token not in harmless]
    purpose = frozenset(_purpose(state))
    saying = [token for token in left if token not in purpose]
    slips = [token for token in saying if state.lexicon.is_idle_slip(token)]
    saying = [token for token in saying if not state.lexicon.is_idle_slip(token)]
    idle = [token for token in saying if token.kind == WORD and _carries_nothing(token, state, is_open)]
    passed_over = frozenset(idle)
    unexplained = [token for token in saying if token not in passed_over and token.text not in DOUBT]
    if wanted.whole and unexplained:
        return None
    doubts = tuple(dict.fromkeys(token.text for token in doubtful if token in left))
    doubts += _doubts(state, met, params, left, is_open)
    return _Left(
        tuple(nouns), tuple(idle), tuple(slips), tuple(unexplained), (*state.asides, *superfluous), doubts, dropped
    )


def _doubts(
    state: State, met: Met, params: Mapping[str, Filled], left: Sequence[Token], is_open: bool
) -> tuple[str, ...]:
    """What makes it doubtful that the command is meant, in the words that do."""
    # “Make it better” speaks of something, and nobody knows of what.
    has_object = any(slot.is_object for slot in state.entry.sense.slots) or not state.entry.command.required
    lacks = is_open if has_object else any(name not in state.params for name in state.entry.command.required)
    doubts = tuple(dict.fromkeys(one.text for one in left if speaks_of(one, state, lacks)))
    doubts += verbs_in_values(state, met) + other_commands(state, left)
    doubts += begun_and_left(state, met) + names_nothing(state, is_open) + state.miscounted
    doubts += asks_how_it_is(state, met) + says_only_its_verb(state, met) + searches_where(state, met)
    doubts += makes_another_kind(state, met) + starts_no_file(state, met) + who_does_it(state, met)
    doubts += across_a_stop(state, met) + of_another(params, state) + which_part(params, state)
    doubts += doubts_of_making(params, state, met) + does_itself(state, met) + on_both_sides(state, met)
    return doubts + (
        lists_places(state)
        + says_both(state)
        + says_only_it(state)
        + says_there(state)
        + lists_what_is_no_name(state)
        + says_where_in_a_text(state)
        + adds_what_is_left(state)
        + says_an_order(state)
    )


def _carries_nothing(token: Token, state: State, is_open: bool) -> bool:
    """Whether a word that is left over may be passed over here."""
    if token.text in WHOLE - IDLE:
        # “The whole project” is what a command is about where nothing is named; beside a name it is something else.
        place = state.lexicon.registry.said(state.entry.command).places.get("path")
        return is_open and place is not None and not place.makes
    if token.text in _TIMES and _says_when(token, state):
        return False
    if token.text == "only":
        return _restricts_what_is_said(token, state)
    return token.text in IDLE or is_manner(token.text) or _is_form_of_idle(token, state)


_TIMES = frozenset({"may", "morning", "afternoon", "evening"})
_BEFORE_TIMES = frozenset("of in for from since until last this the every tomorrow at by".split())


def _says_when(token: Token, state: State) -> bool:
    """“The minutes of May” are other ones than those of March, and what is to be in the evening is not now."""
    at = next(number for number, one in enumerate(state.tokens) if one is token)
    return at > 0 and state.tokens[at - 1].text in _BEFORE_TIMES


def _is_form_of_idle(token: Token, state: State) -> bool:
    """“Having”, “needing”: words that carry nothing, in another form of theirs."""
    return token.text.endswith(("ing", "s")) and bases(token.text)[-1] in IDLE - LEADING_NOUNS


def _but_only(token: Token, state: State) -> bool:
    at = next(number for number, one in enumerate(state.tokens) if one is token)
    return any(one.text == "only" for one in itertools.takewhile(_is_word, state.tokens[at + 1 : at + 5]))


def _is_word(token: Token) -> bool:
    return token.kind == WORD


def _is_before_its_verb(only: Token, state: State, met: Met) -> bool:
    """“Only show what is in it”: nothing but that is to be done."""
    before = [one for one in state.tokens if one.kind != SIGN and one.start < state.tokens[met.used[0]].start]
    behind = [one for one in before if one.start > only.start]
    return only in before and all(one.text in IDLE for one in behind)


_ANY_THINGS = frozenset({"stuff", "things", "thing", "ones", "part", "bits", "parts"})


def _restricts_what_is_said(only: Token, state: State) -> bool:
    """Whether “only” goes with something that was taken up: “only the first lines”, “app.py only”."""
    loose = {token.start for token in state.left}
    at = next(number for number, token in enumerate(state.tokens) if token is only)
    behind = [
        one for one in state.tokens[at + 1 :] if one.kind != SIGN and (one.text not in IDLE or one.start not in loose)
    ]
    behind = behind[:1]
    before = [one for one in state.tokens[:at] if one.kind != SIGN and one.text not in ARTICLES | _ANY_THINGS][-1:]
    behind = [one for one in behind if not is_noun(one, state.entry.about, state.lexicon)] or behind
    if any(one.kind == WORD and is_noun(one, state.entry.key, state.lexicon) for one in behind):
        return True
    literal = any(one.is_literal and one.start not in loose for one in before)
    return literal or any(one.start not in loose for one in behind or before)


def _purpose(state: State) -> list[Token]:
    """The words that say what something new is for, where its name is said: “a folder for the spring, named x”."""
    own = next((slot for slot in state.entry.sense.slots if slot.is_object), None)
    made = state.params.get(own.parameter) if own is not None else None
    place = state.lexicon.registry.said(state.entry.command).places.get(own.parameter) if own is not None else None
    if made is None or made.span is None or place is None or not place.makes:
        return []
    named = [token.start for token in state.tokens if token.text in NAMING and token.end <= made.span[0]]
    left = sorted(state.left, key=lambda token: token.start)
    at = next((at for at, token in enumerate(left) if token.text == "for"), None)
    if not named or at is None or not left[at].start < named[-1]:
        return []
    words = list(itertools.takewhile(lambda token: token.kind == WORD and token.start < named[-1], left[at:]))
    return [] if any(state.situation.tree.kind(token.value) for token in words) else words


def _of_words(state: State, met: Met, left: _Left) -> float:
    """What the words say against a reading: those left over, slips of its verb; and for it: its own nouns."""
    about = {singular(token.text) for token in left.nouns} | _nouns_in_values(state)
    about |= {state.tokens[at].text for at in met.used if state.tokens[at].text in state.entry.about}
    first = next((at for at, token in enumerate(state.tokens) if token.kind != SIGN and token.text not in IDLE), 0)
    cost = sum(2.0 if token.is_literal else 1.0 for token in left.unexplained)
    cost += 1.0 * len(left.doubts) + 0.1 * len(left.superfluous) + 0.1 * len(left.slips)
    # However politely it is said, that is no more against it.
    cost += min(0.2, 0.05 * sum(1 for token in left.idle if token.text not in ARTICLES))
    cost += met.cost + 0.3 * met.typos + 0.15 * _nouns_in_text(state)
    cost -= 0.25 * min(len(about), 2) + min(0.15 * (met.words - 1), 0.3)
    return cost + (0.0 if met.used[0] <= first else 0.25)


def _of_values(values: Sequence[Filled], missing: Sequence[str]) -> float:
    """What its values say against a reading: those in doubt or missing; literal ones speak for it."""
    cost = sum(one.penalty + (0.5 if one.value is None else 0.8 * (1 - one.confidence)) for one in values)
    cost += 0.6 * len(missing) + (0.3 if missing and not values else 0.0)
    return cost - 0.3 * min(sum(one.literals for one in values), 3)


def _nouns_in_text(state: State) -> int:
    """How many nouns that some way of saying must have were taken for somebody's own text."""
    spans = [one.span for one in state.params.values() if one.span and one.why == "it is not in quotes"]
    return sum(
        token.kind == WORD
        and token.text in state.lexicon.keys
        and any(start <= token.start and token.end <= end for start, end in spans)
        for token in state.tokens
    )


def _nouns_in_values(state: State) -> set[str]:
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
