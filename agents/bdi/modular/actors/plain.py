"""The calls are made, and their answers are put below them."""

from __future__ import annotations

from agents.bdi.modular.acting import act, told
from agents.bdi.modular.agent import Answer, ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.state import ACTOR, FunctionCall


def run(agent: ModularAgent) -> None:
    """Make the calls."""
    act(agent, _as_it_is)


def _as_it_is(agent: ModularAgent, call: FunctionCall, answer: Answer, key: str) -> str:
    return told(answer)


MODULE = Module(ACTOR, "plain", "Plain", "Makes the calls and shows their answers as they are.", run)
