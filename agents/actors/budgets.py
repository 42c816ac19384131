"""What agents may have their language models use in a day, and what of it is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, QuerySet

from agents.models import Agent, Goal
from agents.states import GoalState
from library.language import calls

# What the reason of a goal begins with that waits for the next day.
SPENT = "model_budget_spent"


@dataclass(frozen=True)
class Budget:
    """An agent's day (UTC), with what is under way by the most that it may use."""

    agent: Agent
    tokens: int
    cost: Decimal

    @property
    def percent(self) -> int:
        """How much of it is used, of whichever of its two bounds is nearer."""
        shares = [Decimal(0)]
        if self.agent.tokens_per_day is not None:
            shares.append(Decimal(self.tokens) / self.agent.tokens_per_day if self.agent.tokens_per_day else Decimal(1))
        if self.agent.cost_per_day is not None:
            shares.append(self.cost / self.agent.cost_per_day if self.agent.cost_per_day else Decimal(1))
        return min(100, int(100 * max(shares)))

    @property
    def words(self) -> str:
        """Both bounds and what is used of them."""
        tokens, cost = self.agent.tokens_per_day, self.agent.cost_per_day
        found = [f"{self.tokens:,} of {tokens:,} tokens"] if tokens is not None else []
        found += [f"${self.cost:.2f} of ${cost:.2f}"] if cost is not None else []
        return " and ".join(found) or f"{self.tokens:,} tokens and ${self.cost:.2f}, without a limit"


def today(agents: Iterable[Agent]) -> list[Budget]:
    """Of each agent, in the same order."""
    agents = list(agents)
    used = calls.used_today_by(str(agent.pk) for agent in agents)
    return [Budget(agent, *used.get(str(agent.pk), (0, Decimal(0)))) for agent in agents]


def limited() -> QuerySet[Agent]:
    """The agents that have a budget."""
    return Agent.objects.filter(Q(tokens_per_day__isnull=False) | Q(cost_per_day__isnull=False)).order_by("name")


def waiting(agent: Agent) -> QuerySet[Goal]:
    """The agent's goals that wait for the next day because its budget is used up."""
    return agent.goals.filter(state=GoalState.PENDING.value, reason__startswith=SPENT)
