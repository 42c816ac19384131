"""From a text to the commands that it means: part it, read the parts one after the other, decide each, or ask.

A part is taken only when one reading explains all of it, nothing is missing and no other reading is about as good.
Everything else is a question that names what is in doubt, with the likely answers. Nothing is passed over in silence.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.types import Param
from agents.bdi.understanding import clauses, effects, filler, triggers
from agents.bdi.understanding.asking import about_values, too_much, unknown, which
from agents.bdi.understanding.binding import commands_of
from agents.bdi.understanding.effort import Effort, TooMuch
from agents.bdi.understanding.judging import Reading
from agents.bdi.understanding.lexicon import Lexicon, lexicon_of
from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.reading import readings
from agents.bdi.understanding.state import Situation
from agents.bdi.understanding.tokens import SIGN, WORD, Token, tokens_of
from agents.bdi.understanding.understood import Meant, Question, Understood
from agents.rules.words import fold
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import JsonError, loads_strict, problems

MAX_CHARS = 8_000
MAX_COMMANDS = 30
# More words than these are no commands; a text in quotes counts as one.
MAX_TOKENS = 400
# At so many places may another command begin, and so many of the pieces between them may be one command.
MAX_CUTS, MAX_JOINED = 90, 6
# A reading may have that much against it, and a second one must have so much more.
MOST_COST, LEAST_MARGIN = 0.55, 0.3
# What has more than this against it says nothing about what is meant.
HOPELESS = 3.2
_SEGMENT, _LEAST_COST = 0.75, -0.6
# Verbs that go without saying, and what speaks against a reading with one.
_UNSAID, _FOR_UNSAID = ("show", "give", "make", "turn"), 0.3
_NAMING = ("called", "named", "name", "titled", "title")


@dataclass(frozen=True)
class _Part:
    tokens: tuple[Token, ...]
    text: str
    verb: tuple[Token, ...] = ()


def understand(text: str, tree: Tree, registry: Registry) -> Understood:
    """What a text means in this workspace. Empty when no command is recognised in it at all."""
    if len(text) > MAX_CHARS or not text.strip():
        return Understood()
    if (given := _as_data(text, registry)) is not None:
        return given
    lexicon, effort = lexicon_of(registry), Effort()
    try:
        parts = _parts(filler.blanked(text), Situation(text, tree, effort=effort), lexicon)
        return _read_all(text, parts, tree, lexicon, effort)
    except TooMuch:
        return Understood(questions=(too_much(text),))


def _as_data(text: str, registry: Registry) -> Understood | None:
    """A text that is itself {tool, command, params}, or a list of them."""
    if text.strip()[:1] not in "{[":
        return None
    try:
        raw = loads_strict(text)
    except JsonError:
        return None
    items = raw if isinstance(raw, list) else [raw]
    meant = []
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("params", {}), dict):
            return None
        try:
            command = registry.command(str(item.get("tool", "")), str(item.get("command", "")))
        except UnknownTool:
            return None
        also = registry.said(command).also
        params = {
            also.get(name, name) if name not in command.properties else name: value
            for name, value in item.get("params", {}).items()
        }
        if problems(command.schema, params):
            return None
        meant.append(
            Meant(
                command.tool,
                command.name,
                {name: Param(value, "explicit") for name, value in params.items()},
                text,
                1.0,
            )
        )
    return Understood(tuple(meant), confidence=1.0) if meant else None


def _parts(blank: str, situation: Situation, lexicon: Lexicon) -> list[_Part]:
    """The clauses of a text, in the order in which they are meant, by the parting that leaves least unexplained."""
    found: list[_Part] = []
    for start, end in clauses.in_order(blank):
        tokens = tokens_of(" " * start + blank[start:end])
        if len(tokens) > MAX_TOKENS:
            raise TooMuch
        found += _best_parting(_spread(tokens, situation.tree, lexicon), situation, lexicon)
    if len(found) > MAX_COMMANDS:
        raise TooMuch
    return found


def _spread(tokens: list[Token], tree: Tree, lexicon: Lexicon) -> list[Token]:
    """Words as they are meant: “teh” is “the”, and `list_directory`, which is no name here, the words that it joins."""
    found: list[Token] = []
    for token in tokens:
        if not tree.kind(token.value) and (small := lexicon.idle(token)):
            found.append(replace(token, text=small))
            continue
        words = [word for word in token.text.split("_") if word]
        is_name = tree.kind(token.value) or token.text in lexicon.names or len(words) < 2
        first = replace(token, text=words[0]) if words else token
        if (
            token.kind != WORD
            or is_name
            or not lexicon.is_verb(first)
            or "_" not in token.text
            or not all(lexicon.knows(fold(word)) for word in words)
        ):
            found.append(token)
            continue
        at = token.start
        for word in words:
            found.append(Token(WORD, fold(word), word, at, at + len(word)))
            at += len(word) + 1
    return found


def _best_parting(tokens: list[Token], situation: Situation, lexicon: Lexicon) -> list[_Part]:
    raw = situation.raw
    cuts = [0, *clauses.boundaries(tokens, lexicon), len(tokens)]
    if len(cuts) == 2:
        return [part] if (part := _part(tokens, raw)) else []
    if len(cuts) > MAX_CUTS:
        raise TooMuch
    alone = [_stands_alone(tokens[start:end], situation, lexicon) for start, end in itertools.pairwise(cuts)]
    ways: list[tuple[float, list[_Part]]] = [(0.0, [])]
    for end in range(1, len(cuts)):
        here: list[tuple[float, list[_Part]]] = []
        for begin in range(max(0, end - MAX_JOINED), end):
            if begin < end - 1 and all(alone[begin:end]):
                continue
            part = _part(tokens[cuts[begin] : cuts[end]], raw)
            before, earlier = ways[begin]
            cost, whole = (0.0, None) if part is None else _cost(part, earlier, situation, lexicon)
            here.append((before + cost, [*earlier, whole] if whole is not None else earlier))
        # Of ways that cost the same the one that parts least.
        ways.append(min(here, key=lambda way: round(way[0], 9)))
    return ways[-1][1]


def _stands_alone(tokens: Sequence[Token], situation: Situation, lexicon: Lexicon) -> bool:
    """Whether a piece says a command and all that it needs: several such are never one command together."""
    kept = clauses.trimmed(tokens)
    if not kept or not lexicon.is_verb(kept[0]):
        return False
    own = _best(tuple(kept), situation, lexicon)
    return own is not None and not (own.missing or own.unexplained or own.doubts) and own.cost < 1.0


def _part(tokens: Sequence[Token], raw: str) -> _Part | None:
    kept = clauses.trimmed(tokens)
    if not kept:
        return None
    return _Part(tuple(kept), raw[kept[0].start : kept[-1].end])


class _Named(dict[tuple[str, str], str]):
    """While a text is parted nobody knows yet what “it” is; that something was named before is enough."""

    def get(self, key: Any, default: Any = None) -> Any:
        return "it"


_NAMED_BEFORE = _Named()


def _cost(part: _Part, earlier: Sequence[_Part], situation: Situation, lexicon: Lexicon) -> tuple[float, _Part | None]:
    """What speaks against taking these tokens as one command; a part may borrow the verb of the one before it."""
    if all(token.kind == WORD and token.text in filler.IDLE for token in part.tokens) and not lexicon.is_verb(
        part.tokens[0]
    ):
        return 0.1, None
    if earlier:
        situation = replace(situation, last=("it",), before=_NAMED_BEFORE)
    own = _best(part.tokens, situation, lexicon)
    cost = _capped(own)
    starts = next((token for token in part.tokens if not (token.kind == WORD and token.text in filler.IDLE)), None)
    if earlier and starts is not None and not lexicon.is_verb(starts):
        verb = earlier[-1].verb or _verb_of(earlier[-1].tokens, lexicon)
        borrowed = replace(part, tokens=(*verb, *part.tokens), verb=verb)
        again = _capped(_best(borrowed.tokens, situation, lexicon)) + 0.3
        if verb and again < cost:
            return again + _SEGMENT, borrowed
    return cost + _SEGMENT, part


def _best(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> Reading | None:
    found = _readings(tokens, situation, lexicon)
    return found[0] if found else None


def _readings(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """The readings of a clause; of one that begins with no verb also those with a verb that goes without saying.

    “The last five commits” is to be shown, “autonomous mode on” to be turned on. Only what is named by its own nouns is
    meant like that, and a name alone says nothing of what is to be done with it.
    """
    found = readings(tokens, situation, lexicon)
    first = next((one for one in tokens if one.kind != SIGN and one.text not in filler.IDLE), None)
    spoken = any(
        one.kind == WORD and one.text not in filler.IDLE and lexicon.knows(one.text)
        for one in tokens
        if not situation.tree.kind(one.value)
    )
    if first is None or lexicon.is_verb(first) or not spoken:
        return found
    if any(one.is_whole and one.cost <= MOST_COST for one in found):
        return found
    at = tokens[0].start
    is_named = any(one.is_literal or one.text in _NAMING for one in tokens)
    for verb in _UNSAID:
        if verb == "make" and not is_named:
            continue  # “that file is important” asks for nothing to be made
        whole = (Token(WORD, verb, verb, at, at), *tokens)
        found += [
            replace(one, cost=one.cost + _FOR_UNSAID)
            for one in readings(whole, situation, lexicon)
            if one.is_grounded and one.is_whole
        ]
    return sorted(found, key=lambda one: one.cost)


def _capped(reading: Reading | None) -> float:
    return 3.0 if reading is None else max(min(reading.cost, 6.0), _LEAST_COST)


def _verb_of(tokens: Sequence[Token], lexicon: Lexicon) -> tuple[Token, ...]:
    token = next((one for one in tokens if lexicon.is_verb(one) and one.text not in filler.IDLE), None)
    return (token,) if token else ()


def _read_all(text: str, parts: Sequence[_Part], tree: Tree, lexicon: Lexicon, effort: Effort) -> Understood:
    meant: list[Meant] = []
    questions: list[Question] = []
    notes: list[str] = []
    last: tuple[str, ...] = ()
    before: dict[tuple[str, str], str] = {}
    now = tree
    if parts and parts[0].text and text.find(parts[0].text) > 0:
        # “Before deleting a.txt, copy it”: what is meant later was spoken of first.
        ahead = tokens_of(text[: text.find(parts[0].text)])
        last = tuple(tree.full(token.value) for token in ahead if token.is_literal and tree.kind(token.value))
    for part in parts:
        situation = Situation(text, now, tuple(now.said(path) for path in last), before, effort)
        found = _readings(part.tokens, situation, lexicon)
        decided = _decide(part, found, len(meant) + 1, now)
        if decided is None:
            questions.append(unknown(part.text, len(meant) + 1))
            continue
        commands, question = decided
        meant += commands
        if question is not None:
            questions.append(question)
        for one in commands:
            command = lexicon.registry.command(one.tool, one.command)
            said = lexicon.registry.said(command)
            last = (*last, *effects.spoken(now, said, one.values()))
            now = effects.after(now, command, said, one.values())
            before |= {(one.tool, name): value for name, value in one.values().items() if isinstance(value, str)}
            notes += [f"“{extra}” is of no use to {one.command}" for extra in one.superfluous]
    if not meant and all(not question.choices for question in questions):
        return Understood(questions=tuple(questions[:1]), beliefs=triggers.beliefs(text, tree))
    sure = min((one.confidence for one in meant), default=0.0)
    return Understood(
        tuple(meant),
        tuple(questions),
        triggers.beliefs(text, tree),
        tuple(dict.fromkeys(notes)),
        0.0 if questions else sure,
    )


def _decide(part: _Part, found: list[Reading], step: int, tree: Tree) -> tuple[list[Meant], Question | None] | None:
    """The commands of a clause; with a question where it is not sure; None when nothing is recognised."""
    distinct = _distinct(found)
    if not distinct or distinct[0].cost > HOPELESS:
        return None
    best = distinct[0]
    rivals = [one for one in distinct[1:] if one.cost - best.cost < LEAST_MARGIN and _rivals(best, one)]
    margin = min((one.cost - best.cost for one in distinct[1:] if _rivals(best, one)), default=1.0)
    if best.is_whole and best.cost <= MOST_COST and not rivals:
        return commands_of(part.text, best, margin), None
    if best.unexplained or best.doubts or (best.is_whole and (rivals or best.cost > MOST_COST)):
        return [], which(part.text, best, [one for one in distinct[1:6] if one.cost <= best.cost + 1.2], step)
    if rivals and not best.is_whole:
        whole = [one for one in rivals if one.is_whole]
        if whole or all(one.command is not best.command for one in rivals):
            return [], which(part.text, best, rivals, step)
    return commands_of(part.text, best, margin), about_values(part.text, best, step, tree)


def _rivals(best: Reading, other: Reading) -> bool:
    """Whether another reading could be meant instead: one that explains as much and lacks no more."""
    if best.is_whole:
        return other.is_whole
    return len(other.unexplained) + len(other.doubts) <= len(best.unexplained) + len(best.doubts)


def _distinct(found: Sequence[Reading]) -> list[Reading]:
    """Readings that mean different things, each by its likeliest way."""
    kept: dict[Any, Reading] = {}
    for one in found:
        defaults = one.command.defaults()
        values = {name: value for name, value in one.values().items() if defaults.get(name) != value}
        key = (
            one.command.tool,
            one.command.name,
            repr(sorted(values.items(), key=str)),
            tuple(map(repr, (item.value for item in one.items))),
            one.missing,
        )
        kept.setdefault(key, one)
    return list(kept.values())


def by_name(understood: Understood) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Tool, command and values of each command."""
    return [(one.tool, one.command, one.values()) for one in understood.meant]
