"""Saving the output of a call to a file of the workspace, by a call that is reviewed like any other."""

from __future__ import annotations

from agents.bdi.modular.acting import told
from agents.bdi.modular.agent import CALL, Answer, ModularAgent, Want
from agents.bdi.modular.state import FunctionCall

WRITE = "simple_coder.write"
_FOLDER = "outputs"
_SHOWN = 1_000


def saved(agent: ModularAgent, call: FunctionCall, answer: Answer, key: str) -> tuple[str, str] | None:
    """The path of the file, empty where it could not be written, and what the agent is told; None: not yet."""
    whole = told(answer)
    path = f"{_FOLDER}/step-{agent.state.steps + 1}-{key}.txt"
    why = f"Keeps the output of {call.name}"
    arguments = {"path": path, "content": whole}
    done = agent.answer(Want(f"{key}-save", CALL, {"name": WRITE, "arguments": arguments, "why": why, "node": None}))
    if done is None:
        return None
    if done.get("state") != "achieved":
        return "", f"{excerpt(whole)}\n[The whole output could not be saved: {done.get('reason', '')}]"
    return path, f"{excerpt(whole)}\n[The whole output, {len(whole):,} characters, is in {path}]"


def excerpt(text: str) -> str:
    """Its beginning and its end."""
    if len(text) <= 2 * _SHOWN:
        return text
    return f"{text[:_SHOWN]}\n[{len(text) - 2 * _SHOWN:,} characters left out]\n{text[-_SHOWN:]}"
