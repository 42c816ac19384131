"""Slots that no wording of a rule's task has: a context that names one takes its value from a belief. Pure.

    CONSIDERING you see a {thing} on the {place}       matches “You see a metal pot on the table.”

What is found here are proposals: a rule is used only when every one of its contexts, filled with them, is entailed.
So where a model may be asked whether it follows, a belief need not have every word of a context that no belief says:

    CONSIDERING a {kind} tree grows in the {pot}       takes values from “You see a lemon tree in the red pot.”
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

from agents.rules.bodies import slot_kinds, slots_in
from agents.rules.cascade import content_words
from agents.rules.facts import Listing, Sight, Thing, is_below, join
from agents.rules.grammar import Context, Rule
from agents.rules.selection import Relevant, SlotValue, value_problem
from agents.rules.sentences import read_fact, sentences, tidy
from agents.rules.sights import as_seen
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import HOSTS_KIND
from agents.toolkit.types import Belief
from agents.toolkit.wording.kinds import OF_SEVERAL_WORDS
from agents.toolkit.wording.slots import Template, TemplateError, compile_template
from agents.toolkit.wording.words import NOISE, Text, Value, fold, read_text, unescape

MAX_MATCHES = 200
# So many beliefs at most are taken for what they say in part: judging one costs a model some eight pairs.
MAX_NEARLY = 8
# What `Thing` says of a file that is there.
_WORDS_OF_A_LIST = frozenset({"there", "is", "file", "or", "folder", "named"})
_MARKS = ".,;:!?"
_Values = Mapping[str, SlotValue]


@dataclass(frozen=True)
class Binding:
    """A context that gives slots their values, as a pattern of beliefs; `slots` are those that none before it names."""

    context: Context
    template: Template
    slots: tuple[str, ...]


@dataclass(frozen=True)
class Proposals:
    """A relevant rule with each set of values that its contexts take from beliefs, in the order of the beliefs.

    `is_cut`: there are more than MAX_MATCHES, and the rest is left out.
    """

    relevant: tuple[Relevant, ...]
    is_cut: bool = False


@lru_cache(maxsize=4_096)
def bindings_of(rule: Rule) -> tuple[Binding, ...]:
    """Return the contexts of a rule that give slots their values: those that are not denied, each for what is new."""
    known = set(rule.slots)
    found = []
    for context in rule.contexts:
        new = tuple(slot for slot in slots_in(context.text) if slot not in known)
        template = pattern_of(context) if new else None
        if template is not None:
            found.append(Binding(context, template, new))
            known.update(new)
    return tuple(found)


def pattern_of(context: Context) -> Template | None:
    """Return a context as a pattern of beliefs; None when it is denied or cannot be one."""
    # In quotes stands a value, which a pattern has only as words.
    return None if context.negated or '"' in context.text else _compiled(_as_pattern(context.text))


def _compiled(pattern: str) -> Template | None:
    try:
        return compile_template(pattern)
    except TemplateError:
        return None


def proposals(
    relevant: Relevant,
    rules: tuple[Rule, ...],
    registry: Registry,
    beliefs: Sequence[Belief],
    cwd: str,
    *,
    asks_models: bool = False,
) -> Proposals:
    """Return the rule as it is, or once for each way in which beliefs give its further slots their values.

    A rule whose contexts no belief matches comes back as it is, so that its reader learns which context it was.
    `asks_models`: what is open is put to a model, so beliefs that say a context in part are taken where none says it.
    """
    rule = relevant.known.rule
    bindings = bindings_of(rule)
    if not bindings:
        return Proposals((relevant,))
    kinds = slot_kinds(rule, rules, registry)
    found: list[_Values] = [{}]
    is_cut = False
    for binding in bindings:
        matches = list(_matches(binding, kinds, beliefs, cwd))
        if asks_models and not matches:
            matches = _nearly(binding, kinds, beliefs, cwd)
        joined = _distinct(both for one in found for match in matches if (both := _joined(one, match, relevant)))
        found = list(islice(joined, MAX_MATCHES + 1))
        is_cut = is_cut or len(found) > MAX_MATCHES
        del found[MAX_MATCHES:]
    filled = tuple(replace(relevant, slots={**relevant.slots, **values}) for values in found)
    return Proposals(filled or (relevant,), is_cut)


def _matches(binding: Binding, kinds: Mapping[str, str], beliefs: Sequence[Belief], cwd: str) -> Iterator[_Values]:
    """Each belief that has the words of the context, with what it says for the slots; the first way to read it."""
    of_list = binding.template.needed <= _WORDS_OF_A_LIST
    for belief in beliefs:
        for text in (*_readings(belief.sentence), *(_listed(belief.sentence) if of_list else ())):
            values = _read(binding.template, text, kinds, belief, cwd)
            if values is not None:
                yield values


def _read(template: Template, text: Text, kinds: Mapping[str, str], belief: Belief, cwd: str) -> _Values | None:
    """What a sentence says for the slots; None where it is no match or says what a slot cannot be."""
    match = template.match(text, kinds)
    if match is None:
        return None
    values = {slot: _value(value, kinds[slot], belief, cwd) for slot, value in match.values.items()}
    return None if any(value.problem for value in values.values()) else values


def _nearly(binding: Binding, kinds: Mapping[str, str], beliefs: Sequence[Belief], cwd: str) -> list[_Values]:
    """What the beliefs with most words of the context say for its slots, when the words that they lack are left out."""
    found = []
    for belief in beliefs:
        for text in _plainly(belief.sentence):
            kept = _kept(binding.context.text, text.vocabulary)
            # Of a part in brackets one end may be missing.
            template = _compiled(kept) if kept else None
            values = _read(template, text, kinds, belief, cwd) if template is not None else None
            if values is not None:
                found.append((len(content_words(kept)), values))
    found.sort(key=lambda each: -each[0])
    return [values for _, values in found[:MAX_NEARLY]]


def _kept(context: str, vocabulary: Set[str]) -> str:
    """The slots of a context and those of its words that are in the vocabulary.

    Empty where no word is left that says what it is about, or none between two slots: then nothing parts their values.
    """
    pieces = [piece for piece in tidy(context).split() if slots_in(piece) or fold(piece.strip(_MARKS)) in vocabulary]
    told = " ".join(piece for piece in pieces if not slots_in(piece))
    is_parted = not any(slots_in(one) and slots_in(other) for one, other in pairwise(pieces))
    return " ".join(pieces) if is_parted and content_words(told) else ""


@lru_cache(maxsize=16_384)
def _plainly(said: str) -> tuple[Text, ...]:
    """The sentences of a belief; of what is seen only what it is and where, since that can be said in any way."""
    told = []
    for sentence in sentences(said):
        fact = read_fact(sentence)
        is_here = isinstance(fact, Sight) and fact.positive
        told.append(as_seen(tidy(sentence)).removeprefix("you see ") if is_here else tidy(sentence))
    return tuple(read_text(text, exact=True) for text in told)


@lru_cache(maxsize=16_384)
def _as_pattern(text: str) -> str:
    """What is here in the words in which it is seen; what says anything else, of files say, as it is."""
    return as_seen(text) if isinstance(read_fact(text), Sight) else text


@lru_cache(maxsize=16_384)
def _readings(said: str) -> tuple[Text, ...]:
    """The sentences of a belief; of what is here also in the words in which it is seen, as patterns have it."""
    told = [tidy(sentence) for sentence in sentences(said)]
    return tuple(read_text(text, exact=True) for text in dict.fromkeys((*told, *map(_as_pattern, told))))


@lru_cache(maxsize=16_384)
def _listed(said: str) -> tuple[Text, ...]:
    """What a list of files says of each of its names: that it is there."""
    facts = [fact for sentence in sentences(said) if isinstance(fact := read_fact(sentence), Listing)]
    things = (Thing(fact.kind, join(fact.folder, name), True) for fact in facts for name in fact.names)
    return tuple(read_text(tidy(thing.sentence()), exact=True) for thing in things)


def _value(value: Value, kind: str, belief: Belief, cwd: str) -> SlotValue:
    said = unescape(value.raw) if value.quoted else value.raw
    if kind in OF_SEVERAL_WORDS and not value.quoted:
        said = _without_article(said)
    problem = value_problem(said, kind) or ("" if said else "is empty")
    if kind == "path" and cwd and not problem:
        # Beliefs name paths from the root, steps and contexts from the current folder.
        problem = "" if is_below(join("", said), cwd) else "is not in the current folder"
        said = join("", said)[len(cwd) + 1 :]
    return SlotValue(said, kind, None, problem, belief.sentence)


def _without_article(said: str) -> str:
    words = said.split()
    while words and fold(words[0]) in NOISE:
        del words[0]
    return " ".join(words)


def _joined(one: _Values, match: _Values, relevant: Relevant) -> _Values | None:
    """Both sets of values; None where they, or what the goal says, give a slot two values."""
    said_by_task = relevant.known.rule.slots
    for slot, value in match.items():
        known = relevant.slots.get(slot) if slot in said_by_task else one.get(slot, value)
        if known is None or not _same(known, value):
            return None
    return {**{slot: value for slot, value in match.items() if slot not in said_by_task}, **one}


def _same(one: SlotValue, other: SlotValue) -> bool:
    if one.kind in ("path", "name"):
        return join("", one.value) == join("", other.value)
    return fold(one.value) == fold(other.value)


def _distinct(found: Iterable[_Values]) -> Iterator[_Values]:
    seen = set()
    for values in found:
        key = tuple(sorted((slot, value.value) for slot, value in values.items()))
        if key not in seen:
            seen.add(key)
            yield values


def unfit_for_belief(command: Command, values: Mapping[str, Value], from_beliefs: Set[str]) -> str | None:
    """Return the slot that must not have its value from a belief; None when there is none.

    Beliefs repeat what stands in files and names of them. Which program is started, and what hosts it may reach, is
    said by people and by rules.
    """
    for name, value in values.items():
        used = [slot for slot in slots_in(value.raw) if slot in from_beliefs]
        if used and command.kind(name) == HOSTS_KIND:
            return used[0]
        program = slots_in(value.raw.split()[0]) if used and name == "command_line" else ()
        if unfit := next((slot for slot in program if slot in from_beliefs), None):
            return unfit
    return None
