"""One turn of a goal's cycle under its lease: unblock, plan, execute or learn, whatever its state asks for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from agents.bdi.intentions.cycle import Decision
from agents.cycle import failed_turns, waiting
from agents.execution import beginning, database_outage, executor, sweep_parts, taking_up
from agents.frameworks import runs, turns
from agents.goals import handed_over, sub_goals
from agents.learning import learning
from agents.models import Goal
from agents.planning import planning
from agents.plans import goal_families, shadowing
from agents.record import disk, draining, logs, telemetry, wake_ups
from agents.record.lease import LOST_WORKERS_MAX, Lease, LeaseLost, Turn, claim, claimable, hand_over, hold, release
from agents.record.moves import move_goal
from agents.recovery import recovery_learning, told_beliefs
from agents.states import GOAL_ENDED, GoalState, MoveRefused, PlanState
from library import embedding
from library.language import may_wait
from library.language.may_wait import NotHere

logger = logging.getLogger(__name__)

SWEEP_WAKES = 8
_UNDER_WAY = (GoalState.EXECUTING, GoalState.RECOVERING)

_Begin = Callable[[], beginning.Begun | None]


def work(goal_id: int | None = None, of: Turn = Turn.ANY) -> None:
    """Take turns of this kind until there is none left to claim, the named goal first."""
    done = goal_id
    while not draining.is_asked():
        done = (done and one(done, of)) or one(of=of)
        if done is None:
            break
    embedding.embed_waiting()


def one(goal_id: int | None = None, of: Turn = Turn.ANY) -> int | None:
    """Claim this goal, or the most urgent one whose next turn is of this kind, and take that turn.

    Returns the goal to go on with (this one, or another that it let go first), or None when nothing could be claimed,
    or nothing is left to do for the named goal.

    An approved plan is claimed, taken up and begun in one transaction, for a person waits for its first step, and so is
    a new goal claimed and adopted, and one that has ended claimed and remembered; when that does not go well, it is
    claimed alone, and the turn finds out why.
    """
    lease, begun, adopted, learned = None, None, None, False
    try:
        with transaction.atomic():
            claimed = taking_up.claim(goal_id, of)
            if claimed is not None:
                lease, plan = claimed
                begun, adopted, learned = _begun_with(lease, plan), _adopted_with(lease), _learned_with(lease)
    except Exception as error:
        if database_outage.is_outage(error):
            if lease is None:
                raise
            # Whether it was claimed nobody knows: the reply may be all that was lost.
            _give_back(lease)
            return lease.goal_id
        logger.debug("Goal %s is claimed before its plan is taken up", goal_id, exc_info=error)
        lease, begun, adopted, learned = claim(goal_id, of), None, None, False
    if lease is None or (learned and goal_id is not None):
        return None
    if not learned:
        turn(lease, begun, adopted)
    return lease.then[0] if lease.then else lease.goal_id


class _Apart(Exception):
    """What was to be written with the claim cannot be."""


def _begun_with(lease: Lease, plan: taking_up.Found | None) -> _Begin | None:
    """How the turn comes by its plan when that is begun with the claim; None where the turn begins it."""
    if lease.lost or lease.state != GoalState.AWAITING_REVIEW:
        return None
    with telemetry.working_on(worker=lease.owner, goal=lease.goal_id):
        begun = beginning.begin(lease, plan)
    if connection.needs_rollback:
        raise _Apart
    return lambda: begun


def _adopted_with(lease: Lease) -> planning.Adopted | None:
    """The goal as it was adopted with the claim; None where the turn adopts it."""
    if lease.lost or lease.state != GoalState.PENDING:
        return None
    with telemetry.working_on(worker=lease.owner, goal=lease.goal_id):
        return planning.adopt(lease)


def _learned_with(lease: Lease) -> bool:
    """Whether the ended goal was remembered with the claim, and the lease given back; else the turn remembers it."""
    if lease.lost or lease.state not in GOAL_ENDED:
        return False
    with _claimed(lease):
        return learning.learn_with_claim(lease)


def _give_back(lease: Lease) -> None:
    """Leave a goal whose claim may have come to pass to the next worker. One that had ended was remembered with the
    claim or is as it was before; no turn of it begins again.
    """
    if lease.state in GOAL_ENDED:
        database_outage.when_it_answers(lambda: release(lease))
    else:
        database_outage.give_back(lease)


def turn(lease: Lease, begin: _Begin | None = None, adopted: planning.Adopted | None = None) -> None:
    """One turn under a lease, which is given back at the end whatever happens.

    `begin` gives the plan to be run, `adopted` the goal to be planned where that was adopted with the claim.
    """
    with _claimed(lease):
        _turn(lease, begin or (lambda: beginning.begin(lease)), adopted)


@contextmanager
def _claimed(lease: Lease) -> Iterator[None]:
    with (
        telemetry.working_on(worker=lease.owner),
        telemetry.span("claim", lease.goal_id, {"mindx.fence": lease.fence, "mindx.worker": lease.owner}),
    ):
        yield


def _turn(lease: Lease, begin: _Begin, adopted: planning.Adopted | None) -> None:
    given_back = False
    try:
        given_back = _step(lease, begin, adopted)
    except NotHere:
        given_back = database_outage.when_it_answers(lambda: _hand_over(lease))
    except LeaseLost as error:
        logger.warning("Goal %s continued on another worker: %s", lease.goal_id, error)
    except Exception as error:
        # The edge of the loop: a bug must neither stop the worker nor be tried again without a pause or a limit.
        if database_outage.is_outage(error):
            logger.exception("A turn of goal %s ended with the database's connection", lease.goal_id)
            database_outage.give_back(lease)
            return
        if disk.is_full(error):
            logger.exception("A turn of goal %s ended with a full disk", lease.goal_id)
            database_outage.put_off(lease)
            return
        _failed(lease, error)
        return
    if not given_back:
        database_outage.when_it_answers(lambda: release(lease))


def _hand_over(lease: Lease) -> bool:
    """What the turn came to asks a language model, for which the processes of a worker do not wait."""
    hand_over(lease)
    wake_ups.wake_background("goal", lease.goal_id)
    return True


def _step(lease: Lease, begin: _Begin, adopted: planning.Adopted | None) -> bool:
    """Do what the goal's state asks for; whether the lease was given back with it."""
    state = GoalState(lease.state or Goal.objects.values_list("state", flat=True).get(pk=lease.goal_id))
    if lease.lost >= LOST_WORKERS_MAX and state in (GoalState.PENDING, GoalState.PLANNING):
        planning.give_up(lease, f"worker_died_{lease.lost}_times while it was planned")
    elif lease.lost >= LOST_WORKERS_MAX and state in GOAL_ENDED:
        learning.give_up(lease, f"{lease.lost} workers died while they remembered it")
    elif state is GoalState.BLOCKED:
        if not sub_goals.go_on(lease):
            unblock(lease)
    elif state in (GoalState.PENDING, GoalState.PLANNING):
        return _plan(lease, adopted or planning.adopt(lease))
    elif state in GOAL_ENDED:
        learning.learn(lease)
        return True
    elif (begun := begin()) is not None:
        return executor.execute(lease, begun)
    else:
        _ask_without_plan(lease)
    return False


