"""Every output is saved to a file; of a long one the agent sees the beginning and the end."""

from __future__ import annotations

from agents.bdi.modular.acting import act, needs_files, told
from agents.bdi.modular.agent import Answer, ModularAgent
from agents.bdi.modular.modules import Module
from agents.bdi.modular.saving import WRITE, saved
from agents.bdi.modular.state import ACTOR, FunctionCall


def run(agent: ModularAgent) -> None:
    """Make the calls and save what they answer."""
    act(agent, _finish)


def _finish(agent: ModularAgent, call: FunctionCall, answer: Answer, key: str) -> str | None:
    if call.name == WRITE:
        # What was just written need not be written again.
        return told(answer)
    found = saved(agent, call, answer, key)
    return None if found is None else found[1]


MODULE = Module(
    ACTOR,
    "save_output",
    "Save all output",
    "Saves every output to a file; of a long one the agent sees the beginning and the end.",
    run,
    misfits=needs_files,
)
