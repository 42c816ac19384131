"""Asking a language model for missing values: what it is told, and what of its answer is accepted.

A value counts only with the words of the goal that it was taken from, standing there letter by letter: what a model
made up has no such place. Everything else about an answer that is not as asked makes it none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.toolkit.command import Command
from agents.toolkit.schemas import JsonError, loads_strict, problems
from agents.toolkit.types import Param, Restored, as_it_is

_FENCE = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)
CONFIDENCE = 0.8


@dataclass(frozen=True)
class Extracted:
    """What an answer gives: values with their places, and why others were not believed."""

    params: Mapping[str, Param]
    refused: tuple[str, ...] = ()


def schema_of(command: Command, names: Sequence[str]) -> dict[str, Any]:
    """The form of the answer: of each parameter a value and the words of the goal it was taken from."""
    one = {
        name: {
            "type": "object",
            "additionalProperties": False,
            "required": ["value", "quote"],
            "properties": {
                "value": {"type": command.properties[name]["type"]},
                "quote": {"type": "string"},
            },
        }
        for name in names
    }
    return {"type": "object", "additionalProperties": False, "properties": one}


def messages(instructions: str, goal: str, command: Command, names: Sequence[str]) -> list[tuple[str, str]]:
    """The conversation: what is asked, and the goal as data."""
    wanted = {name: {"title": command.properties[name].get("title", name)} for name in names}
    asked = {"goal": goal, "command": f"{command.tool}.{command.name}", "does": command.summary, "parameters": wanted}
    return [("system", instructions), ("user", json.dumps(asked, ensure_ascii=False))]


def read(answer: str, goal: str, command: Command, names: Sequence[str], restored: Restored = as_it_is) -> Extracted:
    """The values of an answer that can be believed; an answer that is not as asked gives none.

    `restored` puts secrets back that the model saw marks of.
    """
    fenced = _FENCE.match(answer)
    try:
        raw = loads_strict(fenced[1] if fenced else answer.strip())
    except JsonError as error:
        return Extracted({}, (f"the answer is no JSON: {error}",))
    raw = restored(raw)
    if not isinstance(raw, dict):
        return Extracted({}, ("the answer is no object",))
    params: dict[str, Param] = {}
    refused: list[str] = []
    for name, one in raw.items():
        wrong = _wrong(name, one, goal, command, names)
        if wrong:
            refused.append(wrong)
            continue
        at = goal.index(one["quote"])
        span = (at, at + len(one["quote"]))
        params[name] = Param(one["value"], "model", None, span, f"taken from “{one['quote'][:80]}”", CONFIDENCE)
    return Extracted(params, tuple(refused))


def _wrong(name: object, one: object, goal: str, command: Command, names: Sequence[str]) -> str:
    if name not in names:
        return f"“{str(name)[:40]}” was not asked for"
    if not isinstance(one, dict) or "value" not in one or not isinstance(one.get("quote"), str):
        return f"{name} has no value with the words it was taken from"
    quote = one["quote"]
    if not quote.strip() or quote not in goal:
        return f"{name}: “{quote[:60]}” does not stand in the goal"
    if isinstance(one["value"], str) and _letters(one["value"]) not in _letters(quote):
        return f"{name}: “{one['value'][:60]}” does not stand in its quote"
    if found := problems(command.schema, {str(name): one["value"]}, partial=True):
        return f"{name} {found[0][1]}"
    return ""


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
