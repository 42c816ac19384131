"""Every tool that mindX has in use, with notes and submit."""

from __future__ import annotations

from agents.bdi.modular.acting import OWN
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import TOOLKIT


def offer(agent: ModularAgent) -> None:
    """List all commands of all tools in use, those that people made and those of servers among them."""
    agent.state.tools = [*(name for name in agent.catalogue if name not in OWN), *OWN]


MODULE = Module(TOOLKIT, "every_tool", "Every tool", "All tools that are in use, notes, submit.", offer)
