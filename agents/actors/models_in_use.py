"""Which language models an agent would ask now, and what a plan's document says about them."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings

from agents.bdi.plans.approved_models import Asked, Model, would_ask_others
from agents.bdi.plans.document import Document
from agents.models import Agent
from library.language.addresses import address_of


def models_of(agent: Agent) -> tuple[str, ...]:
    """The models that may be asked for an agent, first choice first; none: it works by rules and people alone."""
    if not agent.uses_model:
        return ()
    first = agent.model.strip() or settings.MODEL
    return tuple(dict.fromkeys((first, *settings.MODEL_FALLBACKS))) if first else ()


def as_set_up(agent: Agent) -> tuple[Model, ...]:
    """The same models with what a reviewer must know about each."""
    return tuple(Model(name, address_of(name), _price(name)) for name in models_of(agent))


def bound(agent: Agent) -> Asked:
    """What the document of a plan that is made now says about a step that asks a model."""
    return Asked(as_set_up(agent), settings.MODEL_PROMPT_TOKENS)


def changed_since(document: Document, agent: Agent, *, first: int, settled: Collection[int] = ()) -> list[str]:
    """Why the main steps from this position on would ask other models now than people saw, as sentences.

    `settled`: steps for which people granted what is done in their place; they need nobody, and never ask another one.
    """
    steps = [spec for spec in document.intents if spec.asks is not None and spec.position >= first]
    if not steps:
        return []
    now = as_set_up(agent)
    return [
        f"step {spec.position} would send a text to another language model than people saw: {why}"
        for spec in steps
        if spec.position not in settled and (why := would_ask_others(spec.asks, now))
    ]


def _price(model: str) -> str:
    price = settings.MODEL_PRICES.get(model)
    return f"${price[0]} for a million tokens read, ${price[1]} written" if price is not None else ""
