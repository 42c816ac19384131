"""Reading a typed line: which command it is, which component it is about, and what is wished.

Nothing is guessed that would then be done. What is written otherwise (case, dashes, spaces, spelling, courtesy, a plain
request) is understood; what is merely alike is answered with a suggestion, and nothing happens.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.mastermind import components, forms, phrases
from agents.mastermind.about import About, about
from agents.mastermind.commands import BY_NAME, COMMANDS, NAMES, TRIGGERS, Command
from agents.mastermind.components import Component

MOST_CHARS = 2_000
_ALIKE = 0.72
_MOST_NAME_WORDS = 3
_MOST_SUGGESTIONS = 3
_SHORTEST_BEGINNING = 3  # letters that may be taken for the beginning of a command
_AGENT = re.compile(
    r"(?:an?|the)?\s*(?:new\s+)?agent\s+(?:named|called)?\s*[\"“']?([A-Za-z][\w-]{0,62})[\"”']?\s*[.!]?$", re.IGNORECASE
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
        return _line(self.command, self.component, self.wish)


def read(line: str, known: Sequence[Component] = ()) -> Reading:
    """Read a line. Never raises; whatever is no command comes back with its problem."""
    shown = line[:MOST_CHARS]
    text = " ".join(unicodedata.normalize("NFC", line).split())
    if not text:
        return Reading(shown, problem="The line is empty. “help” lists the commands.")
    if len(line) > MOST_CHARS:
        return Reading(shown, problem=f"The line is longer than {MOST_CHARS:,} characters.")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        return Reading(shown, problem="The line contains a control character. Remove it.")
    return _meant(shown, text, known) or _unknown(shown, text, known)


def _meant(shown: str, text: str, known: Sequence[Component]) -> Reading | None:
    """What a line means by the first way in which it is a whole command; else what is missing by the first way."""
    first = None
    for command, rest in _ways(text, known):
        found = _complete(shown, command, rest, known)
        if found.is_understood:
            return found
        first = first or found
    return first


def _ways(text: str, known: Sequence[Component]) -> Iterator[tuple[Command, str]]:
    """The commands that a line may be: by their names, by a plain request, by a word that opens one."""
    request = phrases.plain(text)
    lines = [*dict.fromkeys((request.text, text)), *phrases.meant(request, known)]
    yield from (named for line in lines if (named := _named(line)) is not None)
    word, _, rest = request.text.partition(" ")
    trigger = TRIGGERS.get(word.casefold().rstrip(":,"))
    if trigger is not None and not request.asks:
        is_plain = trigger == "evolve" and about(rest, known).component is None and not about(rest, known).called
        # A goal as it was said keeps its verb.
        yield BY_NAME[trigger], request.text if is_plain else rest


def _named(text: str) -> tuple[Command, str] | None:
    """The command that the line begins with, in any spelling, and what follows."""
    words = text.split(" ")
    for count in range(min(_MOST_NAME_WORDS, len(words)), 0, -1):
        if (command := NAMES.get(_joined(words[:count]))) is not None:
            return command, " ".join(words[count:])
    return None


def _joined(words: Sequence[str]) -> str:
    if list(words) == ["?"]:
        return "?"
    return re.sub(r"[-_\s]+", "_", "_".join(words).casefold().rstrip(":,;.!?")).strip("_")


def _unknown(shown: str, text: str, known: Sequence[Component]) -> Reading:
    """A line that begins with no command: what may be meant, each as it should have been typed."""
    request = phrases.plain(text)
    near: dict[str, None] = {}
    words = frozenset(word for name in (*NAMES, *TRIGGERS) for word in name.split("_"))
    mended = phrases.corrected(request.text, words | _names_in(known))
    incomplete = ""
    for line in (mended if mended != request.text else "", *_alike(request.text)):
        found = _meant(shown, line, known) if line else None
        if found is None:
            continue
        if found.is_understood:
            near.setdefault(_mended(found, known).precise)
        elif found.suggestions:
            near.update(dict.fromkeys(found.suggestions))
        else:
            incomplete = incomplete or found.command
    best = tuple(near)[:_MOST_SUGGESTIONS]
    meant = best[0] if best else incomplete
    said = f" Did you mean “{meant}”?" if meant else " “help” lists the commands."
    return Reading(shown, problem=f"“{request.text.split(' ')[0][:60]}” is not a command.{said}", suggestions=best)


def _names_in(known: Sequence[Component]) -> frozenset[str]:
    return frozenset(one.name.casefold() for one in known if one.kind == "agent")


def _alike(text: str) -> list[str]:
    """The lines in which the first words are a command's name that looks like them, the likeliest first."""
    words = text.split(" ")
    scored: dict[str, float] = {}
    typed = _joined(words[:1])
    begun = [command.name for command in COMMANDS if command.name.startswith(typed)]
    if len(typed) >= _SHORTEST_BEGINNING and len(begun) == 1:
        scored[" ".join([*begun, *words[1:]])] = _ALIKE
    for count in range(1, min(_MOST_NAME_WORDS, len(words)) + 1):
        typed = _joined(words[:count])
        for name in [*NAMES, *TRIGGERS]:
            ratio = difflib.SequenceMatcher(None, typed, name).ratio()
            if ratio >= _ALIKE:
                canonical = NAMES[name].name if name in NAMES else name
                whole = " ".join([canonical, *words[count:]])
                scored[whole] = max(scored.get(whole, 0.0), ratio)
    best = max(scored.values(), default=0.0)
    return sorted((one for one in scored if scored[one] > best - 0.1), key=lambda whole: (-scored[whole], whole))


