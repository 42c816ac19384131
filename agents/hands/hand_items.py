"""The queue of hands: a person mends what mindX could not, and the run goes on from there.

Every answer is one transaction under the goal's, the plan's and the workspace's lock. What changes an approved step is
asked about again; what only goes on (done by hand, skipped, tried again) takes somebody who might decide the plan, for
anybody else it is asked about as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.bdi.outcome.network import Network, network_of
from agents.bdi.plans import document as documents
from agents.bdi.plans import resuming
from agents.bdi.plans.conditions import reference_of
from agents.bdi.plans.document import Document, IntentSpec, Parameter
from agents.bdi.recovery import remedies as remedying
from agents.bdi.recovery import simplifying
from agents.bdi.recovery.failures import Facts, FailureClass
from agents.bdi.recovery.remedies import Around, Remedy
from agents.bdi.understanding.understood import Question
from agents.models import FailureRecord, Goal, HandItem, Intent, IntentPlan, TerminalSession, Workspace
from agents.plans import proposals, renewals
from agents.record import authors, logs, wake_ups
from agents.record.errors import NotPossibleNow, NotYours, PlanInvalid
from agents.record.moves import move_goal, move_intents, move_plan
from agents.record.selectors import may_change, sees_everything
from agents.recovery import after_failure, missing_paths
from agents.states import GoalState, HandState, IntentState, PlanState
from agents.toolkit.references import references
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.types import Step
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable
from people.models import User
from people.roles import Role
from sandbox.contract import SessionState

Answer = HandItem.Answer
NOTE_MAX = 4_000


@dataclass(frozen=True)
class _Held:
    """An open item with everything around it, locked."""

    item: HandItem
    goal: Goal
    plan: IntentPlan
    document: Document
    by: User

    @property
    def step(self) -> IntentSpec:
        return self.document.at(self.item.position)


def open_for(user: User) -> QuerySet[HandItem]:
    """What waits for a hand among the goals this person may see, oldest first."""
    rows = HandItem.objects.filter(answered_at=None, goal__state=GoalState.MANUAL.value)
    rows = rows.select_related("goal__submitted_by", "goal__workspace", "failure", "intent_plan").order_by("pk")
    return rows if sees_everything(user) else rows.filter(goal__submitted_by=user)


def open_of(goal: Goal) -> HandItem | None:
    """The goal's open item."""
    if goal.state != GoalState.MANUAL:
        return None
    return goal.hand_items.filter(answered_at=None).select_related("failure", "intent_plan").first()


def step_of(item: HandItem) -> IntentSpec:
    """The step as it stands in the approved document. The item must be one of a plan."""
    if item.intent_plan is None:
        raise ValueError("no plan is waiting for this answer")
    return documents.read(bytes(item.intent_plan.document)).at(item.position)


def questions(item: HandItem) -> tuple[Question, ...]:
    """Which files are meant, where the step failed because it names some that are not there now."""
    if item.intent_plan is None or item.failure.failure_class != FailureClass.INVALID_PARAMETERS:
        return ()
    return missing_paths.questions_about(item.goal, item.intent_plan, step_of(item))


def remedies(item: HandItem) -> tuple[Remedy, ...]:
    """What would settle it with one press: each proposes the rest of the plan with a change, which is reviewed."""
    if item.intent_plan is None:
        return ()
    step = step_of(item)
    try:
        command = tools_in_use().command(step.tool, step.command)
    except UnknownTool:
        return ()
    return remedying.remedies(step, command, Facts.from_json(item.failure.facts), _around(item))


def _around(item: HandItem) -> Around:
    attempt = item.failure.attempt
    network = network_of(attempt.result) if attempt is not None else Network()
    session = TerminalSession.objects.filter(intent_plan=item.intent_plan_id).values_list("state", flat=True).first()
    environment = SessionState.from_json(session or {}).venv or ""
    try:
        there = {entry.path for entry in base_files.entries_of(item.goal.workspace.head)}
    except BaseUnreadable:
        there = set()
    return Around(network, environment, there)


def history(item: HandItem) -> list[FailureRecord]:
    """What failed before at this step and was tried about it, oldest first."""
    return after_failure.earlier_at(item.goal, item.intent_plan, item.position) if item.intent_plan is not None else []


def may_decide(user: User, goal: Goal) -> bool:
    """Whether this person might decide a plan of this goal, and so may let it go on without another look."""
    return user.has_role(Role.REVIEWER) and not (settings.FOUR_EYES and authors.is_one(user, goal))


def why_not(user: User, goal: Goal) -> str:
    """Who may answer, when this person may not; "" when they may."""
    if may_change(user, goal) or user.has_role(Role.REVIEWER):
        return ""
    return "Only the goal's submitter, operators and reviewers may answer this."


def readers(document: Document, position: int) -> list[int]:
    """The later steps that read the result of this one, or decide by it."""
    return [
        spec.position
        for spec in document.all_intents
        if spec.position > position
        and (
            any(reference.position == position for _, reference in references(spec.params))
            or (spec.condition is not None and (read := reference_of(spec.condition)) and read.position == position)
        )
    ]


