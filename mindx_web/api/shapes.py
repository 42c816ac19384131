"""What bodies of requests have in common."""

from __future__ import annotations

from ninja import Schema
from pydantic import ConfigDict


class Strict(Schema):
    """A body of a request: unknown fields and values of another type are refused, nothing is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Nothing(Strict):
    """The body of an operation that takes none: absent, or an empty object."""
