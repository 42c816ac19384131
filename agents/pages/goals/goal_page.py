"""What the page of a goal says: goal_rows loads, goal_offers knows what is open, agents.presentation finds the words.

The page and the live socket render the same fragments from the same rows; a reload shows nothing else than was pushed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse

from agents.hands import hand_items
from agents.models import Attempt, Belief, Goal, Intent, IntentPlan, LevelDocument
from agents.pages.files import files_held
from agents.pages.goals import framework_work, goal_facts, goal_result, starting
from agents.pages.goals.goal_offers import GoalOffers
from agents.pages.library import flow_page
from agents.plans import renewals
from agents.plans.ending import WAITS_FOR_ANSWER
from agents.presentation import endings, hidden, outcome_words, timeline, waiting
from agents.presentation.files_held import Holder
from agents.presentation.timeline import Node
from agents.record.selectors import MOVING, goals_visible_to
from agents.states import GoalState, PlanState
from agents.workspaces.waiting_for_hands import WAITS_UNTIL
from library.models import ComponentVersion
from people.models import User

# Fragments that change with the goal's state; each is a template with one root element of the same id.
FRAGMENTS = ("goal-state", "goal-actions", "goal-way", "goal-tabs", "goal-timeline", "goal-side")
TITLE_MAX = 240
# Of a goal that is recovering in the table of states, although nothing has failed.
_WAITS = {WAITS_UNTIL: "waiting", WAITS_FOR_ANSWER: "waiting for an answer"}


@dataclass(frozen=True)
class Tab:
    """A part of the goal with its own address. `count` is shown when it says something."""

    key: str
    label: str
    count: int = 0


class GoalPage(GoalOffers):
    """One goal as one person sees it."""

    def __init__(self, goal: Goal, user: User, part: str = "live") -> None:
        super().__init__(goal, user)
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
    def attempt_rows(self) -> list[tuple[Attempt, str]]:
        """Each try with how long it took, in words."""
        return [(attempt, timeline.duration_of(goal_facts.try_of(attempt))) for attempt in self.attempts]

    @cached_property
    def nodes(self) -> list[Node]:
        """The timeline."""
        return timeline.build(
            self.goal.created_at,
            self.goal.submitted_by.display_name,
            [goal_facts.move_of(row) for row in self.transitions],
            [goal_facts.revision_of(plan, self._rule_addresses) for plan in self.revisions],
            self.belief_counts[1],
            self.came,
        )

    @property
    def came(self) -> outcome_words.Came:
        """What came of it, when its plan has run to its end."""
        return outcome_words.came(self.goal.outcome, self.goal.reason, self._results)

    @property
    def checked(self) -> list[outcome_words.Line]:
        """What the checks of its newest plan showed."""
        return outcome_words.after(self._results)

    @cached_property
    def result(self) -> goal_result.Result | None:
        """The result, when it has ended and something was tried."""
        return goal_result.of(self.goal, self.revisions) if self.part == "live" else None

    @property
    def left_files_alone(self) -> bool:
        """Whether it is known that no file is another one since it began; the result says so."""
        found = self.result
        return found is not None and found.are_files_known and not found.files and not found.more_files

    @cached_property
    def flow(self) -> flow_page.Flow | None:
        """The workflow that its plan came from, with the state of each step."""
        return flow_page.of(self.revisions) if self.part == "live" else None

    @cached_property
    def framework_work(self) -> framework_work.Work | None:
        """The work of a framework's agent on it."""
        return framework_work.of(self.goal) if self.part == "live" else None

    @property
    def _results(self) -> list[dict[str, Any]]:
        return (self.plan.check_results if self.plan is not None else None) or []

    @cached_property
    def _rule_addresses(self) -> dict[int, str]:
        """The page of each rule that made a plan, by the id of its version."""
        ids = {version for plan in self.revisions if (version := goal_facts.rule_version_of(plan.plan)) is not None}
        rows = ComponentVersion.objects.filter(pk__in=ids).values_list("pk", "component_id") if ids else ()
        return {pk: reverse("rule", args=[component]) for pk, component in rows}

    @cached_property
    def notice(self) -> endings.Notice | None:
        """What the page says at the top."""
        if self.wait is not None and not self._is_paused:
            return waiting.notice(self.wait)
        refused = {name for one in self.network for name in one.network.refused_names}
        return endings.notice_for(
            self.goal.state,
            self.goal.reason,
            self.last_failure,
            len(self.waits_for),
            tuple(sorted(refused)),
            put_off_to=f"{self.goal.wake_at.astimezone(UTC):%H:%M:%S} UTC" if self.goal.wake_at else "",
            rule_lacks=next((one for one in self.rejected_rules if one[0]), None) if self._lacks_a_rule else None,
            paused_agent=self.goal.agent.name if self._is_paused else "",
            asked_again=self._asked_again,
            has_begun=self.plan is not None and renewals.follows_what_ran(self.plan),
            problems=[why for rule, why in self.rejected_rules if not rule] if self._is_invalid else (),
            before_it=self.holder,
            behind_it=self.behind_it,
            remedies=[one.label for one in hand_items.remedies(self.hand_item)] if self.hand_item is not None else (),
        )

    @property
    def _lacks_a_rule(self) -> bool:
        """Whether a rule that knows the goal may be named with what it lacks."""
        return self.asks_back or self.goal.reason.startswith("no_applicable_rule")

    @property
    def _asked_again(self) -> str:
        delta = self.plan.plan.evidence.get("delta") if self.plan is not None and self.held is None else None
        return str(delta.get("why", "")) if isinstance(delta, dict) else ""

    @property
    def _is_invalid(self) -> bool:
        return self.goal.reason == "invalid_plan"

    @property
    def holder(self) -> Holder | None:
        """Who has the files it waits for, where the notice says so."""
        return self.before_it if self.is_approved and not self._is_paused else None

    @property
    def state_words(self) -> str:
        """The state as the badge says it, with the try that runs."""
        if self.goal.state == GoalState.ACHIEVED:
            return self.came.headline.lower()
        if waits := next((words for code, words in _WAITS.items() if self.goal.reason.startswith(code)), ""):
            return f"{waits}, step {self.running[0]}" if self.running else waits
        word = "approved" if self.is_approved else self.goal.state.replace("_", " ")
        if self.running:
            return f"{word}, try {self.running[1]} of step {self.running[0]}"
        if self._is_paused:
            return f"{word}, paused"
        return f"{word}, {self.starting}" if self.starting else word

    @cached_property
    def starting(self) -> str:
        """Why its approved plan has not begun, if it waits for a worker only."""
        waits = self.is_approved and self.plan is not None and self.before_it is None
        return starting.of(self.plan) if waits and self.plan is not None else ""

    @cached_property
    def silent_worker(self) -> str:
        """The worker that has the goal and is silent."""
        return starting.silent(self.goal)

    @property
    def state_key(self) -> str:
        """Changes with what the badge says, so that asking again changes nothing on a page that says it already."""
        said = f"{self.goal.state} {self.state_words} {self.silent_worker} {self.held.pk if self.held else ''}"
        return sha256(said.encode()).hexdigest()[:12]

    @property
    def _is_paused(self) -> bool:
        """Whether nothing of it begins because its agent is paused."""
        return self.goal.agent.paused and (self.goal.state in MOVING or self.is_approved)

    @property
    def stands_still(self) -> bool:
        """Whether it is paused and nothing of it runs to its end either."""
        return self._is_paused and self.running is None

    @property
    def is_approved(self) -> bool:
        """Whether it waits for a worker only: its plan was approved, and no step of it has begun."""
        waits = self.goal.state == "awaiting_review"
        return waits and self.plan is not None and self.plan.state == PlanState.APPROVED

    @property
    def is_moving(self) -> bool:
        """Whether something may happen without a person."""
        return (self.goal.state in MOVING or self.is_approved) and not self.stands_still

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
            Tab("beliefs", "Beliefs", self.belief_counts[0]),
            Tab("attempts", "Attempts", sum(len(i.attempts.all()) for p in self.revisions for i in p.intents.all())),
            Tab("session", "Session"),
            Tab("files", "Files"),
            Tab("decisions", "Decisions", len(self.decisions)),
        ]

    def fragments(self) -> dict[str, str]:
        """The fragments by their ids, as the live page shows them now."""
        context = {"page": self, "goal": self.goal}
        return {name: render_to_string(f"agents/goal/_{name[5:]}.html", context) for name in FRAGMENTS}


