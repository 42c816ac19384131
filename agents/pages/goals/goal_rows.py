"""What is stored about a goal, read once and only when somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, timedelta
from functools import cached_property
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.bdi.recovery.failures import OF_OTHERS, PLANNING, Facts
from agents.bdi.recovery.strategies import way_named
from agents.execution import goal_network
from agents.execution.goal_network import StepNetwork
from agents.hands import hand_items
from agents.models import (
    Attempt,
    Belief,
    FailureRecord,
    Generation,
    Goal,
    HandItem,
    Intent,
    IntentPlan,
    LevelDocument,
    Plan,
    Transition,
    TurnFailure,
)
from agents.pages.files import files_held
from agents.pages.goals import goal_facts, goal_family, goal_tree
from agents.pages.goals.goal_family import Relative
from agents.pages.goals.goal_tree import Branch
from agents.presentation import code_report
from agents.presentation.files_held import Holder
from agents.presentation.waiting import Wait
from agents.record.selectors import goals_visible_to
from agents.recovery import cooldown
from agents.states import GoalState, LevelState, PlanState
from library.models import Experience, ModelCall
from people.models import User
from people.roles import Role

BELIEFS_BESIDE = 8
CALLS_SHOWN = 20
PLANNING_FAILURES_SHOWN = 5
TURN_FAILURES_SHOWN = 5
# Where a goal goes from planning without a plan.
_WITHOUT_PLAN = frozenset({"pending", "manual", "failed"})
_ANSWERED = (ModelCall.State.ANSWERED, ModelCall.State.CACHED)
_OF_PLANNING = "plan"
# What it waits for then is the sandbox, a person, an answer or that something is so, and no moment.
_NO_TRY = ("sandbox_unavailable", "waits_for_person", "waits_for_answer", "waits_until")
# Between asking how long a cool-down lasts and writing when the goal is woken so much may pass.
_BETWEEN = timedelta(seconds=2)


@dataclass(frozen=True)
class PlanningFailure:
    """A failure of planning, and in words the strategy that was chosen."""

    row: FailureRecord
    way: str


class GoalRows:
    """One goal's rows, as far as this person may see them."""

    def __init__(self, goal: Goal, user: User) -> None:
        self.goal = goal
        self.user = user

    @cached_property
    def revisions(self) -> list[IntentPlan]:
        """Every revision with its intents, tries and recoveries, oldest first."""
        tries = Prefetch("attempts", Attempt.objects.select_related("recovery").order_by("number"))
        intents = Prefetch("intents", Intent.objects.order_by("position").prefetch_related(tries))
        return list(
            self.goal.intent_plans.select_related("plan__by").prefetch_related(intents).order_by("revision")
        )  # fmt: skip

    @cached_property
    def plan(self) -> IntentPlan | None:
        """The newest revision."""
        return self.revisions[-1] if self.revisions else None

    @cached_property
    def held(self) -> Any:
        """The decision on its plan that can still be taken back (`review.HeldDecision`), or None.

        The review is above this package: its row is reached by the plan's relation.
        """
        if self.plan is None or self.plan.state != PlanState.AWAITING_REVIEW:
            return None
        return self.plan.held.filter(dropped="").select_related("by").first()

    @cached_property
    def before_it(self) -> Holder | None:
        """Who has the files which this goal, approved, waits for."""
        if self.plan is None or self.plan.state != PlanState.APPROVED:
            return None
        return files_held.of([self.goal.pk], self.user).get(self.goal.pk)

    @cached_property
    def behind_it(self) -> int:
        """How many approved plans wait for the files that this goal has while a person is waited for."""
        if self.plan is None or self.plan.state != PlanState.EXECUTING or self.goal.state != GoalState.MANUAL:
            return 0
        waiting = IntentPlan.objects.filter(workspace=self.plan.workspace_id, state=PlanState.APPROVED.value)
        return waiting.count()

    @cached_property
    def seal_is_broken(self) -> bool:
        """True when the stored bytes no longer have the digest that stands beside them."""
        return self.plan is not None and documents.digest_of(self.plan.document) != self.plan.digest

    @cached_property
    def turn_failures(self) -> list[TurnFailure]:
        """The newest turns that failed inside mindX, for operators: a traceback may quote what others must not see."""
        if not self.user.has_role(Role.OPERATOR):
            return []
        return list(self.goal.turn_failures.all()[:TURN_FAILURES_SHOWN])

    @cached_property
    def transitions(self) -> list[Transition]:
        """Every move of the goal and its plans, oldest first."""
        return list(self.goal.transitions.select_related("intent_plan").order_by("pk"))

    @cached_property
    def decisions(self) -> list[Transition]:
        """What people decided about the plans: every move of a plan out of review."""
        return [
            move
            for move in self.transitions
            if move.intent_plan_id is not None and move.old == PlanState.AWAITING_REVIEW.value
        ]

    @cached_property
    def levels(self) -> list[LevelDocument]:
        """The newest version of its design and the newest choice of rules, as far as there are any."""
        rows = self.goal.level_documents.select_related("decided_by").defer("document").order_by("-number")
        newest = {row.kind: row for row in reversed(rows)}
        return [newest[kind] for kind in LevelDocument.Kind if kind in newest]

    @property
    def open_level(self) -> LevelDocument | None:
        """The design or choice of rules that awaits review."""
        return next((one for one in self.levels if one.state == LevelState.AWAITING_REVIEW), None)

    @cached_property
    def beliefs(self) -> QuerySet[Belief]:
        """All beliefs, in the order they came."""
        return self.goal.beliefs.select_related("by").order_by("pk")

    @property
    def held_beliefs(self) -> list[Belief]:
        """Those that are held now, or were at the goal's end."""
        return [one for one in self.beliefs if not one.retracted_by]

    @property
    def earlier_beliefs(self) -> list[Belief]:
        """Those that are held no longer: something else was perceived since, or a person said so."""
        return [one for one in self.beliefs if one.retracted_by]

    @cached_property
    def belief_counts(self) -> tuple[int, int]:
        """How many there ever were, and how many of them are held now."""
        found = self.goal.beliefs.aggregate(ever=Count("pk"), held=Count("pk", filter=Q(retracted_by="")))
        return found["ever"], found["held"]

    @cached_property
    def beliefs_beside(self) -> list[Belief]:
        """What the plan stands on first, then people's words, then what was perceived; a few of them. Once the goal has
        ended what was perceived last comes before what was so all the time.
        """
        order = -1 if self.goal.has_ended else 1
        used = goal_facts.sentences_used(self.plan.plan) if self.plan is not None else set()
        newest = list(self.beliefs.filter(retracted_by="").order_by("-pk")[:60])
        return sorted(newest, key=lambda one: (one.sentence not in used, one.source != "person", order * one.pk))[
            :BELIEFS_BESIDE
        ]

    @cached_property
    def unplanned(self) -> Plan | None:
        """The newest try to plan, when it found no steps: its evidence says which rules were looked at and why not."""
        newest = self.goal.plans.order_by("-number").first()
        return newest if newest is not None and not newest.steps else None

    @cached_property
    def rejected_rules(self) -> list[tuple[str, str]]:
        """Rules that were looked at, each with why it did not apply."""
        return goal_facts.rejected_rules(self.unplanned) if self.unplanned is not None else []

    @cached_property
    def planning_failures(self) -> list[PlanningFailure]:
        """Where planning found no plan, the newest first: why, and what was done about it.

        Most goals have one plan and no such failure, which is seen by what is loaded anyway.
        """
        revisions = self.revisions
        is_mended = bool(revisions) and revisions[-1].plan.number > len(revisions)
        if not is_mended and not any(one.old == "planning" and one.new in _WITHOUT_PLAN for one in self.transitions):
            return []
        rows = self.goal.failures.filter(stage=PLANNING).order_by("-pk")[:PLANNING_FAILURES_SHOWN]
        return [PlanningFailure(row, way.words if (way := way_named(row.cell_strategy)) else "") for row in rows]

    @cached_property
    def generations(self) -> list[Generation]:
        """What models were asked for its plan, the newest first, each with its call."""
        return list(self.goal.generations.select_related("call__cached_from").order_by("-pk"))

    @cached_property
    def asked_by_steps(self) -> list[ModelCall]:
        """What steps of its plans asked a model and were answered, the newest first."""
        answered = self._calls.filter(state__in=_ANSWERED).exclude(purpose=_OF_PLANNING)
        return list(answered.order_by("-pk")[:CALLS_SHOWN])

    @cached_property
    def calls_without_answer(self) -> list[ModelCall]:
        """The calls that came to nothing, the newest first: they made no attempt."""
        return list(self._calls.filter(state=ModelCall.State.FAILED).order_by("-pk")[:CALLS_SHOWN])

    @property
    def _calls(self) -> QuerySet[ModelCall]:
        """What was asked for the goal; what was asked again of it only to compare stands with the call itself."""
        return ModelCall.objects.filter(goal=str(self.goal.pk), replay_of=None)

    @property
    def masked_kinds(self) -> list[str]:
        """The kinds of secrets that were hidden from models in what they were asked for this goal."""
        asked = (*(one.call for one in self.generations), *self.asked_by_steps, *self.calls_without_answer)
        return sorted({kind for call in asked if call.masked for kind in call.masked.split(", ")})

    @cached_property
    def attempts(self) -> list[Attempt]:
        """Every try of every intent, oldest first."""
        rows = Attempt.objects.filter(intent__intent_plan__goal=self.goal)
        return list(rows.select_related("intent__intent_plan", "recovery").order_by("pk"))

    @cached_property
    def reports(self) -> list[Intent]:
        """The steps that reported what they found when they looked at code, the newest first."""
        steps = [intent for plan in self.revisions for intent in plan.intents.all()]
        return [step for step in reversed(steps) if code_report.read((step.result or {}).get("report")) is not None]

    @cached_property
    def has_begun(self) -> bool:
        """Whether a step of any of its plans has been tried."""
        return any(intent.attempts.all() for plan in self.revisions for intent in plan.intents.all())

    @cached_property
    def running(self) -> tuple[int, int] | None:
        """Position of the intent that runs and the number of its try."""
        if self.plan is None:
            return None
        for intent in self.plan.intents.all():
            tries = list(intent.attempts.all())
            if intent.state == "running" and tries:
                return intent.position, tries[-1].number
        return None

    @cached_property
    def last_failure(self) -> str:
        """The class of the newest failed try, empty when none failed."""
        classes = [
            attempt.failure_class
            for plan in self.revisions
            for intent in plan.intents.all()
            for attempt in intent.attempts.all()
            if attempt.failure_class
        ]
        if classes:
            return classes[-1]
        return self.planning_failures[0].row.failure_class if self.planning_failures else ""

    @cached_property
    def network(self) -> list[StepNetwork]:
        """What the newest plan's steps did on the network."""
        return goal_network.of_plan(self.plan)

    @cached_property
    def hand_item(self) -> HandItem | None:
        """The step that waits for a person's hand; None also where only a plan is missing."""
        item = hand_items.open_of(self.goal)
        return item if item is not None and item.intent_plan_id else None

    @cached_property
    def experience(self) -> Experience | None:
        """What the ended goal taught, once it is recorded."""
        return Experience.objects.only("pk").filter(goal_ref=str(self.goal.pk), part="").first()

    @cached_property
    def family(self) -> list[Relative]:
        """Other goals that this one stands to and the person may see: whole, parts, what waits for what."""
        return goal_family.of(self.goal, self.user)

    @cached_property
    def tree(self) -> Branch | None:
        """The tree of goals that it stands in; looked for only where it has a whole or parts."""
        has_kin = any(one.kind in goal_family.KIN for one in self.family)
        return goal_tree.of(self.goal, self.user) if has_kin else None

    @cached_property
    def wait(self) -> Wait | None:
        """What it waits for before the next try; None where it waits for no try, or the moment has come."""
        wake_at, now = self.goal.wake_at, timezone.now()
        if self.goal.state != GoalState.RECOVERING or wake_at is None or wake_at <= now:
            return None
        if self.goal.reason.startswith(_NO_TRY):
            return None
        failed = self.goal.failures.filter(settled_at=None).exclude(stage=PLANNING).order_by("-pk").first()
        if failed is None:
            return None
        facts = Facts.from_json(failed.facts)
        left_s, until = (wake_at - now).total_seconds(), f"{wake_at.astimezone(UTC):%H:%M:%S} UTC"
        held = cooldown.of(facts)
        if held is not None and held.until >= wake_at - _BETWEEN and held.failure.goal_id != self.goal.pk:
            found = held.failure
            is_seen = goals_visible_to(self.user).filter(pk=found.goal_id).exists()
            return Wait(left_s, until, held.why, found.position if is_seen else 0, found.goal_id if is_seen else 0)
        is_theirs = facts.asked and failed.failure_class in OF_OTHERS
        why = cooldown.what_hosts_did(failed.failure_class, facts.asked) if is_theirs else failed.reason
        return Wait(left_s, until, why, failed.position)

    @property
    def waits_for(self) -> list[Relative]:
        """The goals this one depends on that the person may see."""
        return [one for one in self.family if one.kind == goal_family.BEFORE]
