"""Asking again: an approved plan that no longer stands as it was approved becomes a revision that says what changed.

What was approved was approved on files, components and policies that people saw. Where these have moved, the steps that
are left are asked about once more, and nobody reads again what has not changed.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from agents.bdi.intentions.cycle import Decision
from agents.bdi.plans import document as documents
from agents.bdi.plans import resuming
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.plans.validation import Problem
from agents.bdi.recovery import simpler_goal
from agents.models import Goal, Intent, IntentPlan, Plan, Workspace
from agents.plans import footings, plans, proposals
from agents.record import logs, wake_ups
from agents.record.moves import move_goal, move_intents, move_plan
from agents.states import GoalState, IntentState, PlanState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft
from people import sealing
from people.models import User

logger = logging.getLogger(__name__)

FILES, GROUNDS, RECOVERY = "files", "grounds", "recovery"
# How the reason of a plan begins that was planned anew before anybody decided it.
RENEWED = "made anew"
# A plan that stands on everything may be asked again for thousands of files; a page shows so many.
_NAMED = 100
_PLANNED = frozenset({Plan.Source.RULE.value, Plan.Source.UNDERSTANDING.value})
_BY = "bdi_agent"


def moved_since(plan: IntentPlan) -> Document | None:
    """The approved document, when its plan has not begun and its files are no longer those it was made on.

    None also for bytes that are not the approved ones: those are refused by the gate, not asked again.
    """
    data = bytes(plan.document)
    if plan.position != 1 or documents.digest_of(data) != plan.approved_digest:
        return None
    try:
        document = documents.read(data)
    except ValueError:
        return None
    return document if document.base != plan.workspace.head else None


def began_on_the_way(plan: IntentPlan) -> bool:
    """Whether this revision holds only what was left of one that had begun."""
    return int(_delta_of(plan).get("position", 1)) > 1


def follows_what_ran(plan: IntentPlan) -> bool:
    """Whether a step of the approved revision ran, be it that it failed, before this one was made of what was left."""
    return began_on_the_way(plan) or _delta_of(plan).get("kind") == RECOVERY


def needs_a_person(plan: IntentPlan) -> bool:
    """Whether it is asked again for something that no policy may look away from: all but files that moved. And whether
    something of what was wished is left out of it.
    """
    return _delta_of(plan).get("kind", FILES) != FILES or bool(plan.plan.evidence.get("simplified"))


def _delta_of(plan: IntentPlan) -> dict[str, Any]:
    evidence = plan.plan.evidence
    delta = evidence.get("delta") if isinstance(evidence, dict) else None
    return delta if isinstance(delta, dict) else {}


def ask_for_moved(goal: Goal, plan: IntentPlan, document: Document, differing: tuple[str, ...], *, by: str) -> None:
    """Ask again about a plan of whose files these are not as they were. The caller holds all rows.

    The same steps would leave out what has come to a set of files that they were made for: those are planned anew.
    """
    if footings.sets_of(plan) and plan.plan.source in _PLANNED:
        _plan_again(goal, plan, f"{RENEWED}: {footings.in_words(differing)}", by=by)
        return
    ask_again(goal, plan, document, by=by, why=footings.in_words(differing), kind=FILES, paths=differing)


def ask_again(
    goal: Goal,
    plan: IntentPlan,
    document: Document,
    *,
    by: str,
    why: str,
    kind: str = GROUNDS,
    instead: IntentSpec | Sequence[IntentSpec] | None = None,
    left_out: Collection[int] = (),
    author: User | None = None,
    simplifies: bool = False,
    paths: Sequence[str] = (),
) -> IntentPlan | None:
    """Supersede the approved plan by the steps that are left of it, for a review of what changed since.

    The caller holds goal, plan and workspace, and no step is running. `instead` takes the place of the step at which
    the plan stopped, and `author` is the person who wrote that. `simplifies`: nobody but mindX says that it may be done
    without, so the goal is not achieved by the rest. `paths`: the files that moved, of those it stands on. Steps that
    are no longer valid ask a person for a plan instead; then there is no revision.
    """
    said = f"{_stopped(plan, kind)}: {why}"
    done = dict(plan.intents.filter(state=IntentState.SUCCEEDED.value).values_list("position", "result"))
    put_off = put_off_in(plan)
    move_plan(plan, PlanState.SUPERSEDED, by=by, reason=why)
    if plan.position > 1 or instead is not None:
        for state in (IntentState.RUNNING, IntentState.PENDING):
            move_intents(plan.intents.filter(state=state.value), IntentState.SKIPPED, reason="asked about again")
    data = {"why": kind, "position": plan.position}
    logs.say_decided(goal.pk, Decision.ASK_AGAIN, "execute", f"{said}; it goes back to review", "warning", **data)
    try:
        draft = resuming.remaining(document, plan.position, done, tools_in_use(), instead, left_out, put_off)
        draft = _with_reasons(plan, draft, document, why, kind, paths)
        if simplifies and instead is not None and not instead:
            gone = [document.at(position) for position in (plan.position, *left_out)]
            draft = simpler_goal.told(draft, [f"“{spec.sentence}”" for spec in gone], why)
        problems = proposals.problems_of(goal, draft)
    except ValueError as error:
        draft, problems = None, [Problem(0, "", "reference", f"{error}.")]
    if draft is None or problems:
        _ask_a_person(goal, problems, by=by)
        return None
    revision = proposals.propose(goal, draft, by=author)
    IntentPlan.objects.filter(pk=revision.pk).update(left_out=plan.left_out, rest=plan.rest)
    return revision


def renew(plan: IntentPlan, differing: tuple[str, ...]) -> bool:
    """Plan a waiting plan anew, of whose files these are not as they were, so that nobody is asked about an old one.

    What rules or understanding made is planned again; what somebody wrote keeps its steps and is tried again. False
    when it was decided, or its workspace moved, meanwhile.
    """
    why = f"{RENEWED}: {footings.in_words(differing)}"
    with transaction.atomic():
        waiting = plans.locked(plan)
        head = Workspace.objects.values_list("head", flat=True).get(pk=plan.workspace_id)
        if waiting.state != PlanState.AWAITING_REVIEW or head != plan.workspace.head:
            return False
        if not sealing.is_genuine(waiting):
            logger.error("A plan that mindX did not seal is not made anew", extra={"intent_plan": plan.pk})
            return False
        goal = waiting.goal
        written = waiting.plan.source not in _PLANNED or "from_revision" in waiting.plan.evidence
        document = documents.read(bytes(waiting.document)) if written else None
        if document is None:
            _plan_again(goal, waiting, why, by=_BY)
        else:
            _end(goal, waiting, why, by=_BY)
            _propose_same(goal, waiting, document)
    return True


def _plan_again(goal: Goal, plan: IntentPlan, why: str, *, by: str) -> None:
    _end(goal, plan, why, by=by)
    move_goal(goal, GoalState.PENDING, by=by, reason=RENEWED)
    wake_ups.wake(goal.pk)


def _end(goal: Goal, plan: IntentPlan, why: str, *, by: str) -> None:
    move_plan(plan, PlanState.SUPERSEDED, by=by, reason=why)
    data = {"why": FILES, "revision": plan.revision}
    logs.say_decided(goal.pk, Decision.ASK_AGAIN, "plan", f"{why}; it is planned anew", "warning", **data)


def _propose_same(goal: Goal, plan: IntentPlan, document: Document) -> None:
    """The same steps on the files as they are now."""
    try:
        draft = resuming.remaining(document, 1, {}, tools_in_use())
        draft = replace(draft, evidence={**plan.plan.evidence, "from_revision": plan.revision})
        problems = proposals.problems_of(goal, draft)
    except ValueError as error:
        problems = [Problem(0, "", "reference", f"{error}.")]
    if problems:
        _ask_a_person(goal, problems, by=_BY)
        return
    revision = proposals.propose(goal, draft, by=plan.plan.by)
    IntentPlan.objects.filter(pk=revision.pk).update(left_out=plan.left_out, rest=plan.rest)


def put_off_in(plan: IntentPlan) -> list[int]:
    """The steps before the plan's position that have not ended: they stand in branches beside it."""
    before = plan.intents.filter(phase=Intent.Phase.MAIN, position__lt=plan.position)
    ended = [IntentState.SUCCEEDED.value, IntentState.SKIPPED.value]
    return list(before.exclude(state__in=ended).order_by("position").values_list("position", flat=True))


