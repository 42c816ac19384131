"""SimpleCoder: files and programs, with notes and submit."""

from __future__ import annotations

from agents.bdi.modular.acting import OWN
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import TOOLKIT


def offer(agent: ModularAgent) -> None:
    """List the commands of SimpleCoder."""
    agent.state.tools = [*(name for name in agent.catalogue if name.startswith("simple_coder.")), *OWN]


MODULE = Module(TOOLKIT, "simple_coder", "SimpleCoder", "Files and programs in the workspace, notes, submit.", offer)
