"""Which language models a step was approved to use, and which of them it may still use when it runs. Pure.

What goes to a model leaves this machine, and the operator's configuration is no part of what people approve. So the
document of a plan names the models, and what is configured when the step runs can only take away from that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class NotAsApproved(Exception):
    """No model that the step was approved to ask may be asked now; the message says what to do."""


@dataclass(frozen=True)
class Model:
    """A language model as a reviewer sees it.

    `at`: the address that the operator named for its provider, "" for the provider's own. `price`: what the operator
    said it costs, in words, "" when they said nothing.
    """

    name: str
    at: str = ""
    price: str = ""


@dataclass(frozen=True)
class Asked:
    """The models of a step, the first choice first, and how many tokens are sent at most.

    None of them: no model was set up when the plan was made, and none is ever asked for it.
    """

    models: tuple[Model, ...]
    tokens: int

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Asked:
        """As a document holds it."""
        return cls(tuple(Model(**one) for one in raw["models"]), int(raw["tokens"]))


@dataclass(frozen=True)
class Agreed:
    """The approved models that may be asked, in the approved order, and why the others of them may not, as clauses."""

    models: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def agreed(approved: Asked | None, now: Sequence[Model]) -> Agreed:
    """The approved models that are set up just so. Never one that was not approved.

    Fall-backs that are gone are only asked no more; without the first choice the step would be another one than people
    saw. Raises NotAsApproved then.
    """
    if approved is None:
        raise NotAsApproved(f"The approved plan names no model for this step. Nothing was sent. {_PLAN_AGAIN}")
    if not approved.models and now:
        raise NotAsApproved(
            f"No language model was set up when this plan was made, and {now[0].name}, which is now, was not approved. "
            f"Nothing was sent. {_PLAN_AGAIN}"
        )
    if not approved.models:
        return Agreed(())
    first, *others = approved.models
    if first not in now:
        instead = (
            f"; {now[0].name} is set up now, and was not approved" if now and now[0] not in approved.models else ""
        )
        raise NotAsApproved(f"{_other(first, now)}{instead}. Nothing was sent. {_PLAN_AGAIN}")
    kept = tuple(one.name for one in others if one in now)
    return Agreed((first.name, *kept), tuple(_other(one, now) for one in others if one not in now))


def would_ask_others(approved: Asked | None, now: Sequence[Model]) -> str:
    """Why the step needs another look before it runs, "" when it does not or when there is no model to look at."""
    if not now:
        return ""
    try:
        agreed(approved, now)
    except NotAsApproved:
        was = approved.models[0].name if approved is not None and approved.models else "no model"
        how = "" if was != now[0].name else " under another price or at another address"
        return f"the plan was made for {was}, and its agent asks {now[0].name} now{how}"
    return ""


_PLAN_AGAIN = "Plan the goal again, so that people see where the text would go now."


def _other(approved: Model, now: Sequence[Model]) -> str:
    """How the configuration differs from what was approved about one model."""
    same = next((one for one in now if one.name == approved.name), None)
    if same is None:
        return f"{approved.name} was approved for this step and is no longer set up for this agent"
    if same.at != approved.at:
        return f"{approved.name} was approved at {_place(approved.at)}, and is set up at {_place(same.at)} now"
    return f"{approved.name} was approved at {approved.price or 'a price that nobody had set'}, and costs " + (
        same.price or "what nobody has set now"
    )


def _place(at: str) -> str:
    return at or "its provider’s own address"
