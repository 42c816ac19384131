"""What a restored installation does before it works: nothing that was approved runs by itself.

Between the dump and the restore, approved steps may have run, and their effects outside (an e-mail, a payment) are not
undone by an older database. mindX cannot know, so people are asked: every plan that was approved becomes a revision of
the steps that are left, policies that approve stay out of force until a person enables them again, and what waited for
its moment is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from agents.audit import What
from agents.bdi import document as documents
from agents.execution import filing, typed
from agents.models import Attempt, Goal, HandCommand, IntentPlan, Workspace
from agents.services import logs, renewing
from agents.services.hand_commands import tell
from agents.services.moves import move_goal, move_hand_command, move_intents, move_plan
from agents.states import GoalState, HandState, IntentState, PlanState
from people import journal
from people.journal import Event
from review.models import HeldDecision, PolicyVersion, ReviewPolicy
from review.policy.states import PolicyState
from review.policy.verdict import Action
from review.services import holding, policy_writing

BY = "restore"


def settle(as_of: str) -> Iterator[tuple[int, str]]:
    """Each thing that was done, with how often. Nobody else may be at work; each row is a transaction of its own."""
    why = f"mindX was restored from a backup of {as_of}; what ran after that moment is not known here"
    yield _policies(why), "policies that approve were suspended"
    yield _held(why), "decisions that waited for their moment were dropped"
    yield _typed(why), "typed commands were ended"
    yield _waiting(why), "plans that wait for a decision say so in their log"
    yield _plans(why), "approved plans are asked again"
    yield Session.objects.all().delete()[0], "logins were ended"
    Goal.objects.exclude(lease_until=None).update(lease_until=None, lease_owner="")
    with transaction.atomic():
        journal.record(Event.RESTORED, by=None, subject="installation", data={"as_of": as_of})


def _policies(why: str) -> int:
    """A policy would approve what a person had decided otherwise after the dump."""
    enabled = ReviewPolicy.objects.filter(state=PolicyState.ENABLED.value)
    approving = set(PolicyVersion.objects.filter(action=Action.AUTO_APPROVE.value).values_list("policy_id", "number"))
    return sum(
        policy_writing.suspend(policy, by=None, reason=why)
        for policy in enabled
        if (policy.pk, policy.number) in approving
    )


def _held(why: str) -> int:
    waiting = list(HeldDecision.objects.filter(dropped=""))
    for held in waiting:
        with transaction.atomic():
            holding.drop(held, why)
    return len(waiting)


def _typed(why: str) -> int:
    """What was typed is carried out at most once, and who typed it is not there any more."""
    open_ones = HandCommand.objects.select_related("goal", "by")
    running = list(open_ones.filter(state=HandState.RUNNING.value))
    for command in running:
        typed.give_up(command, why)
    waiting = list(open_ones.filter(state=HandState.WAITING.value))
    for command in waiting:
        with transaction.atomic():
            move_hand_command(command, HandState.CANCELLED, reason=why)
            tell(command, What.CANCELLED, why=why)
    return len(running) + len(waiting)


def _plans(why: str) -> int:
    taken = [PlanState.APPROVED.value, PlanState.EXECUTING.value]
    numbers = list(IntentPlan.objects.filter(state__in=taken).order_by("pk").values_list("pk", flat=True))
    for number in numbers:
        with transaction.atomic():
            goal_id = IntentPlan.objects.values_list("goal_id", flat=True).get(pk=number)
            goal = Goal.objects.select_for_update(no_key=True).get(pk=goal_id)
            plan = IntentPlan.objects.select_for_update(no_key=True).get(pk=number)
            goal.workspace = plan.workspace = Workspace.objects.select_for_update(no_key=True).get(pk=plan.workspace_id)
            _ask_again(goal, plan, why)
    return len(numbers)


def _ask_again(goal: Goal, plan: IntentPlan, why: str) -> None:
    """The caller holds the rows. A plan that only cleans up, or cannot be read, leaves nothing to ask about."""
    filing.file(plan.pk, goal.pk)
    Attempt.objects.filter(intent__intent_plan=plan, finished=None).update(
        finished=timezone.now(), outcome="lost", reason=why
    )
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        document = None
    if document is not None and not plan.aborting:
        renewing.ask_again(goal, plan, document, by=BY, why=why, kind=renewing.GROUNDS)
        Goal.objects.filter(pk=goal.pk).update(wake_at=None)
        return
    move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=why)
    move_intents(plan.intents.filter(state=IntentState.PENDING.value), IntentState.SKIPPED, reason=why)
    if plan.state == PlanState.APPROVED:
        goal = move_goal(goal, GoalState.EXECUTING, by=BY)
    reason = f"{plan.aborting or 'the stored plan cannot be read'}; {why}"
    move_plan(plan, PlanState.FAILED, by=BY, reason=reason)
    logs.say(goal.pk, "review", "execute", reason, level="error")
    move_goal(goal, GoalState.FAILED, by=BY, reason=reason)


def _waiting(why: str) -> int:
    """They may have been approved, and run, after the dump: whoever decides should know."""
    waiting = IntentPlan.objects.filter(state=PlanState.AWAITING_REVIEW.value)
    goals = list(waiting.values_list("goal_id", flat=True).distinct())
    for goal_id in goals:
        logs.say(goal_id, "review", "review", f"{why}: look whether this plan has run already", level="warning")
    return len(goals)
