"""Whether a plan only reads and makes what was not there, by its forecast. Pure.

Only such a plan may be done without the rest of its goal: what is left out may be what makes it safe to delete, change
or send something (“if the tests pass, then delete old”).
"""

from __future__ import annotations

from agents.bdi.forecast.consequences import (
    Consequence,
    Environment,
    Forecast,
    NewFolder,
    ToModel,
    ToolWork,
    Transfer,
    Writing,
)
from agents.bdi.plans.document import Document

# Steps with other effects reach people, other machines or programs that live on.
_EFFECTS = frozenset({"idempotent", "workspace"})


def only_adds(document: Document, forecast: Forecast) -> bool:
    """Whether no step, nor anything that may be done in its place, could take, change, send, start or stop something.

    What cannot be told before it runs, such as what a program does, counts as if it did.
    """
    specs = document.all_intents
    if any(spec.effect not in _EFFECTS or spec.alternatives for spec in specs):
        return False
    return all(_adds(one) for one in forecast.consequences)


def _adds(one: Consequence) -> bool:
    match one:
        case NewFolder() | Environment() | ToModel():
            return True
        case Writing():
            return one.before != "base" and not one.unsure
        case Transfer():
            return not (one.moves or one.may_replace)
        case ToolWork():
            return not one.changes_files
        case _:
            return False
