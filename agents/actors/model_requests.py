"""The one place where a request to a model is made for an agent: on its budget, and under its firmware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from agents.actors import firmware
from agents.models import DEFAULT_AGENT, Agent
from library.language.asking import Allowance, Ask, Message


def request_for(
    agent: Agent,
    purpose: str,
    messages: Sequence[Message],
    models: tuple[str, ...],
    *,
    max_tokens: int,
    schema: Mapping[str, Any] | None = None,
    goal: str = "",
    told: firmware.Firmware | None = None,
) -> Ask:
    """A request whose first message, the instructions, ends with the firmware of the agent.

    `told` is that firmware where the caller has read it already; `max_tokens` bounds the answer.
    """
    ask = Ask(
        purpose,
        tuple(messages),
        models,
        schema=schema,
        max_tokens=max_tokens,
        agent=str(agent.pk),
        goal=goal,
        allowance=Allowance(agent.tokens_per_day, agent.cost_per_day),
    )
    return firmware.placed(ask, told if told is not None else firmware.of(agent))


def request_for_people(purpose: str, messages: Sequence[Message], max_tokens: int) -> Ask:
    """A request that no goal stands behind: on the budget of the default agent and under its firmware."""
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    models = tuple(dict.fromkeys((settings.MODEL, *settings.MODEL_FALLBACKS)))
    return request_for(agent, purpose, messages, models, max_tokens=max_tokens)
