"""Rules proposed from several goals of the past: those whose plans people or models wrote, and those that failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

from django.db.models import QuerySet

from agents.bdi.learning.coverage import Asked, cover
from agents.bdi.learning.generalise import NotGeneralisable
from agents.bdi.learning.rules_from_traces import Candidate, Trace, candidates
from agents.bdi.plans import document as documents
from agents.components.rules import known_rules, read_one
from agents.insights import past_goals
from agents.learning.rule_from_goal import step_of, written
from agents.models import Goal
from agents.record import worked
from agents.record.selectors import current_plan
from agents.rules.selection import KnownRule
from agents.states import GoalState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft
from library.models import Component

# So many of the newest goals that ended are looked at.
GOALS = 60
# Whoever opens the page waits for the trial on the past goals; what is not reached is not counted.
SECONDS = 4.0
# Those that wait for a person after a failure are among the goals that failed, and those cancelled after one.
_ENDED = (GoalState.ACHIEVED, GoalState.FAILED, GoalState.MANUAL, GoalState.DROPPED)


@dataclass(frozen=True)
class Proposed:
    """A rule with its evidence: what it was made of, and what it would do to the goals of the past.

    Of the `tried` goals it would be chosen for `chosen`, of which `instead` are served by another rule today.
    """

    candidate: Candidate
    tried: int
    chosen: tuple[int, ...]
    instead: tuple[int, ...]

    @property
    def evidence(self) -> str:
        """The evidence in a few sentences, as it is kept with the version."""
        made, failed = self.candidate, len(self.candidate.ruled_out) + len(self.candidate.not_ruled_out)
        said = [f"Made from {len(made.goals)} goals that worked ({_numbers(made.goals)}): it plans the same steps."]
        if failed:
            said.append(f"Of {failed} that failed with such steps it rules out {len(made.ruled_out)}.")
        if made.added:
            said.append(f"Added to tell them apart: {'; '.join(made.added)}.")
        said.append(f"Of {self.tried} past goals it would be chosen for {len(self.chosen)}")
        return " ".join(said) + (f", {len(self.instead)} of which another rule serves today." if self.instead else ".")


def proposals(goals: QuerySet[Goal]) -> list[Proposed]:
    """The rules that the newest of these goals speak for, tried on the past ones; nothing is stored."""
    known = known_rules()
    taken = frozenset(Component.objects.filter(kind=Component.Kind.RULE).values_list("name", flat=True))
    made = candidates(list(_traces(goals)), tools_in_use(), taken)
    asked = [Asked(one.goal, one.text, one.beliefs) for one in past_goals.newest(goals, GOALS)] if made else []
    until = monotonic() + SECONDS
    now = cover(asked, known, tools_in_use(), is_over=lambda: monotonic() >= until)
    served = {one.asked.goal for one in now.tried if one.rule}
    tried = [one.asked for one in now.tried]
    return [_tried(candidate, tried, known, served, until) for candidate in made]


def _tried(
    candidate: Candidate, asked: list[Asked], known: list[KnownRule], served: set[int], until: float
) -> Proposed:
    new = KnownRule(candidate.name, "proposed", "", read_one(candidate.text))
    then = cover(asked, [*known, new], tools_in_use(), is_over=lambda: monotonic() >= until)
    chosen = [one.asked.goal for one in then.tried if one.rule == candidate.name]
    return Proposed(candidate, len(then.tried), tuple(chosen), tuple(goal for goal in chosen if goal in served))


def _traces(goals: QuerySet[Goal]) -> Iterator[Trace]:
    ended = goals.filter(state__in=[state.value for state in _ENDED]).order_by("-pk")[:GOALS]
    believed = {one.goal: one.beliefs for one in past_goals.newest(goals.filter(pk__in=[g.pk for g in ended]), GOALS)}
    for goal in ended:
        if (succeeded := worked.of_goal(goal)) is None:
            continue
        draft = _worked(goal) if succeeded else _failed(goal)
        if draft is not None:
            yield Trace(goal.pk, goal.text, draft, believed.get(goal.pk, ()), succeeded)


def _worked(goal: Goal) -> PlanDraft | None:
    try:
        return written(goal)
    except NotGeneralisable:
        return None


def _failed(goal: Goal) -> PlanDraft | None:
    plan = current_plan(goal)
    if plan is None:
        return None
    document = documents.read(bytes(plan.document))
    return PlanDraft(tuple(map(step_of, document.intents)), (), document.source, {})


def _numbers(goals: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, goals[:8]))
    return f"{shown} and {len(goals) - 8} more" if len(goals) > 8 else shown