def fix(item: HandItem, *, by: User, values: Mapping[str, Any], note: str = "") -> IntentPlan:
    """Propose the rest of the plan with other parameters in the failed step; it is reviewed like any change.

    Raises NotYours, NotPossibleNow and PlanInvalid; then nothing has changed.
    """
    with _answering(item, by, Answer.FIX, note) as held:
        edited = simplifying.fixed(held.step, values, "person", f"fixed by {by.username}")
        if dict(edited.params) == dict(held.step.params):
            raise NotPossibleNow("These are the values that failed. Change one, or choose “Try again”.")
        _check(held, (edited,))
        said = f"{by.username} fixed the parameters of step {item.position}"
        return _asked(held, (edited,), (), said, writes=True)


def instead(item: HandItem, *, by: User, steps: Sequence[Mapping[str, Any]], note: str = "") -> IntentPlan:
    """Propose the rest of the plan with other steps in the place of the failed one; it is reviewed like any change.

    Raises NotYours, NotPossibleNow and PlanInvalid; then nothing has changed.
    """
    with _answering(item, by, Answer.INSTEAD, note) as held:
        if reading := readers(held.document, item.position):
            said = ", ".join(map(str, reading))
            raise NotPossibleNow(f"Step {said} uses the result of this step. Fix it, or write a plan by hand.")
        read, problems = proposals.steps_by_hand(steps)
        if problems:
            raise PlanInvalid(problems)
        made = tuple(_in_place(held.step, one) for one in read)
        if not made:
            raise NotPossibleNow("Write what to do instead, one step per line.")
        if [(one.tool, one.command, dict(one.params)) for one in made] == [
            (held.step.tool, held.step.command, dict(held.step.params))
        ]:
            raise NotPossibleNow("This is the step that failed. Write another one, or choose “Try again”.")
        _check(held, made)
        said = f"{by.username} replaced step {item.position}"
        return _asked(held, made, (), said, writes=True)


def _in_place(failed: IntentSpec, step: Step) -> IntentSpec:
    """A person's step where the failed one stood. What a document fixes of a step is fixed when it is proposed."""
    recorded = tuple(
        Parameter(name, one.value, one.origin, one.original, one.span, one.note) for name, one in step.params.items()
    )
    return replace(
        failed,
        tool=step.tool,
        command=step.command,
        params=step.values(),
        parameters=recorded,
        justification=f"instead of {failed.tool}.{failed.command}, which failed",
        rule="",
        alternatives=(),
    )


def remedy(item: HandItem, name: str, *, by: User, note: str = "") -> IntentPlan:
    """Propose the rest of the plan with what was offered by this name; it is reviewed like any change.

    Raises NotYours, NotPossibleNow and PlanInvalid; then nothing has changed.
    """
    offered = next((one for one in remedies(item) if one.name == name), None)
    if offered is None:
        raise NotPossibleNow("This is not offered any more. Nothing was changed.")
    with _answering(item, by, Answer.FIX if len(offered.instead) == 1 else Answer.INSTEAD, note) as held:
        _check(held, offered.instead)
        said = f"{by.username} chose “{offered.label}”"
        return _asked(held, offered.instead, (), said, writes=True)


def done(item: HandItem, *, by: User, note: str = "") -> None:
    """The person did the step's work; the plan continues after it. Raises NotYours and NotPossibleNow."""
    with _answering(item, by, Answer.DONE, note) as held:
        if reading := readers(held.document, item.position):
            said = ", ".join(map(str, reading))
            raise NotPossibleNow(
                f"Step {said} uses the result of this step, which you cannot supply by hand. Fix it instead."
            )
        result = {"status": "SUCCESS", "message": f"done by hand by {by.username}", "by_hand": by.username}
        _end(held, IntentState.SUCCEEDED, f"done by hand by {by.username}", result=result)
        _wake(held)


def skip(item: HandItem, *, by: User, note: str = "") -> IntentPlan | None:
    """Go on without the step. By somebody who might decide the plan at once, else the rest is asked about.

    Steps that read its result are left out too, which always is asked about.
    """
    with _answering(item, by, Answer.SKIP, note) as held:
        left_out = readers(held.document, item.position)
        if may_decide(by, held.goal) and not left_out:
            _end(held, IntentState.SKIPPED, f"skipped by {by.username}")
            _wake(held)
            return None
        _check(held, (), left_out)
        return _asked(held, (), left_out, f"{by.username} skips step {item.position}")


def again(item: HandItem, *, by: User, note: str = "") -> IntentPlan | None:
    """Have the step tried once more as it is. By somebody who might decide the plan at once, else it is asked about."""
    with _answering(item, by, Answer.AGAIN, note) as held:
        if may_decide(by, held.goal):
            _wake(held)
            return None
        _check(held, (held.step,))
        return _asked(held, (held.step,), (), f"{by.username} asked for another try of step {item.position}")


