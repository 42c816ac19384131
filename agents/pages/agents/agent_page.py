"""What the pages of agents show: what each does, intends and believes, as far as the person may see its goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from agents.actors import commitments
from agents.bdi.intentions.commitment import Commitment
from agents.bdi.intentions.cycle import AgentStatus, status_of
from agents.frameworks import factory
from agents.models import Agent, AgentCommitment, Belief, Goal, IntentPlan, LogLine
from agents.pages.files import files_held
from agents.record.selectors import approved, goals_visible_to
from agents.recovery.reconsideration import NO_PLAN
from agents.states import GOAL_ENDED, GoalState, PlanState
from agents.toolkit.frameworks import FRAMEWORKS, OWN, Framework
from people.models import User

_OPEN = [state.value for state in GoalState if state not in GOAL_ENDED]
AGENTS_A_PAGE, BELIEFS_A_PAGE, INTENTIONS = 50, 200, 25
_GOALS_NAMED = 6
_REASONS_READ = 400


@dataclass(frozen=True)
class Row:
    """An agent in the list."""

    agent: Agent
    status: AgentStatus
    open: int
    waiting: int


@dataclass(frozen=True)
class Intention:
    """A goal that the agent is committed to, its current plan, and why it was chosen (the log's own sentence)."""

    goal: Goal
    plan: IntentPlan | None
    why: str

    @property
    def waits_for_a_worker(self) -> bool:
        """Whether its plan was approved, and no step of it has begun."""
        may_run = self.plan is not None and self.plan.state == PlanState.APPROVED
        return may_run and self.goal.state == GoalState.AWAITING_REVIEW


@dataclass(frozen=True)
class Believed:
    """What is held of one or more goals in the same words: the newest belief, the goals, and those whose plans stand
    on it.
    """

    belief: Belief
    goals: list[int]
    stands: list[int]

    @property
    def named(self) -> list[int]:
        """The goals whose numbers are written out; those whose plans stand on it first."""
        return [*self.stands, *(goal for goal in self.goals if goal not in self.stands)][:_GOALS_NAMED]

    @property
    def more(self) -> int:
        return len(self.goals) - len(self.named)


def page_of(after: int | None = None) -> tuple[list[Row], int | None]:
    """One page of the agents, oldest first, and the id to ask after for the next one. Two queries."""
    agents = Agent.objects.order_by("pk")
    rows = list((agents.filter(pk__gt=after) if after else agents)[: AGENTS_A_PAGE + 1])
    shown = rows[:AGENTS_A_PAGE]
    counts = _counts(Goal.objects.filter(agent__in=shown))
    found = [_row(agent, counts.get(agent.pk, ({}, 0))) for agent in shown]
    return found, shown[-1].pk if len(rows) > AGENTS_A_PAGE else None


def row_of(agent: Agent) -> Row:
    """One agent as the list has it. One query."""
    return _row(agent, _counts(Goal.objects.filter(agent=agent)).get(agent.pk, ({}, 0)))


def _row(agent: Agent, counted: tuple[Mapping[GoalState, int], int]) -> Row:
    states, without_plan = counted
    status = status_of(states, paused=agent.paused, without_plan=without_plan)
    waits = states.get(GoalState.AWAITING_REVIEW, 0) + states.get(GoalState.MANUAL, 0)
    return Row(agent, status, sum(states.values()), waits)


def _counts(goals: QuerySet[Goal]) -> dict[int, tuple[dict[GoalState, int], int]]:
    """By agent: how many of its open goals are in each state, and how many ask a person for want of a plan."""
    lacks = Q()
    for word in NO_PLAN:
        lacks |= Q(reason__startswith=word)
    lacks &= Q(state=GoalState.MANUAL.value)
    rows = goals.filter(state__in=_OPEN).order_by().values("agent_id", "state")
    found: dict[int, tuple[dict[GoalState, int], int]] = {}
    for row in rows.annotate(number=Count("pk"), lacking=Count("pk", filter=lacks)):
        states, lacking = found.get(row["agent_id"], ({}, 0))
        found[row["agent_id"]] = ({**states, GoalState(row["state"]): row["number"]}, lacking + row["lacking"])
    return found


class AgentPage:
    """One agent, as a person may see it."""

    def __init__(self, agent: Agent, user: User, after: int | None = None) -> None:
        self.agent, self.user = agent, user
        self.row = row_of(agent)
        rows = AgentCommitment.objects.filter(agent=agent).select_related("by").order_by("-pk")
        self.history = list(rows[:10])
        self.commitment = Commitment(self.history[0].kind) if self.history else commitments.DEFAULT
        self.intentions = self._intentions(goals_visible_to(user))
        self.beliefs, self.older = self._beliefs(goals_visible_to(user), after)

    @property
    def framework(self) -> Framework | None:
        """The framework that works on its goals; None: mindX does."""
        return None if self.agent.framework == OWN else FRAMEWORKS[self.agent.framework]

    @property
    def framework_missing(self) -> str:
        """What this machine lacks for that, as a sentence."""
        return factory.missing(self.agent.framework)

    def _intentions(self, visible: QuerySet[Goal]) -> list[Intention]:
        goals = visible.filter(agent=self.agent, state__in=_OPEN).order_by("priority", "deadline", "pk")
        shown = list(goals.annotate(approved=approved())[:INTENTIONS])
        files_held.mark(shown, self.user)
        plans = IntentPlan.objects.filter(goal__in=shown).select_related("plan").defer("document", "plan__steps")
        newest = {plan.goal_id: plan for plan in plans.order_by("revision")}
        ids = [goal.pk for goal in shown]
        lines = LogLine.objects.filter(goal_id__in=ids, stage__in=["deliberate", "reconsider"]).order_by("number")
        why = {line.goal_id: line.text for line in lines[:_REASONS_READ]}
        return [Intention(goal, newest.get(goal.pk), why.get(goal.pk, "")) for goal in shown]

    def _beliefs(self, visible: QuerySet[Goal], after: int | None) -> tuple[list[Believed], int | None]:
        """What is held for its open goals, newest first, a page by key.

        What it perceives of machine and tools it holds for each of its goals: the same of several is said once.
        """
        goals = visible.filter(agent=self.agent, state__in=_OPEN).order_by().values("pk")
        rows = Belief.objects.filter(goal__in=goals, retracted_by="").select_related("by", "goal").order_by("-pk")
        found = list((rows.filter(pk__lt=after) if after else rows)[: BELIEFS_A_PAGE + 1])
        used = {each.goal.pk: _stands_on(each.plan) for each in self.intentions if each.plan is not None}
        same: dict[tuple[object, ...], list[Belief]] = {}
        for one in found[:BELIEFS_A_PAGE]:
            key = (one.sentence, one.source, one.by_id, one.confidence, one.expires_at)
            same.setdefault(key, []).append(one)
        shown = []
        for rows_of_it in same.values():
            about = list(dict.fromkeys(one.goal_id for one in rows_of_it))
            stands = [pk for pk in about if rows_of_it[0].sentence in used.get(pk, ())]
            shown.append(Believed(rows_of_it[0], about, stands))
        return shown, found[BELIEFS_A_PAGE - 1].pk if len(found) > BELIEFS_A_PAGE else None


def _stands_on(plan: IntentPlan) -> frozenset[str]:
    """The sentences that carried the contexts of the plan's rules."""
    evidence = plan.plan.evidence if isinstance(plan.plan.evidence, dict) else {}
    said = [str(each.get("sentence", "")) for each in evidence.get("beliefs") or ()]
    nodes = [evidence, *(evidence.get("subgoals") or ())]
    used = [number for node in nodes for number in node.get("beliefs_used") or ()]
    return frozenset(said[number] for number in used if isinstance(number, int) and number < len(said))
