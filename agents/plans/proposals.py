"""From a draft to a proposed intent plan: validated, written as canonical bytes, queued for review."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.db.models import F

from agents.actors import firmware, limits, models_in_use
from agents.bdi.forecast import additions, further_checks, losses, outcome_checks
from agents.bdi.forecast.consequences import Forecast
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.outcome import stated
from agents.bdi.outcome.outcome import Check
from agents.bdi.plans import document as documents
from agents.bdi.plans import parameters
from agents.bdi.plans.approved_models import Asked
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.document import CommandFacts, Document
from agents.bdi.plans.validation import PlanLimits, Problem, validate
from agents.bdi.recovery import alternatives, simpler_goal
from agents.components import agent_steps, components
from agents.models import Attempt, Goal, IntentPlan, Plan
from agents.plans import outcome_evaluation, plan_rows, sub_goals
from agents.plans.planning_time import Took
from agents.record import gate, logs, numbering, signals, wake_ups
from agents.record.logs import NewLine
from agents.record.moves import GIVEN_BACK, move_goal
from agents.states import GoalState
from agents.toolkit import phrases
from agents.toolkit.limits import Number
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.types import PlanDraft, Step
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable
from people.models import User

# The longest content that a step can write; a file that is longer differs from it anyhow.
MOST_COMPARED_BYTES = PlanLimits().value_bytes
Ceilings = Mapping[str, Mapping[str, Number]]
# The code of a problem that only another policy takes away.
FORBIDDEN = "forbidden_by_policy"
AGAINST_FIRMWARE = "against_firmware"
_NO_MODEL = "none is set up for this agent. MINDX_MODEL, or the agent in the administration, names one."


def draft_by_hand(
    goal: Goal, steps: Sequence[Mapping[str, Any]], cleanup: Sequence[Mapping[str, Any]], *, by: User
) -> tuple[PlanDraft, list[Problem]]:
    """A person's steps for a goal as a draft, and every problem it has (none: it may be proposed)."""
    main, main_problems = steps_by_hand(steps)
    undo, undo_problems = steps_by_hand(cleanup, first=len(steps) + 1)
    problems = [*main_problems, *undo_problems]
    if not problems:
        main, undo = link(main, tools_in_use()), link(undo, tools_in_use())
    draft = PlanDraft(steps=main, cleanup=undo, source="person", evidence={"written_by": by.username})
    return draft, problems or problems_of(goal, draft)


def problems_of(goal: Goal, draft: PlanDraft) -> list[Problem]:
    """Everything that is wrong with a draft, under the limits and the policies that a plan of this goal has now."""
    return _written(goal, draft, 0)[1]


def document_on(goal: Goal, base: str, draft: PlanDraft) -> tuple[Document | None, list[Problem]]:
    """The document of a draft on other files than the workspace has now, for a trial; nothing is stored."""
    workspace = copy.copy(goal.workspace)
    workspace.head = base
    elsewhere = copy.copy(goal)
    elsewhere.workspace = workspace
    return _written(elsewhere, draft, 0)


def _written(goal: Goal, draft: PlanDraft, revision: int) -> tuple[Document | None, list[Problem]]:
    """The document of a draft as things are now, and everything that is wrong with it; None: with its steps."""
    ceilings = limits.for_tools(goal, {step.tool for step in _all_steps(draft)})
    looked = _looked_at(draft, ceilings)
    if problems := _problems(goal, draft, looked):
        return None, problems
    document = _document(goal, draft, revision, looked)
    # What no policy lets through is no plan: it reaches neither the queue nor a copy of the workspace.
    return document, [
        *(Problem(one.position, "", AGAINST_FIRMWARE, one.says) for one in firmware.problems(goal.agent, document)),
        *(Problem(one.position, "", FORBIDDEN, one.reason) for one in gate.forbidden(goal, document)),
    ]


