"""What a restored installation does before it works: nothing that was approved runs by itself.

Between the dump and the restore, approved steps may have run, and their effects outside (an e-mail, a payment) are not
undone by an older database. mindX cannot know, so people are asked: every plan that was approved becomes a revision of
the steps that are left, policies that approve stay out of force until a person enables them again, and what waited for
its moment is dropped.

Rows that contradict each other are mended on the way (`impossible_rows`), and said one by one. No row keeps the others
from being settled.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.hands import typed
from agents.hands.hand_commands import tell
from agents.models import Attempt, Goal, HandCommand, IntentPlan, Workspace
from agents.plans import renewals, report_filing, stray_plans
from agents.record import logs
from agents.record.audit import What
from agents.record.moves import move_goal, move_hand_command, move_intents, move_plan
from agents.recovery import after_failure
from agents.states import GOAL_MOVES, GoalState, HandState, IntentState, PlanState
from mindx_web.backup import impossible_rows
from mindx_web.backup.settled import BY, Rows, Settled
from people import journal
from people.journal import Event
from review.deciding import holding
from review.models import HeldDecision, PolicyVersion, ReviewPolicy
from review.policies import writing
from review.policy.states import PolicyState
from review.policy.verdict import Action


def settle(as_of: str) -> Iterator[Settled]:
    """Each thing that was done; of rows that contradict each other only where there are any. Nobody else may be at
    work; each row is a transaction of its own.
    """
    why = f"mindX was restored from a backup of {as_of}; what ran after that moment is unknown"
    yield _policies(why)
    yield Settled(_held(why), "decisions that had not taken effect yet were dropped")
    yield _typed(why)
    yield from _any(impossible_rows.waiting_plans(why))
    yield _waiting(why)
    yield from _plans(why)
    yield from _any(impossible_rows.left_open(why), impossible_rows.without_plan())
    yield Settled(Session.objects.all().delete()[0], "sessions were ended")
    Goal.objects.exclude(lease_until=None).update(lease_until=None, lease_owner="")
    with transaction.atomic():
        journal.record(Event.RESTORED, by=None, subject="installation", data={"as_of": as_of})


def _any(*found: Settled) -> Iterator[Settled]:
    return (one for one in found if one.count or one.unsettled)


def _policies(why: str) -> Settled:
    """A policy would approve what a person had decided otherwise after the dump."""
    enabled = ReviewPolicy.objects.filter(state=PolicyState.ENABLED.value)
    approving = set(PolicyVersion.objects.filter(action=Action.AUTO_APPROVE.value).values_list("policy_id", "number"))
    rows = Rows()
    for policy in enabled:
        if (policy.pk, policy.number) in approving:
            rows.settle(f"policy {policy.pk}", partial(writing.suspend, policy, by=None, reason=why))
    return rows.settled("automatic-approval policies were suspended")


def _held(why: str) -> int:
    waiting = list(HeldDecision.objects.filter(dropped=""))
    for held in waiting:
        with transaction.atomic():
            holding.drop(held, why)
    return len(waiting)


def _typed(why: str) -> Settled:
    """What was typed is carried out at most once, and who typed it is not there any more."""
    open_ones = HandCommand.objects.select_related("goal", "by")
    rows = Rows()
    for command in open_ones.filter(state=HandState.RUNNING.value):
        rows.settle(f"command {command.pk} of goal {command.goal_id}", partial(typed.give_up, command, why))
    for command in open_ones.filter(state=HandState.WAITING.value):
        rows.settle(f"command {command.pk} of goal {command.goal_id}", partial(_cancel_typed, command, why))
    return rows.settled("typed commands were ended")


def _cancel_typed(command: HandCommand, why: str) -> None:
    move_hand_command(command, HandState.CANCELLED, reason=why)
    tell(command, What.CANCELLED, why=why)


def _plans(why: str) -> Iterator[Settled]:
    """Every plan that may run: asked about again, or ended where its goal can have none or it cannot be asked about."""
    taken = [PlanState.APPROVED.value, PlanState.EXECUTING.value]
    asked, ended = Rows(), Rows()
    for plan_id, goal_id in IntentPlan.objects.filter(state__in=taken).order_by("pk").values_list("pk", "goal_id"):
        goal_can_have_none = Goal.objects.filter(pk=goal_id, state__in=sorted(stray_plans.WITHOUT_PLAN)).exists()
        rows, does = (ended, _end) if goal_can_have_none else (asked, _ask_again)
        rows.settle(f"goal {goal_id}: plan {plan_id}", partial(does, plan_id, why), partial(_give_up, plan_id, why))
    yield asked.settled("approved plans went back to review")
    yield from _any(ended.settled("approved plans were ended because their goals cannot have one"))


def _locked(plan_id: int) -> tuple[Goal, IntentPlan]:
    goal_id = IntentPlan.objects.values_list("goal_id", flat=True).get(pk=plan_id)
    goal = Goal.objects.select_for_update(no_key=True).get(pk=goal_id)
    plan = IntentPlan.objects.select_for_update(no_key=True).get(pk=plan_id)
    goal.workspace = plan.workspace = Workspace.objects.select_for_update(no_key=True).get(pk=plan.workspace_id)
    return goal, plan


def _end(plan_id: int, why: str) -> str:
    return stray_plans.end(*_locked(plan_id), by=BY, why=why)


def _ask_again(plan_id: int, why: str) -> None:
    """A plan that only cleans up, or cannot be read, leaves nothing to ask about: it has failed."""
    goal, plan = _locked(plan_id)
    report_filing.file(plan.pk, goal.pk)
    Attempt.objects.filter(intent__intent_plan=plan, finished=None).update(
        finished=timezone.now(), outcome="lost", reason=why
    )
    after_failure.close_items(goal)
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        document = None
    if document is not None and not plan.aborting:
        renewals.ask_again(goal, plan, document, by=BY, why=why, kind=renewals.GROUNDS)
        move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=why)
        Goal.objects.filter(pk=goal.pk).update(wake_at=None)
        return
    reason = f"{plan.aborting or 'the stored plan cannot be read'}; {why}"
    _close_intents(plan, why)
    move_plan(plan, PlanState.FAILED, by=BY, reason=reason)
    logs.say(goal.pk, "review", "execute", reason, level="error")
    if GoalState.FAILED not in GOAL_MOVES[GoalState(goal.state)]:
        goal = move_goal(goal, GoalState.EXECUTING, by=BY)
    move_goal(goal, GoalState.FAILED, by=BY, reason=reason)


def _give_up(plan_id: int, why: str) -> str:
    """End a plan that cannot be asked about again, by no more than its moves, and have a person plan its goal."""
    goal, plan = _locked(plan_id)
    _close_intents(plan, why)
    move_plan(plan, PlanState.CANCELLED, by=BY, reason=why)
    return impossible_rows.ask_a_person(goal, f"revision {plan.revision} could not go back to review and was ended")


def _close_intents(plan: IntentPlan, why: str) -> None:
    move_intents(plan.intents.filter(state=IntentState.RUNNING.value), IntentState.FAILED, reason=why)
    move_intents(plan.intents.filter(state=IntentState.PENDING.value), IntentState.SKIPPED, reason=why)


def _waiting(why: str) -> Settled:
    """They may have been approved, and run, after the dump: whoever decides should know."""
    waiting = IntentPlan.objects.filter(state=PlanState.AWAITING_REVIEW.value)
    said = f"{why}: check whether this plan has already run"
    rows = Rows()
    for goal_id in waiting.values_list("goal_id", flat=True).distinct():
        rows.settle(f"goal {goal_id}", partial(logs.say, goal_id, "review", "review", said, level="warning"))
    return rows.settled("plans waiting for review got a warning in their log")
