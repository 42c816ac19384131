"""What bodies of requests have in common."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Schema
from pydantic import AwareDatetime, ConfigDict, Field

# A moment as ISO 8601 with its zone: JSON has none of its own, so its text is read.
Moment = Annotated[AwareDatetime, Field(strict=False)]


class Strict(Schema):
    """A body of a request: unknown fields and values of another type are refused, nothing is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


def said_digest(value: Any) -> str:
    """A digest to compare: what is not even text is a wrong digest, not a wrong request."""
    return value if isinstance(value, str) else ""


class Nothing(Strict):
    """The body of an operation that takes none: absent, or an empty object."""
