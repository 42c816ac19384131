"""Reading a typed line: which command it is, which component it is about, and what is wished.

Nothing is guessed that would then be done. A name that is written otherwise (case, dashes, spaces, spelling) is
understood; one that is merely alike is answered with a suggestion, and nothing happens.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from agents.mastermind import components
from agents.mastermind.commands import BY_NAME, NAMES, TRIGGERS, Command
from agents.mastermind.components import Component

MOST_CHARS = 2_000
_ALIKE = 0.72
_MOST_NAME_WORDS = 3
_MOST_SPAN = 6
# After a component these begin the wish.
_BEGINS_WISH = re.compile(r"^(?:[:,;–—-]\s*|(?:so that|to|by|with the wish|with|and)\s+)+", re.IGNORECASE)
_ENDS_NAME = re.compile(r"^(?:[:,;–—]|(?:so that|to|by|with)\b|$)", re.IGNORECASE)
_PATH = re.compile(r"^(?=.*[\w])(?:[\w.-]+/)*[\w.-]+(?:/|\.(?:py|md|toml|txt|json|ya?ml|js|ts|css|html|sh|sql))$")
_NUMBER = re.compile(r"^#?(\d{1,18})$")
_AGENT = re.compile(
    r"(?:an?|the)?\s*(?:new\s+)?agent\s+(?:named|called)?\s*[\"“']?([A-Za-z][\w-]{0,62})[\"”']?\s*$", re.IGNORECASE
)


@dataclass(frozen=True)
class Reading:
    """What a line means. With a `problem` it means nothing that could be done, and `suggestions` say what might help.

    `text` is what follows the command; of one about a component, `wish` is what follows that.
    """

    line: str
    command: str = ""
    text: str = ""
    component: Component | None = None
    wish: str = ""
    problem: str = ""
    suggestions: tuple[str, ...] = ()

    @property
    def is_understood(self) -> bool:
        """Whether it can be carried out."""
        return bool(self.command) and not self.problem

    @property
    def precise(self) -> str:
        """The line as it should have been typed; typed like this it is read the same way."""
        if self.component is None or self.command not in ("evolve", "coord_improve", "coord_analyze"):
            return f"{self.command} {self.text}".strip()
        kind = f" {self.component.kind}" if self.component.kind in ("agent", "rule", "firmware") else ""
        return f"{self.command} {self.component.name}{kind}{': ' + self.wish if self.wish else ''}".strip()


def read(line: str, known: Sequence[Component] = ()) -> Reading:
    """Read a line. Never raises; whatever is no command comes back with its problem."""
    shown = line[:MOST_CHARS]
    text = " ".join(unicodedata.normalize("NFC", line).split())
    if not text:
        return Reading(shown, problem="Nothing was typed. “help” lists the commands.")
    if len(line) > MOST_CHARS:
        return Reading(shown, problem=f"The line is longer than {MOST_CHARS:,} characters.")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        return Reading(shown, problem="The line holds a control character. Take it out.")
    named, rest = _named(text)
    if named is None:
        return _unknown(shown, text)
    return _complete(shown, named, rest, known)


def _named(text: str) -> tuple[Command | None, str]:
    """The command that the line begins with, in any spelling, and what follows."""
    words = text.split(" ")
    for count in range(min(_MOST_NAME_WORDS, len(words)), 0, -1):
        if (command := NAMES.get(_joined(words[:count]))) is not None:
            return command, " ".join(words[count:])
    trigger = TRIGGERS.get(_joined(words[:1]))
    return (BY_NAME[trigger], " ".join(words[1:])) if trigger else (None, text)


def _joined(words: Sequence[str]) -> str:
    return re.sub(r"[-_\s]+", "_", "_".join(words).casefold()).strip("_") if words != ["?"] else "?"


def _unknown(shown: str, text: str) -> Reading:
    words = text.split(" ")
    scored: dict[str, float] = {}
    for count in range(1, min(_MOST_NAME_WORDS, len(words)) + 1):
        typed = _joined(words[:count])
        for name in [*NAMES, *TRIGGERS]:
            ratio = difflib.SequenceMatcher(None, typed, name).ratio()
            if ratio >= _ALIKE:
                canonical = NAMES[name].name if name in NAMES else TRIGGERS[name]
                rest = " ".join(words[count:])
                whole = f"{canonical} {rest}".strip()
                scored[whole] = max(scored.get(whole, 0.0), ratio)
    near = sorted(scored, key=lambda whole: (-scored[whole], whole))
    best = tuple(near[:1] if near and len(near) == 1 else near[:2])
    said = f" Did you mean “{best[0]}”?" if best else " “help” lists the commands."
    return Reading(shown, problem=f"“{words[0][:60]}” is no command.{said}", suggestions=best)


def _complete(shown: str, command: Command, rest: str, known: Sequence[Component]) -> Reading:
    name = command.name
    if command.needs_words and not any(char.isalnum() for char in rest):
        problem = f"{name} needs {command.words}, as in “{command.example}”."
        return Reading(shown, name, rest, problem=problem, suggestions=(command.example,))
    if name == "deploy" and (made := _AGENT.fullmatch(rest)) is not None:
        return Reading(shown, name, f"an agent named {made[1]}")
    if name in ("coord_approve", "coord_reject"):
        return _item(shown, command, rest)
    if not command.about or not rest:
        return Reading(shown, name, rest)
    found, wish, near, meant = _first_word(rest, known) if name == "coord_improve" else (None, "", (), "")
    if found is None:
        found, wish, near, meant = _component_in(rest, known)
    if found is None and (meant or name == "coord_improve"):
        said = components.suggestion_words(near)
        called = f"“{meant[:80]}” is no component here" if meant else "It says of no component what should be better"
        problem = f"{called}; {said}" if said else f"{called}. “coord_query components” lists those there are."
        lines = tuple(f"{name} {one.name}{': ' + wish if wish else ''}" for one in near)
        return Reading(shown, name, rest, wish=wish, problem=problem, suggestions=lines)
    if name == "coord_improve" and found is not None and not wish:
        example = f"coord_improve {found.name} Add better error handling"
        return Reading(
            shown,
            name,
            rest,
            found,
            problem=f"What should become better about {found}? As in “{example}”.",
            suggestions=(f"evolve {found.name}",),
        )
    return Reading(shown, name, rest, found, wish if found is not None else "")


def _item(shown: str, command: Command, rest: str) -> Reading:
    number, _, reason = rest.partition(" ")
    if not _NUMBER.match(number):
        problem = f"“{number[:40]}” is no number of an item, as in “{command.example}”."
        return Reading(shown, command.name, rest, problem=problem, suggestions=("coord_backlog",))
    if command.name == "coord_reject" and not reason.strip():
        problem = f"Say why it is rejected, as in “{command.example}”."
        return Reading(shown, command.name, rest, problem=problem)
    return Reading(shown, command.name, f"{number.lstrip('#')} {reason}".strip())


def _first_word(text: str, known: Sequence[Component]) -> tuple[Component | None, str, tuple[Component, ...], str]:
    """The component where the command's form has it: as one whole word, and the wish behind it."""
    head, _, after = text.partition(" ")
    match = components.find(head.strip(" ,;:"), known)
    is_meant = match.component is not None and match.is_whole and head.casefold() not in _ARTICLES
    return (match.component if is_meant else None), _wish([], _without_kind(after, match.component)), (), head


