"""The language model as the last stage of entailment: asked for one goal, on its agent's budget, under its firmware."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.actors.step_model_calls import say_masked
from agents.models import Goal
from agents.record import logs
from agents.rules import judging
from agents.rules.cascade import LANGUAGE_MODEL, Likelihood
from agents.rules.judging import NoVerdicts
from library.language import generation
from library.language.asking import Accepts, Message, ModelError, Stopped
from library.prompts import in_use

PURPOSE = "entailment"
# It gives its probability as a word, not as a measurement: only near certainty counts, unless operators say otherwise.
ENTAILMENT, CONTRADICTION = 0.95, 0.01
# A verdict has about 30 tokens, and at most eight are asked for at once.
_MOST_TOKENS = 600


class LanguageModel:
    """A judge that asks the goal's model. After one answer that cannot be used it is silent for this planning."""

    stage = LANGUAGE_MODEL

    def __init__(self, goal: Goal, is_wanted: Callable[[], bool]) -> None:
        self.entailment, self.contradiction = ENTAILMENT, CONTRADICTION
        self._goal, self._is_wanted, self._is_silent = goal, is_wanted, False
        self._models = models_of(goal.agent)
        self._told = in_use.filled("entailment")
        made_of = "\0".join((*self._models, self._told.text))
        self.identity = f"language model {hashlib.sha256(made_of.encode()).hexdigest()[:24]}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        """As `Judge.judge`: one request for all premises of a hypothesis. Raises Stopped."""
        found: list[Likelihood | None] = []
        for hypothesis in dict.fromkeys(hypothesis for _, hypothesis in pairs):
            premises = [premise for premise, other in pairs if other == hypothesis]
            short = [one for one in premises if len(one) + len(hypothesis) <= judging.MOST_CHARACTERS]
            judged = iter(self._judged(short, hypothesis) if short else ())
            # Pairs of one hypothesis stand together, so this is their order. An answer that is missing ends it.
            found += [next(judged, None) if one in short else judging.NOT_JUDGED for one in premises]
        return [one for one in found if one is not None] if None not in found else []

    def _judged(self, premises: Sequence[str], hypothesis: str) -> list[Likelihood]:
        if self._is_silent or not self._models:
            return []
        request = request_for(
            self._goal.agent,
            PURPOSE,
            [Message(role, text) for role, text in judging.messages(self._told.text, premises, hypothesis)],
            self._models,
            prompts=[self._told],
            max_tokens=_MOST_TOKENS,
            schema=judging.schema_of(len(premises)),
            goal=str(self._goal.pk),
        )
        self._say(f"{self._models[0]} is asked whether “{hypothesis[:120]}” follows from what is believed")
        try:
            answer = generation.ask(
                request,
                accepts=_accepts(len(premises)),
                on_masked=lambda kinds: say_masked(self._goal.pk, "plan", kinds),
                is_wanted=self._is_wanted,
            )
            return judging.read(answer.text, len(premises))
        except Stopped:
            raise
        except (ModelError, NoVerdicts) as error:
            self._is_silent = True
            self._say(f"no language model says whether conditions follow: {error}", level="warning")
            return []

    def _say(self, text: str, level: str = "info") -> None:
        logs.say(self._goal.pk, "bdi_agent", "plan", text, level=level)


def _accepts(premises: int) -> Accepts:
    def accepts(text: str, _: object) -> bool:
        try:
            judging.read(text, premises)
        except NoVerdicts:
            return False
        return True

    return accepts
