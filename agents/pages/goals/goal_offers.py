"""What a person may do with a goal now: the page offers nothing else. Whoever carries it out asks again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.bdi.understanding import drafting
from agents.execution.goal_network import Lacking
from agents.goals import replanning
from agents.models import Attempt, Intent, LevelDocument, Plan
from agents.pages.goals.goal_rows import GoalRows
from agents.planning import planning
from agents.presentation.answers import Consequences, consequences
from agents.presentation.values import as_text
from agents.record import worked
from agents.record.selectors import may_change, may_correct, sees_everything
from agents.recovery import internal_errors
from agents.states import GoalState, IntentState, LevelState, PlanState
from agents.understanding import command_goals
from people.roles import Role

_WRITTEN = frozenset({Plan.Source.PERSON, Plan.Source.MODEL})


@dataclass(frozen=True)
class Unknown:
    """A step whose worker died while it ran: what it does, with every value, and its last try."""

    intent: Intent
    sentence: str
    values: tuple[tuple[str, str], ...]
    attempt: Attempt | None
    then: Consequences | None


class GoalOffers(GoalRows):
    """One goal, and what is open to this person."""

    @property
    def sees_workspace(self) -> bool:
        """Whether the person may open the goal's workspace: it may be somebody else's."""
        return sees_everything(self.user) or self.goal.workspace.owner_id == self.user.pk

    @cached_property
    def may_change(self) -> bool:
        return may_change(self.user, self.goal)

    @property
    def may_cancel(self) -> bool:
        return self.may_change and not self.goal.has_ended

    @property
    def may_correct(self) -> bool:
        """Whether the person may say that a belief is not so, or take that back."""
        return may_correct(self.user, self.goal) and not self.goal.has_ended

    @property
    def may_review(self) -> bool:
        """Whether there is a plan to decide on and the person's work is deciding. Review itself asks again."""
        waits = self.plan is not None and self.plan.state == PlanState.AWAITING_REVIEW and self.held is None
        return waits and self.user.has_role(Role.REVIEWER)

    @property
    def may_undo(self) -> bool:
        """Whether the decision on its plan is this person's own, so that they can take it back."""
        return self.held is not None and self.held.by_id == self.user.pk

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
        if self.open_level is not None or self.may_send_design or internal_errors.keeps_a_plan(self.goal):
            return False
        in_review = self.plan is not None and self.plan.state == PlanState.AWAITING_REVIEW
        return self.may_change and (
            (self.goal.state == GoalState.MANUAL and not self.unknown_outcomes)
            or self.goal.is_put_off
            or (self.goal.state == GoalState.AWAITING_REVIEW and in_review)
        )

    @property
    def asks_back(self) -> bool:
        """Whether it is understood but for a question, and waits for the answer."""
        return self.goal.state == GoalState.MANUAL and self.goal.reason.startswith(drafting.QUESTION)

    @property
    def may_answer(self) -> bool:
        """Whether something is asked that this person may answer."""
        return self.asks_back and self.may_change

    @property
    def mastermind_line(self) -> str:
        """The line of mastermind that the goal is, for who gave it; "" where it is none."""
        is_command = self.goal.state == GoalState.MANUAL and self.goal.reason.startswith(command_goals.COMMAND)
        if not is_command or not self.may_change or self.unplanned is None:
            return ""
        return str((self.unplanned.evidence.get("mastermind") or {}).get("line", ""))

    @property
    def may_plan_again(self) -> bool:
        """Whether planning may come to another end now, and the person may have it done."""
        return self.may_change and self.open_level is None and planning.may_plan_again(self.goal)

    @property
    def failed_inside(self) -> bool:
        """Whether it waits because of an error inside mindX."""
        return internal_errors.is_of(self.goal)

    @property
    def may_save_as_rule(self) -> bool:
        """A plan that a person or a model wrote and that worked can become a rule; one of which a step failed and was
        skipped, or done by a person's hand, has not worked.
        """
        plan = self.plan
        is_whole = not self.done_by_hand and not any(one.attempts.all() for one in self._left)
        ran = plan is not None and plan.state == PlanState.COMPLETE and is_whole
        has_worked = ran and bool(worked.of_goal(self.goal))
        return self.may_change and has_worked and plan is not None and plan.plan.source in _WRITTEN

    @property
    def skipped(self) -> list[int]:
        """The steps of an achieved goal that were not done: somebody skipped them, or their condition did not hold."""
        return [one.position for one in self._left] if self.goal.state == GoalState.ACHIEVED else []

    @property
    def done_by_hand(self) -> list[int]:
        """The steps of an achieved goal that failed, and whose work a person did."""
        intents = self.plan.intents.all() if self.plan is not None and self.goal.state == GoalState.ACHIEVED else ()
        return [one.position for one in intents if "by_hand" in (one.result or {})]

    @property
    def _left(self) -> list[Intent]:
        intents = self.plan.intents.all() if self.plan is not None else ()
        return [one for one in intents if one.state == IntentState.SKIPPED and one.phase == Intent.Phase.MAIN]

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
            return [Unknown(intent, "", (), None, None) for intent in asked]
        document = documents.read(bytes(plan.document))
        done = {intent.position for intent in plan.intents.all() if intent.state == IntentState.SUCCEEDED}
        return [_unknown(intent, document, done) for intent in asked]


def _unknown(intent: Intent, document: Document, done: Collection[int]) -> Unknown:
    spec = document.at(intent.position)
    values = tuple((name, as_text(value)) for name, value in spec.params.items())
    newest = max(intent.attempts.all(), key=lambda one: one.number, default=None)
    return Unknown(intent, spec.sentence, values, newest, consequences(document, intent.position, done))
