"""Reading one clause as one command, by each declared pattern; unexplained words count against a reading.

A reading's cost is what speaks against it: words it cannot explain, values that are missing or in doubt, slips of
typing. Nothing is hidden: a word that no reading explains is never passed over, it makes the reading doubtful.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding.names.paths import find
from agents.bdi.understanding.reading.chunks import chunked
from agents.bdi.understanding.reading.destination import with_places
from agents.bdi.understanding.reading.doubts import is_in_a_place, placeholders
from agents.bdi.understanding.reading.judging import ANY_READING, Reading, Wanted, is_grounded, judged
from agents.bdi.understanding.reading.options import (
    take_asides,
    take_codes,
    take_count,
    take_counted,
    take_flags,
    take_keys,
    take_quoted,
    take_times,
)
from agents.bdi.understanding.reading.placing import take_beside
from agents.bdi.understanding.reading.slots import fill_slots
from agents.bdi.understanding.reading.state import Situation, State, asked_of, forms_of, is_noun
from agents.bdi.understanding.reading.unknown_settings import take_settings
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.values.filling import fill
from agents.bdi.understanding.values.line_values import TOLD
from agents.bdi.understanding.words.filler import IDLE, INFINITIVE
from agents.bdi.understanding.words.lexicon import Entry, Lexicon, Met
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import FLAG, PATH, QUOTED, SIGN, WORD, Token
from agents.toolkit.command import Command
from agents.toolkit.wording.words import fold
from sandbox.command_line import PROGRAMS

MAX_CUE_READINGS = 48
# Behind these a noun is a noun: “my notes” are no folder, though one may be called so.
_ALL_OF = frozenset({"my", "our", "all", "any", "every", "which", "what", "many"})


_TOOL_WORDS = frozenset(
    {"tool", "command", "use", "using", "with", "call", "run", "invoke", "via", "through", "execute", "start", "launch"}
)


def readings(
    tokens: Sequence[Token], situation: Situation, lexicon: Lexicon, wanted: Wanted = ANY_READING
) -> list[Reading]:
    """Every reading of a clause that is worth a thought, the likeliest first. Of those that are not `wanted` some are
    not worked out.
    """
    situation.effort.read(len(tokens))
    found: list[Reading] = []
    named_tools, named = _named(tokens, lexicon)
    forms = forms_of(tokens, lexicon)
    for number, mets in lexicon.met(tokens).items():
        entry = lexicon.entries[number]
        of_tool = frozenset(named_tools.get(entry.command.tool, ()))
        if entry.key and entry.key.isdisjoint(forms):
            # Most senses end here: none of what they must be about is said in any form.
            continue
        for met in _longest(mets):
            if wanted.grounded and not is_grounded(entry, met):
                continue
            if _is_attribute(met, tokens, lexicon):
                continue
            if met.typos and any(
                _is_named_here(tokens[at], situation) or _is_told_to_a_program(tokens, at) for at in met.used
            ):
                # What is the name of something here is no slip of a verb.
                continue
            found += _by(entry, met, tokens, situation, lexicon, of_tool, forms, wanted)
    for at, command in named:
        of_tool = frozenset(named_tools.get(command.tool, ()))
        for entry in lexicon.entries:
            if entry.command is command:
                met = Met((at,), 0, 2)
                found += _by(entry, met, tokens, situation, lexicon, of_tool, forms, wanted, by_name=True)
    found += _typed(tokens, situation, lexicon)
    for tool, where in named_tools.items():
        if all(at in where or token.kind == SIGN or token.text in IDLE for at, token in enumerate(tokens)):
            # A tool alone says nothing of what it is to do.
            continue
        first = lexicon.registry.tool(tool).commands[0]
        said = next((one for one in lexicon.entries if one.command is first), None)
        if said is None:
            continue  # nobody says it in passing: rules and plans name it
        met = Met(where, 0, 1)
        for one in _by(said, met, tokens, situation, lexicon, frozenset(where), forms, wanted, by_name=True):
            found.append(replace(one, cost=one.cost + 0.35))
    return sorted(found, key=lambda one: one.cost)


def _is_told_to_a_program(tokens: Sequence[Token], at: int) -> bool:
    """“Git stat” tells git something, and is no slip of “start”."""
    return at > 0 and tokens[at].value in PROGRAMS and tokens[at - 1].value in PROGRAMS


def _is_named_here(token: Token, situation: Situation) -> bool:
    tree = situation.tree
    if tree.kind(token.value):
        return True
    found = find(token.value, tree) if token.kind == WORD and len(token.text) > 3 else None
    return found is not None and found.value is not None and "ending" in found.why


def _typed(tokens: Sequence[Token], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """A command line as at a terminal: it begins with the name of a program that no command is said by."""
    first = tokens[0] if tokens else None
    if first is None or first.kind != WORD or first.value not in PROGRAMS | TOLD:
        return []
    entry = next((one for one in lexicon.entries if any(slot.shape == "line" for slot in one.sense.slots)), None)
    if entry is None:
        return []
    slot = next(slot for slot in entry.sense.slots if slot.shape == "line")
    state = State(entry, tokens, situation, lexicon, set())
    take_times(state)
    tokens = [token for at, token in enumerate(tokens) if at not in state.used]
    filled, rest = fill(tokens, asked_of(state, slot))
    if filled is None or rest:
        return []
    spoken = (
        [token for token in tokens if not (token.text in ("on", "over") and f" {token.text} " not in filled.value)]
        if isinstance(filled.value, str)
        else tokens
    )
    if first.value in TOLD:
        spoken = spoken[2:]  # “npm run”
    prose = sum(
        1
        for token in spoken
        if token is not first and token.kind == WORD and token.text in IDLE | {"only", "just", "against"}
    )
    prose += sum(token.kind == WORD and lexicon.is_exact_verb(token) and token.text.endswith("ing") for token in spoken)
    # “Diff against main” is English before it is a program with two arguments.
    is_line = (
        first.value in TOLD
        or _is_a_target(tokens, situation, lexicon)
        or (len(tokens) == 2 and tokens[1].text in _ASKING_A_PROGRAM)
    )
    typed = len(tokens) == 1 or is_line or any(token.is_literal or token.kind == FLAG for token in tokens)
    typed = (typed or any(situation.tree.kind(token.value) for token in tokens[1:])) and not prose
    return [
        Reading(
            entry.command,
            {slot.parameter: filled, **state.params},
            (),
            (),
            (),
            placeholders(filled.value, situation.tree),
            (1.0 if not is_line and lexicon.is_verb(first) and not _is_said_by(first, entry, lexicon) else -0.5)
            + 0.4 * prose
            + (0.0 if typed else 1.2)
            + filled.penalty,
            (),
            slot.parameter,
        )
    ]


def _is_a_target(tokens: Sequence[Token], situation: Situation, lexicon: Lexicon) -> bool:
    """“Make lint”, where a Makefile is: what it names is nothing that some command makes."""
    named = tokens[1:]
    if tokens[0].value != "make" or not 0 < len(named) < 4 or not situation.tree.kind("Makefile"):
        return False
    made = {noun for entry in lexicon.entries if ("make",) in entry.sense.verbs for noun in entry.key}
    return all(one.kind == WORD and one.value.islower() and one.text not in IDLE | made for one in named)


_ASKING_A_PROGRAM = frozenset({"--version", "--help", "-h", "-v"})


def _is_said_by(verb: Token, entry: Entry, lexicon: Lexicon) -> bool:
    """Whether the command that runs programs is itself said by this one's name: “tail”."""
    own = (lexicon.entries[number] for number, _ in lexicon.verbs.get(verb.text, ()))
    return any(one.command is entry.command and verb.text in one.key for one in own)


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
    texts = {token.text for token in tokens}
    for name, tool in names.items():
        spoken = [fold(word) for word in tool.label.split()]
        for said in {tuple(spoken), tuple(name.split("_"))}:
            if len(said) < 2 or not texts.issuperset(said):
                continue
            for at in range(len(tokens) - len(said) + 1):
                if tuple(one.text for one in tokens[at : at + len(said)]) == said:
                    tools.setdefault(name, tuple(range(at, at + len(said))))
    return tools, commands


