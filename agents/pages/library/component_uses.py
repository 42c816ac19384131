"""Who uses a component: the agents and makers of the newest plans that it had a part in, and their goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.components.agent_versions import KIND as AGENT
from agents.evolution.replays import cases
from agents.models import Agent, Goal, Plan
from agents.record.selectors import goals_visible_to
from library.models import Component
from people.models import User

LOOKED_AT = 200
_GOALS_NAMED = 5
_USED_BY_PLANS = (Component.Kind.RULE, Component.Kind.TOOL, Component.Kind.WORKFLOW, Component.Kind.AGENT)


@dataclass(frozen=True)
class Uses:
    """Of the newest `plans`: how many each agent had, and how many each rule, workflow, model or person made.

    `goals` are the newest of them that the reader may see. Of firmware `told` are the agents whose models are told it.
    """

    plans: int = 0
    agents: tuple[tuple[str, int], ...] = ()
    makers: tuple[tuple[str, int], ...] = ()
    goals: tuple[Goal, ...] = ()
    told: tuple[str, ...] = ()


def of(component: Component, user: User) -> Uses | None:
    """For this reader; None for kinds of which no plan says that it used them."""
    if component.kind == Component.Kind.FIRMWARE:
        return Uses(told=_told(component.name))
    if component.kind not in _USED_BY_PLANS:
        return None
    newest = cases.plans_of(component).order_by("-pk")
    rows = list(newest.values_list("goal_id", "goal__agent__name", "plan__source", "plan__evidence")[:LOOKED_AT])
    agents = Counter() if component.kind == AGENT else Counter(agent for _, agent, _, _ in rows)
    makers = Counter(maker for _, _, source, evidence in rows if (maker := _maker(source, evidence)))
    makers.pop(f"{component.kind} {component.name}", None)
    goals = goals_visible_to(user).filter(pk__in={goal for goal, *_ in rows}).order_by("-pk")[:_GOALS_NAMED]
    return Uses(len(rows), tuple(agents.most_common()), tuple(makers.most_common()), tuple(goals))


def _told(domain: str) -> tuple[str, ...]:
    agents = Agent.objects.order_by("name")
    told = agents if domain == "general" else agents.filter(firmware_domain=domain)
    return tuple(told.values_list("name", flat=True)[:LOOKED_AT])


def _maker(source: str, evidence: Mapping[str, Any]) -> str:
    for kind in ("rule", "workflow"):
        if isinstance(evidence.get(kind), Mapping) and evidence[kind].get("name"):
            return f"{kind} {evidence[kind]['name']}"
    return {Plan.Source.MODEL.value: "a language model", Plan.Source.PERSON.value: "people"}.get(source, "")
