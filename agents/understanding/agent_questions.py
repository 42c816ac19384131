"""Questions about agents that a goal names: a name that one has already, a name that none has."""

from __future__ import annotations

import difflib
from dataclasses import replace

from agents.actors import lifecycle
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.models import Agent
from agents.toolkit.tools.agent_registry import CREATE, NAME

_LOOKED_THROUGH = 500


def with_questions(found: Understood) -> Understood:
    """What was understood, with a question for each name that cannot be meant: nothing is made under another one, and
    nothing is done to the agent that is merely alike.
    """
    meant, asked = list(found.meant), list(found.questions)
    for at, one in enumerate(meant):
        name = one.params.get("name")
        if one.tool != NAME or name is None or (question := _about(one, str(name.value), at + 1)) is None:
            continue
        meant[at] = replace(one, params={key: value for key, value in one.params.items() if key != "name"})
        asked.append(question)
    if len(asked) == len(found.questions):
        return found
    return replace(found, meant=tuple(meant), questions=tuple(asked), confidence=0.0)


def _about(one: Meant, name: str, step: int) -> Question | None:
    is_there = lifecycle.is_taken(name)
    if one.command == CREATE and is_there:
        free = lifecycle.free_name(name)
        text = f"There is an agent named {name} already. What should the new one be called?"
        return Question(step, text, "Each agent has a name of its own, retired ones too.", "name", (_choice(free),))
    if one.command != CREATE and not is_there:
        known = Agent.objects.filter(retired_at=None).order_by("name").values_list("name", flat=True)[:_LOOKED_THROUGH]
        near = difflib.get_close_matches(name, list(known), n=3)
        text = f"There is no agent named {name}. Which one is meant?"
        return Question(step, text, "No agent has or had this name.", "name", tuple(map(_choice, near)))
    return None


def _choice(name: str) -> Choice:
    return Choice(name, "a free name" if not lifecycle.is_taken(name) else "an agent that there is", name)
