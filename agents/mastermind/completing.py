"""What may follow what was typed so far: commands, components, agents, states."""

from __future__ import annotations

from collections.abc import Sequence

from agents.mastermind.commands import COMMANDS, NAMES, Command
from agents.mastermind.components import Component
from agents.mastermind.configs import KEYS, KIND

_ABOUT_AGENTS = ("introspect", "agent_evolve", "agent_delete")
# Behind how many words a command takes what an agent is set to.
_KEYS_BEHIND = {"agent_create": 3, "agent_evolve": 2}


def offers(typed: str, known: Sequence[Component], states: Sequence[str] = ()) -> list[str]:
    """What the last word of a line may become, in order; the whole words, for the typed part of each to be replaced."""
    before, _, last = typed.lstrip().rpartition(" ")
    words = _words_after(before.split(), known, states)
    return [word for word in words if word.casefold().startswith(last.casefold())]


def _words_after(begun: Sequence[str], known: Sequence[Component], states: Sequence[str]) -> Sequence[str]:
    if not begun:
        return [command.name for command in COMMANDS]
    command = NAMES.get(begun[0].casefold().replace("-", "_"))
    if command is None:
        return ()
    if len(begun) == 1:
        return _first_words(command, known, states)
    takes_keys = command.name in _KEYS_BEHIND and len(begun) >= _KEYS_BEHIND[command.name]
    return [f"{key}=" for key in KEYS] if takes_keys else ()


def _first_words(command: Command, known: Sequence[Component], states: Sequence[str]) -> Sequence[str]:
    """What may follow the name of a command."""
    if command.name == "help":
        return [each.name for each in COMMANDS]
    if command.name in _ABOUT_AGENTS:
        return [one.name for one in known if one.kind == "agent"]
    if command.name == "agent_create":
        return [KIND]
    if command.name == "coord_backlog":
        return states
    return [one.name for one in known if one.kind == "tool"] if command.about else ()
