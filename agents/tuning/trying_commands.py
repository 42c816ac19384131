"""The last commands again: what they would mean now, and what with proposed settings, a mapping or a rule.

Each is understood by the same code as a goal, over the files it was planned on; plans of rules and models have their
paths corrected again. No model is asked: a value that one gave then is taken again, another is said to be asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.db.models.fields.json import KeyTransform

from agents.bdi.understanding import drafting, stored
from agents.bdi.understanding.correcting import MENDED
from agents.bdi.understanding.names.paths import Mapped, Tree
from agents.bdi.understanding.understood import Meant
from agents.models import Goal, IntentPlan, Lesson, ParameterSettings, Plan
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.types import NoPlan, Param, PlanDraft, Step
from agents.tuning import of_parameters
from agents.tuning.kinds import Kind, Values
from agents.tuning.trials import CASES, Case, Clock, Tally, Trial, nothing_written
from agents.understanding import in_force, parameters
from agents.understanding.in_force import Rule, Tuning
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable

# Among so many of the newest plans cases are looked for, so many at a time.
_SEARCHED, _AT_ONCE = 2_000, 100
_NOT_UNDERSTOOD = frozenset({"no_relevant_rule", "no_applicable_rule", "no_rule_compiled", "unusable_value"})
_QUESTION, _NONE, _MODEL = "a question", "not understood", "a model is asked"
_TAKEN, _CORRECTED, _STANDS = "a plan", "a plan with corrected paths", "a plan as it was made"
NO_MODEL = "A trial asks no model. It uses earlier answers again and says where a new one is needed."


@dataclass(frozen=True)
class _Past:
    """A plan that was made, or not made, with the snapshot it stood on."""

    plan: Plan
    base: str
    # What was understood, as it is kept with the plan, and why no rule had made one.
    said: Mapping[str, Any]
    without: str


@dataclass(frozen=True)
class _End:
    words: str
    kind: str


# What would count for the goals of a person (by number) in the place of what counts for them.
Change = Callable[[int, Tuning], Tuning]


def try_out(kind: Kind, values: Values, readable: QuerySet[Goal], clock: Clock) -> Trial:
    """What the last commands would come to with these values."""
    return try_change(lambda _, now: proposed(now, kind, values), readable, clock)


def try_change(change: Change, readable: QuerySet[Goal], clock: Clock, *, of: int | None = None) -> Trial:
    """What the last commands would come to with this change; `of`: only those of this person's goals."""
    pasts = _pasts(clock, of)
    # Stores may be far away, so files are read before the transaction and not in it.
    trees: dict[str, Sequence[tuple[str, str]] | None] = {}
    for past in pasts:
        if not clock.is_over and past.base not in trees:
            trees[past.base] = _entries(past.base)
    with nothing_written():
        counts = _What(change, [past.plan.goal.submitted_by_id for past in pasts])
        tally = Tally(len(pasts), clock)
        for past in pasts:
            if clock.is_over or past.base not in trees:
                break
            entries = trees[past.base]
            if entries is None:
                tally.add(None, {}, {})
                continue
            tally.add(*_tried(past, entries, *counts.of(past.plan.goal.submitted_by_id)))
        asks = any(tuning.switches.use_llm_extraction for tuning in counts.of(in_force.NOBODY))
        notes = (NO_MODEL,) if asks and any(parameters.has_model(past.plan.goal) for past in pasts) else ()
        return tally.done(readable, notes)


class _What:
    """What counts for each person's goals, now and with the change. It differs only for those who taught something, or
    whom the change knows by name.
    """

    def __init__(self, change: Change, people: Sequence[int]) -> None:
        self._change = change
        self._teachers = set(Lesson.objects.filter(teacher__in=set(people)).values_list("teacher_id", flat=True))
        self._everyone = in_force.current(in_force.NOBODY)
        self._found: dict[int, tuple[Tuning, Tuning]] = {}

    def of(self, person: int) -> tuple[Tuning, Tuning]:
        """Of this person's goals."""
        if person not in self._found:
            now = in_force.current(person) if person in self._teachers else self._everyone
            self._found[person] = (now, self._change(person, now))
        return self._found[person]


