"""Commands of mastermind that somebody gave as a goal: “evolve the summarization tool”, “coord_improve …”.

A goal works on the files of its workspace and commands on mindX itself, so only what plainly names a command, or a
component in its own words, is taken for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.bdi.understanding.names import naming
from agents.bdi.understanding.words.morphology import singular
from agents.mastermind import components, goal_texts, phrases
from agents.mastermind.commands import NAMES, TRIGGERS
from agents.mastermind.components import Component
from agents.mastermind.reading import MOST_CHARS, Reading, read

_EVOLVE = "evolve"


def may_be_command(text: str) -> bool:
    """Whether its first word can begin a command; then it is worth loading the components for `command_in`."""
    return not goal_texts.is_own(text) and len(text) <= MOST_CHARS and (_is_named(text) or _evolves(text))


def command_in(text: str, known: Sequence[Component], here: Iterable[str]) -> str:
    """The line of mastermind that a goal is, as it should be typed there; "" where it is none.

    `here`: the names of files and folders in the goal's workspace. Where one is named like the component, it is meant.
    """
    if not may_be_command(text):
        return ""
    reading = read(text, known)
    if _is_named(text):
        return _line(reading)
    component = reading.component
    if component is None or component.kind == "path" or not _names(text, component):
        return ""
    own = {components.core(name.partition(".")[0]) for name in here}
    return "" if own.intersection(component.names) else _line(reading)


def _line(reading: Reading) -> str:
    """What mastermind says where something is missing is better than a guess."""
    return reading.precise if reading.is_understood else " ".join(reading.line.split())


def _is_named(text: str) -> bool:
    """Whether it begins with a name that only a command has: `coord_improve`."""
    word = _first_word(text)
    return "_" in word and word in NAMES


def _evolves(text: str) -> bool:
    word = _first_word(text)
    return word == _EVOLVE or TRIGGERS.get(word) == _EVOLVE


def _first_word(text: str) -> str:
    word = phrases.plain(text).text.partition(" ")[0]
    return word.casefold().rstrip(":,").replace("-", "_")


def _names(text: str, component: Component) -> bool:
    """Whether it says that a component is meant (“the summarization tool”), or two words of its name and more."""
    words = naming.words_of(text)
    if any(singular(word) in naming.KINDS for word in words):
        return True
    fits = [naming.fit(name, words) for name in component.names if len(name) > 1]
    return any(fit is not None and not fit.is_slip for fit in fits)