def _mended(found: Reading, known: Sequence[Component]) -> Reading:
    """The reading with a misspelt agent put right: it is only suggested."""
    filled = forms.fill(BY_NAME[found.command], found.text, known, mend=True)
    return found if filled.problem or found.component is not None else Reading(found.line, found.command, filled.text)


def _complete(shown: str, command: Command, rest: str, known: Sequence[Component]) -> Reading:
    name = command.name
    if command.needs_words and not any(char.isalnum() for char in rest):
        problem = f"{name} needs {command.words}, as in “{command.example}”."
        return Reading(shown, name, rest, problem=problem, suggestions=(command.example,))
    if name == "deploy" and (made := _AGENT.fullmatch(rest)) is not None:
        return Reading(shown, name, f"an agent named {made[1]}")
    if command.about and rest:
        return _about(shown, name, rest, known)
    filled = forms.fill(command, rest, known)
    lines = tuple(f"{name} {text}".strip() for text in filled.instead)
    return Reading(shown, name, filled.text, problem=filled.problem, suggestions=lines)


def _about(shown: str, name: str, rest: str, known: Sequence[Component]) -> Reading:
    """What a line about a component means."""
    found = about(rest, known, component_first=name == "coord_improve")
    if found.component is None:
        return _about_none(shown, name, rest, found)
    if found.other is not None and found.other != found.component:
        both = (found.component, found.other)
        problem = f"Do you mean {both[0]} or {both[1]}? Use one line for each."
        return Reading(shown, name, rest, problem=problem, suggestions=tuple(_line(name, one) for one in both))
    if found.doubt:
        problem = f"It is not clear what “{found.doubt}” means. Put your wish after a colon."
        return Reading(shown, name, rest, problem=problem, suggestions=(_line(name, found.component),))
    if name == "coord_improve" and not found.wish:
        example = f"coord_improve {found.component.name} Add better error handling"
        problem = f"What should be improved about {found.component}? For example: “{example}”."
        suggestions = (f"evolve {found.component.name}",)
        return Reading(shown, name, rest, found.component, problem=problem, suggestions=suggestions)
    return Reading(shown, name, rest, found.component, found.wish)


def _about_none(shown: str, name: str, rest: str, found: About) -> Reading:
    """A line in which no component is found: a text as it was said, all of the code, or a question."""
    is_all = name == "coord_analyze" and forms.is_everything(rest)
    if not found.called and (is_all or name == "evolve"):
        return Reading(shown, name, "" if is_all else rest)
    said = components.suggestion_words(found.near)
    called = found.called or (rest if name == "coord_analyze" else "")
    what = f"“{called[:80]}” is not a component" if called else "The line names no component to improve"
    problem = f"{what}; {said}" if said else f"{what}. “coord_query components” lists all components."
    lines = tuple(_line(name, one, found.wish) for one in found.near)
    return Reading(shown, name, rest, wish=found.wish, problem=problem, suggestions=lines)


def _line(name: str, component: Component, wish: str = "") -> str:
    kind = f" {component.kind}" if component.kind in ("agent", "rule", "firmware") else ""
    return f"{name} {component.name}{kind}{': ' + wish if wish else ''}"
