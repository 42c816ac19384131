"""Asking a language model for a step of an approved plan: only while it runs, and on its agent's budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from agents.actors import firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import as_set_up
from agents.bdi.language_models.firmware_checks import in_text
from agents.bdi.plans.approved_models import Asked, agreed
from agents.models import Goal
from agents.record import logs
from agents.states import GoalState
from library.language import generation, masking
from library.language.asking import Accepts, Answer, CallFailed, Message, NoModel, PromptUsed
from library.prompts import in_use


@dataclass(frozen=True)
class Means:
    """What a service may count on. `goal`: whose work it is, None outside of one, where no model is asked.

    `asks`: which models the approved document names for the step. `until`: the moment of the monotonic clock at which
    the step's time is over. `said` answers in place of a model.
    """

    goal: int | None = None
    asks: Asked | None = None
    is_stopped: Callable[[], bool] = lambda: False
    until: float = math.inf
    said: str | None = None

    def told(self, name: str, **values: str) -> PromptUsed:
        """The prompt of this name that is sent; outside of a goal, where no model is asked, the one that ships."""
        version = in_use.shipped(name) if self.goal is None else in_use.of(name)
        return version.filled(**values)

    def is_wanted(self) -> bool:
        """Whether anybody still waits for the result."""
        return not self.is_stopped() and time.monotonic() < self.until

    def most_tokens(self) -> int:
        """How long a prompt may be beside the firmware that goes along: never longer than people saw."""
        now = int(settings.MODEL_PROMPT_TOKENS)
        goal = goal_of(self)
        return (min(now, self.asks.tokens) if self.asks else now) - (firmware.of(goal.agent).tokens if goal else 0)


@dataclass(frozen=True)
class Question:
    """What is asked, and how long the answer may be. The same question has the same answer for a while."""

    purpose: str
    messages: tuple[Message, ...]
    prompts: tuple[PromptUsed, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None = None


def say_masked(goal: int, stage: str, kinds: Sequence[str]) -> None:
    """Tell the goal's people that its text held secrets which no model saw."""
    logs.say(goal, "bdi_agent", stage, masking.told(kinds), level="warning")


def goal_of(means: Means) -> Goal | None:
    """The goal whose approved plan runs; None where no model is really asked. Raises NoModel for any other goal."""
    if means.said is not None:
        return None
    goal = Goal.objects.select_related("agent").filter(pk=means.goal).first() if means.goal is not None else None
    # A plan that nobody approved is tried in a copy under the same goal, and must never get as far as here.
    if goal is None or goal.state not in (GoalState.EXECUTING, GoalState.RECOVERING):
        raise NoModel("A model is asked only while an approved plan runs.")
    return goal


def ask(question: Question, means: Means, *, accepts: Accepts) -> Answer:
    """The answer of one of the models that were approved for the step, and never of another one.

    Only one that `accepts` says yes to is kept for the same question; one that the agent's firmware forbids is not
    used. Raises NoModel, NotAsApproved, BudgetSpent,
    CallFailed, Stopped.
    """
    goal = goal_of(means)
    if goal is None:
        return Answer(means.said or "", 0, "none", is_cached=False, asked="none")
    agent, told = goal.agent, firmware.of(goal.agent)
    may = agreed(means.asks, as_set_up(agent))
    request = request_for(
        agent,
        question.purpose,
        question.messages,
        may.models,
        prompts=question.prompts,
        max_tokens=question.max_tokens,
        schema=question.schema,
        goal=str(goal.pk),
        told=told,
    )
    try:
        answer = generation.ask(
            request,
            accepts=lambda text, masked: not in_text(told.checks, text) and accepts(text, masked),
            on_masked=lambda kinds: say_masked(goal.pk, "execute", kinds),
            is_wanted=means.is_wanted,
        )
    except CallFailed as error:
        if may.left_out:
            error.args = (f"{error}; nobody else was asked, for {' and '.join(may.left_out)}",)
        raise
    if against := in_text(told.checks, answer.text):
        raise CallFailed("against_firmware", f"{answer.model}'s answer is not used. {against[0].says}", again=False)
    return answer
