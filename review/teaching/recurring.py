"""Corrections that people make repeatedly: a name that they change to the same path in several goals.

Such a name is proposed as a mapping for everybody. Before that it is tried on the last commands, like everything in
*Tuning*: goals that people corrected must be planned as corrected, and none that they approved unchanged may change.
Only operators can save it, on the page of Tuning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from agents.actors import tuning_rights
from agents.evolution.auditing.facts import Proposal
from agents.evolution.auditing.sources import Source
from agents.models import Goal, IntentPlan
from agents.record.errors import TuningRefused
from agents.tuning import lessons, trying_commands
from agents.tuning.lessons import Taught
from agents.tuning.trials import Clock
from people.models import User
from people.scopes import Scope
from review.errors import WordsRefused
from review.models import Decision
from review.teaching.lessons import EVERYWHERE, HERE, MAPPING, Edit, edit_of, edits, taught_by

KIND = "path_mapping"
LEAST_GOALS = 3
LOOKED_BACK = timedelta(days=90)
MOST_EDITS = 2_000
# Each needs a trial of some seconds.
MOST_TRIED = 5
_SUBJECT = 200


@dataclass(frozen=True)
class _Correction:
    """A goal's word for a value, and the last edit. After a further edit the document no longer has the goal's word."""

    said: str
    edit: Edit

    @property
    def tells_both(self) -> bool:
        return _plain(self.edit.teachable.said[0]) == self.said


@dataclass(frozen=True)
class Recurring:
    """One name that people changed to one path: one edit for each goal, newest first, and the one that teaches it.

    `where`: for this parameter only, or everywhere. `otherwise`: goals in which the name was changed to another path.
    """

    edits: tuple[Edit, ...]
    example: Edit
    where: str
    taught: Taught
    otherwise: frozenset[int] = frozenset()

    @property
    def goals(self) -> list[int]:
        """The goals, the newest first."""
        return [edit.plan.goal_id for edit in self.edits]


@dataclass(frozen=True)
class Effect:
    """The result of a trial: which of the corrected goals would be planned as corrected, and which would change
    although people approved them unchanged or corrected them differently.
    """

    fixed: tuple[int, ...]
    against: tuple[int, ...]
    others: int
    tried: int

    @property
    def is_better(self) -> bool:
        """Whether history supports it, with nothing against it."""
        return len(self.fixed) >= LEAST_GOALS and not self.against


def corrections() -> list[Recurring]:
    """The names that were corrected in the same way in at least three goals, the most frequent first."""
    groups: dict[tuple[str, str], list[_Correction]] = {}
    goals: dict[str, set[int]] = {}
    for one in _corrections():
        groups.setdefault((one.said, one.edit.teachable.path), []).append(one)
        goals.setdefault(one.said, set()).add(one.edit.plan.goal_id)
    habits = [(said, habit) for (said, _), group in groups.items() if (habit := _recurring(group)) is not None]
    found = [replace(habit, otherwise=frozenset(goals[said].difference(habit.goals))) for said, habit in habits]
    return sorted(found, key=lambda one: (-len(one.edits), one.taught.title))


def effect_of(found: Recurring) -> Effect:
    """What it would change in the last commands. Raises TuningRefused if it cannot be a mapping."""
    beside = lessons.for_everybody(found.taught)
    values = found.taught.checked(beside.values if beside is not None else None).values
    trial = trying_commands.try_out(found.taught.base, values, Goal.objects.all(), Clock())
    corrected = set(found.goals)
    fixed = {case.goal for case in trial.cases if case.goal in corrected and found.taught.path in case.then}
    others = {case.goal for case in trial.cases} - fixed
    approved = IntentPlan.objects.filter(goal__in=others, approved_digest__gt="").values_list("goal", flat=True)
    against = {goal for goal in approved if goal not in corrected} | (others & found.otherwise)
    tried = trial.tried - trial.untold
    return Effect(tuple(sorted(fixed, reverse=True)), tuple(sorted(against)), len(others - against), tried)


def find() -> Iterator[Proposal]:
    """The proposals for an audit."""
    for found in corrections()[:MOST_TRIED]:
        try:
            effect = effect_of(found)
        except TuningRefused:
            continue
        if effect.is_better:
            yield _proposal(found, effect)


def source() -> Source:
    """These findings for the audit, with the rights of Tuning."""
    return Source(KIND, "Mappings", find, tuning_rights.may_tune, Scope.TUNING_READ, _step)


def _corrections() -> Iterator[_Correction]:
    """For each value that people edited, newest first: the original word, and their last value."""
    rows = Decision.objects.filter(verdict=Decision.Verdict.EDIT, at__gte=timezone.now() - LOOKED_BACK)
    rows = rows.select_related("by", "intent_plan__goal").order_by("-pk")[:MOST_EDITS]
    edited: dict[tuple[int, int, str], list[Edit]] = {}
    for row in rows:
        made = IntentPlan.objects.filter(goal=row.intent_plan.goal_id, digest=row.edits.get("to_digest", ""))
        plan = made.defer("document").first()
        for edit in edits(plan, [row]) if plan is not None else ():
            edited.setdefault((edit.plan.goal_id, edit.position, edit.teachable.parameter), []).append(edit)
    for newest, *earlier in edited.values():
        first = earlier[-1] if earlier else newest
        if not newest.teachable.why_no_mapping and not first.teachable.why_no_mapping:
            yield _Correction(_plain(first.teachable.said[0]), newest)


def _recurring(group: Sequence[_Correction]) -> Recurring | None:
    """The habit in these corrections of one name to one path; None if there are too few goals."""
    by_goal: dict[int, Edit] = {}
    for one in group:
        by_goal.setdefault(one.edit.plan.goal_id, one.edit)
    example = next((one.edit for one in group if one.tells_both), None)
    if len(by_goal) < LEAST_GOALS or example is None:
        return None
    places = {(one.edit.teachable.tool, one.edit.teachable.parameter) for one in group}
    where = HERE if len(places) == 1 else EVERYWHERE
    try:
        return Recurring(tuple(by_goal.values()), example, where, taught_by(example, MAPPING, where=where))
    except WordsRefused:
        return None


def _proposal(found: Recurring, effect: Effect) -> Proposal:
    taught = found.taught
    people = len({edit.decision.by_id for edit in found.edits})
    at = f" ({taught.tool}.{taught.parameter})" if taught.tool else ""
    says = f"Let “{taught.said}” mean {taught.path}{at}"
    changed = f"{people} people" if people > 1 else "One person"
    why = (
        f"{changed} changed it to that in {len(found.edits)} goals. Tried on the last {effect.tried} commands,"
        f" {len(effect.fixed)} of these goals would be planned as they were corrected. No plan that people approved"
        f" unchanged or corrected in another way would change. Other plans that would change: {effect.others}."
    )
    example = found.example
    name = f"{example.plan.pk}/{example.position}/{example.teachable.parameter}/{found.where}"
    subject = _short(f"mapping {taught.tool}.{taught.parameter} {_plain(taught.said)} to {taught.path}")
    return Proposal("setting", subject, says, why, tuple(found.goals), len(effect.fixed), (KIND, name))


def _step(name: str, user: User) -> tuple[str, str]:
    plan_id, position, parameter, where = name.split("/")
    plan = IntentPlan.objects.filter(pk=int(plan_id)).first()
    edit = edit_of(plan, int(position), parameter) if plan is not None else None
    if edit is None:
        return "", ""
    try:
        taught = taught_by(edit, MAPPING, where=where)
    except WordsRefused:
        return "", ""
    beside = lessons.for_everybody(taught)
    if beside is not None:
        filled = urlencode({"path": taught.path, "in_use": "true"})
        return "Try it", f"{reverse('tuning-one', args=[KIND, beside.ref])}?{filled}"
    filled = urlencode({"said": taught.said, "path": taught.path, "tool": taught.tool, "parameter": taught.parameter})
    return "Try it", f"{reverse('tuning-new', args=[KIND])}?{filled}"


def _short(subject: str) -> str:
    """Subjects distinguish proposals, so a long one keeps its distinctive part."""
    if len(subject) <= _SUBJECT:
        return subject
    return f"{subject[: _SUBJECT - 17]} {hashlib.sha256(subject.encode()).hexdigest()[:16]}"


def _plain(said: str) -> str:
    return " ".join(said.casefold().split())
