"""The one place where a request to a model is made for an agent: of its prompts, on its budget, under its firmware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from agents.actors import firmware
from agents.models import DEFAULT_AGENT, Agent
from library.language.asking import Allowance, Ask, Message, PromptUsed


def request_for(
    agent: Agent,
    purpose: str,
    messages: Sequence[Message],
    models: tuple[str, ...],
    *,
    prompts: Sequence[PromptUsed],
    max_tokens: int,
    schema: Mapping[str, Any] | None = None,
    goal: str = "",
    told: firmware.Firmware | None = None,
    replay_of: int | None = None,
) -> Ask:
    """A request whose first message, the instructions, begins with the first of the prompts and ends with the firmware.

    `told` is that firmware where the caller has read it already; `max_tokens` bounds the answer. ValueError for
    instructions that are no prompt: people could neither read nor change them.
    """
    if not prompts or not messages[0].content.startswith(prompts[0].text):
        raise ValueError("a request begins with one of the prompts of library.prompts")
    ask = Ask(
        purpose,
        tuple(messages),
        models,
        schema=schema,
        max_tokens=max_tokens,
        agent=str(agent.pk),
        goal=goal,
        allowance=Allowance(agent.tokens_per_day, agent.cost_per_day),
        prompts=tuple(prompts),
        replay_of=replay_of,
    )
    return firmware.placed(ask, told if told is not None else firmware.of(agent))


def request_for_people(
    purpose: str, messages: Sequence[Message], prompts: Sequence[PromptUsed], max_tokens: int
) -> Ask:
    """A request that no goal stands behind: on the budget of the default agent and under its firmware."""
    agent = _for_people()
    models = tuple(dict.fromkeys((settings.MODEL, *settings.MODEL_FALLBACKS)))
    return request_for(agent, purpose, messages, models, prompts=prompts, max_tokens=max_tokens)


def forbidden_for_people(text: str) -> str:
    """What the firmware of such a request forbids in an answer, as a sentence; "" where it forbids nothing there."""
    found = firmware.problems_of_answer(_for_people(), text)
    return found[0].says if found else ""


def _for_people() -> Agent:
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    return agent