def _problems(goal: Goal, draft: PlanDraft, looked: _Looked) -> list[Problem]:
    return (
        looked.problems
        or _without_model(goal, draft)
        or agent_steps.problems(goal, draft)
        or sub_goals.problems(goal, draft)
    )


class _Looked:
    """A draft's steps under these ceilings: what is wrong with them, and what a document fixes of each."""

    def __init__(self, draft: PlanDraft, ceilings: Ceilings) -> None:
        self.steps, self.cleanup, self.ceilings = draft.steps, draft.cleanup, ceilings
        self.problems = validate(
            draft.steps, draft.cleanup, tools_in_use(), ceilings=ceilings
        ) or alternatives.problems(draft.steps, draft.cleanup, tools_in_use(), ceilings)

    def is_of(self, draft: PlanDraft, ceilings: Ceilings) -> bool:
        """Whether it says the same of this draft: steps never change, so the same ones have the same problems."""
        return self.steps is draft.steps and self.cleanup is draft.cleanup and self.ceilings == ceilings

    @cached_property
    def facts(self) -> tuple[list[CommandFacts], list[CommandFacts]]:
        """Of the steps and of the clean-up, but for whom a step asks: that may change between two looks."""
        of_steps, of_cleanup = ([_facts(one, self.ceilings) for one in some] for some in (self.steps, self.cleanup))
        return of_steps, of_cleanup


# What was looked at last. A plan is validated when it is made and again, under a lock, when it is proposed.
_last: _Looked | None = None


def _looked_at(draft: PlanDraft, ceilings: Ceilings) -> _Looked:
    global _last
    looked = _last
    if looked is None or not looked.is_of(draft, ceilings):
        looked = _last = _Looked(draft, ceilings)
    return looked


def _without_model(goal: Goal, draft: PlanDraft) -> list[Problem]:
    """Steps that could only fail, because this agent has no language model."""
    if models_in_use.models_of(goal.agent):
        return []
    return [
        Problem(position, "command", "no_model", f"{one.tool}.{one.command} asks a language model, and {_NO_MODEL}")
        for position, step in enumerate((*draft.steps, *draft.cleanup), 1)
        for one in (step, *step.alternatives)
        if tools_in_use().command(one.tool, one.command).needs_model
    ]


def _all_steps(draft: PlanDraft) -> list[Step]:
    """Every step that could run, declared alternatives included."""
    return [one for step in (*draft.steps, *draft.cleanup) for one in (step, *step.alternatives)]


def steps_by_hand(raw: Sequence[Mapping[str, Any]], *, first: int = 1) -> tuple[tuple[Step, ...], list[Problem]]:
    """Bind what a person wrote. A step that names no known command is a problem, not an exception."""
    steps: list[Step] = []
    problems: list[Problem] = []
    for position, item in enumerate(raw, start=first):
        tool, name, params = item.get("tool"), item.get("command"), item.get("params", {})
        if not isinstance(tool, str) or not isinstance(name, str) or not isinstance(params, Mapping):
            problems.append(Problem(position, "", "malformed", "A step is {tool, command, params}."))
            continue
        try:
            command = tools_in_use().command(tool, name)
        except UnknownTool as unknown:
            problems.append(Problem(position, "command", "unknown_command", f"{unknown}."))
            continue
        step = Step(tool, name, parameters.from_person(command, params), "written by hand")
        others, wrong = _alternatives_by_hand(step, item.get("alternatives", ()), position)
        problems += wrong
        steps.append(replace(step, alternatives=others))
    return tuple(steps), problems


