"""What may be offered as an answer: a command that changes something must say all that the text says.

“Remove the column email from contacts.csv” is no wish to remove contacts.csv: a person who picks the only answer there
is would lose a file. So what deletes, overwrites, writes, sends, starts or stops is offered only where every content
word is a value of it or a word by which it is said; a clause that only tells may be left out where nothing in it is in
doubt. Nor is a change offered that the text only asks about, denies or limits. What only shows something is offered as
it is. What was not offered is told in words (`Understood.nearest`), and where nothing is left to choose, that mindX
cannot do it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agents.bdi.understanding.asides import courtesy
from agents.bdi.understanding.checks.dropped_words import no_file_by_its_name
from agents.bdi.understanding.checks.qualifiers import IN_NO_NAME, contents_named
from agents.bdi.understanding.checks.reservations import asks_of_it
from agents.bdi.understanding.checks.word_coverage import is_content
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.questions import gist, in_words, short
from agents.bdi.understanding.reading.destination import IN
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.bdi.understanding.values.text_values import LITTLE
from agents.bdi.understanding.words.filler import DENYING, DOUBT
from agents.bdi.understanding.words.lexicon import Lexicon, lexicon_of
from agents.bdi.understanding.words.morphology import bases, singular
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.words.tokens import WORD, Token, number_of, tokens_of
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param
from agents.toolkit.wording.words import QUOTES, fold

# What is asked where none of the answers says all of it.
NOT_ALL = "mindX cannot do all of “{}” without a rule for it or a language model. Is one of these meant?"
# A name of more plain words than that is a sentence that was taken for one.
_LONGEST_NAME = 3
_MOST_WORDS = 4
# What stands before a name, and says no more than the name does.
_OF_NAMES = FILE_HEADS | FOLDER_HEADS | IN
# Words that deny a wish, put it under a condition, or choose among several; “that file” is the one that is meant.
_ORDER = frozenset({"after", "before", "once"})
_RULES = (DOUBT | DENYING | IN_NO_NAME | _ORDER) - {"that"}
# With these an unquoted text tells of what is to be written: “a reply to …”.
_TELLING = frozenset({"a", "an", "some"})


def offered(found: Understood, text: str, tree: Tree, registry: Registry) -> Understood:
    """The same question without the answers that would do something else, which are told in words instead."""
    if found.is_sure or not found.questions:
        return found
    if len(found.questions) > 1:
        looked = [_about_a_part(one, found, text, registry) for one in found.questions]
    elif found.questions[0].parameter:
        looked = [_about_a_value(found.questions[0], found, text, tree, registry)]
    else:
        looked = [_about_it_all(found.questions[0], found, text, registry)]
    nearest = tuple(dict.fromkeys((*found.nearest, *(near for _, left_out in looked for near in left_out))))
    questions = tuple(question for question, _ in looked if question is not None)
    if len(questions) == len(looked):
        return replace(found, questions=questions, nearest=nearest)
    asked = Question(1, f"What is meant by “{short(text)}”?", "No command says all of it.")
    return Understood(questions=(asked,), nearest=nearest)


# What is left of a question, None where nothing is, and what is told of the answers that are gone.
_Looked = tuple[Question | None, Sequence[str]]


def _about_it_all(question: Question, found: Understood, text: str, registry: Registry) -> _Looked:
    kept, gone = _parted(question, found, text, registry)
    if not kept:
        return None if question.choices else question, gone
    if any(_says_all(choice, found, text, registry) for choice in kept):
        return replace(question, choices=kept), gone
    return replace(question, text=NOT_ALL.format(short(text)), choices=kept), gone


def _about_a_part(question: Question, found: Understood, text: str, registry: Registry) -> _Looked:
    """Where others are asked about, too, an answer says all of its own clause."""
    if question.parameter or not question.choices:
        return question, ()
    own = question.choices[0].meant[0].text if question.choices[0].meant else text
    kept, gone = _parted(question, found, own if own in text else text, registry)
    return replace(question, choices=kept) if kept else None, gone


def _parted(
    question: Question, found: Understood, text: str, registry: Registry
) -> tuple[tuple[Choice, ...], list[str]]:
    """The answers that may stay, and what is told of the others."""
    kept, gone = [], []
    for choice in question.choices:
        meant, aside = [*found.meant, *choice.meant], " ".join(found.aside)
        wrong = why_not(meant, text, registry, aside) or _ruled(meant, text, registry, aside)
        if taken := _sentence_looked_for(choice.meant, text):
            gone.append(f"{_gist(choice.meant, registry)} would only look for the words “{taken}”")
        elif wrong and changes(choice.meant, registry):
            gone.append(wrong)
        else:
            kept.append(choice)
    return tuple(kept), gone


def _sentence_looked_for(meant: Sequence[Meant], text: str) -> str:
    """What is looked for where that is the whole text but for its first word: “find me a hotel” is no wish to find
    files that say “me a hotel”.
    """
    params = [param for one in meant for param in one.params.values()]
    if len(params) != 1 or params[0].span is None or _is_quoted(params[0], text):
        return ""
    start, end = params[0].span
    is_rest = len(text[:start].split()) == 1 and not text[end:].strip(" .!?")
    return str(params[0].value) if is_rest and len(text[start:end].split()) > _LONGEST_NAME else ""


def _says_all(choice: Choice, found: Understood, text: str, registry: Registry) -> bool:
    """Whether an answer says all; what only looks for half of the text as it stands says nothing of it."""
    texts = (param for one in choice.meant for param in one.params.values() if isinstance(param.value, str))
    whole = (param for param in texts if len(param.value.split()) > _LONGEST_NAME and not _is_quoted(param, text))
    is_taken = not changes(choice.meant, registry) and next(whole, None) is not None
    return not is_taken and not why_not([*found.meant, *choice.meant], text, registry, " ".join(found.aside))


def _about_a_value(question: Question, found: Understood, text: str, tree: Tree, registry: Registry) -> _Looked:
    """Nothing where no value makes the step all that is said."""
    step = found.meant[question.step - 1]
    said = tokens_of(question.said)
    is_name = len(said) <= _LONGEST_NAME or any(token.is_literal for token in said)
    if question.said and not question.choices and (not is_name or _begins_with(question.said, text)):
        does = gist(registry.command(step.tool, step.command).summary)
        return None, [f"“{does}”: {question.why[:1].lower()}{question.why[1:].rstrip('.')}"]
    if no_file := next(no_file_by_its_name([step], text, words_of(text), tree), None):
        does = gist(registry.command(step.tool, step.command).summary)
        return None, [f"“{does}”, but {no_file[0].rstrip('.')}"]
    values = " ".join((question.said, *(str(choice.value) for choice in question.choices)))
    wrong = why_not([step], text, registry, values) or _ruled([step], text, registry, values)
    wrong = wrong if changes([step], registry) else ""
    return (None, [wrong]) if wrong else (question, ())


def _begins_with(said: str, text: str) -> bool:
    """Whether a value has taken the verb of the text as well: “Explain why tests”, of a file to be read."""
    first = next((token for token in tokens_of(courtesy.blanked(text)) if is_content(token)), None)
    return first is not None and not first.is_literal and fold(said).startswith(fold(first.value)) and " " in said


def why_not(meant: Sequence[Meant], text: str, registry: Registry, also: str = "") -> str:
    """Why these commands are not all that is said, in a sentence; "" where they are. `also`: words that they stand for
    beside their own.
    """
    if not meant:
        return ""
    if (written := next(_told_of(meant, text, registry), None)) is not None:
        said = f"“{short(written, 60)}” themselves; a text to be written stands in quotation marks"
        return f"{_gist(meant, registry)} would write the words {said}"
    if left := list(dict.fromkeys(token.value for token in uncovered(meant, text, registry, also))):
        said = ", ".join(f"“{short(word, 40)}”" for word in left[:_MOST_WORDS])
        return f"{_gist(meant, registry)} says nothing of {said}"
    return ""


def _ruled(meant: Sequence[Meant], text: str, registry: Registry, also: str = "") -> str:
    """Why a change is not what is asked for: the text asks about it, or denies or limits it in words that no value
    holds; "" where nothing says so.
    """
    if asks_of_it(meant, text):
        return f"{_gist(meant, registry)} would do what the words only ask or speak about"
    if whole := next((path for one in meant for path in contents_named(one, text)), ""):
        return f"{_gist(meant, registry)} would remove {whole} itself, and not what is in it"
    if lost := _overwritten_and_named(meant):
        return f"{_gist(meant, registry)} would overwrite {lost}, which another step is about"
    params = [param for one in meant for param in one.params.values()]
    # A name that was found for a phrase holds its own words, and not those between them.
    spans = [param.span for param in params if param.span is not None and param.origin != "mapping"]
    held = {word for value in (also, *(str(param.value) for param in params)) for word in words_of(value)}
    held |= {token.text for token in tokens_of(courtesy.blanked(also))}
    held |= _ORDER if len(meant) > 1 else set()
    for token in tokens_of(courtesy.blanked(text)):
        if token.kind != WORD or token.text not in _RULES or token.text in held:
            continue
        if not any(start <= token.start < end for start, end in spans):
            return f"{_gist(meant, registry)} takes no account of “{token.value}”"
    return ""


def _overwritten_and_named(meant: Sequence[Meant]) -> str:
    """What one step overwrites and another one takes as what it was: “rename a to b and b to a”; "" for nothing."""
    paths = [str(one.values().get("path", "")) for one in meant]
    for at, one in enumerate(meant):
        values = one.values()
        lost = str(values.get("to", "")) if values.get("overwrite") is True else ""
        if lost and lost in (*paths[:at], *paths[at + 1 :]):
            return lost
    return ""


def changes(meant: Iterable[Meant], registry: Registry) -> bool:
    """Whether one of them has an effect that lasts."""
    return any(registry.command(one.tool, one.command).effect != "idempotent" for one in meant)


def uncovered(meant: Sequence[Meant], text: str, registry: Registry, also: str = "") -> Iterator[Token]:
    """The content words of a text that are no value of these commands and none of the words by which they are said."""
    lexicon = lexicon_of(registry)
    params = [param for one in meant for param in one.params.values()]
    spans = [param.span for param in params if param.span is not None]
    held = {token.text for value in (also, *(str(param.value) for param in params)) for token in tokens_of(value)}
    # “The photo of the bow” is photos/bow.jpg; what stands there by its own name covers no other word.
    found = (str(param.value) for param in params if param.span is None or param.origin != "explicit")
    held |= {form for value in (also, *found) for word in words_of(value) for form in (word, singular(word))}
    own = {word for one in meant for word in said_by(one, registry, lexicon)}
    for token in tokens_of(courtesy.blanked(text)):
        if not is_content(token) or token.text in _OF_NAMES or any(start <= token.start < end for start, end in spans):
            continue
        if number_of(token) == len(meant) > 1:
            continue  # “the two songs”
        forms = _forms(token, lexicon)
        is_held = not forms.isdisjoint(held) or (token.is_literal and held.issuperset(words_of(token.value)))
        if not is_held and forms.isdisjoint(own):
            yield token


def is_said(one: Meant, text: str, registry: Registry) -> bool:
    """Whether some word of the text, which is no value and no courtesy, is one by which the command is said."""
    lexicon = lexicon_of(registry)
    own = said_by(one, registry, lexicon)
    tokens = (token for token in tokens_of(courtesy.blanked(text)) if is_content(token) and not token.is_literal)
    return any(token.text not in _OF_NAMES and not _forms(token, lexicon).isdisjoint(own) for token in tokens)


def _forms(token: Token, lexicon: Lexicon) -> set[str]:
    return {token.text, fold(token.text), singular(token.text), *bases(token.text), *lexicon.meanings(token)}


def said_by(one: Meant, registry: Registry, lexicon: Lexicon) -> frozenset[str]:
    """Every word by which a command is said: of its phrases, verbs, nouns, values and switches."""
    command = registry.command(one.tool, one.command)
    words = {*command.words, *command.name.split("_"), *lexicon.words_of_values(command)}
    for entry in lexicon.entries:
        if entry.command is command:
            words |= entry.about | entry.key | entry.of_cues | {part for verb in entry.verbs for part in verb.parts}
            words |= {word for phrases in entry.flags.values() for phrase, _, _ in phrases for word in phrase}
    return frozenset(words)


def _told_of(meant: Sequence[Meant], text: str, registry: Registry) -> Iterator[str]:
    """Texts that are to be written into files and rather tell of one: cut off at a little word, or “a reply to …”."""
    for one in meant:
        command = registry.command(one.tool, one.command)
        for name, param in one.params.items():
            if command.effect == "idempotent" or not command.properties.get(name, {}).get("x-multiline"):
                continue
            if isinstance(param.value, str) and not _is_quoted(param, text) and _tells(param.value):
                yield param.value


def _is_quoted(param: Param, text: str) -> bool:
    if param.span is None:
        return True
    start = param.span[0]
    before = text[:start].rstrip()
    return before.endswith((":", *QUOTES)) or not set(QUOTES).isdisjoint(text[start : start + 1])


def _tells(said: str) -> bool:
    words = said.casefold().split()
    return len(words) > 1 and (words[0] in _TELLING | LITTLE or words[-1] in LITTLE)


def _gist(meant: Sequence[Meant], registry: Registry) -> str:
    """Commands in words, with their values."""
    gists = (gist(registry.command(one.tool, one.command).summary) for one in meant)
    return "; ".join(f"“{said}” ({in_words(one)})" for said, one in zip(gists, meant, strict=True))
