"""What a claim looks at beside its steps, once a second and in the companion's thread: no step asks for it.

Whether its plan was cancelled, whether somebody told the agent something, how firmly it holds on, and which goal of it
waits to go first.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from django.db import connection

from agents.bdi.intentions.deliberation import GoesFirst, InTurn, goes_first
from agents.record.lease import WAITING_BESIDE

# Asked at every second look: whoever is idle takes a waiting goal sooner than that.
_LOOKS_APART = 2
_WATCH = f"""
WITH told AS (
    SELECT coalesce(max(belief.id), 0) AS newest, count(*) FILTER (WHERE belief.retracted_by = '') AS standing,
           count(*) FILTER (WHERE belief.at > plan.created_at OR belief.retracted_by <> '') AS since
    FROM agents_intentplan plan
    LEFT JOIN agents_belief belief ON belief.goal_id = plan.goal_id AND belief.source <> 'perception'
    WHERE plan.id = %(plan)s
)
SELECT plan.cancel_requested, goal.priority, told.newest, told.standing, told.since > 0,
       goal.deadline <= clock_timestamp()
       OR EXISTS (SELECT FROM agents_goal parent WHERE parent.id = goal.parent_id AND parent.ended_at IS NOT NULL),
       CASE WHEN %(all)s THEN (
           SELECT json_agg(json_build_array(waiting.id, waiting.priority, waiting.idle_s, waiting.deadline_s))
           FROM ({WAITING_BESIDE}) AS waiting) END,
       (SELECT held.kind FROM agents_agentcommitment held WHERE held.agent_id = goal.agent_id
        ORDER BY held.id DESC LIMIT 1)
FROM agents_intentplan plan JOIN agents_goal goal ON goal.id = plan.goal_id, told
WHERE plan.id = %(plan)s
"""  # noqa: S608  # both parts are texts of this package


@dataclass
class Watch:
    """Looked through by the companion (`is_cancelled`), asked by the worker between two steps."""

    goal_id: int
    plan_id: int
    began: float = field(default_factory=lambda: time.monotonic())
    _looks: int = 0
    _marks: tuple[int, int, bool] | None = None
    _is_news: bool = False
    _seen: frozenset[int] = frozenset()
    _first: GoesFirst | None = None
    # As an operator has set it by the last look; "": nobody looked yet, or nobody has set it.
    commitment: str = ""

    def is_cancelled(self) -> bool:
        """Whether a person wants it to stop; keeps the rest of what was seen for `news` and `first`."""
        with connection.cursor() as cursor:
            values = {"plan": self.plan_id, "goal": self.goal_id, "all": self._looks % _LOOKS_APART == 0}
            cursor.execute(_WATCH, values)
            row = cursor.fetchone()
        if row is None:
            return False
        cancelled, priority, newest, standing, since, over, waiting, commitment = row
        self.commitment = commitment or ""
        marks = (newest, standing, bool(over))
        self._is_news = self._is_news or (marks != self._marks if self._marks is not None else bool(since or over))
        self._marks = marks
        if self._looks % _LOOKS_APART == 0:
            self._look_at(priority, {goal: InTurn(goal, *rest) for goal, *rest in waiting or ()})
        self._looks += 1
        return bool(cancelled)

    def _look_at(self, priority: int, waiting: dict[int, InTurn]) -> None:
        # Only what was seen before: a goal that has just come in is most often taken by a worker that is idle.
        still = [one for goal, one in waiting.items() if goal in self._seen]
        self._seen = frozenset(waiting)
        self._first = goes_first(InTurn(self.goal_id, priority, time.monotonic() - self.began), still)

    def news(self) -> bool:
        """Whether something was told, or made the goal pointless, since the last time this was asked."""
        is_news, self._is_news = self._is_news, False
        return is_news

    def first(self) -> GoesFirst | None:
        """The goal of the same agent that goes on before the next step of this one; None for none."""
        return self._first
