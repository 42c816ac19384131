"""Asking memory in words: what a person may read about a subject, counted, with its main failures and its sources.

Without a model the answer is put together from what is stored. With one it is written by the model from the same
sources, which it must cite; an answer that cites none of them, or what it was not given, is not shown.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings

from library.language import generation
from library.language.asking import Ask, Message, ModelError, PromptUsed
from library.language.masking import Masked
from library.memory import selectors, summaries
from library.models import Experience
from library.prompts import in_use
from people.models import User

PURPOSE = "memory"
# Makes a request of a purpose, messages, the prompts in them and the most tokens of an answer. It knows whose budget
# and firmware count.
Requests = Callable[[str, Sequence[Message], Sequence[PromptUsed], int], Ask]
_registered: list[Requests] = []
SOURCES_MAX = 12
_LOOKED_AT = 60
_FAILURES_MAX = 3
_NEAREST_MAX = 3
# From this cosine similarity on an experience is about a question's subject (`make bench-memory` measures it).
ABOUT_FROM = 0.40
_SUMMARY_CHARS = 400
_ANSWER_TOKENS = 600
FAILED = frozenset({"failure", "partial_success", "abandoned"})
WORKED = frozenset({"success"})
_ABOUT_FAILURE = re.compile(r"\b(?:went wrong|goe?s? wrong|fail\w*|error\w*|problem\w*|trouble\w*|broke\w*)\b", re.I)
_ABOUT_SUCCESS = re.compile(r"\b(?:worked|works?|succeed\w*|success\w*|went well|helped)\b", re.I)
# Words of a question that do not name its subject.
_FRAME = re.compile(
    r"\b(?:what|which|why|how|when|did|does|do|has|have|had|was|were|is|are|it|we|i|my|our|the|a|an|with|about|for|of"
    r"|in|on|went|go|wrong|well|ever|so|far|before|last|time|experiences?|goals?)\b|[?!.,]",
    re.I,
)
_ENDED = {
    "success": "succeeded",
    "failure": "failed",
    "partial_success": "worked in part",
    "abandoned": "given up",
    "unchecked": "ran unchecked",
}
_CITED = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True)
class Group:
    """Failures of one class: how many of the sources, how the newest one went, and their numbers."""

    error_type: str
    count: int
    example: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Reply:
    """What memory answers. `text` may cite sources as [1]; `model` wrote it, "" where none did, and `no_model` says why
    it did not though it was asked. `counts` are of all that was found, `sources` the nearest of them. Without `counts`
    nothing was found, and `sources` are what comes nearest.
    """

    text: str
    sources: tuple[Experience, ...]
    counts: dict[str, int]
    groups: tuple[Group, ...]
    model: str = ""
    no_model: str = ""


def register(requests: Requests) -> None:
    """Set what makes the requests to a model; the last one counts."""
    _registered[:] = [requests]


def reply(question: str, *, user: User, with_model: bool = False) -> Reply:
    """Answer from what this person may read. Never call it inside a transaction `with_model`.

    Ask about what went wrong or what worked, and only that counts; otherwise everything on the subject.
    """
    rows = selectors.search(_subject(question), user=user, limit=_LOOKED_AT)
    about = [row for row, similarity in rows if similarity is None or similarity >= ABOUT_FROM]
    if not about:
        return _nothing([row for row, _ in rows[:_NEAREST_MAX]])
    wanted = _wanted(question)
    found = [row for row in about if wanted is None or row.final_outcome in wanted]
    if wanted is not None and not found:
        return _none_so(about, "failed" if wanted is FAILED else "worked")
    summaries.look_up(found)
    counts = dict(Counter(row.final_outcome for row in found).most_common())
    sources = tuple(found[:SOURCES_MAX])
    groups = _groups(sources)
    plain = Reply(_told(counts, groups, sources), sources, counts, groups)
    if not with_model or not settings.MODEL or not _registered:
        return plain
    return _written(question, plain)


def _nothing(nearest: Sequence[Experience]) -> Reply:
    """Nothing is counted, and no model is asked: what is merely the least far is named as that."""
    said = "Nothing that you may read is about this."
    if nearest:
        said += f" The nearest: {_titles(nearest)}."
    return Reply(said, tuple(nearest), {}, ())


def _none_so(about: Sequence[Experience], how: str) -> Reply:
    ended = ", ".join(f"{count} {_ENDED[name]}" for name, count in Counter(row.final_outcome for row in about).items())
    said = f"{_experiences(len(about))} about this, and none of them {how}: {ended}. {_titles(about[:_NEAREST_MAX])}."
    return Reply(said, tuple(about[:_NEAREST_MAX]), {}, ())


def _titles(rows: Sequence[Experience]) -> str:
    return "; ".join(f"{row.title[:100]} [{n}]" for n, row in enumerate(rows, 1))


def _experiences(count: int) -> str:
    return f"{count} experience{'s are' if count > 1 else ' is'}"


def _subject(question: str) -> str:
    """The question without its frame; all of it where nothing else is left."""
    bare = _ABOUT_SUCCESS.sub(" ", _ABOUT_FAILURE.sub(" ", question))
    return " ".join(_FRAME.sub(" ", bare).split()) or question


def _wanted(question: str) -> frozenset[str] | None:
    if _ABOUT_FAILURE.search(question):
        return FAILED
    return WORKED if _ABOUT_SUCCESS.search(question) else None


def _groups(sources: Sequence[Experience]) -> tuple[Group, ...]:
    """The failures among the sources by their class, the most frequent first."""
    by_class: dict[str, list[int]] = {}
    for number, row in enumerate(sources, 1):
        if row.final_outcome in FAILED:
            by_class.setdefault(str(row.feedback_signals.get("error_type") or ""), []).append(number)
    ranked = sorted(by_class.items(), key=lambda one: -len(one[1]))[:_FAILURES_MAX]
    return tuple(
        Group(name, len(numbers), _example(sources[numbers[0] - 1]), tuple(numbers)) for name, numbers in ranked
    )


def _example(row: Experience) -> str:
    return " ".join(summaries.of(row).split())[:200]


def _told(counts: dict[str, int], groups: Sequence[Group], sources: Sequence[Experience]) -> str:
    """Counts and failures in sentences."""
    total = sum(counts.values())
    ended = ", ".join(f"{count} {_ENDED[name]}" for name, count in counts.items())
    said = [f"{_experiences(total)} about this: {ended}."]
    for group in groups:
        kind = f"with {group.error_type}" if group.error_type else "without an error class"
        cited = "".join(f"[{number}]" for number in group.numbers)
        said.append(
            f"{group.count} ended {kind}" + (f", such as: {group.example}" if group.example else "") + f" {cited}"
        )
    if not groups:
        said.append(f"The nearest: {_titles(sources[:_NEAREST_MAX])}.")
    return "\n".join(said)


def _written(question: str, plain: Reply) -> Reply:
    """The same sources, answered by a model; the plain answer, and why, where it gave none that cites."""
    material = {"question": question, "sources": [_source(n, row) for n, row in enumerate(plain.sources, 1)]}
    # Plain ASCII: no text can look like the end of the material.
    told = in_use.filled("memory")
    messages = (Message("system", f"{told.text}\n"), Message("user", json.dumps(material, ensure_ascii=True)))
    request = _registered[0](PURPOSE, messages, [told], _ANSWER_TOKENS)

    def cites(text: str, _: Masked) -> bool:
        return is_cited(text, len(plain.sources))

    try:
        answer = generation.ask(request, accepts=cites)
    except ModelError as error:
        return Reply(plain.text, plain.sources, plain.counts, plain.groups, no_model=str(error))
    if not is_cited(answer.text, len(plain.sources)):
        said = f"{answer.model} answered without naming its sources, so its answer is not shown."
        return Reply(plain.text, plain.sources, plain.counts, plain.groups, no_model=said)
    return Reply(answer.text.strip(), plain.sources, plain.counts, plain.groups, model=answer.model)


def _source(number: int, row: Experience) -> dict[str, object]:
    return {
        "number": number,
        "goal": row.title[:300],
        "outcome": row.final_outcome,
        "steps": row.sub_task_description[:300],
        "decisions": row.key_decisions_made[:4],
        "came_of_it": summaries.of(row)[:_SUMMARY_CHARS],
    }


def is_cited(text: str, sources: int) -> bool:
    """Whether it names sources, and none that there is not."""
    cited = {int(number) for number in _CITED.findall(text)}
    return bool(cited) and all(1 <= number <= sources for number in cited)