def find(user: User, pk: int) -> Goal | None:
    """The goal, when the person may see it."""
    return goals_visible_to(user).select_related("agent", "workspace__owner").filter(pk=pk).first()


def signature(goal_id: int) -> tuple[Any, ...]:
    """Changes whenever a fragment would: the state, the newest plan, its intents and tries, what is believed.

    One cheap question instead of rendering all fragments for every line of output.
    """
    row = (
        Goal.objects.filter(pk=goal_id)
        .values_list("state", "reason", "changed_at", "learned_at", "wake_at", "agent__paused")
        .first()
    )
    plans = IntentPlan.objects.filter(goal=goal_id).order_by("-revision")
    plan = plans.values_list("pk", "state", "position", "workspace").first()
    # Who has the files that an approved plan waits for: the next one who has them tells this goal nothing.
    before = files_held.rows([plan[3]]) if plan is not None and plan[1] == PlanState.APPROVED else None
    held = None
    if plan is not None and plan[1] == PlanState.AWAITING_REVIEW:
        held = plans.filter(pk=plan[0], held__dropped="").values_list("held__pk", flat=True).first()
    tries = Attempt.objects.filter(intent__intent_plan__goal=goal_id).order_by("-pk")
    newest = tries.values_list("pk", "outcome", "finished", "recovery__succeeded").first()
    states = tuple(Intent.objects.filter(intent_plan__goal=goal_id).order_by("pk").values_list("state", flat=True))
    belief = Belief.objects.filter(goal=goal_id).order_by("-pk").values_list("pk", flat=True).first()
    level = LevelDocument.objects.filter(goal=goal_id).order_by("-pk").values_list("pk", "state").first()
    return row, plan, before, held, newest, states, belief, level
