"""Asking models for options, as generators do and discriminators that want better ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.bdi.modular import model_requests
from agents.bdi.modular.agent import PERSON, Answer, ModularAgent, Want
from agents.bdi.modular.model_requests import Unreadable
from agents.bdi.modular.state import DISCRIMINATOR, FunctionCall, Message, Option, Used


@dataclass(frozen=True)
class Sample:
    """One option to ask for. `model` is empty for the one that mindX uses."""

    key: str
    model: str
    temperature: float
    max_tokens: int


def options(
    agent: ModularAgent, samples: Sequence[Sample], messages: Sequence[Mapping[str, str]]
) -> list[Option] | None:
    """What models say to the messages; None while an answer is missing. All are asked at once.

    An answer that cannot be read is sent back once. One that still cannot be read is an option that calls nothing;
    a model that does not answer gives none.
    """
    first = [agent.answer(_request(one, messages)) for one in samples]
    answered = [answer for answer in first if answer is not None]
    if len(answered) < len(samples):
        return None
    read = [_read(agent, one, answer, messages) for one, answer in zip(samples, answered, strict=True)]
    return None if agent.wants else [option for option in read if option is not None]


def offer(agent: ModularAgent, samples: Sequence[Sample]) -> None:
    """Hand what models say to the discriminator; where none of them answers, what a person writes instead."""
    found = options(agent, samples, model_requests.conversation(agent))
    if found is not None and not found:
        found = written(agent, "instead", agent.state.context.get("model_error", ""))
    if found is not None:
        agent.state.go_on(DISCRIMINATOR, options=found, messages=agent.state.next_step.args.get("messages", []))


def _request(sample: Sample, messages: Sequence[Mapping[str, str]], repair: tuple[str, str] | None = None) -> Want:
    return model_requests.request(
        sample.key if repair is None else f"{sample.key}-repair",
        model_requests.ACT,
        messages,
        model=sample.model,
        temperature=sample.temperature,
        max_tokens=sample.max_tokens,
        repair=repair,
    )


def _read(agent: ModularAgent, sample: Sample, answer: Answer, messages: Sequence[Mapping[str, str]]) -> Option | None:
    if "error" in answer:
        agent.state.context["model_error"] = str(answer.get("message", answer["error"]))[:500]
        return None
    try:
        return model_requests.option(answer)
    except Unreadable as wrong:
        again = agent.answer(_request(sample, messages, (str(answer.get("text", ""))[:4_000], str(wrong))))
    if again is None:
        return None
    try:
        return model_requests.option(again if "error" not in again else answer)
    except Unreadable:
        return model_requests.raw_option(answer)


def written(agent: ModularAgent, key: str, why: str = "") -> list[Option] | None:
    """The option that a person writes; None until somebody has."""
    answer = agent.answer(Want(key, PERSON, {"ask": "write", "why": why}))
    return None if answer is None else [written_option(answer)]


def written_option(answer: Answer) -> Option:
    """What a person wrote, as an option. Its form was checked when it was written."""
    call = answer.get("function_call")
    found = FunctionCall(str(call["name"]), dict(call.get("arguments", {}))) if call else None
    return Option(Message("assistant", str(answer.get("content", "")), found).cut(), f"person:{answer.get('by', '')}")


def used_by(options: Sequence[Option]) -> Used:
    """What all options took together."""
    return sum((one.used for one in options), Used())
