"""Asking a language model: the cache first, then the budget, then the models in order, each tried again with patience.

Every question is a row, whatever became of it. An answer is given again only when its asker could use it. Secrets in a
question are masked before it is kept or sent. Nothing here is called inside a transaction.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.utils.crypto import salted_hmac

from library.language import calls, masking, may_wait, provider
from library.language.asking import (
    NOTHING_USED,
    Accepts,
    Answer,
    Ask,
    CallFailed,
    IsWanted,
    ModelError,
    NoModel,
    OnText,
    Stopped,
)
from library.language.masking import Masked
from library.models import ModelCall
from library.prompts import in_use

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
_LOOKS_EVERY_S = 0.2

# Told of what goes wrong on the way, as sentences for the goal's log.
OnTrouble = Callable[[str], None]
# Told of the kinds of secrets that were masked, before anything is sent.
OnMasked = Callable[[tuple[str, ...]], None]


def _nothing(_: object) -> None:
    """Nobody asked."""


def ask(
    request: Ask,
    *,
    accepts: Accepts | None = None,
    on_text: OnText | None = None,
    on_trouble: OnTrouble = _nothing,
    on_masked: OnMasked = _nothing,
    is_wanted: IsWanted | None = None,
) -> Answer:
    """The answer of the first model that gives one; secrets in the messages are neither sent nor kept.

    `accepts` says whether an answer can be used: only such a one is taken from the cache or kept there, so one that is
    wrong or broken off answers nobody twice. Without it the cache is left alone.

    Raises NoModel, BudgetSpent, Stopped, or CallFailed for the last thing that went wrong; `call` names its row. Where
    this process may not wait for an answer, NotHere (`may_wait`).
    """
    if not request.models:
        raise NoModel("No language model is set up. Set MINDX_MODEL.")
    request, masked = _masked(request)
    if masked.kinds:
        on_masked(masked.kinds)
    last: CallFailed | None = None
    for model in request.models:
        if last is not None:
            on_trouble(f"{last}; asking {model} instead")
        if accepts is not None and (row := _from_cache(request, model, masked, accepts)) is not None:
            return Answer(row.answer, row.pk, row.answered_by, is_cached=True, asked=model, masked=masked)
        try:
            return _one_model(request, model, masked, accepts, on_text, on_trouble, is_wanted)
        except CallFailed as error:
            last = error
    assert last is not None  # noqa: S101  # there was at least one model
    raise last


def answered_since(request: Ask, since: datetime, besides: Collection[int]) -> Answer | None:
    """What the same request was answered since a moment, of use or not, but for the calls `besides`; None: nothing.

    For work that is done again after a worker died: what was paid for is not asked again.
    """
    request, masked = _masked(request)
    for model in request.models:
        if (row := calls.answered_since(request, model, since, besides)) is not None:
            return Answer(row.answer, row.call, row.answered_by, is_cached=True, asked=model, masked=masked)
    return None


def as_sent(text: str) -> str:
    """A text with its secrets as marks, as a request would hold it."""
    return masking.mask([text], _mark_of, keys=provider.keys()).texts[0]


def _masked(request: Ask) -> tuple[Ask, Masked]:
    texts = [one.content for one in request.messages]
    ours = [at for at, one in enumerate(request.messages) if one.role == "system"]
    masked = masking.mask(texts, _mark_of, keys=provider.keys(), ours=ours)
    messages = tuple(replace(one, content=text) for one, text in zip(request.messages, masked.texts, strict=True))
    return replace(request, messages=messages, masked=masked.kinds), masked


def _mark_of(secret: str) -> str:
    """Keyed, so that whoever sees a mark cannot try out which secret it stands for."""
    return salted_hmac("library.language.masking", secret, algorithm="sha256").hexdigest()[:8]


def _from_cache(request: Ask, model: str, masked: Masked, accepts: Accepts) -> ModelCall | None:
    earlier = calls.fresh(request, model)
    if earlier is None or not accepts(earlier.answer, masked):
        return None
    return calls.cached(request, model, earlier)


def _one_model(
    request: Ask,
    model: str,
    masked: Masked,
    accepts: Accepts | None,
    on_text: OnText | None,
    on_trouble: OnTrouble,
    is_wanted: IsWanted | None,
) -> Answer:
    may_wait.check()
    guess = calls.most_used(request)
    row = calls.open_call(request, model, provider.cost_of(model, guess.tokens_in, guess.tokens_out))
    begun, tries, used = time.monotonic(), 0, NOTHING_USED
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
                used += error.used
                on_trouble(f"{error}; asking again in {wait_s:.0f} s")
                _pause(wait_s, is_wanted)
    except ModelError as error:
        error.call = row.pk
        calls.failed(row, error, used + error.used, _since_ms(begun), tries)
        raise
    except BaseException:
        calls.failed(row, ModelError("mindX failed while it asked the model."), used, _since_ms(begun), tries)
        raise
    said = replace(said, usage=said.usage + used)
    is_kept = False
    try:
        is_kept = accepts is not None and accepts(said.text, masked)
    finally:
        calls.answered(row, said, _since_ms(begun), tries, is_kept=is_kept)
    if accepts is not None and request.prompts:
        # Of a repair the last: what was wrong with the answer before stands counted with the first.
        in_use.count(request.prompts[-1], was_of_use=is_kept, call=row.pk)
    return Answer(row.answer, row.pk, row.answered_by, is_cached=False, asked=model, masked=masked)


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
            raise Stopped("The answer is no longer needed.")
        waiting.wait(min(left, _LOOKS_EVERY_S))


def _since_ms(begun: float) -> int:
    return int((time.monotonic() - begun) * 1000)


def of(row: Answer) -> ModelCall:
    """The row that keeps an answer."""
    return ModelCall.objects.get(pk=row.call)
