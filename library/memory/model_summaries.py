"""Summaries of long results that the language model writes: asked by a worker alone, checked against the result, and
kept with the experience. Where the model's cannot be used, the result's own sentences are taken, and why is kept.

Only results of the last day are sent: setting up a model must not spend its budget on everything that was ever done.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Length, Trim
from django.utils import timezone

from library.language import generation
from library.language.asking import Ask, CallFailed, Message, ModelError, PromptUsed
from library.memory.summaries import LONG_FROM
from library.models import Experience, ExperienceSummary, MemoryOff
from library.prompts import in_use

logger = logging.getLogger(__name__)
PURPOSE = "memory_summary"
WORDS = 60
WITHIN = timedelta(days=1)
# A worker has other work, too; what is left comes with the next sweep.
AT_ONCE = 5
_ANSWER_TOKENS = 400
# Makes a request of a purpose, messages, the prompts in them and the most tokens of an answer. It knows whose budget
# and firmware count.
Requests = Callable[[str, Sequence[Message], Sequence[PromptUsed], int], Ask]
# What the firmware of such a request forbids in a text, as a sentence; "" where it forbids nothing there.
Forbidden = Callable[[str], str]
_registered: list[tuple[Requests, Forbidden]] = []
_TOKEN = re.compile(r"\w[\w./\\:@%+-]*\w|\w")
_SENTENCE = re.compile(r"(?:^|[.!?…:]\s+|\n\s*)(\w)")
_NUMBERS = frozenset(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "hundred", "thousand")
)


def register(requests: Requests, forbidden: Forbidden) -> None:
    """Set what makes the requests to a model, and what checks an answer by its firmware; the last ones count."""
    _registered[:] = [(requests, forbidden)]


def is_on() -> bool:
    """Whether a model is set up and the operator wants it to summarise."""
    return bool(settings.MODEL and settings.MEMORY_SUMMARIES and _registered)


def write_some() -> int:
    """Have some long results summarised, the newest first; how many were looked at. Never call it inside a transaction.

    It ends where the model gives no answer now; what is left is tried again the next time.
    """
    if not is_on():
        return 0
    done = 0
    for row in _without()[:AT_ONCE]:
        try:
            _write(row)
        except ModelError as error:
            logger.info("Summaries of memory are postponed: %s", error)
            break
        done += 1
    return done


def _without() -> QuerySet[Experience]:
    """Long results of the last day that nobody has summarised, but for agents whose memory is off."""
    rows = Experience.objects.filter(timestamp__gt=timezone.now() - WITHIN, model_summary=None, merged_into=None)
    rows = rows.exclude(initiating_agent_id__in=MemoryOff.objects.values("agent"))
    return rows.alias(chars=Length(Trim("output_summary"))).filter(chars__gt=LONG_FROM).order_by("-timestamp", "-pk")


def _write(row: Experience) -> None:
    """Ask for one and keep it, or why it cannot be used. ModelError where the same request may succeed later."""
    source = row.output_summary.strip()
    told = in_use.filled("memory-summary", words=str(WORDS))
    # Plain ASCII: no text can look like the end of the material.
    material = json.dumps({"result": source}, ensure_ascii=True)
    requests, forbidden = _registered[0]
    request = requests(PURPOSE, (Message("system", told.text), Message("user", material)), [told], _ANSWER_TOKENS)

    def wrong_in(text: str) -> str:
        return why_not(text, source) or forbidden(text)

    try:
        answer = generation.ask(request, accepts=lambda text, _: not wrong_in(text))
    except CallFailed as error:
        if error.again:
            raise
        _keep(row, "", "", error.call, str(error))
        return
    wrong = wrong_in(answer.text)
    _keep(row, "" if wrong else answer.text.strip(), answer.model, answer.call, wrong)


def _keep(row: Experience, text: str, model: str, call: int | None, wrong: str) -> None:
    """Keep it once, unless the experience was forgotten meanwhile, or another worker was first."""
    with transaction.atomic():
        if Experience.objects.select_for_update(of=("self",)).filter(pk=row.pk).exists():
            kept = {"text": text, "model": model, "call": call, "why_not": wrong}
            ExperienceSummary.objects.get_or_create(experience=row, defaults=kept)


def why_not(text: str, source: str) -> str:
    """Why a summary cannot be used, as a sentence; "" where it can.

    Every figure, name and path in it must stand in the source. A name is a word with a capital letter where no sentence
    begins; in scripts without capital letters no name is recognised.
    """
    text = text.strip()
    if not text:
        return "The model answered nothing."
    if len(text) > min(LONG_FROM, len(source) - 1):
        return (
            f"The model's summary has {len(text)} characters; at most {LONG_FROM} and fewer than the result are wanted."
        )
    known = {part.casefold() for token in _TOKEN.findall(source) for part in (token, *re.split(r"[./\\:@%+-]", token))}
    begins = {found.start(1) for found in _SENTENCE.finditer(text)}
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word.casefold() not in known and _must_be_known(word, begins_sentence=found.start() in begins):
            return f"The model's summary says “{word[:80]}”, which the result does not."
    return ""


def _must_be_known(word: str, *, begins_sentence: bool) -> bool:
    if word.casefold() in _NUMBERS or any(char.isdigit() or char in "_./\\:@%+" for char in word):
        return True
    return any(char.isupper() for char in (word[1:] if begins_sentence else word))
