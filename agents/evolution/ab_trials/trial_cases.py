"""The cases of A/B trials: earlier ones to replay, and the new goals and answers that chance gives to each version."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from agents.components.rules import KIND as RULE
from agents.evolution.replays import answer_cases, cases, replanning
from agents.evolution.replays.answer_cases import FoundCall
from agents.evolution.replays.cases import Found
from agents.evolution.sequential import Count, counts_of
from agents.models import Goal, HandItem, Plan, ReplayCase, VersionTrial, VersionTrialCase
from agents.record import worked
from agents.states import GoalState, TrialState
from library.components import canary
from library.components.canary import MOST_PERCENT as HALF
from library.models import Component, ComponentVersion, ModelCall
from library.prompts.in_use import KIND as PROMPT

WEEKS = 4
# A replay of so many ends within hours. Where each case asks a model twice, which costs money, it is fewer.
MOST_REPLAYED, MOST_ASKED = 200, 60
_PLANS_A_SWEEP = 100
# Of the newest calls: there is no index by prompt.
_CALLS_COUNTED = 2_000


def earlier(version: ComponentVersion, most: int | None = None) -> list[Found] | list[FoundCall]:
    """The newest cases that a replayed trial of this version could have, however they ended then."""
    if answer_cases.can_be(version):
        return answer_cases.newest(version.component, MOST_ASKED if most is None else most)
    return cases.newest(version.component, MOST_REPLAYED if most is None else most)


def in_drawn_order(trial: VersionTrial, found: Sequence[Found | FoundCall]) -> list[Found | FoundCall]:
    """These cases in an order that nobody chose, the same each time: an order by time would follow how times change."""
    return sorted(found, key=lambda one: hashlib.sha256(f"{trial.pk}\n{_key(one)}".encode()).digest())


def _key(one: Found | FoundCall) -> int:
    return one.goal.pk if isinstance(one, Found) else one.asked.call.pk


def a_week(version: ComponentVersion) -> float:
    """How many goals of its rule were planned, or answers to its prompt came, in a week lately."""
    since = timezone.now() - timedelta(weeks=WEEKS)
    if version.component.kind == PROMPT:
        newest = ModelCall.objects.order_by("-at", "-pk").values("pk")[:_CALLS_COUNTED]
        rows = ModelCall.objects.filter(pk__in=newest, at__gte=since, state=ModelCall.State.ANSWERED, replay_of=None)
        return rows.filter(asked_with__prompts__0__name=version.component.name).count() / WEEKS
    plans = cases.plans_of(version.component).filter(created_at__gte=since)
    return plans.values("goal").distinct().count() / WEEKS


def seconds_a_case(component: Component) -> float | None:
    """How long both versions took for a case in the newest replays of this component; None: there was none."""
    rows = ReplayCase.objects.filter(replay__version__component=component, is_done=True).order_by("-pk")
    took = [one + other for one, other in rows.values_list("parent_s", "candidate_s")[:50]]
    return sum(took) / len(took) if took else None


def newest_plan() -> int:
    """The plan up to which a trial that begins now has nothing to look at."""
    return Plan.objects.aggregate(Max("pk"))["pk__max"] or 0


def take(trial: VersionTrial) -> None:
    """Take in the goals planned since the last look, and the results of the trial's own goals."""
    if trial.component.kind == RULE:
        _take_goals(trial)
    for case in trial.cases.filter(known_at=None).select_related("goal"):
        _settle(case)


def note_answer(name: str, version: str, was_of_use: bool, call: int) -> None:
    """Count an answer whose prompt is on trial."""
    trial = VersionTrial.objects.filter(
        state=TrialState.RUNNING.value,
        mode=VersionTrial.Mode.LIVE,
        component__kind=PROMPT,
        component__name=name,
    )
    if (found := trial.select_related("a", "b").first()) is None or version not in (found.a.version, found.b.version):
        return
    VersionTrialCase.objects.create(
        trial=found, call=call, is_b=version == found.b.version, worked=was_of_use, known_at=timezone.now()
    )