def _with_reasons(
    plan: IntentPlan, draft: PlanDraft, document: Document, why: str, kind: str, paths: Sequence[str]
) -> PlanDraft:
    after = plan.workspace.head
    delta = {
        "kind": kind,
        "why": why,
        "paths": list(paths[:_NAMED]),
        "revision": plan.revision,
        "plan": plan.pk,
        # How far the plan had come; what it did to the files itself is no change that anybody must look at.
        "position": plan.position,
        "before": document.base if kind == FILES else after,
        "after": after,
    }
    evidence = {**plan.plan.evidence, "from_revision": plan.revision, "delta": delta}
    if resuming.holds_results(draft):
        evidence["tool_output"] = True  # from here on: no policy passes what a tool wrote
    return replace(draft, evidence=evidence)


def _stopped(plan: IntentPlan, kind: str) -> str:
    if kind == RECOVERY:  # the step at which it stopped has run, and failed
        return f"stopped at step {plan.position}"
    return "nothing has run" if plan.position == 1 else f"stopped before step {plan.position}"


def _ask_a_person(goal: Goal, problems: list[Problem], *, by: str) -> None:
    said = "; ".join(problem.message for problem in problems)
    logs.say(goal.pk, "bdi_agent", "plan", f"the steps are no longer valid: {said}", level="error")
    forbidden = next((problem for problem in problems if problem.code == proposals.FORBIDDEN), None)
    reason = f"{proposals.FORBIDDEN}: {forbidden.message}" if forbidden else "invalid_plan"
    move_goal(goal, GoalState.MANUAL, by=by, reason=reason)
