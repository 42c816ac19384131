"""When the coordinator's backlog takes nothing up, as operators tune it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.coordinator import backlog_taking
from agents.mastermind import stops
from agents.mastermind.stops import Rules
from agents.models import BacklogRules
from agents.tuning.kinds import Field, OneRow, Values, in_words
from people.models import User

_WORDS = {
    "failures_of_one": (
        "Failures in a row that stop an item",
        "Then it is stopped until somebody approves it again.",
    ),
    "without_success": (
        "Tries without improvement that stop all",
        "Then nothing is started. Tries that nobody measured are not counted.",
    ),
    "per_day": ("Most tries started in a day", "Counted from midnight UTC, or since somebody resumed it."),
}


class StopRules(OneRow):
    """The stop rules and from where on two wishes are one: one row for all of it."""

    name, words = "stop_rules", "Stop rules"
    about = "When the backlog stops starting items, and how similar two items must be to be merged."
    model = BacklogRules
    trial = "tries"
    fields = (
        *(Field(name, label, "whole", hint, *stops.BOUNDS[name]) for name, (label, hint) in _WORDS.items()),
        Field("near_enough", "Similarity for merging items", "number", "The cosine of two meanings.", 0.5, 1.0),
    )

    def summary(self, values: Mapping[str, Any]) -> str:
        stopped = f"an item stops after {values['failures_of_one']} failures in a row"
        everything = f"everything after {values['without_success']} tries without improvement"
        limits = f"at most {values['per_day']} a day; merged from a similarity of {in_words(values['near_enough'])}"
        return f"{stopped}, {everything}; {limits}"

    def store(self, values: Values, *, before: Values | None, by: User, note: str) -> Any:
        return backlog_taking.save_rules(rules_of(values), values["near_enough"], by=by, note=note)


def rules_of(values: Mapping[str, Any]) -> Rules:
    """The pure rules that these values mean."""
    return Rules(**{name: values[name] for name in stops.BOUNDS})