_ARTICLES = frozenset({"a", "an", "the", "my", "our", "this", "that", "its", "his", "her", "their", "your"})


_DEFINITE = frozenset({"the", "my", "our", "this", "that"})


def _is_head(token: Token, lexicon: Lexicon) -> bool:
    return token.kind == WORD and (token.text in FILE_HEADS | FOLDER_HEADS or token.text in lexicon.keys)


def _is_attribute(met: Met, tokens: Sequence[Token], lexicon: Lexicon) -> bool:
    """Whether a verb stands between an article and a noun: “a better name” asks for nothing to be made better."""
    at = met.used[0]
    if at and met.words == 1 and tokens[at].text in ("named", "called", "titled") and _is_head(tokens[at - 1], lexicon):
        # “A folder named x would be nice” gives nothing a name.
        return True
    if met.words == 1 and tokens[at].text in INFINITIVE and at + 1 < len(tokens) and tokens[at + 1].text == "to":
        # “I want to commit” is about committing, and nothing is wanted.
        return True
    if at and tokens[at].text.endswith("ing") and tokens[at - 1].text in ("about", "of", "without"):
        # “The part about installing” is about it, and asks for nothing to be installed.
        return True
    if met.words != 1 or at == 0 or tokens[at - 1].text not in _ARTICLES or at + 1 >= len(tokens):
        return False
    if tokens[at + 1].text in ("is", "was", "are", "were", "has", "had", "says", "said", "tells"):
        # “That branch is important” is about it.
        return True
    token, noun = tokens[at], tokens[at + 1]
    if (
        noun.kind == PATH
        and tokens[at - 1].text in _DEFINITE
        and any(lexicon.is_exact_verb(one) for one in tokens[: at - 1])
    ):
        # “Use the virtualenv .venv”: what .venv is, and nothing that is to be made.
        return True
    if token.text in ("new", "empty", "blank") or (noun.kind != WORD and not noun.said):
        return False
    return noun.text not in IDLE and not lexicon.is_exact_verb(noun)


