"""Carrying out what reconsidering came to for a plan of which nothing runs at the moment.

Between two steps the executor does it (`agents/execution/reconsidering.py`); here are the plans that wait.
"""

from __future__ import annotations

from agents.actors import commitments
from agents.bdi.intentions.commitment import Commitment, Course, Reconsidered, reconsider
from agents.bdi.intentions.cycle import Decision
from agents.bdi.intentions.reacting import Does, reaction
from agents.bdi.outcome.outcome import Outcome
from agents.beliefs import grounds
from agents.models import Goal, IntentPlan
from agents.record import logs, wake_ups
from agents.record.logs import NewLine
from agents.record.moves import move_goal, move_intents, move_plan
from agents.states import PLAN_ENDED, GoalState, IntentState, PlanState

BY = "bdi_agent"
# Reasons of a goal that asks a person because no plan was found.
NO_PLAN = ("no_", "model_", "unusable_value", "over_limit", "same_plan_again", "refused_step_again", "deadline_passed")


def lacks_a_plan(goal: Goal) -> bool:
    """Whether the goal asks a person because none was found."""
    return goal.state == GoalState.MANUAL and goal.reason.startswith(NO_PLAN)


def react(goal: Goal, *, by: str, what: str) -> Does:
    """Do what a change of beliefs asks for. The caller holds the goal's row; `what` says what has changed.

    One line of the log says what was done and why, with what it stands on.
    """
    plan = _open_plan(goal)
    state = GoalState(goal.state)
    waits = plan is not None and plan.state == PlanState.AWAITING_REVIEW
    if plan is not None and waits and (ended := _ended_by_word(goal)) is not None:
        words = f"{what}: {sentence(ended)}"
        logs.say_decided(goal.pk, Decision.RECONSIDER, "reconsider", words, "warning", **ended.data)
        let_go(goal, plan, ended, by=by)
        return Does.DROP
    lost = grounds.losses_before_it_began(goal, plan) if plan is not None and waits else ()
    reacted = reaction(state, PlanState(plan.state) if plan else None, lost, lacks_a_plan=lacks_a_plan(goal))
    does = reacted.does
    if does is Does.RECONSIDER and plan is not None and plan.state == PlanState.APPROVED:
        _reconsider(goal, plan, by=by)
    elif does is not Does.NOTHING:
        kind = commitments.of(goal.agent_id)
        said = f"{what}: {reacted.why}"
        logs.say_decided(goal.pk, Decision.RECONSIDER, "reconsider", said, course=does.value, commitment=kind.value)
    if does is Does.PLAN_AGAIN:
        if plan is not None and waits:
            move_plan(plan, PlanState.SUPERSEDED, by=by, reason=reacted.why)
        move_goal(goal, GoalState.PENDING, by=by, reason="a belief changed", wake_at=None)
    if does is not Does.NOTHING:
        wake_ups.wake(goal.pk)
    return does


def _ended_by_word(goal: Goal) -> Reconsidered | None:
    """What a person's word about the goal itself comes to while its plan waits.

    Nothing has run that it would interrupt, so no commitment holds on to it.
    """
    decided = reconsider(Commitment.OPEN_MINDED, grounds.situation(goal, grounds.held(goal), ()))
    return decided if decided.course in (Course.DROP, Course.ACHIEVED) else None


def _open_plan(goal: Goal) -> IntentPlan | None:
    ended = [state.value for state in PLAN_ENDED]
    return goal.intent_plans.select_for_update(no_key=True).exclude(state__in=ended).first()


def _reconsider(goal: Goal, plan: IntentPlan, *, by: str) -> None:
    """A plan that was approved and has not begun: its agent's commitment decides."""
    lost = grounds.losses_before_it_began(goal, plan)
    decided = reconsider(commitments.of(goal.agent_id), grounds.situation(goal, grounds.held(goal), lost))
    say(goal.pk, decided)
    if decided.course is not Course.GO_ON:
        let_go(goal, plan, decided, by=by)


def say(goal_id: int, decided: Reconsidered) -> None:
    """The decision, in one sentence with its data."""
    logs.write(goal_id, [line(decided)])


def line(decided: Reconsidered) -> NewLine:
    """The line of the log that says so."""
    level = "info" if decided.course is Course.GO_ON else "warning"
    return logs.decided(Decision.RECONSIDER, "reconsider", sentence(decided), level, **decided.data)


def sentence(decided: Reconsidered) -> str:
    """What the log says of a decision."""
    ends = {
        Course.GO_ON: "goes on",
        Course.PLAN_AGAIN: "plans again and asks for review again",
        Course.DROP: "drops the goal",
        Course.ACHIEVED: "stops: the goal is achieved",
    }
    return f"{ends[decided.course]}: {decided.why}"


def let_go(goal: Goal, plan: IntentPlan, decided: Reconsidered, *, by: str) -> None:
    """End a plan of which nothing runs, and move its goal as was decided. The caller holds both rows.

    What is planned instead is a revision of its own and reviewed like any. Raises MoveRefused as every move does.
    """
    pending = plan.intents.filter(state=IntentState.PENDING.value)
    move_intents(pending, IntentState.SKIPPED, reason=f"not run: {decided.why}"[:1000])
    move_plan(plan, PlanState.SUPERSEDED, by=by, reason=decided.why)
    if decided.course is Course.PLAN_AGAIN:
        move_goal(goal, GoalState.PENDING, by=by, reason="a belief changed", wake_at=None)
    elif decided.course is Course.ACHIEVED and goal.state == GoalState.EXECUTING:
        # Whoever said so has looked.
        move_goal(goal, GoalState.ACHIEVED, by=by, reason=decided.why, outcome=Outcome.ACHIEVED.value)
    else:
        # Also when it is achieved: nothing of it ran, so that was not its doing.
        move_goal(goal, GoalState.DROPPED, by=by, reason=in_a_word(decided))
    wake_ups.wake(goal.pk)


def in_a_word(decided: Reconsidered) -> str:
    """The reason of a goal that is dropped: a word, and why."""
    word = "superseded" if decided.course is Course.ACHIEVED or "not needed" in decided.why else "impossible"
    return f"{'not_wanted' if 'no longer wanted' in decided.why else word}: {decided.why}"
