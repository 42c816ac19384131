"""What discriminators share: putting a chosen option into the tree, and asking a model which one is best."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.bdi.modular import model_requests, sampling
from agents.bdi.modular.agent import ModularAgent, used_of
from agents.bdi.modular.model_requests import Unreadable, told_call
from agents.bdi.modular.state import GENERATOR, Chosen, Node, Option, Used

# What a judge is shown of an option and of the messages before it.
_SHOWN = 4_000
_MESSAGES = 6


NOTHING = Used()


def take(agent: ModularAgent, options: Sequence[Option], chosen: int, source: str, judged: Used = NOTHING) -> Node:
    """Put an option into the tree, with those it was chosen from. `judged` is what choosing took."""
    used = sampling.used_by(options) + judged
    message = options[chosen].message
    return agent.add(message, f"discriminator:{source}", options=options, chosen=chosen, used=used)


def compared(agent: ModularAgent, options: Sequence[Option], key: str) -> tuple[list[Option], int, Used] | None:
    """The options with a model's scores, and which it finds best; None while it has not answered.

    Whatever model wrote them, the options are shown in the same form. An answer that cannot be read chooses the first.
    """
    if len(options) == 1:
        return list(options), 0, Used()
    want = model_requests.request(key, model_requests.COMPARE, [_shown(agent, options)])
    if (answer := agent.answer(want)) is None:
        return None
    try:
        if "error" in answer:
            raise Unreadable(str(answer.get("message", "no answer")))
        best, scores, why = model_requests.comparison(answer, len(options))
    except Unreadable as wrong:
        said = f"no comparison: {wrong}"
        return [replace(one, why=said if at == 0 else one.why) for at, one in enumerate(options)], 0, used_of(answer)
    rated = [
        replace(one, score=score, why=why if at == best else one.why)
        for at, (one, score) in enumerate(zip(options, scores, strict=True))
    ]
    return rated, best, used_of(answer)


def _shown(agent: ModularAgent, options: Sequence[Option]) -> Mapping[str, str]:
    said = {
        "task": agent.state.task[:_SHOWN],
        "so_far": history(agent),
        "options": [option_shown(one) for one in options],
    }
    return {"role": "user", "content": json.dumps(said, ensure_ascii=False)}


def history(agent: ModularAgent) -> list[Mapping[str, str]]:
    """The newest messages of the present path, for a judge."""
    return [
        {"role": node.message.role, "content": node.message.content[:_SHOWN]}
        for node in agent.state.path()[-_MESSAGES:]
    ]


def option_shown(option: Option) -> Mapping[str, Any]:
    """An option, for a judge."""
    call = option.message.function_call
    return {"content": option.message.content[:_SHOWN], "function_call": None if call is None else told_call(call)}


def needs_several(settings: Mapping[str, Any], others: Mapping[str, Chosen]) -> Iterator[tuple[str, str]]:
    """Comparing needs two options at least."""
    generator = others[GENERATOR]
    if generator.name == "person":
        yield GENERATOR, "a person writes one answer, and comparing needs two."
    if generator.name == "model" and generator.settings.get("samples") == 1:
        yield GENERATOR, "it gives one answer, and comparing needs two. Ask for more answers."
