"""Asking the goal's model for values that the words do not give plainly, under the goal's lease and budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.actors.step_model_calls import say_masked
from agents.bdi.understanding import extraction
from agents.bdi.understanding.extraction import Extracted
from agents.models import Goal
from agents.record import logs
from agents.toolkit.command import Command
from library.language import generation
from library.language.asking import Message, ModelError, Stopped
from library.prompts import in_use

logger = logging.getLogger(__name__)

PURPOSE = "extract"
_MOST_TOKENS = 600


def values_for(
    goal: Goal, command: Command, names: Sequence[str], *, is_wanted: Callable[[], bool] = lambda: True
) -> Extracted:
    """The values that a model finds in the goal's own words; none where there is no model, no answer or no sense.

    Raises Stopped when the values are wanted no more.
    """
    models = models_of(goal.agent)
    if not models:
        return Extracted({})
    told = in_use.filled("extract")
    request = request_for(
        goal.agent,
        PURPOSE,
        [Message(role, text) for role, text in extraction.messages(told.text, goal.text, command, names)],
        models,
        prompts=[told],
        max_tokens=_MOST_TOKENS,
        schema=extraction.schema_of(command, names),
        goal=str(goal.pk),
    )
    # Said before: the first answer of a worker may take half a minute, and nothing else is to be seen meanwhile.
    logs.say(goal.pk, "bdi_agent", "resolve", f"{models[0]} is asked what the goal says of {', '.join(names)}")
    try:
        answer = generation.ask(
            request,
            accepts=lambda text, masked: not extraction.read(text, goal.text, command, names, masked.restored).refused,
            on_masked=lambda kinds: say_masked(goal.pk, "resolve", kinds),
            is_wanted=is_wanted,
        )
    except Stopped:
        raise
    except ModelError as error:
        logs.say(goal.pk, "bdi_agent", "resolve", f"no value was extracted by a model: {error}", level="warning")
        return Extracted({}, (str(error),))
    found = extraction.read(answer.text, goal.text, command, names, answer.masked.restored)
    for why in found.refused:
        logs.say(goal.pk, "bdi_agent", "resolve", f"a value of the model is not used: {why}", level="warning")
    return found