def proposed(now: Tuning, kind: Kind, values: Values) -> Tuning:
    """What would count if these values were saved."""
    if kind.name == of_parameters.Settings.name:
        return replace(now, switches=ParameterSettings(**values))
    if kind.name == of_parameters.Mappings.name:
        others = [one for one in now.mapped if one.lesson or kind.identity(vars(one)) != kind.identity(values)]
        mine = Mapped(values["said"], values["path"], values["tool"], values["parameter"])
        return replace(now, mapped=(*([mine] if values["in_use"] else []), *others))
    key = (values["tool"], values["command"], values["parameter"])
    before = now.rules.get(key)
    rules = {where: rule for where, rule in now.rules.items() if where != key}
    if values["in_use"]:
        rules[key] = Rule(values["default"], values["default"] is not None, values["may_be_guessed"])
    if before is not None and before.lesson:  # their own default stays theirs
        may = values["may_be_guessed"] if values["in_use"] else True
        rules[key] = replace(before, may_be_guessed=may)
    return replace(now, rules=rules)


def _pasts(clock: Clock, of: int | None = None) -> list[_Past]:
    """The newest plans that commands were understood for, or whose paths may have been corrected."""
    found: list[_Past] = []
    rows = (
        Plan.objects.filter(source__in=("understanding", "rule", "model"))
        .defer("evidence")
        .annotate(
            said=KeyTransform("understood", "evidence"),
            known=KeyTransform("relevant", "evidence"),
            revised=KeyTransform("from_revision", "evidence"),
        )
        .select_related("goal__workspace", "goal__submitted_by", "goal__agent")
        .prefetch_related(Prefetch("intent_plans", IntentPlan.objects.only("plan_id", "document")))
        .order_by("-pk")
    )
    if of is not None:
        rows = rows.filter(goal__submitted_by=of)
    for start in range(0, _SEARCHED, _AT_ONCE):
        part = list(rows[start : start + _AT_ONCE])
        for plan in part:
            if _is_case(plan):
                said = plan.said or {}
                base = said.get("base") or next(_bases(plan), "") or plan.goal.workspace.head
                usual = "no_applicable_rule" if plan.known else "no_relevant_rule"
                found.append(_Past(plan, base, said, said.get("without") or usual))
        if len(found) >= CASES or len(part) < _AT_ONCE or clock.is_over:
            break
    return found[:CASES]


def _is_case(plan: Any) -> bool:
    if plan.revised is not None:  # a person made it out of one that was planned, whose reasons it keeps
        return False
    if plan.said or plan.source == Plan.Source.UNDERSTANDING:
        return True
    if not plan.steps:
        return bool(plan.problems) and (
            plan.problems[0] in _NOT_UNDERSTOOD or plan.problems[0].startswith(drafting.QUESTION)
        )
    origins = {param["origin"] for step in plan.steps for param in step["params"].values()}
    return bool(origins & (MENDED | {"mapping"}))


def _bases(plan: Plan) -> Iterator[str]:
    for revision in plan.intent_plans.all():
        yield str(json.loads(bytes(revision.document))["base"])


def _entries(base: str) -> Sequence[tuple[str, str]] | None:
    try:
        return [(one.path, one.kind) for one in base_files.entries_of(base)]
    except BaseUnreadable:
        return None


def _tried(
    past: _Past, entries: Sequence[tuple[str, str]], now: Tuning, then: Tuning
) -> tuple[Case, Mapping[str, float], Mapping[str, float]]:
    plan = past.plan
    is_command = plan.source == Plan.Source.UNDERSTANDING or not plan.steps
    original = _original(plan)
    ends = []
    for tuning in (now, then):
        tree = Tree.of(entries, mapped=tuning.mapped)
        ends.append(_understood(past, tree, tuning) if is_command else _corrected(plan, tree, tuning))
    before, after = ends
    case = Case(plan.pk, plan.goal_id, "", original, before.words, after.words, original != before.words)
    return case, {before.kind: 1.0}, {after.kind: 1.0}


