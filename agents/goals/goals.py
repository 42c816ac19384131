"""Taking goals in, cancelling them, and accepting a person's own plan."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from agents.bdi.intentions.goal_terms import Terms
from agents.goals import goal_terms, handed_over
from agents.hands import hand_items, outcomes
from agents.models import DEFAULT_AGENT, Agent, Goal, IntentPlan, Workspace
from agents.plans import designs, ending, proposals, rule_choice
from agents.record import logs, telemetry, wake_ups
from agents.record.bounded_text import checked
from agents.record.errors import GoalRefused, NotPossibleNow, PlanInvalid, TooManyGoals
from agents.record.moves import move_goal, move_plan
from agents.record.selectors import current_plan, may_change, workspaces_writable_by
from agents.recovery import internal_errors
from agents.states import PLAN_ENDED, GoalState, MoveRefused, PlanState
from people import journal, rate_limits, sealing
from people.journal import Event
from people.models import User
from people.rate_limits import Limit
from people.roles import Role
from sandbox.store.snapshots import EMPTY

_NAME_TRIES = 50
_NAME_LENGTH = 40


def submit(
    *,
    by: User,
    text: str,
    priority: int = 3,
    workspace: Workspace | None = None,
    depends_on: Sequence[Goal] = (),
    submission_key: str = "",
    design: str = "",
    agent: Agent | None = None,
    deadline: datetime | None = None,
    parent: Goal | None = None,
    paced: bool = True,
    design_first: bool = False,
) -> Goal:
    """Take a goal in, with a written design where there is one. Without a workspace it gets a new, empty one named
    after it; without an agent the first one has it. After its `deadline` it is not begun; a part of `parent`, it is
    dropped when that has ended. `paced`: whether it counts for how many goals a person submits in a minute.
    `design_first`: its design is reviewed also where its agent's need not be.

    The same person with the same `submission_key` gets the goal that exists already: a doubled click or a repeated
    request makes one goal. Raises GoalRefused naming the field, and TooManyGoals.
    """
    began_ns = telemetry.now_ns()
    text = checked_text(text)
    design = designs.checked_design(design)
    _check(by, priority, deadline, parent, depends_on)
    if workspace is not None and not workspaces_writable_by(by).filter(pk=workspace.pk).exists():
        raise GoalRefused("workspace", "No workspace of yours has this name.")
    if (earlier := _submitted_before(by, submission_key)) is not None:
        return earlier
    if paced:
        _check_pace(by)
    try:
        with transaction.atomic():
            more = {"deadline": deadline, "parent": parent}
            drawn = (design, design_first)
            goal = _create(by, text, priority, workspace, list(depends_on), submission_key, drawn, agent, more)
            telemetry.submitted(goal.pk, goal.agent.name, text, began_ns)
            return goal
    except IntegrityError:
        # The race this answers: the same key twice at once. The unique constraint let one through.
        if (earlier := _submitted_before(by, submission_key)) is not None:
            return earlier
        raise


def _check(by: User, priority: int, deadline: datetime | None, parent: Goal | None, depends_on: Sequence[Goal]) -> None:
    if isinstance(priority, bool) or not 1 <= priority <= 5:
        raise GoalRefused("priority", "Priority is a number from 1 (first) to 5 (last).")
    if not by.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER):
        raise GoalRefused("text", "You may not submit goals. Ask an admin for the role submitter.")
    if deadline is not None and deadline <= timezone.now():
        raise GoalRefused("deadline", "This time is in the past. Choose a later one, or leave it empty.")
    if parent is not None and (parent.has_ended or not may_change(by, parent)):
        raise GoalRefused("parent", "A goal can only be part of a goal of yours that has not ended.")
    goal_terms.check(0, Terms(priority, "", parent.pk if parent else None, tuple(goal.pk for goal in depends_on)))


def _submitted_before(by: User, key: str) -> Goal | None:
    return by.goals.filter(submission_key=key).first() if key else None


def _check_pace(by: User) -> None:
    most: int = settings.GOALS_PER_MINUTE
    if most and (wait_s := rate_limits.take(Limit("goals", most, 60 / most), str(by.pk)).wait_s):
        raise TooManyGoals(most, wait_s)


def _create(
    by: User,
    text: str,
    priority: int,
    workspace: Workspace | None,
    depends_on: list[Goal],
    key: str,
    drawn: tuple[str, bool],
    agent: Agent | None,
    more: Mapping[str, Any],
) -> Goal:
    goal_terms.refuse_lost(depends_on)
    depends_on = handed_over.awaited(depends_on)
    waiting = [goal for goal in depends_on if goal.state != GoalState.ACHIEVED]
    agent = _held(agent) if agent is not None else Agent.objects.get_or_create(name=DEFAULT_AGENT)[0]
    design, is_first = drawn
    state, reason = _begins(waiting, looked_at=bool(design) and (is_first or agent.review_design))
    files = workspace or _new_workspace(by, text)
    goal = Goal.objects.create(
        text=text,
        submitted_by=by,
        agent=agent,
        workspace=files,
        priority=priority,
        state=state.value,
        reason=reason,
        submission_key=key,
        **more,
    )
    sealing.seal_new(goal)
    goal.depends_on.set(depends_on)
    logs.say(goal.pk, "bdi_agent", "submit", f"goal {goal.pk} submitted by {by.username}, priority {priority}")
    if waiting:
        logs.say(goal.pk, "bdi_agent", "submit", _waits_for(waiting))
    if design:
        designs.take(goal, design, by=by, is_reviewed=is_first or agent.review_design)
    wake_ups.wake(goal.pk)
    if workspace is None:
        journal.record(Event.WORKSPACE_MADE, by=by, subject=f"workspace:{files.name}")
    return goal


def _held(agent: Agent) -> Agent:
    """The agent, as long as it is there for goals. The race: it is retired at this moment, and waits for this lock."""
    found = Agent.objects.select_for_update(of=("self",), no_key=True).get(pk=agent.pk)
    if found.retired_at is not None:
        raise GoalRefused("agent", f"The agent {found.name} is retired and takes no goals.")
    return found


def _begins(waiting: Sequence[Goal], *, looked_at: bool) -> tuple[GoalState, str]:
    """Where a new goal starts; `looked_at`: its design awaits review, and nothing is planned before that."""
    if waiting:
        return GoalState.BLOCKED, _waits_for(waiting)
    return (GoalState.AWAITING_REVIEW, designs.AWAITS) if looked_at else (GoalState.PENDING, "")


def _waits_for(goals: Sequence[Goal]) -> str:
    return "waits for goal " + ", ".join(str(goal.pk) for goal in goals) if goals else ""


def _new_workspace(by: User, text: str) -> Workspace:
    """An empty workspace named after the goal's first words; a number is added when the name is taken."""
    stem = slugify(unicodedata.normalize("NFKD", text[:200]))
    if len(stem) > _NAME_LENGTH:
        stem = stem[: _NAME_LENGTH + 1].rpartition("-")[0] or stem[:_NAME_LENGTH]
    stem = stem.strip("-") or "workspace"
    for number in range(1, _NAME_TRIES):
        name = stem if number == 1 else f"{stem}-{number}"
        workspace, made = Workspace.objects.get_or_create(name=name, defaults={"owner": by, "head": EMPTY})
        if made:
            return workspace
    last = Workspace.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    return Workspace.objects.create(name=f"{stem}-w{last + 1}", owner=by, head=EMPTY)


