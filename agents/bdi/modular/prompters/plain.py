"""Everything on the present path, as it stands."""

from __future__ import annotations

from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import GENERATOR, PROMPTER


def prompt(agent: ModularAgent) -> None:
    """Name all nodes from the root to the present one."""
    agent.state.go_on(GENERATOR, messages=[node.id for node in agent.state.path()])


MODULE = Module(PROMPTER, "plain", "Plain", "Sends every message of the present path as it stands.", prompt)