def _plan(lease: Lease, adopted: planning.Adopted) -> bool:
    """Plan the goal, or have the framework of its agent work on it; whether the lease was given back with it."""
    goal = adopted.goal
    if goal.state != GoalState.PLANNING or not runs.is_for_framework(goal):
        return planning.plan_goal(lease, adopted)
    may_wait.check()
    if not runs.answer_to_caller(lease):
        turns.turn(lease, goal)
    return False


def _ask_without_plan(lease: Lease) -> None:
    """Have a person look at a goal under way of which no plan is approved or runs: no turn could end that.

    No move leads there. Rows that were changed past mindX do, and such a goal would be taken up again and again.
    """
    with transaction.atomic():
        goal = hold(lease)
        plans = set(goal.intent_plans.values_list("state", flat=True))
        if goal.state not in _UNDER_WAY or plans & {PlanState.APPROVED, PlanState.EXECUTING}:
            return
        waits = PlanState.AWAITING_REVIEW in plans
        what = "its plan awaits review" if waits else "none of its plans is approved or runs; a person must say how"
        logs.say(goal.pk, "worker", "cycle", f"the goal was {goal.state}, but {what}", level="error")
        reason = "" if waits else "no_plan_is_open"
        asks = GoalState.AWAITING_REVIEW if waits else GoalState.MANUAL
        move_goal(goal, asks, by=lease.owner, reason=reason, wake_at=None)