def _original(plan: Plan) -> str:
    if plan.steps:
        return _steps_in_words([(one["tool"], one["command"], _json_values(one)) for one in plan.steps])
    problem = str(plan.problems[0]) if plan.problems else ""
    return f"asks: {problem.partition(': ')[2]}" if problem.startswith(drafting.QUESTION) else _NONE


def _json_values(step: Mapping[str, Any]) -> Mapping[str, tuple[Any, str]]:
    return {name: (param["value"], param["origin"]) for name, param in step["params"].items()}


def _understood(past: _Past, tree: Tree, tuning: Tuning) -> _End:
    if not tuning.switches.enable_understanding:
        return _End(_NONE, _NONE)
    goal, given = past.plan.goal, _of_models(past.said)
    asked: list[str] = []

    def model(step: Meant, name: str) -> Param | None:
        found = given.get((step.tool, step.command, name))
        if found is None and goal.agent_id:
            asked.append(f"{step.tool}.{step.command}: {name}")
        return found

    without = NoPlan(past.without)
    found = parameters.understood_on(goal, without, tree, tuning, model)
    if isinstance(found, PlanDraft):
        return _End(_draft_in_words(found), _TAKEN)
    if asked and parameters.has_model(goal):
        return _End(f"a model is asked for {', '.join(asked)}", _MODEL)
    if found is without:
        return _End(_NONE, _NONE)
    return _End(f"asks: {found.reason.partition(': ')[2]}", _QUESTION)


def _of_models(raw: Mapping[str, Any]) -> dict[tuple[str, str, str], Param]:
    """The values that a model gave when it was understood first."""
    meant = [stored.meant_of(one) for one in raw.get("steps", ())]
    return {
        (one.tool, one.command, name): param
        for one in meant
        for name, param in one.params.items()
        if param.origin == "model"
    }


def _corrected(plan: Plan, tree: Tree, tuning: Tuning) -> _End:
    steps = tuple(_step_as_said(one) for one in plan.steps)
    draft = PlanDraft(steps, (), plan.source, {})
    if not tuning.switches.enable_path_correction:
        return _End(_draft_in_words(draft), _STANDS)
    found = parameters.corrected_on(draft, tree, tuning.switches)
    return _End(_draft_in_words(found), _STANDS if found is draft else _CORRECTED)


def _step_as_said(raw: Mapping[str, Any]) -> Step:
    """A step before its paths were corrected."""
    params = {}
    for name, one in raw["params"].items():
        if one["origin"] == "mapping":
            params[name] = Param(one["original"], "model", span=one["span"])
        else:
            params[name] = Param(one["value"], one["origin"], one["original"], one["span"], one["note"])
    return Step(raw["tool"], raw["command"], params, "")


def _draft_in_words(draft: PlanDraft) -> str:
    return _steps_in_words(
        [
            (one.tool, one.command, {name: (param.value, param.origin) for name, param in one.params.items()})
            for one in draft.steps
        ]
    )


def _steps_in_words(steps: Sequence[tuple[str, str, Mapping[str, tuple[Any, str]]]]) -> str:
    """Commands with what was said or found for them; declared defaults are left out, for they say nothing."""
    said = []
    for tool, command, values in steps:
        if (tool, command) == drafting.TOGGLE and len(steps) > 1:
            continue
        declared = _declared(tool, command)
        own = (
            f"{name} {value if isinstance(value, str) else json.dumps(value)}"
            for name, (value, origin) in values.items()
            if origin != "default" or declared.get(name) != value
        )
        said.append(" ".join((f"{tool}.{command}", *own)))
    return "; ".join(said)


def _declared(tool: str, command: str) -> Mapping[str, Any]:
    try:
        return tools_in_use().command(tool, command).defaults()
    except UnknownTool:
        return {}