def _longest(mets: Sequence[Met]) -> list[Met]:
    """The verb expressions of a sense in a clause: the longest at each place, at most three of them."""
    best: dict[int, Met] = {}
    for met in mets:
        before = best.get(met.used[0])
        if before is None or (met.words - met.typos, -met.cost) > (before.words - before.typos, -before.cost):
            best[met.used[0]] = met
    return sorted(best.values(), key=lambda met: (-(met.words - met.typos), met.used[0]))[:3]


def _by(
    entry: Entry,
    met: Met,
    tokens: Sequence[Token],
    situation: Situation,
    lexicon: Lexicon,
    of_tool: frozenset[int],
    forms: frozenset[str],
    wanted: Wanted,
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
    base = State(entry, tokens, situation, lexicon, used, forms=forms)
    if entry.key and not by_name and not _is_about(base):
        return []
    situation.effort.read(len(tokens))
    take_keys(base)
    take_flags(base)
    take_times(base)
    take_quoted(base)
    take_counted(base)
    take_codes(base)
    take_asides(base)
    take_settings(base)
    take_beside(base)
    take_count(base)
    others = _of_others(base) if entry.never and not by_name else ()
    if wanted.whole and others:
        return []
    tries = ((one, chunks) for one in with_places(base) for chunks in itertools.islice(chunked(one), MAX_CUE_READINGS))
    for one, chunks in tries:
        situation.effort.read(len(tokens))
        state = replace(one, used=set(one.used), params=dict(one.params), left=[])
        if fill_slots(state, chunks, met) and not _lacks(state):
            for name, other in entry.sense.same.items():
                if other in state.params and not _is_of_a_range(state, state.params[other]):
                    state.params.setdefault(name, replace(state.params[other], literals=0))
            if (one_way := judged(state, met, by_name or bool(of_tool), wanted)) is not None:
                found.append(_doubted(one_way, others))
    return found


_RANGE = re.compile(
    r"\b(?:from|starting|beginning|since|after|until|till|to|at|with)\s+(?:the\s+)?lines?\s+(?:number\s+)?(?:an?\s+)?\Z",
    re.IGNORECASE,
)


def _is_of_a_range(state: State, filled: Filled) -> bool:
    """Whether a line is where a range begins or ends, and not the only one: “from line 12”."""
    start = filled.span[0] if filled.span else 0
    return bool(_RANGE.search(state.situation.raw[max(0, start - 40) : start]))


def _of_others(state: State) -> tuple[str, ...]:
    """The words of a clause with which another command is meant: “the latest commit” is no file."""
    return tuple(
        dict.fromkeys(
            token.text
            for at, (before, token) in enumerate(zip((None, *state.tokens), state.tokens, strict=False))
            if token.kind in (WORD, FLAG, SIGN)
            and (token.text in state.entry.never or singular(token.text) in state.entry.never)
            and (not state.situation.tree.kind(token.value) or (before is not None and before.text in _ALL_OF))
            and not (before is not None and before.text in ("named", "called"))
            and not (token.text == "copy" and before is not None and before.text == "the" and state.situation.last)
            and not (is_noun(token, FOLDER_HEADS, state.lexicon) and is_in_a_place(state.tokens, at))
        )
    )


def _doubted(reading: Reading, others: tuple[str, ...]) -> Reading:
    return replace(reading, doubts=(*reading.doubts, *others), cost=reading.cost + len(others)) if others else reading


def _lacks(state: State) -> bool:
    """Whether this way of saying it makes sense only with a value that is not there."""
    wants = state.entry.sense.wants
    return bool(wants) and not any(name in state.params for name in wants)


def _is_about(state: State) -> bool:
    """Whether one of the nouns is said that the sense needs; its verb's own words count."""
    wanted = state.entry.key
    return any(is_noun(token, wanted, state.lexicon) for token in state.tokens if token.kind == WORD)
