"""Notes and submit only: the agent thinks and answers, and acts on nothing."""

from __future__ import annotations

from agents.bdi.modular.acting import OWN
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import TOOLKIT


def offer(agent: ModularAgent) -> None:
    """List what concerns the agent alone."""
    agent.state.tools = list(OWN)


MODULE = Module(TOOLKIT, "notes", "Notes only", "Notes and submit. Nothing is acted on, so nothing is reviewed.", offer)