def abort(item: HandItem, *, by: User, note: str = "") -> None:
    """Give the plan up: what was approved as clean-up runs, then the goal has failed."""
    with _answering(item, by, Answer.ABORT, note) as held:
        main = held.plan.intents.filter(phase=Intent.Phase.MAIN)
        move_intents(main.filter(state=IntentState.PENDING.value), IntentState.SKIPPED, reason="an earlier step failed")
        IntentPlan.objects.filter(pk=held.plan.pk).update(
            position=len(held.document.intents) + 1,
            aborting=f"given up by {by.username}: {held.item.failure.reason}",
        )
        _wake(held)


def superseded(goal: Goal, *, by: User) -> None:
    """A person wrote a plan in place of the one that waits for a hand. The caller holds the goal's row."""
    item = open_of(goal)
    if item is None:
        return
    plan = item.intent_plan
    if plan is not None and plan.state == PlanState.EXECUTING:
        locked = IntentPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
        move_plan(locked, PlanState.SUPERSEDED, by=by.username, reason="replaced by a plan written by hand")
        move_intents(
            plan.intents.filter(state=IntentState.PENDING.value), IntentState.SKIPPED, reason="replaced by another plan"
        )
    _close(item, by, Answer.PLAN, "")


@contextmanager
def _answering(item: HandItem, by: User, answer: str, note: str) -> Iterator[_Held]:
    if reason := why_not(by, item.goal):
        raise NotYours(reason)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=item.goal_id)
        plan = goal.intent_plans.select_for_update(no_key=True).filter(hand_items=item).first()
        workspace = Workspace.objects.select_for_update(no_key=True).get(pk=goal.workspace_id)
        # The race: two people answer. The first one's answer stands, the other is told.
        row = HandItem.objects.select_for_update(of=("self",), no_key=True).select_related("failure").get(pk=item.pk)
        if row.answered_at is not None or goal.state != GoalState.MANUAL:
            raise NotPossibleNow("Somebody has already answered this, or the goal has ended. Nothing was changed.")
        if plan is None or plan.state != PlanState.EXECUTING:
            raise NotPossibleNow("There is no plan to continue. Write one by hand, or cancel the goal.")
        unfinished = [HandState.WAITING.value, HandState.RUNNING.value]
        if workspace.hand_commands.filter(state__in=unfinished).exists():
            raise NotPossibleNow("A command typed by hand is unfinished on these files. Wait until it has ended.")
        goal.workspace = plan.workspace = workspace
        held = _Held(row, goal, plan, documents.read(bytes(plan.document)), by)
        yield held
        _close(row, by, answer, note)
        words = Answer(answer).label
        logs.say(
            goal.pk,
            "review",
            "recover",
            f"step {row.position}: {by.username} {words}" + (f": {note}" if note else ""),
        )
        wake_ups.goal_changed(goal.pk)
        wake_ups.queue_changed()


def _close(item: HandItem, by: User, answer: str, note: str) -> None:
    HandItem.objects.filter(pk=item.pk).update(
        answer=answer, note=note.strip()[:NOTE_MAX], answered_by=by, answered_at=timezone.now()
    )


def _end(held: _Held, state: IntentState, reason: str, **also: Any) -> None:
    failed = held.plan.intents.filter(position=held.item.position)
    move_intents(failed, state, reason=reason, **also)
    IntentPlan.objects.filter(pk=held.plan.pk).update(position=held.item.position + 1)


def _wake(held: _Held) -> None:
    move_goal(held.goal, GoalState.EXECUTING, by=held.by.username, only_from=[GoalState.MANUAL], reason="")
    wake_ups.wake(held.goal.pk)


def _check(held: _Held, instead: tuple[IntentSpec, ...], left_out: Collection[int] = ()) -> None:
    """Raise PlanInvalid when the rest with this change is no valid plan."""
    done_steps = dict(held.plan.intents.filter(state=IntentState.SUCCEEDED.value).values_list("position", "result"))
    try:
        draft = resuming.remaining(
            held.document, held.item.position, done_steps, tools_in_use(), instead, left_out,
            renewals.put_off_in(held.plan),
        )  # fmt: skip
    except ValueError as error:
        raise NotPossibleNow(f"{error}.") from error
    if not draft.steps:
        raise NotPossibleNow("Nothing of the plan would be left. Give it up, or do the step by hand.")
    if problems := proposals.problems_of(held.goal, draft):
        raise PlanInvalid(problems)


def _asked(
    held: _Held, instead: tuple[IntentSpec, ...], left_out: Collection[int], why: str, *, writes: bool = False
) -> IntentPlan:
    """Have the rest asked about. `writes`: the person wrote what stands in the failed step's place."""
    step = held.step
    said = f"step {step.position} ({step.tool}.{step.command}) failed: {held.item.failure.reason}; {why}"
    revision = renewals.ask_again(
        held.goal,
        held.plan,
        held.document,
        by=held.by.username,
        why=said,
        kind=renewals.RECOVERY,
        instead=instead,
        left_out=left_out,
        author=held.by if writes else None,
    )
    if revision is None:  # it was valid a moment ago, under the same locks
        raise NotPossibleNow("The rest of the plan is no longer valid. Write a plan by hand.")
    after_failure.carried(held.item.failure, revision, held.plan, held.document, instead)
    return revision