def counts(trial: VersionTrial) -> list[Count]:
    """What was seen after each case: a case of a replay, or a pair of goals or answers."""
    return counts_of(pairs(trial) if trial.is_live else _flips(trial))


def pairs(trial: VersionTrial) -> list[int]:
    """The first result of A beside the first of B, the second beside the second: 1 where only B worked, −1 where A.

    If both are as good it is a matter of chance which of a pair is which, so that a difference is as likely to speak
    for one as for the other, however hard the times are (Wald's double dichotomies, 1947). In the order in which chance
    gave them, up to the first that nobody knows yet: a version that fails quickly would look worse than it is.
    """
    given = list(trial.cases.order_by("pk").values_list("is_b", "worked", "known_at"))
    sides = []
    for side in (False, True):
        known = takewhile(lambda one: one[2] is not None, (one for one in given if one[0] is side))
        sides.append([worked for _, worked, _ in known if worked is not None])
    return [int(b) - int(a) for a, b in zip(*sides, strict=False)]


def _flips(trial: VersionTrial) -> list[int]:
    """What a copy cannot prove speaks for nobody."""
    rows = ReplayCase.objects.filter(replay__trial=trial, is_done=True).order_by("replay", "number")
    ends = rows.exclude(parent_passes=None).exclude(candidate_passes=None)
    return [int(bool(b)) - int(bool(a)) for a, b in ends.values_list("parent_passes", "candidate_passes")]


def _take_goals(trial: VersionTrial) -> None:
    plans = Plan.objects.filter(pk__gt=trial.seen_plan, goal__created_at__gte=trial.started_at)
    last, found = trial.seen_plan, []
    for plan in plans.select_related("goal__workspace", "goal__agent").order_by("pk")[:_PLANS_A_SWEEP]:
        last = plan.pk
        if _concerned(trial, plan):
            found.append(plan.goal)
    if last == trial.seen_plan:
        return
    with transaction.atomic():
        # The race it closes: two sweeps that look at the same plans.
        ours = VersionTrial.objects.filter(pk=trial.pk, seen_plan=trial.seen_plan, state=TrialState.RUNNING.value)
        if ours.update(seen_plan=last):
            VersionTrialCase.objects.bulk_create(
                [VersionTrialCase(trial=trial, goal=one, is_b=is_of_b(trial, one.pk)) for one in dict.fromkeys(found)],
                ignore_conflicts=True,
            )
            trial.seen_plan = last


def is_of_b(trial: VersionTrial, goal: int) -> bool:
    """Which version chance gave a goal to, as planning asks it."""
    return canary.takes(trial.component.name, goal, HALF)


def _concerned(trial: VersionTrial, plan: Plan) -> bool:
    """Whether either version has to do with a goal: planned it, or would have, had chance given it the goal.

    The second counts what one of them has become too narrow for, so that no version picks its cases.
    """
    planned = replanning.versions_in(plan.evidence)
    if planned & {(trial.component.name, trial.a.version), (trial.component.name, trial.b.version)}:
        return True
    return replanning.would_plan(trial.a if is_of_b(trial, plan.goal_id) else trial.b, plan.goal, plan)


def _settle(case: VersionTrialCase) -> None:
    """Store a goal's result once it is known. A removed goal does not count, nor one whose end says nothing."""
    has_worked = _worked(case.goal) if case.goal is not None else None
    if has_worked is None and case.goal is not None and not case.goal.has_ended:
        return
    # The race it closes: two sweeps at once. What is known stays.
    VersionTrialCase.objects.filter(pk=case.pk, known_at=None).update(worked=has_worked, known_at=timezone.now())


def _worked(goal: Goal) -> bool | None:
    """None while nobody knows. A goal that only a person can plan counts as failed, too: neither version planned it."""
    if goal.state == GoalState.MANUAL or HandItem.objects.filter(goal=goal).exists():
        return False
    return worked.of_goal(goal)
