"""Shared shapes of request bodies."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Schema
from pydantic import AwareDatetime, ConfigDict, Field

# A moment as ISO 8601 with its time zone: JSON has no type for it, so text is parsed.
Moment = Annotated[AwareDatetime, Field(strict=False)]


class Strict(Schema):
    """A request body: unknown fields and values of another type are refused; nothing is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


def said_digest(value: Any) -> str:
    """A digest to compare: even a value that is not text is a wrong digest, not a wrong request."""
    return value if isinstance(value, str) else ""


class Nothing(Strict):
    """The body of an operation without one: absent, or an empty object."""
