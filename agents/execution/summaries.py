"""Summaries of what a jail read: by the text's own sentences, or by the language model of the goal's agent.

Nothing here opens a file. What the text says is material: it stands alone in a message of its own, as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from agents.actors.step_model_calls import Means, Question, ask
from agents.toolkit.command import Params
from library.language import extracting
from library.language.asking import CallFailed, Message, guessed_tokens

PURPOSE = "summary"
MOST_CHARS, LOGGED_CHARS = 8_000, 1_500
_PASSAGES = 12
# A word of a language that tokenizers know badly may take several tokens.
_TOKENS_OF_A_WORD, _TOKENS_BESIDE = 5, 200


def by_sentences(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """The most telling of the sentences that the jail took, in their order. Raises EmbeddingUnavailable, Stopped."""
    taken = [
        extracting.Candidate(str(text), int(section), float(place), float(form))
        for text, section, place, form in answer["candidates"]
    ]
    found = extracting.extract(
        taken, str(answer["title"]), int(params["sentences"]), MOST_CHARS, is_wanted=means.is_wanted
    )
    there, whole = int(answer["there"]), int(answer["whole_chars"])
    said = f"{len(found)} of {there} different sentences of {answer['of']}, in their order"
    if len(taken) < there:
        said += f"; {len(taken)} of them, from the whole of it, were compared with each other"
    return {
        "message": _told(said, "\n".join(found)),
        "summary": "\n".join(found),
        "chosen": len(found),
        "there": there,
        "compared": len(taken),
        "read_chars": whole,
        "left_out_chars": 0,
    }


def by_model(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """What the model says, as plain text. Raises NoModel, NotAsApproved, BudgetSpent, CallFailed, Stopped."""
    whole, words = int(answer["whole_chars"]), int(params["words"])
    told = means.told("summary", words=str(words))
    text = passages(str(answer["text"]), 3 * (means.most_tokens() - guessed_tokens(told.text)) - 500)
    material = json.dumps({"text": text, "left_out_characters": max(0, whole - len(text))}, ensure_ascii=False)
    messages = (Message("system", told.text), Message("user", material))
    length = min(settings.MODEL_ANSWER_TOKENS, words * _TOKENS_OF_A_WORD + _TOKENS_BESIDE)
    given = ask(Question(PURPOSE, messages, (told,), length), means, accepts=lambda said, _: bool(said.strip()))
    if not (said := given.text.strip()):
        raise CallFailed("empty", f"{given.model} answered nothing", again=False)
    done = f"a summary of {answer['of']} by {given.model}" + _left_out(len(text), whole)
    return {
        "message": _told(done, said),
        "summary": said if len(said) <= MOST_CHARS else said[: MOST_CHARS - 2] + " …",
        "model": given.model,
        "read_chars": len(text),
        "left_out_chars": max(0, whole - len(text)),
    }


def passages(text: str, most_chars: int) -> str:
    """The text, or pieces of it from its beginning to its end that together are no longer than this."""
    if len(text) <= most_chars:
        return text
    length = most_chars // _PASSAGES - 8
    starts = [number * (len(text) - length) // (_PASSAGES - 1) for number in range(_PASSAGES)]
    return "\n[…]\n".join(text[start : start + length] for start in starts)


def _told(what: str, summary: str) -> str:
    """The line of the log: what was done, and the summary itself, for it is what people asked for."""
    line = " ".join(summary.split())
    return f"{what}: {line if len(line) <= LOGGED_CHARS else line[:LOGGED_CHARS] + ' … (in full with the attempt)'}"


def _left_out(read: int, whole: int) -> str:
    return f"; {whole - read:,} of its {whole:,} characters were left out" if whole > read else ""
