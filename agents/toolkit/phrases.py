"""English phrases of commands: reading a line as a command, completing a line, saying a command as a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.toolkit.command import Command
from agents.toolkit.hosts import entries_of, in_words
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import HOSTS_KIND, problems
from agents.toolkit.wording.kinds import SWITCHES
from agents.toolkit.wording.slots import Template, render
from agents.toolkit.wording.words import Text, Value, fold, quote, read_text, unescape

_BARE_TEXT = re.compile(r"[\w./=+:@%*-]+(?: [\w./=+:@%*-]+)*\Z", re.ASCII)
_BARE_HOST = re.compile(r"[\w.:-]+\Z", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,12}\Z")
# Words that begin another part of a phrase or a keyword of rules: a command line with one of them stands in quotes.
_PART_WORDS = frozenset(
    {"with", "within", "and", "then", "unless", "if", "or", "rule", "on", "considering", "the", "a", "an"}
)
MAX_LINE = 200_000


class PhraseError(ValueError):
    """The line is no phrase of any command, or its values do not fit; the message says what is near it."""


@dataclass(frozen=True)
class Reading:
    """A line read as a command; `values` are still the characters of the line, before escapes and types."""

    command: Command
    values: Mapping[str, Value]
    literal_words: int


@dataclass(frozen=True)
class Suggestion:
    """A way to go on: the whole `text` with its open slots in braces, and the command it would be."""

    text: str
    tool: str
    command: str
    summary: str


def read_raw(line: str, registry: Registry) -> Reading | None:
    """Return the reading with the most words of its own, the first of several; None when no phrase fits."""
    text = read_text(line.strip(), exact=True)
    best: Reading | None = None
    for command in registry.commands:
        for template in command.templates:
            found = template.match(text, command.kinds) if _may_match(template, text) else None
            if found is not None and (best is None or found.literal_words > best.literal_words):
                best = Reading(command, found.values, found.literal_words)
    return best


def _may_match(template: Template, text: Text) -> bool:
    """Skip the search when not even one word of the phrase is in the line."""
    spoken = {word.text for word in text.words}
    return any(literal in spoken for literal in template.literals)


def read(line: str, registry: Registry) -> tuple[Command, dict[str, Any]]:
    """Read one hand-written line as a command with its parameters; optional ones only when the line gives them.

    Quoted text knows the escapes \\n \\t \\" \\\\. Raises PhraseError.
    """
    if len(line) > MAX_LINE:
        raise PhraseError(f"the line has more than {MAX_LINE} characters; use the form of the command")
    reading = read_raw(line, registry)
    if reading is None:
        near = complete(" ".join(line.split()[:2]), registry)[:1] or complete(" ".join(line.split()[:1]), registry)[:1]
        hint = (
            f"; the nearest phrase is “{near[0].text}”" if near else "; see the list of commands for what can be said"
        )
        raise PhraseError(f"no command matches this{hint}")
    values = {
        name: typed(reading.command, name, unescape(value.raw) if value.quoted else value.raw)
        for name, value in reading.values.items()
    }
    wrong = problems(reading.command.schema, values)
    if wrong:
        raise PhraseError(f"{wrong[0][0]} {wrong[0][1]}")
    return reading.command, values


def typed(command: Command, parameter: str, text: str) -> Any:
    """Return the text as the type that the parameter's schema wants; what does not fit stays text, for validation."""
    kind = command.kind(parameter)
    if kind == "number" and _NUMBER.match(text):
        return int(text)
    if kind == "switch":
        return SWITCHES.get(text.casefold(), text)
    return entries_of(text) if kind == HOSTS_KIND else text


def complete(prefix: str, registry: Registry, limit: int = 12) -> list[Suggestion]:
    """Return phrases that begin like `prefix`, first those with most of its words for their own.

    What was typed stands in place of their first words and slots.
    """
    typed_words = [word.text for word in read_text(prefix, exact=True).words]
    found: list[tuple[int, Suggestion]] = []
    for command in registry.commands:
        phrase = command.phrases[0]
        pieces = render(phrase, {}).split()
        own = _begins(pieces, typed_words)
        if own is not None:
            found.append((own, Suggestion(" ".join(pieces), command.tool, command.name, command.summary)))
    found.sort(key=lambda one: -one[0])
    return [suggestion for _, suggestion in found[:limit]]


def _begins(pieces: list[str], words: list[str]) -> int | None:
    """How many words are the phrase's own before a slot takes the rest; None when it begins otherwise."""
    meaningful = [piece for piece in pieces if fold(piece) not in ("a", "an", "the")]
    wanted = [word for word in words if word not in ("a", "an", "the")]
    for at, word in enumerate(wanted):
        if at >= len(meaningful) or meaningful[at].startswith("{"):
            return at
        piece = fold(meaningful[at])
        if piece != word and not (at == len(wanted) - 1 and piece.startswith(word)):
            return None
    return len(wanted)


def say(command: Command, params: Mapping[str, Any]) -> str:
    """Return the command as an English sentence that `read` would read back as the same command.

    Parameters that have their default value, or that no phrase can say, are left out.
    """
    defaults = command.defaults()
    given = {name: value for name, value in params.items() if name not in defaults or defaults[name] != value}
    needed = {name: params[name] for name in command.templates[0].required if name in params} | given
    said = {name: spoken(command, name, value) for name, value in needed.items()}
    return say_with(command, said) or render(command.phrases[0], said)


def say_with(command: Command, said: Mapping[str, str]) -> str | None:
    """Return the first phrase that can say all these parameters, given as they are spoken; None when no phrase can."""
    for phrase, template in zip(command.phrases, command.templates, strict=True):
        if template.required <= set(said) <= set(template.slots):
            return render(phrase, said)
    return None


def spoken(command: Command, parameter: str, value: Any) -> str:
    """Return a parameter's value as it stands in a phrase: on/off, digits, a plain word, or quoted text."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return _spoken_list(value)
    text = str(value)
    if isinstance(value, int) or (text.startswith("{{") and text.endswith("}}") and " " not in text):
        return text
    ambiguous = _has_words_of(command, text)
    if parameter == "command_line" and _BARE_TEXT.match(text) and not ambiguous:
        return text
    return (_in_quotes(text) if ambiguous else quote(text)).replace("{", "\\{")


def _spoken_list(value: Sequence[Any]) -> str:
    if all(isinstance(one, str) and _BARE_HOST.match(one) and fold(one) not in _PART_WORDS for one in value):
        return in_words(value)
    return _in_quotes(", ".join(map(str, value)))


def _in_quotes(text: str) -> str:
    said = quote(text)
    return said if said.startswith('"') else f'"{said}"'


def _has_words_of(command: Command, text: str) -> bool:
    """Whether a word of the text could be taken for one of the command's phrases, as "program" in "run the program"."""
    # A file's text says the same words over and over.
    return any(fold(word) in _PART_WORDS or fold(word) in command.words for word in set(text.split()))