def _without_kind(after: str, named: Component | None) -> str:
    """What follows a name, without the word that only says what kind it is of: “summarization tool Make …”."""
    word, _, rest = after.partition(" ")
    return rest if named is not None and word.casefold() == named.kind and rest.strip(" :,;") else after


def _component_in(text: str, known: Sequence[Component]) -> tuple[Component | None, str, tuple[Component, ...], str]:
    """The component that a text is about, what is wished of it, what may have been meant, and the words that say so."""
    words = text.split(" ")
    best_near: tuple[Component, ...] = ()
    meant = wished = ""
    for first in range(len(words)):
        for last in range(min(len(words), first + _MOST_SPAN), first, -1):
            span = " ".join(words[first:last]).strip(" ,;:.!?“”\"'")
            after = " ".join(words[last:])
            if not span or not _may_be_named(span, words[last - 1], after, first, words):
                continue
            if last - first == 1 and _PATH.match(span):
                return Component("path", span.strip("/")), _wish(words[:first], after), (), span
            match = components.find(span, known)
            if not match.is_whole and (slips := components.misspelt(span, known)):
                return None, _wish(words[:first], after), slips, span
            says_so = _says_so(span)
            if match.component is not None and (says_so or match.is_whole):
                return match.component, _wish(words[:first], after), (), span
            if says_so and not meant:
                best_near, meant, wished = match.suggestions, span, _wish(words[:first], after)
    if meant:
        return None, wished, best_near, meant
    head = words[0].strip(" ,;:")
    return None, _wish([], " ".join(words[1:])), components.alike(head, known), ""


def _says_so(span: str) -> bool:
    """Whether the words say of themselves that they name a component: an underscore in one word, or “tool”, “agent”."""
    inner = span.split(" ")
    if len(inner) == 1:
        return "_" in span
    return any(components.names_a_kind(word) and "_" not in word for word in (inner[0], inner[1], inner[-1]))


_ARTICLES = frozenset({"the", "a", "an", "our", "my", "this", "that", "of"})


def _may_be_named(span: str, last_word: str, after: str, first: int, words: Sequence[str]) -> bool:
    """Whether a span of words may be a name and not just words that a name also has.

    It must say so itself (an underscore, a path, “tool”, “agent”), or stand alone: at the beginning of the text, and
    followed by nothing or by what begins a wish.
    """
    inner = span.split(" ")
    if inner[-1].casefold() in _ARTICLES:
        return False
    if len(inner) == 1 and ("_" in span or _PATH.match(span)):
        return True
    if components.names_a_kind(inner[-1]) and len(inner) > 1:
        return not any(components.names_a_kind(word) for word in inner[:-1] if "_" not in word)
    if components.names_a_kind(inner[0]) and len(inner) > 1 and inner[0].casefold() not in _ARTICLES:
        return not after or last_word[-1] in ":,;" or bool(_ENDS_NAME.match(after))
    alone = all(word.casefold() in _ARTICLES for word in words[:first])
    return alone and (not after or last_word[-1] in ":,;" or bool(_ENDS_NAME.match(after)))


def _wish(before: Sequence[str], after: str) -> str:
    """What should become better: what follows the name; what stands before it is part of it, articles aside."""
    lead = list(before)
    while lead and lead[-1].casefold() in (*_ARTICLES, "in", "for", "to"):
        lead.pop()
    wish = _BEGINS_WISH.sub("", after).strip()
    return " ".join([*lead, wish]).strip() if lead else wish