def _alternatives_by_hand(step: Step, raw: Any, position: int) -> tuple[tuple[Step, ...], list[Problem]]:
    """What a person declares to be done instead of a step: {tool, command, params, map}."""
    found: list[Step] = []
    problems: list[Problem] = []
    for number, item in enumerate(raw if isinstance(raw, list | tuple) else [None], 1):
        try:
            tool, name, own, taken = (item.get(key, {}) for key in ("tool", "command", "params", "map"))
            command = tools_in_use().command(tool, name)
            params = alternatives.mapped(step, parameters.given(own), taken)
            why = f"declared to be done instead of {step.tool}.{step.command} when that fails"
            found.append(Step(tool, name, parameters.with_defaults(command, params), why))
        except (AttributeError, TypeError):
            message = f"Alternative {number} is {{tool, command, params, map}}."
            problems.append(Problem(position, f"alternatives.{number}", "malformed", message))
        except (UnknownTool, ValueError) as wrong:
            message = f"Alternative {number}: {wrong}."
            problems.append(Problem(position, f"alternatives.{number}", "alternative", message))
    return tuple(found), problems


def propose(
    goal: Goal,
    draft: PlanDraft,
    *,
    by: User | None = None,
    took: Took | None = None,
    said: Sequence[NewLine] = (),
    gives_back: bool = False,
) -> IntentPlan:
    """Fix the draft as the goal's next revision and queue it for review. The caller holds the goal's row.

    `took`: what the agent's planning took; None where none did. `said`: what the log says before that it awaits review.
    `gives_back`: the caller has the goal's lease, which ends with this.

    Raises ValueError on a draft with problems: callers validate first, and nothing invalid may be stored.
    """
    last = numbering.last_of(goal)
    number, revision = last.plan + 1, last.revision + 1
    document, problems = _written(goal, draft, revision)
    if document is None or problems:
        raise ValueError(f"an invalid draft was proposed: {problems[0].message}")
    plan = Plan(
        goal=goal,
        number=number,
        source=draft.source,
        by=by,
        steps=[_step_json(step) for step in (*draft.steps, *draft.cleanup)],
        evidence=dict(draft.evidence),
    )
    data = documents.write(document)
    intent_plan = plan_rows.store(
        plan, goal, document, data, digest=documents.digest_of(data), replaces=replaced(document), took=took
    )
    who = by.username if by else "bdi_agent"
    awaits = (
        f"revision {revision} awaits review: {logs.counted(len(document.intents), 'step')}"
        + (f" and {logs.counted(len(document.cleanup), 'clean-up step')}" if document.cleanup else "")
        + f", digest {intent_plan.digest[:8]}"
    )
    logs.write(goal.pk, [*said, NewLine("review", "propose", awaits, data={"digest": intent_plan.digest})])
    move_goal(goal, GoalState.AWAITING_REVIEW, by=who, reason="", **(GIVEN_BACK if gives_back else {}))
    wake_ups.wake_worker()
    signals.tell(signals.plan_proposed, intent_plan.pk)
    return intent_plan


def _document(goal: Goal, draft: PlanDraft, revision: int, looked: _Looked) -> Document:
    # A plan that is made now asks whom its agent asks now, whatever an earlier one said.
    asks = functools.cache(lambda: models_in_use.bound(goal.agent))
    of_steps, of_cleanup = looked.facts
    main = documents.specs(draft.steps, _asking(draft.steps, of_steps, asks))
    undo = documents.specs(
        draft.cleanup, _asking(draft.cleanup, of_cleanup, asks), phase="cleanup", first=len(main) + 1
    )
    document = Document(
        goal_id=str(goal.pk),
        goal_text=goal.text,
        workspace=goal.workspace.name,
        base=goal.workspace.head,
        revision=revision,
        source=draft.source,
        intents=main,
        cleanup=undo,
        components=components.recorded(draft.evidence, _all_steps(draft)),
    )
    checks = _checks(goal, document, stated.found_in(draft.evidence))
    return replace(document, checks=(*checks, *simpler_goal.left_out_checks(draft.evidence)))


