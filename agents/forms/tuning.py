"""The form of something that is tuned: what was typed as values, and values as what stands in the fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from agents.toolkit.schemas import loads_strict
from agents.tuning.kinds import Field, Kind, Values, in_words

_MOST_TYPED = 20_000


@dataclass(frozen=True)
class Shown:
    """A field with what stands in it. `fixed`: it says what the version is about, and stays."""

    field: Field
    text: str
    is_on: bool
    chosen: tuple[str, ...]
    fixed: bool
    error: str = ""


def read(kind: Kind, post: QueryDict, fixed: Mapping[str, Any]) -> tuple[Values, dict[str, str]]:
    """The values as they were typed, and why some of them are none. What is `fixed` is not read."""
    values: Values = {}
    wrong: dict[str, str] = {}
    for field in kind.fields:
        if field.name in fixed:
            values[field.name] = fixed[field.name]
            continue
        try:
            values[field.name] = _value(field, post)
        except ValueError as error:
            values[field.name] = None
            wrong[field.name] = str(error)
    return values, wrong


def _value(field: Field, post: QueryDict) -> Any:
    if field.type == "switch":
        return field.name in post
    if field.type == "choices":
        return post.getlist(field.name)
    text = post.get(field.name, "")[:_MOST_TYPED].replace("\r\n", "\n").strip()
    if field.type in ("text", "choice"):
        return text
    if not text:
        return None
    if field.type == "json":
        try:
            return loads_strict(text)
        except ValueError as error:
            raise ValueError(
                'This is no JSON. Text stands in quotes, as in “"daily"”; numbers and true stand alone.'
            ) from error
    try:
        return int(text) if field.type == "whole" else float(text)
    except ValueError as error:
        raise ValueError("It is a whole number." if field.type == "whole" else "It is a number.") from error


def shown(
    kind: Kind,
    values: Mapping[str, Any],
    fixed: Mapping[str, Any],
    typed: QueryDict | None = None,
    errors: Mapping[str, str] | None = None,
) -> list[Shown]:
    """The fields as they stand on the page: what was typed, where something was, else the values."""
    return [_shown(field, values, fixed, typed, (errors or {}).get(field.name, "")) for field in kind.fields]


def _shown(
    field: Field, values: Mapping[str, Any], fixed: Mapping[str, Any], typed: QueryDict | None, error: str
) -> Shown:
    value = values.get(field.name, field.empty)
    if typed is not None and field.name not in fixed:
        is_on, chosen, text = field.name in typed, tuple(typed.getlist(field.name)), typed.get(field.name, "")
    else:
        is_on, chosen, text = value is True, tuple(value) if field.type == "choices" else (), text_of(field, value)
    return Shown(field, text, is_on, chosen, field.name in fixed, error)


def text_of(field: Field, value: Any) -> str:
    """A value as it is typed."""
    if value is None:
        return ""
    if field.type == "json":
        return json.dumps(value, ensure_ascii=False)
    return in_words(value) if isinstance(value, float) else str(value)


def words(field: Field, value: Any) -> str:
    """A value as the history tells it."""
    if field.type == "switch":
        return "on" if value else "off"
    if value in (None, "", []):
        return "empty"
    if field.type == "choices":
        names = dict(field.choices)
        return ", ".join(names.get(one, str(one)) for one in value)
    if field.type == "choice":
        return dict(field.choices).get(value, str(value))
    return text_of(field, value)
