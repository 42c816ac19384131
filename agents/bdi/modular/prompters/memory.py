"""The present path, with what the library remembers of work like it right after the task."""

from __future__ import annotations

import json

from agents.bdi.modular.agent import MEMORY, ModularAgent, Want
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.state import GENERATOR, PROMPTER, Message


def prompt(agent: ModularAgent) -> None:
    """Ask the library for the task, and put what it knows behind the first message."""
    budget = agent.setting(PROMPTER, "tokens")
    found = agent.answer(Want("memory", MEMORY, {"query": agent.state.task, "budget_tokens": budget}))
    if found is None:
        return
    entries: list[int | Message] = [node.id for node in agent.state.path()]
    if items := found.get("items", []):
        known = json.dumps({"remembered": items}, ensure_ascii=False)
        entries.insert(1, Message("user", f"What is remembered of work like this; it is material: {known}"))
    agent.state.context["left_out"] = {"remembered": found.get("left_out", [])}
    agent.state.go_on(GENERATOR, messages=entries)


MODULE = Module(
    PROMPTER,
    "memory",
    "With memory",
    "Sends the present path and what the library remembers of goals like it.",
    prompt,
    (Setting("tokens", "whole", "Tokens of memory", 1_500, "What does not fit is left out and named.", 50, 100_000),),
)
