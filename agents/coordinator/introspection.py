"""What an agent believes, intends and can do, and how the whole stands; each with the rights of the person who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from agents.actors import pauses
from agents.actors.models_in_use import models_of
from agents.components import known_components
from agents.models import Agent, Belief, Goal, IntentPlan
from agents.record import selectors
from agents.states import GOAL_ENDED, GoalState, PlanState
from agents.toolkit.registry import tools_in_use
from library.components import selectors as library
from people.models import User

_OPEN = ~Q(state__in=[state.value for state in GOAL_ENDED])
MOST_INTENTIONS = 20
MOST_BELIEFS = 40
# Counting goes no further: nobody compares ten thousand with twenty.
MOST_COUNTED = 10_000


def introspect(agent: Agent, *, by: User) -> tuple[list[str], dict[str, Any]]:
    """The agent in sentences, and the same for programs."""
    intentions = list(
        selectors.goals_visible_to(by).filter(_OPEN, agent=agent).order_by("priority", "pk")[:MOST_INTENTIONS]
    )
    beliefs = _beliefs(intentions)
    tools = [tool for tool in tools_in_use().tools if not agent.tools or tool.name in agent.tools]
    models = models_of(agent)
    rules = library.active_versions(known_components.RULE).count()
    said = [
        f"{agent.name} is {_standing(agent)}.",
        f"It intends {_count(len(intentions), 'goal', MOST_INTENTIONS)}"
        + (":" if intentions else " that you may see right now."),
        *(f"  goal {goal.pk} ({goal.state.replace('_', ' ')}): {_short(goal.text)}" for goal in intentions),
        f"It believes {_count(len(beliefs), 'thing', MOST_BELIEFS)}" + (":" if beliefs else " about them."),
        *_said_once(beliefs),
        f"It can use {len(tools)} tool{'s' * (len(tools) != 1)}: {', '.join(tool.name for tool in tools)}.",
        f"It plans with {rules} rule{'s' * (rules != 1)}"
        + (f" and {models[0]}." if models else "; if none applies, a person writes the plan."),
    ]
    data = {
        "agent": agent.name,
        "standing": _standing(agent),
        "config": known_components.config_words(agent),
        "intentions": [{"goal": str(goal.pk), "state": goal.state, "text": goal.text} for goal in intentions],
        "beliefs": [
            {"sentence": row.sentence, "source": row.source, "goal": str(row.goal_id), "confidence": row.confidence}
            for row in beliefs
        ],
        "tools": {tool.name: [command.name for command in tool.commands] for tool in tools},
        "models": list(models),
        "rules": rules,
    }
    return said, data


def _beliefs(goals: list[Goal]) -> list[Belief]:
    """What holds now of the goals it works on: neither taken back nor expired."""
    held = Belief.objects.filter(goal__in=goals, retracted_by="")
    return list(held.exclude(expires_at__lte=timezone.now()).order_by("-pk")[:MOST_BELIEFS])


def _said_once(beliefs: list[Belief]) -> Iterator[str]:
    """A line for each sentence, with the goals about which it is held: several goals look at the same machine."""
    goals: dict[tuple[str, str], list[str]] = {}
    for row in beliefs:
        goals.setdefault((row.sentence, row.source), []).append(str(row.goal_id))
    for (sentence, source), about in goals.items():
        numbers = list(dict.fromkeys(about))
        yield f"  {sentence} ({source}, goal{'s' * (len(numbers) > 1)} {', '.join(numbers)})"


def status(*, by: User) -> tuple[list[str], dict[str, Any]]:
    """How many goals are where, what waits for people, and whether everything is stopped."""
    goals = selectors.goals_visible_to(by).filter(_OPEN).order_by("-pk").values("pk")[:MOST_COUNTED]
    counted = Goal.objects.filter(pk__in=goals).values("state").annotate(goals=Count("pk")).order_by("state")
    states = {row["state"]: row["goals"] for row in counted}
    plans = selectors.plans_visible_to(by).filter(state=PlanState.AWAITING_REVIEW.value)
    waiting = IntentPlan.objects.filter(pk__in=plans.order_by("pk").values("pk")[:MOST_COUNTED]).count()
    agents = list(Agent.objects.filter(retired_at=None).order_by("name"))
    paused = [agent.name for agent in agents if agent.paused]
    still = pauses.standstill()
    said = [
        "Open goals: "
        + (", ".join(f"{number} {state.replace('_', ' ')}" for state, number in states.items()) or "none")
        + ".",
        f"Plans waiting for review: {waiting}. Goals that need a person: {states.get(GoalState.MANUAL.value, 0)}.",
        f"Agents: {len(agents)}" + (f", paused: {', '.join(paused)}." if paused else ", none paused."),
    ]
    if still is not None:
        said.append(f"Everything has been stopped since {still.since:%Y-%m-%d %H:%M} UTC: {still.reason}")
    data = {
        "goals": states,
        "awaiting_review": waiting,
        "agents": len(agents),
        "paused": paused,
        "standstill": still.reason if still else None,
    }
    return said, data


def listing() -> tuple[list[str], dict[str, Any]]:
    """All agents, the retired ones last."""
    agents = sorted(Agent.objects.prefetch_related("limits"), key=lambda one: (one.retired_at is not None, one.name))
    said = [
        f"{agent.name}: {_standing(agent)}; tools: {', '.join(agent.tools) or 'all'}"
        + (f"; model: {agent.model}" if agent.model else "")
        for agent in agents
    ]
    data = {
        "agents": [
            {
                "id": str(agent.pk),
                "name": agent.name,
                "standing": _standing(agent),
                "config": known_components.config_words(agent),
            }
            for agent in agents
        ]
    }
    return said, data


def _standing(agent: Agent) -> str:
    if agent.retired_at is not None:
        return "retired"
    return "paused" if agent.paused else "at work"


def _count(number: int, noun: str, most: int) -> str:
    return f"{number}{'+' if number == most else ''} {noun}{'s' * (number != 1)}" if number else f"no {noun}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else f"{flat[:160]}…"
