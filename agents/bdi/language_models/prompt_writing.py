"""What a model is asked for a better version of a prompt, how far each strategy may go, and what is wrong with a text.

Pure. A prompt instructs the models of everybody's goals, and the cases are recorded requests and answers, which anybody
may have written. So they go along as material, and no text may repeat what stands in them: an instruction that somebody
hid there would else speak in every request to come.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.language_models.candidate_writing import text_or_reason

# Conservative: so many words more. Standard: this share of the words stays, and it grows by no more than this.
MOST_WORDS_MORE, LEAST_KEPT, MOST_GROWN = 60, 0.5, 1.5
# So many letters and digits in a row are no chance: about six words of English, whatever stands between them.
COPIED_CHARS = 30
REQUEST_CHARS, ANSWER_CHARS, _ERROR_CHARS = 800, 600, 400

# What JSON makes of the end of a line, and of a letter that is not of ASCII.
_BREAK, _CODE = re.compile(r"\\[bfnrt]"), re.compile(r"\\u([0-9a-fA-F]{4})")

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"prompt": {"type": "string"}, "cannot": {"type": "string"}},
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Recorded:
    """A request that was sent with the prompt, and its answer; `error` is empty where that was of use."""

    request: str
    answer: str
    error: str = ""


@dataclass(frozen=True)
class Present:
    """The prompt to improve on: its name, when it is sent, and its text. `places` has what fills each; "" differs."""

    name: str
    use: str
    text: str
    places: Mapping[str, str]


@dataclass(frozen=True)
class Strategy:
    """How far a text may go from its parent: what the model is told, and what is checked."""

    told: str
    problems: Callable[[str, str], Iterator[str]]


def messages(
    instructions: str, present: Present, why: str, cases: Sequence[Recorded], most_chars: int
) -> tuple[tuple[str, str], ...]:
    """Role and text of what is asked, of at most about `most_chars` characters: cases are left out from the end."""
    system = f"{instructions}\n"
    kept = list(cases)
    while True:
        errors = Counter(case.error[:_ERROR_CHARS] for case in kept if case.error)
        material = {
            "name": present.name,
            "use": present.use,
            "prompt": present.text,
            "places": dict(present.places),
            "why": why,
            "failed": [_told(case) for case in kept if case.error],
            "errors": [{"times": times, "error": error} for error, times in errors.most_common()],
            "worked": [_told(case) for case in kept if not case.error],
        }
        text = json.dumps(material, ensure_ascii=False)
        if len(system) + len(text) <= most_chars or not kept:
            return ("system", system), ("user", text)
        kept.pop()


def _told(case: Recorded) -> dict[str, str]:
    said = {"request": case.request[:REQUEST_CHARS], "answer": case.answer[:ANSWER_CHARS]}
    return said | {"error": case.error[:_ERROR_CHARS]} if case.error else said


def read(answer: str) -> tuple[str, str]:
    """The text of the prompt, or why there is none; ValueError with what is wrong with the answer."""
    return text_or_reason(answer, "prompt")


def copied(text: str, cases: Sequence[Recorded], known: Sequence[str]) -> str:
    """The first words of a text that stand in a case and in none of the texts that are `known`; "" where none do.

    Compared are letters and digits alone, so neither punctuation nor line breaks hide anything.
    """
    seen = _runs(one for case in cases for one in (case.request, case.answer, case.error))
    seen -= _runs(known)
    letters = [(at, char) for at, char in enumerate(text) if char.isalnum()]
    plain = "".join(char.casefold() for _, char in letters)
    if len(plain) != len(letters):  # a letter that casefolds to two
        letters = [(at, one) for at, char in letters for one in char.casefold()]
    for begin in range(len(plain) - COPIED_CHARS + 1):
        if plain[begin : begin + COPIED_CHARS] in seen:
            return " ".join(text[letters[begin][0] : letters[begin + COPIED_CHARS - 1][0] + 1].split())
    return ""


def _runs(texts: Iterable[str]) -> set[str]:
    """Every row of so many letters and digits in these texts, which may be JSON or a piece of it."""
    found: set[str] = set()
    for text in texts:
        plain = "".join(char.casefold() for char in _unescaped(text) if char.isalnum())
        found.update(plain[at : at + COPIED_CHARS] for at in range(len(plain) - COPIED_CHARS + 1))
    return found


def _unescaped(text: str) -> str:
    codes = _CODE.sub(lambda found: chr(int(found[1], 16)), _BREAK.sub(" ", text))
    return codes.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _keeps_every_word(parent: str, new: str) -> Iterator[str]:
    words = iter(new.split())
    for word in parent.split():
        # An iterator goes on where it was: so the order counts.
        if word not in words:
            yield f"This strategy keeps every word in its order, and “{word[:40]}” is gone or stands elsewhere."
            return


def _standard(parent: str, new: str) -> Iterator[str]:
    before, after = parent.split(), new.split()
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    if (kept := sum(block.size for block in blocks)) < LEAST_KEPT * len(before):
        yield f"This strategy keeps half of the {len(before)} words in their order, and here are {kept}."
    if len(after) > MOST_GROWN * len(before):
        yield f"This strategy has at most {int(MOST_GROWN * len(before))} words, and here are {len(after)}."


def _conservative(parent: str, new: str) -> Iterator[str]:
    yield from _keeps_every_word(parent, new)
    if (more := len(new.split()) - len(parent.split())) > MOST_WORDS_MORE:
        yield f"This strategy adds at most {MOST_WORDS_MORE} words, and here are {more} more."


def _aggressive(parent: str, new: str) -> Iterator[str]:
    yield from ()


def _domain(parent: str, new: str) -> Iterator[str]:
    yield from _keeps_every_word(parent, new)
    if len(new.split()) <= len(parent.split()):
        yield "This strategy adds at least a word that says what holds in the domain."


STRATEGIES: Mapping[str, Strategy] = {
    "standard": Strategy(
        "Keep at least half of the words in their order, and write at most half as many again as there are.", _standard
    ),
    "conservative": Strategy(
        f"Keep every word in its order. Only add, at most {MOST_WORDS_MORE} words.", _conservative
    ),
    "aggressive": Strategy("Change whatever helps; keep the places.", _aggressive),
    "domain_adaptation": Strategy(
        'Adapt it to the domain that "why" names: keep every word in its order, and add what holds in that domain.',
        _domain,
    ),
}
