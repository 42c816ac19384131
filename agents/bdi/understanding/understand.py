"""From a text to the commands that it means: split it, read the clauses one by one, decide each, or ask.

A part is taken only when one reading explains all of it, nothing is missing and no other reading is about as good.
Everything else is a question that names what is in doubt, with the likely answers. Nothing is passed over in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.understanding.as_data import as_data
from agents.bdi.understanding.asides import courtesy, moods
from agents.bdi.understanding.checks import bounds, qualifiers, reservations
from agents.bdi.understanding.checks.dropped_words import with_its_reason
from agents.bdi.understanding.checks.offered import offered
from agents.bdi.understanding.checks.second_look import keeping, looked_at
from agents.bdi.understanding.checks.steps_in_order import doubts_of_order
from agents.bdi.understanding.checks.word_coverage import not_carried
from agents.bdi.understanding.effort import MOST_TO_GUESS, Effort, TooMuch
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.questions import MAX_CHOICES, asked_with, choice_of, short, too_much
from agents.bdi.understanding.reading.state import Situation
from agents.bdi.understanding.texts.one_by_one import Heard, read_through
from agents.bdi.understanding.texts.same_command import by_its_own_tool
from agents.bdi.understanding.texts.splitting import MAX_TOKENS, WAYS, Names, spelt
from agents.bdi.understanding.texts.suggestions import guessed
from agents.bdi.understanding.texts.without_remarks import UNCLEAR, beside_remarks, beside_talk, with_told
from agents.bdi.understanding.understood import Meant, Question, Understood
from agents.bdi.understanding.words.dictated import written
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import SIGN, Token, tokens_of
from agents.toolkit.registry import Registry
from sandbox.command_line import PROGRAMS

MAX_CHARS = 8_000
# “So that it begins with 2031” says what is to come of it; “so that we have room” only why.
_AS_IT_IS_TO_BE = re.compile(r"\b(?:so|such)(?: that)? (?:it|its|they|their|each|every|all)\b", re.IGNORECASE)


def understand(text: str, tree: Tree, registry: Registry) -> Understood:
    """What a text means in this workspace. Empty when no command is recognised in it at all."""
    if len(text) > MAX_CHARS or not text.strip():
        return Understood()
    if (given := as_data(text, registry)) is not None:
        return given
    try:
        heard = _heard(text, tree, registry, Effort())
        found = _read_or_asked(heard, registry)
        if found.is_sure or heard.told.only_tells:
            return offered(found, text, tree, registry)
        found = offered(found, text, tree, registry)
        effort = Effort(MOST_TO_GUESS)
        heard = replace(heard, effort=effort, tree=replace(heard.tree, effort=effort))
        likely = guessed(heard, found, lambda other, effort: _read(_heard(other, tree, registry, effort), registry))
        return offered(likely, text, tree, registry)
    except TooMuch:
        return Understood(questions=(too_much(text),))


def _read_or_asked(heard: Heard, registry: Registry) -> Understood:
    """What a text means, or that it says too much at once: parts of it may still be understood."""
    try:
        return _read(heard, registry)
    except TooMuch:
        return Understood(questions=(too_much(heard.text),))


def _heard(text: str, tree: Tree, registry: Registry, effort: Effort) -> Heard:
    lexicon, tree = lexicon_of(registry), replace(tree, effort=effort)
    blank = courtesy.blanked(text)
    tokens = written(tokens_of(blank))
    told = moods.told_in(tokens, tree, lexicon) if len(tokens) <= MAX_TOKENS else moods.Told()
    return Heard(text, blank, tuple(tokens), told, tree, lexicon, effort=effort)


def _read(heard: Heard, registry: Registry) -> Understood:
    """What a text means by the likeliest of the ways to take names in it. Raises TooMuch."""
    text, tree = heard.text, heard.tree
    found = [_understood(heard)]
    seen = [list(heard.tokens)]
    for names in WAYS if len(heard.tokens) <= MAX_TOKENS else ():
        if names.endswith("new") and any(one.is_sure for one in found):
            break
        if (said := spelt(list(heard.tokens), Situation(text, tree), heard.lexicon, names)) not in seen:
            seen.append(said)
            found.append(_within(heard, names))
            if _is_a_name(said) and found[0].is_sure and not _is_the_same(found[0], found[-1], text, registry):
                return _either_name(found[0], found[-1], text)
    if not any(one.is_sure for one in found):
        found += beside_talk(heard)
    found = [with_its_reason(by_its_own_tool(one, text, registry), text, registry) for one in found]
    return _held_back(looked_at(_likeliest(found, text, tree), text, tree), text, tree, registry, heard.effort)


def _within(heard: Heard, names: Names) -> Understood:
    """What is understood with names taken in another way; nothing where the text has cost too much by then."""
    try:
        return _understood(replace(heard, names=names))
    except TooMuch:
        return Understood()


def _understood(heard: Heard) -> Understood:
    text, told = heard.text, heard.told
    found = None
    if told.spans and not told.only_tells:
        found = with_told(heard, told)
    if found is None:
        found = read_through(heard, heard.blank, moods.Told())
    if not found.is_sure and heard.tokens and not told.forbids and not told.only_tells:
        found = beside_remarks(heard) or found
    if told.only_tells and told.spans:
        return asked_with(text, found, "It tells, and asks for nothing.")
    return asked_with(text, replace(found, aside=()), UNCLEAR) if told.is_unclear else found


def _held_back(found: Understood, text: str, tree: Tree, registry: Registry, effort: Effort) -> Understood:
    """The same, or the question where it is understood and may not be asked for."""
    if not found.is_sure:
        # What is set aside may be just what is in doubt, so no answer may leave it out.
        return replace(found, aside=())
    if in_the_way := [*_possible(found.meant, tree, registry)]:
        why, meant = in_the_way[0][0], in_the_way[-1][1]
        return asked_with(text, replace(found, meant=meant, aside=()), why)
    why = next(reservations.not_asked_now(found.meant, text, registry), "")
    why = why or next(qualifiers.ruled(found.meant, text, tree, registry), "")
    for piece in () if why else (piece for one in found.meant for piece in one.superfluous):
        # “…, autonomous off” is a command, too.
        if piece != text and _read(_heard(piece, tree, registry, effort), registry).is_sure:
            why = f"“{short(piece)}” may be to be done, too."
    plain = courtesy.without_emphasis(text)
    between = reservations.left_between(found.meant, plain if all(one.text in plain for one in found.meant) else text)
    if not why and any(reservations.taken_back(one, found.meant, tree, registry) for one in between):
        why = UNCLEAR
    why = why or next(bounds.loose(found.meant, text, tree, registry), "")
    if why:
        return asked_with(text, replace(found, aside=()), why)
    if not (pieces := tuple(not_carried(found, text, registry))):
        return found
    destroys = any(registry.command(one.tool, one.command).destroys(one.values()) for one in found.meant)
    aside = found.aside if destroys else (*found.aside, *pieces)
    found = replace(found, aside=tuple(piece for piece in aside if not _AS_IT_IS_TO_BE.search(piece)))
    return asked_with(text, found, f"No step of it does anything about “{pieces[0]}”.")


def _possible(meant: tuple[Meant, ...], tree: Tree, registry: Registry) -> Iterator[tuple[str, tuple[Meant, ...]]]:
    """Why the commands cannot be done one after another, each reason with them as they can be as far as that goes."""
    while doubt := next(doubts_of_order(meant, tree, registry), None):
        why, other = doubt
        meant = other or meant
        yield why, meant
        if not other:
            return


def _likeliest(found: Sequence[Understood], text: str, tree: Tree) -> Understood:
    """Of the ways to take names: what is sure, and where two are and differ, which of them is meant."""
    sure = keeping([one for one in found if one.is_sure], text, tree)
    if not sure:
        return min(found, key=_openness)
    if all(by_name(one) == by_name(sure[0]) for one in sure):
        return sure[0]
    choices = tuple(choice_of(one.meant) for one in sure)
    why = "It can be read in more than one way."
    return Understood(questions=(Question(1, f"What is meant by “{short(text)}”?", why, "", choices),))


def _is_a_name(tokens: Sequence[Token]) -> bool:
    """Whether a text is nothing but a phrase that names something here."""
    spoken = [token for token in tokens if token.kind != SIGN and token.text not in ARTICLES | {"please", "kindly"}]
    if spoken and spoken[0].said.split(" ")[0] in PROGRAMS:
        return False  # “python sorting.py” is typed
    return len(spoken) == 1 and bool(spoken[0].said)


def _is_the_same(plain: Understood, named: Understood, text: str, registry: Registry) -> bool:
    """Whether what the name stands for is what the command is about: “todo note” is the file notes/todo.md."""
    meant = [choice.meant for question in named.questions for choice in question.choices if choice.meant]
    meant += [named.meant] if named.is_sure else []
    own = [by_its_own_tool(Understood(meant=one), text, registry) for one in meant]
    return bool(own) and all(by_name(one) == by_name(plain) for one in own)


def _either_name(plain: Understood, named: Understood, text: str) -> Understood:
    """What is asked where a whole text is a name here, and a command too: “log of worker”, with a logs/worker.log."""
    others = [choice for question in named.questions for choice in question.choices if choice.meant]
    if all(by_name(Understood(choice.meant)) == by_name(plain) for choice in others):
        return plain  # “I would like to see the rota” asks for what its name alone would offer.
    choices = (choice_of(plain.meant), *others[: MAX_CHOICES - 1])
    why = "It is the name of something here, too."
    return Understood(questions=(Question(1, f"What is meant by “{short(text)}”?", why, "", choices),))


def _openness(found: Understood) -> tuple[int, int]:
    """How much stays open of what is not sure: questions that nothing is offered for, then questions."""
    return sum(not one.choices and not one.parameter for one in found.questions) or not found.questions, len(
        found.questions
    )


def by_name(understood: Understood) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Tool, command and values of each command."""
    return [(one.tool, one.command, one.values()) for one in understood.meant]
