"""A plan's checks and their results, as the API shows them for goals and intent plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ninja import Schema
from pydantic import Field

from agents.bdi.outcome.outcome import Check
from agents.presentation import outcome_words


class CheckOut(Schema):
    """One check. `holds` is null before the plan has run, and if it could not be decided afterwards."""

    kind: str
    path: str = Field("", description="the path it is about, if any")
    steps: list[int] = Field([], description="the steps whose results it is about, by position")
    sentence: str = Field(description="what must be so, in words")
    holds: bool | None = None
    said: str = Field("", description="a detail, such as why a file cannot be read")


def checks_out(checks: Sequence[Check], results: Sequence[Mapping[str, Any]] | None) -> list[CheckOut]:
    """The results if there are any, else the checks of the plan."""
    rows = results if results else [one.to_json() for one in checks]
    return [found for row in rows if (found := _check_out(row)) is not None]


def _check_out(row: Mapping[str, Any]) -> CheckOut | None:
    """None for a kind from a later version of mindX."""
    try:
        check = Check.from_json(row)
    except (KeyError, TypeError):
        return None
    return CheckOut(
        kind=check.kind.value,
        path=check.path,
        steps=list(check.steps),
        sentence=outcome_words.sentence(check),
        holds=row.get("holds"),
        said=str(row.get("said", "")),
    )