def _checks(goal: Goal, document: Document, said: Sequence[Check]) -> tuple[Check, ...]:
    """What will be looked at when the plan has run, with what was stated with it; nothing where today's files cannot
    be read.
    """
    foreseen, base = _foreseen(document)
    if foreseen is None:
        return ()
    files = {entry.path for entry in base if entry.kind == "file"}
    # What earlier revisions changed need not be changed by what is left of the plan.
    has_changed = document.revision > 1 and _has_changed_files(goal)
    checks = outcome_checks.checks_for(document, foreseen, files, tools_in_use(), has_changed=has_changed)
    if not said:
        return checks
    facts = outcome_evaluation.facts_between(document.base, document.base, {})
    return further_checks.joined(document, checks, further_checks.telling(said, facts))


def _has_changed_files(goal: Goal) -> bool:
    ran = Attempt.objects.filter(intent__intent_plan__goal=goal, outcome="succeeded")
    return ran.exclude(snapshot_after="").exclude(snapshot_after=F("snapshot_before")).exists()


# The steps and files that were foreseen last: a plan is written once to be looked at and once to be proposed.
_last_foreseen: tuple[Document, Forecast, Sequence[BaseEntry]] | None = None


def _foreseen(document: Document) -> tuple[Forecast | None, Sequence[BaseEntry]]:
    """What the steps would do to the files of the document's base, and these; None where they cannot be read."""
    global _last_foreseen
    last = _last_foreseen
    if last is not None and last[0].base == document.base and last[0].all_intents == document.all_intents:
        return last[1], last[2]
    try:
        base = base_files.entries_of(document.base)
    except BaseUnreadable:
        return None, ()
    foreseen = forecast(document, base, tools_in_use())
    _last_foreseen = document, foreseen, base
    return foreseen, base


def replaced(document: Document) -> list[str]:
    """Which of today's files the plan would put other content over; unknown, so none, when these cannot be read."""
    foreseen, base = _foreseen(document)
    if foreseen is None:
        return []
    sizes = {entry.path: entry.size_bytes for entry in base if entry.kind == "file"}

    def today(path: str) -> bytes | None:
        compared = sizes.get(path, 0) <= MOST_COMPARED_BYTES
        return base_files.content_of(document.base, path, MOST_COMPARED_BYTES) if compared else None

    return list(losses.replaced(foreseen, today))


def only_adds(goal: Goal, draft: PlanDraft) -> bool:
    """Whether a valid draft does nothing to the workspace as it is now but read and make what was not there."""
    document, _ = _written(goal, draft, 0)
    foreseen = _foreseen(document)[0] if document is not None else None
    return document is not None and foreseen is not None and additions.only_adds(document, foreseen)


def _facts(step: Step, ceilings: Ceilings) -> CommandFacts:
    command = tools_in_use().command(step.tool, step.command)
    values = {name: param.value for name, param in step.params.items()}
    others = tuple(_facts(other, ceilings) for other in step.alternatives)
    said = phrases.say(command, values)
    return CommandFacts(command.effect, ceilings[step.tool], command.hosts(values), said, others)


def _asking(steps: Sequence[Step], facts: Sequence[CommandFacts], asks: Callable[[], Asked]) -> list[CommandFacts]:
    """The same with whom each step asks, and what may be done in its place."""
    return [
        replace(
            fact,
            asks=_asked_by(step, asks),
            alternatives=tuple(_asking(step.alternatives, fact.alternatives, asks)),
        )
        for step, fact in zip(steps, facts, strict=True)
    ]


def _asked_by(step: Step, asks: Callable[[], Asked]) -> Asked | None:
    """Whom a step asks; None where it asks nobody, or is done without a model because none is set up."""
    command = tools_in_use().command(step.tool, step.command)
    if not command.asks_model:
        return None
    asked = asks()
    values = {name: param.value for name, param in step.params.items()}
    return asked if asked.models or not command.does_without_model(values) else None


def _step_json(step: Step) -> dict[str, Any]:
    params = {name: dict(vars(param)) for name, param in step.params.items()}
    unsaid = {name for name in ("branch", "retries") if getattr(step, name) in ("", None)}
    said = {name: value for name, value in vars(step).items() if name not in unsaid}
    return {**said, "params": params, "alternatives": [_step_json(other) for other in step.alternatives]}
