"""The first option is taken."""

from __future__ import annotations

from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.choosing import take
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import ACTOR, DISCRIMINATOR


def choose(agent: ModularAgent) -> None:
    """Put the first option into the tree."""
    take(agent, agent.state.next_step.args["options"], 0, "first")
    agent.state.go_on(ACTOR)


MODULE = Module(DISCRIMINATOR, "first", "The first", "Takes the first answer.", choose)
