"""Plans that are one call of a tool, asked for by an agent that reads the answer itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.recovery.strategies import AGINT, ALTERNATIVE, MANUAL, REEXTRACTED, SIMPLER, Way
from agents.models import IntentPlan
from agents.record import authors

_KEY = "called_by"
# Whoever waits for the answer chooses what comes next. Retrying stays open: it asks for nothing that was not approved.
_CALLERS_CHOICE = (ALTERNATIVE, SIMPLER, REEXTRACTED, AGINT, MANUAL)


@dataclass(frozen=True)
class Caller:
    """Who calls: a `kind` (modular, langgraph, bus, …), a name for people, and the id of its run. `authors` are the ids
    of the people who had a say in what it calls.
    """

    kind: str
    name: str
    run: str = ""
    authors: tuple[int, ...] = ()


def evidence(caller: Caller) -> Mapping[str, Any]:
    """What the plan remembers of its caller. Nobody knows what that has read: what it calls is a tool's words."""
    told = {"kind": caller.kind, "name": caller.name, "run": caller.run}
    return {"prompt_has_tool_output": True, _KEY: told, authors.EVIDENCE: list(caller.authors)}


def caller_of(plan: IntentPlan) -> Caller | None:
    """Who called for this plan; None for a plan that is no call."""
    told = plan.plan.evidence.get(_KEY)
    return Caller(str(told["kind"]), str(told["name"]), str(told["run"])) if isinstance(told, Mapping) else None


def closed_ways(plan: IntentPlan) -> Mapping[Way, str]:
    """The ways of recovery that are not mindX's to choose for this plan, each with why."""
    caller = caller_of(plan)
    return dict.fromkeys(_CALLERS_CHOICE, f"{caller.name} reads the failure and decides") if caller else {}