def _failed(lease: Lease, error: Exception) -> None:
    """Count the turn that raised; the lease runs out by itself where not even that can be written."""
    try:
        if isinstance(error, MoveRefused):
            logger.warning("Goal %s continued on another worker: %s", lease.goal_id, error)
            failed_turns.refused(error, lease)
        elif failed_turns.ended_by(error, lease):
            logger.error("A turn of goal %s failed", lease.goal_id, exc_info=error)
        else:
            logger.warning("Goal %s went on elsewhere, and this worker's turn ended with: %r", lease.goal_id, error)
    except Exception as unwritten:
        logger.exception("The failed turn of goal %s could not be recorded", lease.goal_id)
        if disk.is_full(unwritten):
            database_outage.put_off(lease)


def unblock(lease: Lease) -> None:
    """All goals this one waits for have ended: start it, or say which one failed it."""
    with transaction.atomic():
        goal = hold(lease)
        known = list(goal.depends_on.order_by("pk"))
        lost = next(filter(handed_over.is_lost, known), None)
        if lost is None and (more := _still_awaited(known)):
            goal.depends_on.add(*more)
            reason = "waits for goal " + ", ".join(str(one.pk) for one in more)
            logs.say(goal.pk, "bdi_agent", "deliberate", f"{reason}, made for what it waited for")
            Goal.objects.filter(pk=goal.pk).update(reason=reason)
            return
        if lost is None:
            waited_for = [one.pk for one in known]
            said = "every goal it waits for is achieved"
            logs.say_decided(goal.pk, Decision.BEGIN, "deliberate", said, waited_for=waited_for)
            move_goal(goal, GoalState.PENDING, by="bdi_agent")
            return
        ended = lost.shown_state.replace("_", " ")
        reason = f"dependency_failed: goal {lost.pk}, which this one waits for, ended as {ended}"
        why = {"why": "dependency_failed", "goal": lost.pk}
        logs.say_decided(goal.pk, Decision.DO_NOT_ADOPT, "deliberate", reason, level="error", **why)
        move_goal(goal, GoalState.FAILED, by="bdi_agent", reason=reason)


def _still_awaited(known: list[Goal]) -> list[Goal]:
    """Goals that were made for those that this one waited for, and that are not achieved yet."""
    return [one for one in handed_over.awaited(known) if one not in known and one.state != GoalState.ACHIEVED]


def sweep() -> None:
    """Wake the workers when anything can be claimed, and make up for what no message reached; each part by itself."""
    sweep_parts.each(
        told_beliefs.expire,
        goal_families.drop_orphans,
        _wake_workers,
        recovery_learning.settle,
        shadowing.stop_unwanted,
    )


def _wake_workers() -> None:
    """Have workers look for what waits, whatever it is, as long as they take the wake-ups that there are.

    A wake-up has no time at which it expires: behind a backlog, or by a clock that is wrong, all of them might.
    """
    kinds = waiting.for_workers()
    room = SWEEP_WAKES - wake_ups.untaken() if kinds else 0
    if room > 0:
        turns = min(room, sum(number for kind, number in waiting.counts(room).items() if kind in kinds))
        goals = claimable(limit=turns)
        for goal_id in goals:
            wake_ups.wake(goal_id)
        for _ in range(turns - len(goals)):
            wake_ups.wake_worker()
    for goal_id in claimable(limit=1, of=Turn.BACKGROUND):
        wake_ups.wake_background("goal", goal_id)
