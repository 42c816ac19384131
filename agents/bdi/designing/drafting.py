"""What a model is asked to take requirements apart, and how its answer is read. Pure.

It says what is needed. What of it the library has is decided by scores, never by the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agents.bdi.designing import needs
from agents.bdi.designing.needs import Need

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "components": {
            "type": "array",
            "maxItems": needs.MOST,
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "does": {"type": "string"},
                    "after": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["name", "does", "after"],
                "additionalProperties": False,
            },
        },
        "cannot": {"type": "string"},
    },
    "additionalProperties": False,
}


def messages(instructions: str, requirements: str, most_chars: int) -> tuple[tuple[str, str], ...]:
    """Role and text of what is asked, of at most about `most_chars` characters."""
    room = max(1_000, most_chars - len(instructions) - 100)
    return (
        ("system", f"{instructions}\n"),
        ("user", json.dumps({"requirements": requirements[:room]}, ensure_ascii=False)),
    )


def read(answer: str) -> tuple[str, str]:
    """The components as JSON, or why there are none; ValueError with what is wrong with the answer."""
    try:
        said = dict(json.loads(answer))
    except (TypeError, ValueError) as error:
        raise ValueError("The answer is not one JSON object.") from error
    cannot = said.get("cannot")
    if isinstance(cannot, str) and cannot.strip() and not said.get("components"):
        return "", cannot.strip()
    if wrong := needs.checked(of_json(json.dumps(said.get("components")))):
        raise ValueError(" ".join(wrong[:5]))
    return json.dumps(said["components"], ensure_ascii=False), ""


def of_json(text: str) -> tuple[Need, ...]:
    """The needs in a text that `read` gave. Raises ValueError for another one."""
    try:
        found = [
            Need(str(one["name"]), str(one["does"]), tuple(map(str, one.get("after", ())))) for one in json.loads(text)
        ]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError('"components" is a list of {"name", "does", "after"}.') from error
    return needs.shortened(found)
