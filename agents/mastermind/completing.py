"""What may follow what was typed so far: commands, components, agents, states."""

from __future__ import annotations

from collections.abc import Sequence

from agents.mastermind.commands import COMMANDS, NAMES
from agents.mastermind.components import Component
from agents.mastermind.configs import KEYS, KIND

_ABOUT_AGENTS = ("introspect", "agent_evolve", "agent_delete")


def offers(typed: str, known: Sequence[Component], states: Sequence[str] = ()) -> list[str]:
    """What the last word of a line may become, in order; the whole words, for the typed part of each to be replaced."""
    before, _, last = typed.lstrip().rpartition(" ")
    begun = before.split()
    if not begun:
        return _beginning(last, [command.name for command in COMMANDS])
    command = NAMES.get(begun[0].casefold().replace("-", "_"))
    if command is None:
        return []
    place = len(begun)
    agents = [one.name for one in known if one.kind == "agent"]
    if command.name == "help":
        return _beginning(last, [each.name for each in COMMANDS]) if place == 1 else []
    if command.name in _ABOUT_AGENTS and place == 1:
        return _beginning(last, agents)
    if command.name == "agent_create" and place == 1:
        return _beginning(last, [KIND])
    if command.name in ("agent_create", "agent_evolve"):
        return (
            _beginning(last, [f"{key}=" for key in KEYS])
            if place >= (3 if command.name == "agent_create" else 2)
            else []
        )
    if command.name == "coord_backlog" and place == 1:
        return _beginning(last, list(states))
    if command.about and place == 1:
        return _beginning(last, [one.name for one in known if one.kind == "tool"])
    return []


def _beginning(typed: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if word.casefold().startswith(typed.casefold())]
