"""What follows from each answer to "did it take effect?": the sentences beside the buttons.

Pure. Programs that a plan started have ended with the worker, so a plan that needs them does not go on.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agents.bdi.plans.document import Document
from agents.bdi.plans.started_programs import START, STARTER, STOP, living_before


@dataclass(frozen=True)
class Consequences:
    """One sentence for each answer."""

    took_effect: str
    did_not: str
    again: str


def consequences(document: Document, position: int, succeeded: Collection[int]) -> Consequences:
    """What comes of the answers about the step at `position`; the steps at `succeeded` are done."""
    last = len(document.intents)
    if position > last:
        then = "The clean-up continues after it, then the goal fails."
        return Consequences(then, then, "Only if running it twice does no harm.")
    ends = _ends(bool(document.cleanup))
    gone = living_before(document.intents, position, succeeded)
    gone_behind = living_before(document.intents, position + 1, {*succeeded, position}) if position < last else ()
    took_effect = "The plan continues after it." if position < last else "It was the last step: the plan is complete."
    again = "Only if running it twice does no harm."
    spec = document.at(position)
    if (spec.tool, spec.command) == (STARTER, START):
        again = "The program ended with its worker. It is started again."
    elif (spec.tool, spec.command) == (STARTER, STOP):
        took_effect = f"The program ended with its worker, so it is stopped. {took_effect}"
    return Consequences(
        f"{_gone(gone_behind)} {ends}" if gone_behind else took_effect,
        ends,
        f"{_gone(gone)} {ends}" if gone else again,
    )


def _gone(names: Collection[str]) -> str:
    return f"{', '.join(names)}, beside which the plan goes on, ended with its worker."


def _ends(cleans_up: bool) -> str:
    if cleans_up:
        return "The plan ends: the approved clean-up runs, then the goal fails."
    return "The plan ends, and the goal fails. No clean-up was approved."
