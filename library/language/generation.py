"""Asking a language model: the cache first, then the budget, then the models in order, each tried again with patience.

Every question is a row, whatever became of it. Nothing here is called inside a transaction.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from library.language import calls, provider
from library.language.asking import (
    Answer,
    Ask,
    CallFailed,
    IsWanted,
    ModelError,
    NoModel,
    OnText,
    Stopped,
)
from library.models import ModelCall

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
_LOOKS_EVERY_S = 0.2

# Told of what goes wrong on the way, as sentences for the goal's log.
OnTrouble = Callable[[str], None]


def _nothing(_: str) -> None:
    """Nobody asked."""


def ask(
    request: Ask,
    *,
    on_text: OnText | None = None,
    on_trouble: OnTrouble = _nothing,
    is_wanted: IsWanted | None = None,
) -> Answer:
    """The answer of the first model that gives one; a provider's key in the messages is neither sent nor kept.

    Raises NoModel, BudgetSpent, Stopped, or CallFailed for the last thing that went wrong; `call` names its row.
    """
    if not request.models:
        raise NoModel("No language model is set up: MINDX_MODEL names one.")
    shown = provider.without_keys(*(one.content for one in request.messages))
    messages = tuple(replace(one, content=text) for one, text in zip(request.messages, shown, strict=True))
    request = replace(request, messages=messages)
    last: CallFailed | None = None
    for model in request.models:
        if last is not None:
            on_trouble(f"{last}; {model} is asked instead")
        if (row := calls.cached(request, model)) is not None:
            return Answer(row.answer, row.pk, row.answered_by, is_cached=True, asked=model)
        try:
            return _one_model(request, model, on_text, on_trouble, is_wanted)
        except CallFailed as error:
            last = error
    assert last is not None  # noqa: S101  # there was at least one model
    raise last


def _one_model(
    request: Ask, model: str, on_text: OnText | None, on_trouble: OnTrouble, is_wanted: IsWanted | None
) -> Answer:
    guess = calls.most_used(request)
    row = calls.open_call(request, model, provider.cost_of(model, guess.tokens_in, guess.tokens_out))
    begun, tries = time.monotonic(), 0
    try:
        while True:
            tries += 1
            try:
                said = provider.request(
                    request, model, timeout_s=settings.MODEL_TIMEOUT_S, on_text=on_text, is_wanted=is_wanted
                )
                break
            except CallFailed as error:
                if not error.again or tries >= settings.MODEL_TRIES:
                    raise
                wait_s = _wait_s(error, tries)
                if wait_s > LONGEST_WAIT_S:
                    raise
                on_trouble(f"{error}; asked again in {wait_s:.0f} s")
                _pause(wait_s, is_wanted)
    except ModelError as error:
        error.call = row.pk
        calls.failed(row, error, _since_ms(begun), tries)
        raise
    except BaseException:
        calls.failed(row, ModelError("mindX had an error while it asked."), _since_ms(begun), tries)
        raise
    calls.answered(row, said, _since_ms(begun), tries)
    return Answer(row.answer, row.pk, row.answered_by, is_cached=False, asked=model)


def _wait_s(error: CallFailed, tries: int) -> float:
    """As long as the server says; else twice as long each time, and never all at the same moment."""
    if error.retry_after_s is not None:
        return error.retry_after_s
    return min(FIRST_WAIT_S * 2.0 ** (tries - 1) * random.uniform(0.75, 1.25), LONGEST_WAIT_S)  # noqa: S311


def _pause(seconds: float, is_wanted: IsWanted | None) -> None:
    until = time.monotonic() + seconds
    waiting = threading.Event()
    while (left := until - time.monotonic()) > 0:
        if is_wanted is not None and not is_wanted():
            raise Stopped("The answer is wanted no more.")
        waiting.wait(min(left, _LOOKS_EVERY_S))


def _since_ms(begun: float) -> int:
    return int((time.monotonic() - begun) * 1000)


def of(row: Answer) -> ModelCall:
    """The row that keeps an answer."""
    return ModelCall.objects.get(pk=row.call)
