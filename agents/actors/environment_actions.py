"""A language model as the fallback policy of an environment: asked for an agent, on its budget, under its firmware."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.environments.policies import LanguageModel
from agents.models import Agent
from library.language import generation
from library.language.asking import Message, ModelError
from library.prompts import in_use

logger = logging.getLogger(__name__)

PURPOSE = "environment_action"
_MOST_TOKENS = 60


def policy_for(agent: Agent) -> LanguageModel:
    """The policy that asks this agent's model; it acts in simulations only, and gives up where there is no answer."""
    models = models_of(agent)

    def ask(situation: str, schema: Mapping[str, Any]) -> str | None:
        if not models:
            return None
        told = in_use.filled("environment-action")
        request = request_for(
            agent,
            PURPOSE,
            [Message("system", told.text), Message("user", situation)],
            models,
            prompts=[told],
            max_tokens=_MOST_TOKENS,
            schema=schema,
        )
        try:
            return generation.ask(request).text
        except ModelError as error:
            logger.warning("The language model chooses no action: %s", error)
            return None

    return LanguageModel(ask)
