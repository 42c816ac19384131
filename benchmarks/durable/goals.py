"""Goals with plans to measure: each in a workspace of its own, proposed by one person and approved by another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.durable.protocol import STEPS

if TYPE_CHECKING:
    from agents.models import Goal, IntentPlan

# A step that a session answers itself: it asks nothing of a jail.
NO_OP: tuple[str, dict[str, Any]] = ("deactivate_venv", {})


def make_people() -> None:
    """Who submits, who approves, and the agent, once for each database."""
    from agents.models import Agent
    from people.models import User
    from people.roles import Role

    User.objects.create_user("owner", roles=[Role.SUBMITTER])
    User.objects.create_user("reviewer", roles=[Role.REVIEWER])
    Agent.objects.get_or_create(name="mindx")


class Goals:
    """Makes goals whose workspaces are named after `mark`, which nobody else may use."""

    def __init__(self, mark: str) -> None:
        from agents.models import Agent
        from people.models import User

        self._mark, self._made = mark, 0
        self._owner = User.objects.get(username="owner")
        self._reviewer = User.objects.get(username="reviewer")
        self._agent = Agent.objects.get(name="mindx")

    def proposed(self, step: tuple[str, dict[str, Any]]) -> IntentPlan:
        """A plan of STEPS times this step (command, params) that awaits review."""
        from django.db import transaction

        from agents.plans import proposals

        command, params = step
        steps = [{"tool": "simple_coder", "command": command, "params": params}] * STEPS
        with transaction.atomic():  # a goal without its plan would be planned by the next worker that sees it
            goal = self._goal()
            draft, problems = proposals.draft_by_hand(goal, steps, [], by=self._owner)
            if problems:
                raise ValueError(problems[0].message)
            return proposals.propose(goal, draft, by=self._owner)

    def approve(self, plan: IntentPlan) -> IntentPlan:
        """The reviewer's approval of exactly this plan."""
        from review.deciding import decisions

        return decisions.approve(plan, by=self._reviewer, digest=plan.digest, via="api")

    def _goal(self) -> Goal:
        from agents.models import Goal, Workspace
        from sandbox.store.snapshots import EMPTY

        self._made += 1
        place = Workspace.objects.create(name=f"{self._mark}-{self._made}", owner=self._owner, head=EMPTY)
        return Goal.objects.create(
            text="measure", submitted_by=self._owner, agent=self._agent, workspace=place, state="planning"
        )
