"""What speaks for and against a clause being meant as one command; every word of it is accounted for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.understanding.doubting import other_commands, speaks_of, verbs_in_values
from agents.bdi.understanding.filled import Filled
from agents.bdi.understanding.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.lexicon import Met
from agents.bdi.understanding.morphology import singular
from agents.bdi.understanding.placing import no_folders_for_files, of_what_is_there, put_into_folders, put_where_said
from agents.bdi.understanding.slots import by_position
from agents.bdi.understanding.state import State, is_noun
from agents.bdi.understanding.superfluous import without_superfluous
from agents.bdi.understanding.tokens import SIGN, WORD, Token
from agents.toolkit.command import Command


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
class _Left:
    """The words that no value and no verb took, by what they are."""

    nouns: tuple[Token, ...]
    idle: tuple[Token, ...]
    slips: tuple[Token, ...]
    unexplained: tuple[Token, ...]
    superfluous: tuple[str, ...]
    doubts: tuple[str, ...]


def judged(state: State, met: Met, is_named: bool) -> Reading:
    """A try whose values are found, as a reading: what is missing, what is left over, and what all that costs."""
    command = state.entry.command
    by_position(state)
    params = _with_fixed(state)
    put_where_said(params, state)
    of_what_is_there(params, state)
    put_into_folders(params, state)
    no_folders_for_files(params, state)
    own = next((slot.parameter for slot in state.entry.sense.slots if slot.is_object), "")
    missing = tuple(name for name in command.required if name not in params)
    left = _left(state, met, own not in params)
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
        bool(state.entry.key) or met.words > 1,
    )


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


def _left(state: State, met: Met, is_open: bool) -> _Left:
    """What is left over, sorted. `is_open`: the object of the command was not found."""
    left, superfluous = without_superfluous(state.left)
    nouns = [token for token in left if token.kind == WORD and is_noun(token, state.entry.about, state.lexicon)]
    left = [token for token in left if token not in nouns and token.kind != SIGN]
    doubts = tuple(dict.fromkeys(token.text for token in left if token.kind == WORD and token.text in DOUBT))
    # “Make it better” speaks of something, and nobody knows of what.
    doubts += tuple(dict.fromkeys(one.text for one in left if speaks_of(one, state, is_open)))
    doubts += verbs_in_values(state, met) + other_commands(state, left)
    slips = [token for token in left if state.lexicon.is_idle_slip(token)]
    left = [token for token in left if token not in slips]
    idle = [token for token in left if token.kind == WORD and token.text in IDLE]
    unexplained = [token for token in left if token not in idle and token.text not in DOUBT]
    return _Left(tuple(nouns), tuple(idle), tuple(slips), tuple(unexplained), (*state.asides, *superfluous), doubts)


def _of_words(state: State, met: Met, left: _Left) -> float:
    """What the words say against a reading: those left over, slips of its verb; and for it: its own nouns."""
    about = {singular(token.text) for token in left.nouns} | _nouns_in_values(state)
    about |= {state.tokens[at].text for at in met.used if state.tokens[at].text in state.entry.about}
    first = next((at for at, token in enumerate(state.tokens) if token.kind != SIGN and token.text not in IDLE), 0)
    cost = sum(2.0 if token.is_literal else 1.0 for token in left.unexplained)
    cost += 1.0 * len(left.doubts) + 0.1 * len(left.superfluous) + 0.1 * len(left.slips)
    cost += 0.05 * sum(1 for token in left.idle if token.text not in ARTICLES)
    cost += 0.3 * met.typos + 0.15 * _nouns_in_text(state)
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
