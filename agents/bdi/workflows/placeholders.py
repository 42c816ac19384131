"""`{{params.key}}`, `{{var}}` and `{{var.key}}` in the texts of a workflow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
PARAMS = "params"
# Names that no output may have: the one of parameters, and the one by which plans name results.
RESERVED = frozenset({PARAMS, "intents"})
HOW = "Write {{params.key}} for a parameter, or {{name.key}} for the result of the step whose output_var is name"
_ANY = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_INSIDE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]{0,63})(?:\.([A-Za-z_][A-Za-z0-9_]{0,63}))?\s*\Z")


class Malformed(ValueError):
    """Two braces that begin no placeholder; the message quotes them."""


@dataclass(frozen=True)
class Placeholder:
    """A parameter (`name` is "params") or what an earlier step came to; without `key` the whole of it."""

    name: str
    key: str = ""

    @property
    def is_parameter(self) -> bool:
        """Whether it is filled when the workflow is processed."""
        return self.name == PARAMS

    def __str__(self) -> str:
        return "{{" + (f"{self.name}.{self.key}" if self.key else self.name) + "}}"


Piece = str | Placeholder


def pieces(text: str) -> list[Piece]:
    """The text as literal pieces and placeholders, in order, without empty ones. Raises Malformed."""
    found: list[Piece] = []
    at = 0
    for match in _ANY.finditer(text):
        found += [_literal(text[at : match.start()]), _placeholder(match)]
        at = match.end()
    found.append(_literal(text[at:]))
    return [piece for piece in found if piece != ""]


def exact(text: str) -> Placeholder | None:
    """The placeholder that is the whole text; None when there is none, or more. Raises Malformed."""
    match pieces(text.strip()):
        case [Placeholder() as only]:
            return only
    return None


def parameters_in(value: Any) -> Iterator[str]:
    """The names of the parameters in a value, wherever they stand in it. What is malformed names none."""
    if isinstance(value, str):
        for match in _ANY.finditer(value):
            inside = _INSIDE.match(match[1])
            if inside is not None and inside[1] == PARAMS and inside[2]:
                yield inside[2]
    elif isinstance(value, dict):
        for item in value.values():
            yield from parameters_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from parameters_in(item)


def names_in(value: Any) -> set[str]:
    """Whatever the placeholders of a value name, wherever they stand in it. What is malformed names nothing."""
    if isinstance(value, str):
        try:
            return {one.name for one in pieces(value) if not isinstance(one, str)}
        except Malformed:
            return set()
    if isinstance(value, Mapping):
        return {name for item in value.values() for name in names_in(item)}
    return {name for item in value for name in names_in(item)} if isinstance(value, list) else set()


def holds_braces(value: Any) -> bool:
    """Whether anything in a value could be read as a placeholder."""
    if isinstance(value, str):
        return "{{" in value
    if isinstance(value, Mapping):
        return any(map(holds_braces, (*value.keys(), *value.values())))
    return isinstance(value, list | tuple) and any(map(holds_braces, value))


def _literal(text: str) -> str:
    if "{{" in text:
        raise Malformed(f"“{text[text.index('{{') :][:40]}” opens two braces and never closes them")
    return text


def _placeholder(match: re.Match[str]) -> Placeholder:
    inside = _INSIDE.match(match[1])
    if inside is None or (inside[1] == PARAMS and not inside[2]) or inside[1] == "intents":
        raise Malformed(f"“{match[0][:60]}” is no placeholder")
    return Placeholder(inside[1], inside[2] or "")
