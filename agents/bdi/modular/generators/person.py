"""A person writes what the agent says and calls."""

from __future__ import annotations

from agents.bdi.modular import sampling
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import DISCRIMINATOR, GENERATOR


def generate(agent: ModularAgent) -> None:
    """Wait for what a person writes."""
    if (found := sampling.written(agent, "written")) is None:
        return
    agent.state.go_on(DISCRIMINATOR, options=found, messages=agent.state.next_step.args.get("messages", []))


MODULE = Module(GENERATOR, "person", "A person", "You write each answer; no language model is needed.", generate)
