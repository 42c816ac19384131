"""How often a goal's plan was sent back, and how often it may be before a person must write one."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Q

from agents.actors.models_in_use import models_of
from agents.models import Goal
from review.models import Decision, RoundLimit

# Without a row in the administration.
USUAL = 5


@dataclass(frozen=True)
class Rounds:
    """`used` of `most` requests for changes were made."""

    used: int
    most: int

    @property
    def is_over(self) -> bool:
        """True when the agent does not plan again for a further request."""
        return self.used >= self.most

    @property
    def next(self) -> int:
        """The number that a request would have now."""
        return self.used + 1

    @property
    def reason(self) -> str:
        """Why the goal then asks a person."""
        asked = "one request" if self.most == 1 else f"{self.most} requests"
        return f"rounds_used_up: after {asked} for changes the agent does not plan again; a person must supply the plan"


def of(goal: Goal) -> Rounds:
    """The rounds of a goal, with its agent's own limit, else the one for all agents, else the default."""
    sent_back = Decision.objects.filter(intent_plan__goal_id=goal.pk, verdict=Decision.Verdict.REQUEST_CHANGES)
    limits = RoundLimit.objects.filter(Q(agent_id=goal.agent_id) | Q(agent__isnull=True))
    most = limits.order_by(F("agent").asc(nulls_last=True)).values_list("rounds", flat=True).first()
    return Rounds(sent_back.count(), most or USUAL)


def reads_comments(goal: Goal) -> bool:
    """Whether the planner uses a request for changes: a language model does; rules read only the goal."""
    return bool(models_of(goal.agent))
