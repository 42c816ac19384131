"""What a model is asked for a tool, new or a better version of one, and how its answer is read. Pure.

The instructions come in as a text; the wish, the snippet, the present text and the cases go along as material. How far
a version may go from its parent is checked on the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.bdi.language_models.candidate_writing import Case, text_or_reason
from agents.toolkit.command import Command, Tool

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "cannot": {"type": "string"}},
    "additionalProperties": False,
}


def messages(
    instructions: str, wish: str, most_chars: int, *, snippet: str = "", tool: str = "", cases: Sequence[Case] = ()
) -> tuple[tuple[str, str], ...]:
    """Role and text of what is asked, of at most about `most_chars` characters: cases are left out from the end."""
    system = f"{instructions}\n"
    kept = list(cases)
    while True:
        material: dict[str, Any] = {"wish": wish}
        material |= {"snippet": snippet} if snippet else {}
        if tool:
            failed = [asdict(case.shortened) for case in kept if case.error]
            material |= {
                "tool": tool,
                "failed": failed,
                "worked": [one.shortened.goal for one in kept if not one.error],
            }
        text = json.dumps(material, ensure_ascii=False)
        if len(system) + len(text) <= most_chars or not kept:
            return ("system", system), ("user", text)
        kept.pop()


def read(answer: str) -> tuple[str, str]:
    """The text of the tool, or why there is none; ValueError with what is wrong with the answer."""
    return text_or_reason(answer, "tool")


@dataclass(frozen=True)
class Strategy:
    """How far a version may go from its parent: what the model is told, and what is checked."""

    told: str
    problems: Callable[[Tool, Tool], Iterator[str]]


def _pairs(parent: Tool, new: Tool) -> Iterator[tuple[Command, Command | None]]:
    named = {command.name: command for command in new.commands}
    return ((command, named.get(command.name)) for command in parent.commands)


def _standard(parent: Tool, new: Tool) -> Iterator[str]:
    """What plans that name the tool say of it must go on to fit."""
    for before, after in _pairs(parent, new):
        if after is None:
            yield f"This strategy keeps every command, and “{before.name}” is gone."
            continue
        if lost := set(before.properties) - set(after.properties):
            yield f"This strategy keeps every parameter, and “{min(lost)}” of {before.name} is gone."
        if more := set(after.required) - set(before.required):
            yield f"This strategy asks for no more, and “{min(more)}” of {before.name} must be given now."
        if lost := set(before.result_keys) - set(after.result_keys):
            yield f"This strategy keeps every result, and “{min(lost)}” of {before.name} is gone."
        if before.effect != after.effect:
            yield f"This strategy keeps the effect of {before.name}, “{before.effect}”."


def _conservative(parent: Tool, new: Tool) -> Iterator[str]:
    if {one.name for one in parent.commands} != {one.name for one in new.commands}:
        yield "This strategy keeps exactly the commands that there are."
    for before, after in _pairs(parent, new):
        if after is not None and (before.schema, before.effect, before.phrases, before.result_keys) != (
            after.schema,
            after.effect,
            after.phrases,
            after.result_keys,
        ):
            yield f"This strategy changes code and trials only, and what {before.name} says of itself is different."


def _aggressive(parent: Tool, new: Tool) -> Iterator[str]:
    yield from ()


STRATEGIES: Mapping[str, Strategy] = {
    "standard": Strategy("Keep all commands, parameters, results and effects; you may add optional ones.", _standard),
    "conservative": Strategy("Change only the code and the trials, not what the commands say.", _conservative),
    "aggressive": Strategy("Change whatever helps; keep the name of the tool.", _aggressive),
    "domain_adaptation": Strategy(
        "Adapt it to the domain that the wish names. Keep all commands, parameters, results and effects.", _standard
    ),
}
