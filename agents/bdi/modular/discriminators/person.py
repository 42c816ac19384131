"""A person rates the options, picks one, or writes another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.bdi.modular.agent import PERSON, ModularAgent, Want
from agents.bdi.modular.choosing import option_shown, take
from agents.bdi.modular.modules import Module
from agents.bdi.modular.sampling import written_option
from agents.bdi.modular.state import ACTOR, DISCRIMINATOR, GENERATOR, Chosen, Option


def choose(agent: ModularAgent) -> None:
    """Wait for a person's choice; ratings stand with the options."""
    options: list[Option] = list(agent.state.next_step.args["options"])
    shown = [option_shown(one) for one in options]
    if (answer := agent.answer(Want("choice", PERSON, {"ask": "choose", "options": shown}))) is None:
        return
    scores = answer.get("scores") or []
    rated = [replace(one, score=score) for one, score in zip(options, [*scores, *[None] * len(options)], strict=False)]
    if answer.get("written"):
        rated.append(written_option({**answer["written"], "by": answer.get("by", "")}))
        chosen = len(rated) - 1
    else:
        chosen = int(answer["chosen"])
    take(agent, rated, chosen, f"person:{answer.get('by', '')}")
    agent.state.go_on(ACTOR)


def _misfits(settings: Mapping[str, Any], others: Mapping[str, Chosen]) -> Iterator[tuple[str, str]]:
    if others[GENERATOR].name == "person":
        yield GENERATOR, "what a person wrote would be put before a person again."


MODULE = Module(
    DISCRIMINATOR,
    "person",
    "A person rates",
    "You rate the answers, pick one, or write another.",
    choose,
    misfits=_misfits,
)
