"""Rows of a framework's run: begun, stood still with its calls, gone on, ended. Each under the lease of its goal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from agents.bdi.outcome.outcome import Outcome
from agents.frameworks.contract import Answered, Call, Waits
from agents.frameworks.offered import command_named
from agents.goals import tool_calls
from agents.goals.component_goals import Terms
from agents.goals.tool_calls import ToolCall
from agents.models import FrameworkCall, FrameworkRun, Goal
from agents.plans.tool_call_plans import Caller
from agents.record import causes, logs, wake_ups
from agents.record.errors import GoalRefused, PlanInvalid, TooManyGoals
from agents.record.lease import Lease, hold
from agents.record.moves import move_goal
from agents.states import GOAL_ENDED, GoalState
from agents.toolkit.frameworks import FRAMEWORKS, OWN
from people import sealing

BY = "bdi_agent"
# How the reason of a goal begins that waits for the goal of a call.
WAITS = "waits_for_call"
# Who waits is woken when the call has ended; this only bounds how long a goal sleeps that nothing wakes.
_LONGEST_WAIT = timedelta(days=30)
# Of one sweep; the next one finds the others.
_AT_ONCE = 100
_RESULT_CHARS = 60_000
_ENDED = [state.value for state in GOAL_ENDED]


def is_for_framework(goal: Goal) -> bool:
    """Whether a framework works on the goals of this one's agent; one that is set back to mindX plans them itself."""
    return goal.agent.framework != OWN


def of(goal: Goal) -> FrameworkRun:
    """The goal's run; it begins with the first look. The caller holds the goal's lease."""
    with transaction.atomic():
        run, is_new = FrameworkRun.objects.get_or_create(goal=goal, defaults={"framework": goal.agent.framework})
        if is_new:
            sealing.seal(run)
    return run


def current(run: FrameworkRun) -> QuerySet[FrameworkCall]:
    """The calls that the run stands still for, in order."""
    return run.calls.filter(turn=run.turn).select_related("goal").order_by("position")


def answers(run: FrameworkRun) -> list[Answered] | None:
    """The outcomes of the calls that the run waits for; None while one of them is open."""
    found = [_answer(call) for call in current(run)]
    return None if None in found else [one for one in found if one is not None]


def _answer(call: FrameworkCall) -> Answered | None:
    asked = Call(call.call_id, call.name, call.params)
    if call.refused:
        return Answered(asked, f"It was not run: {call.refused}", failed=True)
    if call.goal is None or (answer := tool_calls.answer_of(call.goal)) is None:
        return None
    if answer.succeeded:
        return Answered(asked, json.dumps(dict(answer.result), ensure_ascii=False)[:_RESULT_CHARS])
    return Answered(asked, f"{_ended(answer.state)}: {answer.reason or 'no reason was given'}", failed=True)


def _ended(state: str) -> str:
    return "It was not run" if state == GoalState.DROPPED else "It failed"


def stand_still(lease: Lease, run: FrameworkRun, waits: Waits, whys: Mapping[str, str], worked_s: float) -> None:
    """Store where the run stands and what it called, all or nothing."""
    with transaction.atomic():
        hold(lease)
        causes.lock(run)
        run.turn, run.checkpoint = run.turn + 1, waits.checkpoint
        run.save(update_fields=["turn", "checkpoint"])
        sealing.seal(run)
        add_time(run, worked_s)
        last = run.calls.order_by("-position").values_list("position", flat=True).first() or 0
        calls = FrameworkCall.objects.bulk_create(
            FrameworkCall(
                run=run, position=position, turn=run.turn, call_id=one.id, name=one.name,
                params=dict(one.arguments), why=whys.get(one.id, ""),
            )
            for position, one in enumerate(waits.calls, last + 1)
        )  # fmt: skip
        sealing.seal_all(FrameworkCall, [call.pk for call in calls])


def wait(lease: Lease, run: FrameworkRun) -> bool:
    """Make goals of the calls as they come due, one after the other, and wait for the one that is open.

    False: all are answered already, and the run goes on. Raises TooManyGoals, Forged.
    """
    with transaction.atomic():
        goal = hold(lease)
        for call in current(run).select_related(None):
            if call.goal_id is None and not call.refused:
                _propose(goal, run, call)
            if call.goal_id is None:
                continue
            # The lock closes a race: it ends at this moment, and tells a goal that does not wait yet.
            part = Goal.objects.select_for_update(no_key=True).get(pk=call.goal_id)
            if not part.has_ended:
                _put_to_sleep(goal, part, call)
                return True
    return False


