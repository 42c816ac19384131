"""Better versions of prompts that a language model writes, from recorded calls of the probe half.

The calls hold what anybody may have written, and a prompt speaks to the models of everybody's goals. So they go along
as material, and a text that repeats a piece of one is not taken: people decide about a text, and must be able to take
it for what a model wrote about its task. Firmware is written by people alone, for it is what restrains this writer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.actors import firmware, prompt_versions
from agents.bdi.language_models import firmware_checks, prompt_writing
from agents.bdi.language_models.prompt_writing import ANSWER_CHARS, REQUEST_CHARS, STRATEGIES, Present, Recorded
from agents.evolution.candidates import asking
from agents.evolution.candidates.asking import Wanted, Writer
from agents.evolution.replays import answer_cases, answer_checks, asking_again, gate
from agents.evolution.replays.answer_cases import FoundCall
from library.language import generation
from library.language.asking import Answer
from library.models import ComponentVersion
from library.prompts import declared, in_use
from people.models import User

_NOT_SHOWN = "(not shown)"


@dataclass(frozen=True)
class Probe:
    """The recorded calls that a writer may see. `sealed`: words of others, which nothing that is shown may hold."""

    calls: tuple[FoundCall, ...]
    sealed: frozenset[str]

    @property
    def cases(self) -> list[Recorded]:
        """Each as the writer is told of it."""
        return [self.told(one, one.asked.call.answer, _why(one)) for one in self.calls]

    def told(self, one: FoundCall, answer: str, error: str) -> Recorded:
        """A request with an answer to it; an answer that repeats what is sealed is left out."""
        said = [_NOT_SHOWN if _holds(text, self.sealed) else text for text in (answer[:ANSWER_CHARS], error)]
        return Recorded(_request(one), *said)


def probe(version: ComponentVersion, by: User, until: datetime | None = None) -> Probe:
    """The cases of a prompt that this person may see, none of whose words are those of a sealed one."""
    found = answer_cases.of(version, until=until)
    name = version.component.name
    sealed = frozenset(_words(one) for one in found if gate.is_sealed(name, one.number)) - {""}
    shown = [one for one in found if not gate.is_sealed(name, one.number) and asking_again.may_see(by, one.asked.call)]
    return Probe(tuple(one for one in shown if not _holds(_request(one), sealed)), sealed)


def better(writer: Writer, wanted: Wanted, text: str, shown: Sequence[Recorded]) -> tuple[str, str]:
    """What a model makes of a text in the light of these cases, and the model. Raises NotPossibleNow."""
    ships = declared.every()[wanted.parent.component.name]
    prompt = in_use.filled("prompt", strategy=STRATEGIES[wanted.strategy].told)
    places = {**ships.parts, **dict.fromkeys(ships.values, "")}
    present = Present(ships.name, ships.use, text, places)
    asked = prompt_writing.messages(prompt.text, present, wanted.why, shown, writer.chars)

    def judged(answer: Answer) -> tuple[str, list[str]]:
        new, wrong = asking.text_of(answer, prompt_writing.read, within=[wanted.parent.body])
        known = (text, wanted.parent.body, wanted.why, *ships.parts.values())
        return new, wrong or list(_problems(new, wanted, writer, shown, known))

    return asking.written(writer, prompt, asked, prompt_writing.SCHEMA, judged)


def _problems(
    text: str, wanted: Wanted, writer: Writer, shown: Sequence[Recorded], known: Sequence[str]
) -> Iterator[str]:
    """What keeps a text that a model wrote from being a candidate, as sentences."""
    parent = wanted.parent.body
    yield from prompt_versions.problems(wanted.parent.component.name, text)
    if text.split() == parent.split():
        yield "Nothing differs from the version in use."
    yield from STRATEGIES[wanted.strategy].problems(parent, text)
    if copied := prompt_writing.copied(text, shown, known):
        yield f"“{copied}” stands in a recorded call. Say it in words of your own, for the task and not for the case."
    # What people wrote into the version in use is theirs to answer for.
    before = {one.check.name for one in firmware_checks.in_text(writer.told.checks, parent)}
    yield from (one.says for one in firmware.problems_of_answer(writer.agent, text) if one.check.name not in before)


def _why(one: FoundCall) -> str:
    """Why an answer was of no use then; "" where it was."""
    if one.succeeded:
        return ""
    wrong = answer_checks.check(one.asked, one.asked.call.answer).wrong
    return wrong or "the answer was valid, but the goal was not reached with it"


def _request(one: FoundCall) -> str:
    """The beginning of what the request was about: its last message. What stands before it is the prompt itself."""
    return str(one.asked.call.messages[-1]["content"])[:REQUEST_CHARS]


def _words(one: FoundCall) -> str:
    """What a case is recognised by, with its secrets as they were sent: its goal, else what was asked."""
    return generation.as_sent(one.asked.goal.text) if one.asked.goal is not None else _request(one)


def _holds(text: str, sealed: frozenset[str]) -> bool:
    """Whether a text holds one of these, as it is or as it stands in JSON."""
    return any(said in text for words in sealed for said in _spellings(words))


def _spellings(words: str) -> tuple[str, ...]:
    return words, json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1]
