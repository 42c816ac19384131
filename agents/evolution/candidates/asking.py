"""Asking a model for the text of a candidate, as often as it may be asked until the text can be taken.

On the default agent's models and budget and under its firmware. Nothing here is called inside a transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings

from agents.actors import firmware
from agents.actors.firmware import Firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi.language_models import candidate_writing
from agents.models import DEFAULT_AGENT, Agent
from agents.record.errors import NotPossibleNow
from library.language import generation, masking
from library.language.asking import Answer, Ask, IsWanted, Message, ModelError, PromptUsed
from library.models import ComponentVersion
from library.prompts import in_use

PURPOSE = "candidate"
NO_MODEL = "No language model is set up."
# The text of an answer and why it cannot be taken. NotPossibleNow when the model says that it cannot.
Judge = Callable[[Answer], tuple[str, list[str]]]
Read = Callable[[str], tuple[str, str]]


@dataclass(frozen=True)
class Budget:
    """What asking may take at most. `models` is empty, and `why_not` says why, where nobody can be asked."""

    models: tuple[str, ...]
    calls: int
    tokens: int
    why_not: str = ""


@dataclass(frozen=True)
class Wanted:
    """What a candidate is written for: the version to improve on, the reason, and how far it may go from that."""

    parent: ComponentVersion
    why: str
    strategy: str


@dataclass(frozen=True)
class Writer:
    """The agent that a model writes for, with its firmware. `chars`: what a prompt may have.

    `since`: when the work began; what was answered to the same requests since then is not asked again. None: every
    request is sent. `used` are the answers that this work has taken already, for a second request that is the same asks
    again. `is_wanted` is asked while an answer comes, `on_asked` told of each request before it is sent.
    """

    agent: Agent
    told: Firmware
    since: datetime | None = None
    is_wanted: IsWanted | None = None
    on_asked: Callable[[], None] | None = None
    used: set[int] = field(default_factory=set)

    @property
    def chars(self) -> int:
        """Characters of a prompt beside the firmware."""
        return 3 * (settings.MODEL_PROMPT_TOKENS - self.told.tokens)


def budget() -> Budget:
    """What one candidate may take at most, before anybody is asked: tokens of all calls, prompts and answers."""
    # Before the first goal there is no such row yet; what it would be set to is what counts.
    agent = Agent.objects.filter(name=DEFAULT_AGENT).first() or Agent(name=DEFAULT_AGENT)
    if not (models := models_of(agent)):
        return Budget((), 0, 0, f"{NO_MODEL} Set MINDX_MODEL, or write the candidate in the editor.")
    calls = agent.max_repair_attempts + 1
    return Budget(models, calls, calls * (settings.MODEL_PROMPT_TOKENS + settings.MODEL_ANSWER_TOKENS))


def writer() -> Writer:
    """Whom a candidate is asked for. Raises NotPossibleNow when nobody can be asked."""
    if why_not := budget().why_not:
        raise NotPossibleNow(why_not)
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    return Writer(agent, firmware.of(agent))


def written(
    writer: Writer,
    prompt: PromptUsed,
    asked: tuple[tuple[str, str], ...],
    schema: Mapping[str, Any],
    judged: Judge,
) -> tuple[str, str]:
    """The first text that can be taken, and the model that wrote it. Raises NotPossibleNow.

    A text that cannot be taken is sent back by the prompt of the same name that ends in `-repair`.
    """
    prompts = [prompt]
    conversation = [Message(role, text) for role, text in asked]
    problems: list[str] = []
    for _ in range(writer.agent.max_repair_attempts + 1):
        request = request_for(
            writer.agent,
            PURPOSE,
            conversation,
            models_of(writer.agent),
            prompts=prompts,
            max_tokens=settings.MODEL_ANSWER_TOKENS,
            schema=schema,
            told=writer.told,
        )
        answer = _answer(writer, request)
        writer.used.add(answer.call)
        text, problems = judged(answer)
        if not problems:
            return text, answer.model
        repair = in_use.filled(f"{prompt.name}-repair", problems=candidate_writing.listed(problems))
        conversation[2:] = [Message("assistant", answer.text[: writer.chars // 4]), Message("user", repair.text)]
        prompts[1:] = [repair]
    raise NotPossibleNow(f"The model's candidates could not be taken. {' '.join(problems[:3])}")


def _answer(writer: Writer, request: Ask) -> Answer:
    known = None if writer.since is None else generation.answered_since(request, writer.since, writer.used)
    if known is not None:
        return known
    if writer.on_asked is not None:
        writer.on_asked()
    try:
        return generation.ask(request, is_wanted=writer.is_wanted)
    except ModelError as error:
        raise NotPossibleNow(f"No candidate was written: {error}") from error


def text_of(answer: Answer, read: Read, *, within: list[str]) -> tuple[str, list[str]]:
    """The text in an answer, and what is wrong with it so far. Raises NotPossibleNow when the model says it cannot.

    A secret of a goal must not get into the library; those of the texts `within`, which it was made from, may.
    """
    try:
        text, cannot = read(answer.text)
    except ValueError as wrong:
        return "", [str(wrong)]
    if cannot:
        raise NotPossibleNow(f"The model wrote no candidate: {cannot[:300]}")
    text = str(answer.masked.restored(text, within=within))
    if marks := masking.marks_in(text):
        return text, [f"{min(marks)} stands for a secret of a goal; leave it out."]
    return text, []
