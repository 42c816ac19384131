"""What the page of a goal shows: rows are loaded here, agents.presentation decides what they mean, templates draw it.

The page and the live socket render the same fragments from the same rows; a reload shows nothing else than was pushed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse

from agents import goal_facts, goal_family, goal_network
from agents.bdi import document as documents
from agents.bdi.document import IntentSpec
from agents.bdi.failures import PLANNING
from agents.bdi.strategies import way_named
from agents.goal_family import Relative
from agents.goal_network import Lacking, StepNetwork
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
)
from agents.presentation import code_report, endings, hidden, timeline
from agents.presentation.timeline import Node
from agents.presentation.values import as_text
from agents.selectors import goals_visible_to, may_change, may_correct, sees_everything
from agents.services import hand_items, parameters, planning, replanning
from agents.states import GoalState, IntentState, LevelState, PlanState
from library.models import ComponentVersion, Experience, ModelCall
from people.models import User
from people.roles import Role

# Fragments that change with the goal's state; each is a template with one root element of the same id.
FRAGMENTS = ("goal-state", "goal-actions", "goal-way", "goal-tabs", "goal-timeline", "goal-side")
BELIEFS_BESIDE = 8
_WRITTEN = frozenset({Plan.Source.PERSON, Plan.Source.MODEL})
TITLE_MAX = 240
CALLS_SHOWN = 20
PLANNING_FAILURES_SHOWN = 5
# Where a goal goes from planning without a plan.
_WITHOUT_PLAN = frozenset({"pending", "manual", "failed"})
_ANSWERED = (ModelCall.State.ANSWERED, ModelCall.State.CACHED)
_OF_PLANNING = "plan"


@dataclass(frozen=True)
class Unknown:
    """A step whose worker died while it ran: what it does, with every value, and its last try."""

    intent: Intent
    sentence: str
    values: tuple[tuple[str, str], ...]
    attempt: Attempt | None


@dataclass(frozen=True)
class Tab:
    """A part of the goal with its own address. `count` is shown when it says something."""

    key: str
    label: str
    count: int = 0


@dataclass(frozen=True)
class PlanningFailure:
    """A failure of planning, and in words the strategy that was chosen."""

    row: FailureRecord
    way: str


class GoalPage:
    """One goal as one person sees it. Everything is read once, when a template first asks for it."""

    def __init__(self, goal: Goal, user: User, part: str = "live") -> None:
        self.goal = goal
        self.user = user
        self.part = part

    @cached_property
    def title(self) -> str:
        """The goal's text, or its beginning when it is too long for a title; the page then shows all of it below."""
        text = self.goal.text
        return text if len(text) <= TITLE_MAX else text[:TITLE_MAX].rstrip() + " …"

    @property
    def window_title(self) -> str:
        """The title of the window, which takes no markup."""
        return hidden.visible_text(" ".join(self.goal.text[:60].split()))

    @property
    def goal_is_long(self) -> bool:
        """Whether the title shows only the beginning."""
        return len(self.goal.text) > TITLE_MAX

    @property
    def took_s(self) -> float:
        """Seconds from submission to the end."""
        return ((self.goal.ended_at or self.goal.created_at) - self.goal.created_at).total_seconds()

    @property
    def sees_workspace(self) -> bool:
        """Whether the person may open the goal's workspace: it may be somebody else's."""
        return sees_everything(self.user) or self.goal.workspace.owner_id == self.user.pk

    @cached_property
    def revisions(self) -> list[IntentPlan]:
        """Every revision with its intents, tries and recoveries, oldest first."""
        tries = Prefetch("attempts", Attempt.objects.select_related("recovery").order_by("number"))
        intents = Prefetch("intents", Intent.objects.order_by("position").prefetch_related(tries))
        return list(
            self.goal.intent_plans.select_related("plan__by").prefetch_related(intents).order_by("revision")
        )  # fmt: skip

    @cached_property
    def generations(self) -> list[Generation]:
        """What models were asked for its plan, the newest first, each with its call."""
        return list(self.goal.generations.select_related("call__cached_from").order_by("-pk"))

    @cached_property
    def asked_by_steps(self) -> list[ModelCall]:
        """What steps of its plans asked a model and were answered, the newest first."""
        answered = ModelCall.objects.filter(goal=str(self.goal.pk), state__in=_ANSWERED).exclude(purpose=_OF_PLANNING)
        return list(answered.order_by("-pk")[:CALLS_SHOWN])

    @cached_property
    def calls_without_answer(self) -> list[ModelCall]:
        """The calls that came to nothing, the newest first: they made no attempt."""
        return list(
            ModelCall.objects.filter(goal=str(self.goal.pk), state=ModelCall.State.FAILED).order_by("-pk")[:CALLS_SHOWN]
        )

    @cached_property
    def plan(self) -> IntentPlan | None:
        """The newest revision."""
        return self.revisions[-1] if self.revisions else None

    @cached_property
    def seal_is_broken(self) -> bool:
        """True when the stored bytes no longer have the digest that stands beside them."""
        return self.plan is not None and documents.digest_of(self.plan.document) != self.plan.digest

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
    def beliefs(self) -> QuerySet[Belief]:
        """All beliefs, in the order they came."""
        return self.goal.beliefs.select_related("by").order_by("pk")

    @cached_property
    def belief_count(self) -> int:
        return self.beliefs.count()

    @cached_property
    def beliefs_beside(self) -> list[Belief]:
        """What the plan stands on first, then people's words, then what was perceived; a few of them."""
        used = goal_facts.sentences_used(self.plan.plan) if self.plan is not None else set()
        newest = list(self.beliefs.filter(retracted_by="").order_by("-pk")[:60])
        return sorted(newest, key=lambda one: (one.sentence not in used, one.source != "person", one.pk))[
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
    def family(self) -> list[Relative]:
        """Other goals that this one stands to and the person may see: whole, parts, what waits for what."""
        return goal_family.of(self.goal, self.user)

    @property
    def waits_for(self) -> list[Relative]:
        """The goals this one depends on that the person may see."""
        return [one for one in self.family if one.kind == goal_family.BEFORE]

    @cached_property
    def attempts(self) -> list[Attempt]:
        """Every try of every intent, oldest first."""
        rows = Attempt.objects.filter(intent__intent_plan__goal=self.goal)
        return list(rows.select_related("intent__intent_plan", "recovery").order_by("pk"))

    @property
    def attempt_rows(self) -> list[tuple[Attempt, str]]:
        """Each try with how long it took, in words."""
        return [(attempt, timeline.duration_of(goal_facts.try_of(attempt))) for attempt in self.attempts]

    @cached_property
    def reports(self) -> list[Intent]:
        """The steps that reported what they found when they looked at code, the newest first."""
        steps = [intent for plan in self.revisions for intent in plan.intents.all()]
        return [step for step in reversed(steps) if code_report.read((step.result or {}).get("report")) is not None]

    @cached_property
    def nodes(self) -> list[Node]:
        """The timeline."""
        return timeline.build(
            self.goal.created_at,
            self.goal.submitted_by.display_name,
            [goal_facts.move_of(row) for row in self.transitions],
            [goal_facts.revision_of(plan, self._rule_addresses) for plan in self.revisions],
            self.belief_count,
        )

    @cached_property
    def _rule_addresses(self) -> dict[int, str]:
        """The page of each rule that made a plan, by the id of its version."""
        ids = {version for plan in self.revisions if (version := goal_facts.rule_version_of(plan.plan)) is not None}
        rows = ComponentVersion.objects.filter(pk__in=ids).values_list("pk", "component_id") if ids else ()
        return {pk: reverse("rule", args=[component]) for pk, component in rows}

    @cached_property
    def has_begun(self) -> bool:
        """Whether a step of any of its plans has been tried."""
        return any(intent.attempts.all() for plan in self.revisions for intent in plan.intents.all())

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
    def notice(self) -> endings.Notice | None:
        """What the page says at the top."""
        refused = {name for one in self.network for name in one.network.refused_names}
        return endings.notice_for(
            self.goal.state,
            self.goal.reason,
            self.last_failure,
            len(self.waits_for),
            tuple(sorted(refused)),
            put_off_to=f"{self.goal.wake_at.astimezone(UTC):%H:%M:%S} UTC" if self.goal.wake_at else "",
            rule_lacks=next((one for one in self.rejected_rules if one[0]), None) if self._asks_back else None,
            paused_agent=self.goal.agent.name if self.goal.agent.paused else "",
        )

    @property
    def _asks_back(self) -> bool:
        return self.goal.state == GoalState.MANUAL and self.goal.reason.startswith(parameters.QUESTION)

    @cached_property
    def experience(self) -> Experience | None:
        """What the ended goal taught, once it is recorded."""
        return Experience.objects.only("pk").filter(goal_ref=str(self.goal.pk)).first()

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

    @property
    def state_words(self) -> str:
        """The state as the badge says it, with the try that runs."""
        word = self.goal.state.replace("_", " ")
        return f"{word}, try {self.running[1]} of intent {self.running[0]}" if self.running else word

    @property
    def is_moving(self) -> bool:
        """Whether something may happen without a person."""
        return self.goal.state in {"pending", "planning", "executing", "recovering"}

    @cached_property
    def may_change(self) -> bool:
        return may_change(self.user, self.goal)

    @property
    def may_correct(self) -> bool:
        """Whether the person may say that a belief is not so, or take that back."""
        return may_correct(self.user, self.goal) and not self.goal.has_ended

    @property
    def may_cancel(self) -> bool:
        return self.may_change and not self.goal.has_ended

    @property
    def may_review(self) -> bool:
        """Whether there is a plan to decide on and the person's work is deciding. Review itself asks again."""
        waits = self.plan is not None and self.plan.state == PlanState.AWAITING_REVIEW
        return waits and self.user.has_role(Role.REVIEWER)

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

    @property
    def may_send_design(self) -> bool:
        """Whether its design is open to another version, which this person may send."""
        design = next((one for one in self.levels if one.kind == LevelDocument.Kind.DESIGN), None)
        is_open = design is not None and design.state in (LevelState.AWAITING_REVIEW, LevelState.SENT_BACK)
        return is_open and self.may_change and not self.goal.has_ended

    @property
    def may_plan_by_hand(self) -> bool:
        """A goal takes a person's plan while it waits for one, or while the one it has is in review.

        What is reviewed before there is a plan comes before one that is written by hand as well.
        """
        if self.open_level is not None or self.may_send_design:
            return False
        in_review = self.plan is not None and self.plan.state == PlanState.AWAITING_REVIEW
        return self.may_change and (
            self.goal.state == GoalState.MANUAL
            or self.goal.is_put_off
            or (self.goal.state == GoalState.AWAITING_REVIEW and in_review)
        )

    @cached_property
    def hand_item(self) -> HandItem | None:
        """The step that waits for a person's hand; None also where only a plan is missing."""
        item = hand_items.open_of(self.goal)
        return item if item is not None and item.intent_plan_id else None

    @property
    def may_answer(self) -> bool:
        """Whether something is asked that this person may answer."""
        return self._asks_back and self.may_change

    @property
    def may_plan_again(self) -> bool:
        """Whether planning may come to another end now, and the person may have it done."""
        return self.may_change and self.open_level is None and planning.may_plan_again(self.goal)

    @property
    def may_save_as_rule(self) -> bool:
        """A plan that a person or a model wrote and that worked can become a rule."""
        plan = self.plan
        worked = plan is not None and plan.state == PlanState.COMPLETE
        return self.may_change and worked and plan is not None and plan.plan.source in _WRITTEN

    @cached_property
    def network(self) -> list[StepNetwork]:
        """What the newest plan's steps did on the network."""
        return goal_network.of_plan(self.plan)

    @cached_property
    def lacking(self) -> Lacking | None:
        """The access that the failed step lacked, when this person may plan again with it."""
        if not self.goal.has_ended or not self.may_change or not any(one.network.refused for one in self.network):
            return None
        return replanning.lacking_access(self.goal, self.user)

    @property
    def again_key(self) -> str:
        """The same until the person has submitted something: a doubled click on "Submit again" makes one goal."""
        newest = self.user.goals.order_by("-pk").values_list("pk", flat=True).first()
        return str(newest or 0)

    @cached_property
    def unknown_outcomes(self) -> list[Unknown]:
        """Steps of which a person must say what became of them, with what such a person has to know."""
        plan = self.plan
        if plan is None or plan.state != PlanState.EXECUTING:
            return []
        asked = [intent for intent in plan.intents.all() if intent.state == IntentState.OUTCOME_UNKNOWN]
        if not asked or self.seal_is_broken:
            return [Unknown(intent, "", (), None) for intent in asked]
        document = documents.read(bytes(plan.document))
        return [_unknown(intent, document.at(intent.position)) for intent in asked]

    @property
    def tab(self) -> str:
        """The tab this part stands under."""
        return "plans" if self.part == "by_hand" else self.part

    @cached_property
    def tabs(self) -> list[Tab]:
        """The parts of the page, each with its address."""
        return [
            Tab("live", "Live"),
            Tab("plans", "Plan", len(self.revisions)),
            Tab("beliefs", "Beliefs", self.belief_count),
            Tab("attempts", "Attempts", sum(len(i.attempts.all()) for p in self.revisions for i in p.intents.all())),
            Tab("session", "Session"),
            Tab("files", "Files"),
            Tab("decisions", "Decisions", len(self.decisions)),
        ]

    def fragments(self) -> dict[str, str]:
        """The fragments by their ids, as the live page shows them now."""
        context = {"page": self, "goal": self.goal}
        return {name: render_to_string(f"agents/goal/_{name[5:]}.html", context) for name in FRAGMENTS}


def _unknown(intent: Intent, spec: IntentSpec) -> Unknown:
    values = tuple((name, as_text(value)) for name, value in spec.params.items())
    return Unknown(intent, spec.sentence, values, max(intent.attempts.all(), key=lambda one: one.number, default=None))


def find(user: User, pk: int) -> Goal | None:
    """The goal, when the person may see it."""
    return goals_visible_to(user).select_related("agent", "workspace__owner").filter(pk=pk).first()


def signature(goal_id: int) -> tuple[Any, ...]:
    """Changes whenever a fragment would: the state, the newest plan, its intents and tries, what is believed.

    One cheap question instead of rendering all fragments for every line of output.
    """
    row = Goal.objects.filter(pk=goal_id).values_list("state", "reason", "changed_at", "learned_at").first()
    plan = IntentPlan.objects.filter(goal=goal_id).order_by("-revision").values_list("pk", "state", "position").first()
    tries = Attempt.objects.filter(intent__intent_plan__goal=goal_id).order_by("-pk")
    newest = tries.values_list("pk", "outcome", "finished", "recovery__succeeded").first()
    states = tuple(Intent.objects.filter(intent_plan__goal=goal_id).order_by("pk").values_list("state", flat=True))
    belief = Belief.objects.filter(goal=goal_id).order_by("-pk").values_list("pk", flat=True).first()
    level = LevelDocument.objects.filter(goal=goal_id).order_by("-pk").values_list("pk", "state").first()
    return row, plan, newest, states, belief, level