def _propose(goal: Goal, run: FrameworkRun, call: FrameworkCall) -> None:
    causes.check(goal, call)
    tool, command = command_named(call.name)
    caller = Caller(run.framework, f"{FRAMEWORKS[run.framework].label} agent {goal.agent.name}", str(run.pk))
    terms = Terms(
        goal.submitted_by, goal.workspace, goal.agent, goal.priority, key=f"framework:{run.pk}:{call.position}"
    )
    try:
        with transaction.atomic():
            plan = tool_calls.propose(ToolCall(tool, command, call.params, call.why), terms, caller, parent=goal)
    except TooManyGoals:
        raise
    except (PlanInvalid, GoalRefused) as error:
        call.refused = str(error)
        call.save(update_fields=["refused"])
        logs.say(goal.pk, BY, "plan", f"call {call.position}, {call.name}, is not possible: {error}", "warning")
        return
    call.goal_id = plan.goal_id
    call.save(update_fields=["goal"])
    said = f"call {call.position}, {tool}.{command}, awaits review as goal {plan.goal_id}"
    logs.say(goal.pk, BY, "plan", said, goal=plan.goal_id)


def _put_to_sleep(goal: Goal, part: Goal, call: FrameworkCall) -> None:
    until = timezone.now() + _LONGEST_WAIT
    if goal.deadline is not None and goal.deadline > timezone.now():
        until = min(until, goal.deadline)
    reason = f"{WAITS}: call {call.position} is goal {part.pk}"
    move_goal(goal, GoalState.PENDING, by=BY, reason=reason, wake_at=until)


def finish(lease: Lease, run: FrameworkRun, answer: str, worked_s: float) -> None:
    """The agent says that it has ended its work; nothing checks what it says."""
    with transaction.atomic():
        goal = hold(lease)
        causes.lock(run)
        run.answer = logs.storable(answer)
        run.save(update_fields=["answer"])
        sealing.seal(run)
        add_time(run, worked_s)
        label = FRAMEWORKS[run.framework].label
        logs.say(goal.pk, BY, "execute", f"the agent of {label} ended its work; nothing has checked what it says")
        logs.say(goal.pk, "model", "execute", answer, data={"answer": True})
        move_goal(goal, GoalState.ACHIEVED, by=BY, outcome=Outcome.NOT_CHECKED.value)


def end(lease: Lease, state: GoalState, reason: str, *, level: str = "error") -> None:
    """The run has failed, or a person is asked (`manual`). What its calls did stays."""
    with transaction.atomic():
        goal = hold(lease)
        logs.say(goal.pk, BY, "plan", reason, level)
        move_goal(goal, state, by=BY, reason=reason)


def put_off(lease: Lease, reason: str, wait: timedelta) -> None:
    """The goal goes on by itself after that time."""
    with transaction.atomic():
        goal = hold(lease)
        logs.say(goal.pk, BY, "plan", f"it goes on later: {reason}", "warning")
        move_goal(goal, GoalState.PENDING, by=BY, reason=reason, wake_at=timezone.now() + wait)


def add_time(run: FrameworkRun, worked_s: float) -> None:
    """Count time at work."""
    FrameworkRun.objects.filter(pk=run.pk).update(worked_s=F("worked_s") + worked_s)


def wake_for(goal_ids: Sequence[int]) -> int:
    """Have the goals go on that wait for calls which are these goals and have ended; how many.

    The race: a person cancels the goal at this moment, or a deadline wakes it. Only what still waits is woken.
    """
    ended = FrameworkCall.objects.filter(goal__in=goal_ids, goal__state__in=_ENDED)
    found = list(ended.filter(run__goal__state=GoalState.PENDING).values_list("run__goal", flat=True))
    if not found:
        return 0
    with transaction.atomic():
        asleep = Goal.objects.filter(pk__in=found, state=GoalState.PENDING.value, reason__startswith=WAITS)
        woken = asleep.exclude(wake_at=None).update(wake_at=None)
        for goal_id in found if woken else ():
            wake_ups.wake(goal_id)
    return woken


def goal_ended(goal_id: int, **_: object) -> None:
    """A hint: a goal has ended, and may be a call that an agent waits for."""
    wake_for([goal_id])


def sweep() -> int:
    """Wake what no message reached."""
    ended_calls = FrameworkCall.objects.filter(turn=F("run__turn"), goal__state__in=_ENDED)
    asleep = ended_calls.filter(run__goal__state=GoalState.PENDING, run__goal__wake_at__isnull=False)
    ended = list(asleep.filter(run__goal__reason__startswith=WAITS).values_list("goal", flat=True)[:_AT_ONCE])
    return wake_for(ended) if ended else 0


def answer_to_caller(lease: Lease) -> bool:
    """A call that would be planned again, because a reviewer sent it back, ends instead: its caller reads why.

    False: the goal is no call of a framework.
    """
    if not FrameworkCall.objects.filter(goal=lease.goal_id).exists():
        return False
    with transaction.atomic():
        goal = hold(lease)
        plan = goal.intent_plans.order_by("-revision").first()
        reason = (plan.reason if plan is not None else "") or goal.reason or "it was not approved as it was"
        logs.say(goal.pk, BY, "plan", f"the agent that called reads this and decides: {reason}", "warning")
        move_goal(goal, GoalState.FAILED, by=BY, reason=reason)
    return True
