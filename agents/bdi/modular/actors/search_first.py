"""Long output is saved to a file, and the agent has to look something up in it before it does anything else."""

from __future__ import annotations

import json

from agents.bdi.modular.acting import OWN, act, needs_files, told
from agents.bdi.modular.agent import Answer, ModularAgent
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.saving import saved
from agents.bdi.modular.state import ACTOR, PROMPTER, FunctionCall, Message

_FILE = "search_first"


def run(agent: ModularAgent) -> None:
    """Make the calls; remind the agent once where it would act before it has searched."""
    state = agent.state
    path = str(state.context.get(_FILE, ""))
    call = state.nodes[state.at].message.function_call if state.at is not None else None
    if path and call is not None and call.name not in OWN:
        state.context[_FILE] = ""
        if path not in json.dumps(dict(call.arguments), ensure_ascii=False, default=str):
            said = (
                f"Search {path} first: what you need next may stand in it. If it does not, call again what you called."
            )
            agent.add(Message("user", said), "actor:search_first")
            state.go_on(PROMPTER)
            return
    act(agent, _finish)


def _finish(agent: ModularAgent, call: FunctionCall, answer: Answer, key: str) -> str | None:
    whole = told(answer)
    if len(whole) <= agent.setting(ACTOR, "longest"):
        return whole
    found = saved(agent, call, answer, key)
    if found is None:
        return None
    path, said = found
    agent.state.context[_FILE] = path
    return f"{said}\n[Search that file for what you need.]" if path else said


MODULE = Module(
    ACTOR,
    "search_first",
    "Search, then act",
    "Saves long output to a file and has the agent search it before it acts again.",
    run,
    (Setting("longest", "whole", "Characters shown whole", 4_500, "Longer output is saved to a file.", 200, 100_000),),
    needs_files,
)