def checked_text(text: str) -> str:
    """The goal's text, stripped; GoalRefused when it is empty, too long or holds control characters."""
    return checked(text, field="text", most=settings.GOAL_TEXT_MAX, empty="Say what should be achieved.")


def cancel(goal: Goal, *, by: User) -> Goal:
    """Cancel the goal. A step that runs is stopped within seconds by its worker, which then drops the goal.

    Raises NotPossibleNow when the goal has ended already.
    """
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if goal.has_ended:
            raise NotPossibleNow(f"Goal {goal.pk} has ended already: {goal.state}.")
        logs.say(goal.pk, "bdi_agent", "cancel", f"cancelled by {by.username}", level="warning")
        plan = (
            goal.intent_plans.select_for_update(no_key=True)
            .exclude(state__in=[state.value for state in PLAN_ENDED])
            .first()
        )
        if plan is None:
            reason = ending.with_error(goal, "cancelled_by_person")
            return move_goal(goal, GoalState.DROPPED, by=by.username, reason=reason)
        if plan.state == PlanState.EXECUTING and _worker_holds(goal):
            # The worker's companion sees the flag, stops the step and ends the plan; should it die, the next one does.
            IntentPlan.objects.filter(pk=plan.pk).update(cancel_requested=True, reason=f"cancelled by {by.username}")
        else:
            ending.cancelled(goal, plan, by=by.username)
    return goal


def _worker_holds(goal: Goal) -> bool:
    """Whether a worker has a live lease (the database's clock decides) and so will notice the cancel flag itself."""
    return Goal.objects.filter(pk=goal.pk).extra(where=["lease_until > clock_timestamp()"]).exists()


def supply_plan(
    goal: Goal, *, by: User, steps: Sequence[Mapping[str, Any]], cleanup: Sequence[Mapping[str, Any]] = ()
) -> IntentPlan:
    """Propose a person's own plan for a goal that waits for one (`manual`) or for a model, or instead of the one in
    review.

    Steps are `{tool, command, params}`. Raises PlanInvalid with every problem, NotPossibleNow in any other state.
    """
    draft, problems = proposals.draft_by_hand(goal, steps, cleanup, by=by)
    if problems:
        raise PlanInvalid(problems)
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if designs.in_the_way(goal) is not None or rule_choice.is_open(goal):
            raise NotPossibleNow("A reviewer must decide on its design or rules first. Then you can plan by hand.")
        if goal.state == GoalState.AWAITING_REVIEW:
            plan = current_plan(goal)
            if plan is None or plan.state != PlanState.AWAITING_REVIEW:
                raise NotPossibleNow("The plan was approved already. Cancel the goal to replace it.")
            move_plan(plan, PlanState.SUPERSEDED, by=by.username, reason="replaced by a plan written by hand")
        elif goal.is_put_off:
            move_goal(goal, GoalState.PLANNING, by=by.username, wake_at=None)
        elif goal.state != GoalState.MANUAL:
            raise NotPossibleNow(f"Goal {goal.pk} is {goal.state}; you can plan by hand when it is manual.")
        elif internal_errors.keeps_a_plan(goal):
            raise NotPossibleNow("Its approved plan stopped halfway inside mindX. Try again, or cancel the goal.")
        elif (asked := outcomes.asked_about(goal)) is not None:
            raise NotPossibleNow(f"First say whether step {asked.position} took effect: its plan has not ended.")
        hand_items.superseded(goal, by=by)
        try:
            return proposals.propose(goal, draft, by=by)
        except MoveRefused as error:
            raise NotPossibleNow(str(error)) from error
