"""`goals`: submit, list, read, cancel, plan by hand, log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.http import HttpResponse
from ninja import Body, Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.actors import lifecycle
from agents.goals import goal_terms
from agents.goals import goals as services
from agents.models import Agent, Goal, IntentPlan
from agents.pages.files import files_held
from agents.pages.goals import goal_log, goal_tree
from agents.presentation.files_held import Holder
from agents.record import selectors
from agents.states import GoalState
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, after_id, found_id, next_after, row_id
from mindx_web.api.protocol.problems import Problem, invalid, not_found
from mindx_web.api.protocol.shapes import Moment, Nothing, Strict
from mindx_web.api.review.intent_plans import PlanOut, plan_out
from mindx_web.api.review.outcomes import CheckOut, checks_out
from people.models import User
from people.scopes import Scope

router = Router(tags=["goals"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)
_MOST_DEPENDENCIES = 50
_MOST_LINES = 1000


class GoalIn(Strict):
    """A goal in plain English; without a workspace it gets a new one."""

    text: str
    priority: int = Field(3, ge=1, le=5, description="1 is adopted first, 5 last")
    workspace: str | None = Field(None, description="name of a workspace of yours")
    agent: str | None = Field(None, max_length=64, description="name or id of its agent; without one the first")
    depends_on: list[str] = Field([], max_length=_MOST_DEPENDENCIES, description="ids of goals that must be achieved")
    deadline: Moment | None = Field(None, description="it does not start after this moment")
    parent: str | None = Field(None, description="id of a goal of yours that this one is a part of")
    design: str = Field(
        "", description="how it should be done, one statement a line; reviewed first if design review is on"
    )


class BranchOut(Schema):
    """A goal of a tree. `name` is what the plan that added it calls it; `state` as people read it."""

    id: str
    text: str
    state: str
    name: str = ""
    waits_for: list[str] = []
    here: bool = False
    parts: list[BranchOut] = []


class GoalPatch(Strict):
    """What to change; fields that are left out stay. Null removes a deadline or a parent."""

    priority: int | None = Field(None, ge=1, le=5, description="1 is adopted first, 5 last")
    deadline: Moment | None = Field(None, description="it does not start after this moment")
    parent: str | None = Field(None, description="id of a goal of yours that this one is a part of")
    depends_on: list[str] | None = Field(
        None, max_length=_MOST_DEPENDENCIES, description="ids of goals that must be achieved, before it is begun"
    )


class FilesHeldOut(Schema):
    """Who uses the files that an approved goal waits for. `goal` is null if you may not see that goal.

    `state` is that goal's, or `typed_command` while a command typed into its session runs; since `since`.
    """

    goal: str | None
    state: str
    since: datetime
    says: str
    ends_when: str


class GoalOut(Schema):
    """A goal. `intent_plan` is the id of its newest intent plan. `waits_for_files` is null unless it is approved and
    another goal uses the files of its workspace.
    """

    id: str
    text: str
    state: str
    outcome: str = Field(
        description="of an achieved goal what its checks showed: `achieved`, `nothing_changed`, `check_failed`, "
        "`handed_over` (people were asked for it) or `not_checked`; empty before its end"
    )
    reason: str
    checks: list[CheckOut] = Field(description="what its newest plan's checks showed; empty before it has run")
    answer: str = Field(description="what an agent of a framework said at the end: a model's words, unchecked")
    workspace: str
    intent_plan: str | None
    priority: int
    agent: str
    submitted_by: str
    depends_on: list[str]
    deadline: datetime | None
    parent: str | None
    waits_for_files: FilesHeldOut | None
    created_at: datetime
    changed_at: datetime
    ended_at: datetime | None


class GoalPage(Schema):
    """Goals, newest first; ask again with `after=next` for older ones."""

    items: list[GoalOut]
    next: str | None


class AlternativeIn(Strict):
    """What may replace a step that fails, if the reviewer grants it.

    `map` takes values from the step: {parameter of the alternative: parameter of the step}; `params` are its own.
    """

    tool: str
    command: str
    params: dict[str, Any] = {}
    map: dict[str, str] = {}


class StepIn(Strict):
    """One step of a plan by hand."""

    tool: str
    command: str
    params: dict[str, Any] = {}
    alternatives: list[AlternativeIn] = Field([], max_length=3)


class PlanIn(Strict):
    """A plan by a person; `cleanup` runs if it is aborted."""

    steps: list[StepIn] = Field(min_length=1, max_length=200)
    cleanup: list[StepIn] = Field([], max_length=200)


class LineOut(Schema):
    """One line of a goal's log. `text` may hold terminal colours: it is data, never markup.

    `data`: the evidence for the sentence. For a corrected value: `original`, `value`, `origin`, `confidence`, and
    `span`, its place in the goal's text. The names depend on the line; most lines have none.
    """

    number: int
    at: datetime
    source: str
    stage: str
    level: str
    text: str
    data: dict[str, Any]


class LogOut(Schema):
    """Lines in order; `next` is the value for `after`, null if these are all lines so far.

    `removed_at` is there only if earlier lines were removed, because the goal ended longer ago than logs are kept.
    """

    lines: list[LineOut]
    next: int | None
    removed_at: datetime | None = None


@router.post("", response={201: GoalOut}, auth=_MAY_WRITE, operation_id="submit_goal")
def submit(request: ApiRequest, response: HttpResponse, payload: GoalIn) -> Status[GoalOut]:
    """Submit a goal. With an Idempotency-Key a repeated request makes no second goal."""
    user = request.auth.user
    workspace = None
    if payload.workspace is not None:
        workspace = selectors.workspaces_writable_by(user).filter(name=payload.workspace).first()
        if workspace is None:
            raise invalid("workspace", "There is no workspace of yours with this name.")
    key = request.headers.get("Idempotency-Key", "")
    goal = services.submit(
        by=user,
        text=payload.text,
        priority=payload.priority,
        workspace=workspace,
        agent=_agent(user, payload.agent) if payload.agent is not None else None,
        depends_on=_dependencies(user, payload.depends_on),
        deadline=payload.deadline,
        parent=readable(user, payload.parent) if payload.parent is not None else None,
        submission_key=f"api:{key}" if key else "",
        design=payload.design,
    )
    if goal.text != services.checked_text(payload.text):
        # The key of a goal outlives its stored answer, so after a day it can come with another text.
        raise Problem(422, "This Idempotency-Key belongs to an earlier goal.", kind="key_reused")
    response.headers["Location"] = f"/api/v1/goals/{goal.pk}"
    return Status(201, goal_out(_read(user, str(goal.pk))))


def _agent(user: User, said: str) -> Agent:
    """The agent of this name or id; no name begins with a digit."""
    if said.isascii() and said.isdigit() and len(said) < 19:
        found = Agent.objects.filter(pk=int(said)).first()
        said = found.name if found is not None else said
    return lifecycle.usable(said, by=user)


@router.get("", response=GoalPage, auth=_MAY_READ, operation_id="list_goals")
def page(
    request: ApiRequest,
    state: Annotated[GoalState | None, Query(description="only goals in this state")] = None,
    after: After = "",
    limit: Limit = 50,
) -> GoalPage:
    """Your goals (for reviewers, operators and admins: everybody's), newest first."""
    goals = _readable(request.auth.user)
    if state is not None:
        goals = goals.filter(state=state.value)
    rows, following = selectors.page_of_goals(goals, after_id(after), limit)
    files_held.mark(rows, request.auth.user)
    return GoalPage(items=[goal_out(goal) for goal in rows], next=next_after(following))


@router.get("/{goal_id}", response=GoalOut, auth=_MAY_READ, operation_id="read_goal")
def read(request: ApiRequest, goal_id: str) -> GoalOut:
    """One goal."""
    return goal_out(_read(request.auth.user, goal_id))


@router.get("/{goal_id}/tree", response=BranchOut, auth=_MAY_READ, operation_id="read_goal_tree")
def tree(request: ApiRequest, goal_id: str) -> BranchOut:
    """The goals above and below this one, from the top down; `here` is this one.

    At most 200 goals. A goal without parent and sub-goals is a tree of its own.
    """
    user = request.auth.user
    goal = readable(user, goal_id)
    found = goal_tree.of(goal, user)
    if found is None:
        return BranchOut(id=str(goal.pk), text=goal.text, state=goal.shown_state, here=True)
    return _branch_out(found)


def _branch_out(branch: goal_tree.Branch) -> BranchOut:
    return BranchOut(
        id=str(branch.pk),
        text=branch.text,
        state=branch.state,
        name=branch.name,
        waits_for=[str(pk) for pk in branch.waits_for],
        here=branch.is_here,
        parts=[_branch_out(part) for part in branch.parts],
    )


@router.patch("/{goal_id}", response=GoalOut, auth=_MAY_WRITE, operation_id="change_goal")
def change(request: ApiRequest, goal_id: str, payload: GoalPatch) -> GoalOut:
    """Change an open goal's priority, deadline, parent and dependencies.

    It applies from the agent's next decision on, and the log says who changed what. 409 once the goal has ended, and
    for dependencies once it has started.
    """
    user = request.auth.user
    goal = changeable(user, goal_id)
    wanted: dict[str, Any] = {name: getattr(payload, name) for name in payload.model_fields_set}
    for name in ("priority", "depends_on"):
        if wanted.get(name, ...) is None:
            raise invalid(name, "This cannot be null; leave it out to keep the current value.")
    if wanted.get("parent") is not None:
        wanted["parent"] = readable(user, wanted["parent"])
    if "depends_on" in wanted:
        wanted["depends_on"] = _dependencies(user, wanted["depends_on"])
    goal_terms.change(goal, by=user, **wanted)
    return goal_out(_read(user, goal_id))


@router.post("/{goal_id}/cancel", response=GoalOut, auth=_MAY_WRITE, operation_id="cancel_goal")
def cancel(request: ApiRequest, goal_id: str, payload: Annotated[Nothing | None, Body()] = None) -> GoalOut:
    """Cancel a goal at any time. A running step is stopped within seconds; then the goal is `dropped`."""
    user = request.auth.user
    services.cancel(changeable(user, goal_id), by=user)
    return goal_out(_read(user, goal_id))


@router.post("/{goal_id}/plan", response={201: PlanOut}, auth=_MAY_WRITE, operation_id="plan_goal_by_hand")
def plan_by_hand(request: ApiRequest, response: HttpResponse, goal_id: str, payload: PlanIn) -> Status[PlanOut]:
    """Submit your own plan for a goal that is `manual` or waits for a model, or in place of the one in review.

    It is reviewed like any other.
    """
    user = request.auth.user
    plan = services.supply_plan(
        changeable(user, goal_id),
        by=user,
        steps=[step.model_dump() for step in payload.steps],
        cleanup=[step.model_dump() for step in payload.cleanup],
    )
    response.headers["Location"] = f"/api/v1/intent-plans/{plan.pk}"
    return Status(201, plan_out(plan))


@router.get("/{goal_id}/log", response=LogOut, exclude_unset=True, auth=_MAY_READ, operation_id="read_log")
def log(
    request: ApiRequest,
    goal_id: str,
    after: Annotated[int, Query(ge=0, le=2**62, description="number of the last line you have")] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST_LINES)] = _MOST_LINES,
) -> LogOut:
    """The lines after a number; to follow a goal, ask again after the last one."""
    goal = _read(request.auth.user, goal_id)
    found = selectors.log_after(goal, after, limit + 1)
    lines = [
        LineOut(
            number=line.number,
            at=line.at,
            source=line.source,
            stage=line.stage,
            level=line.level,
            text=line.text,
            data=line.data,
        )
        for line in found[:limit]
    ]
    out = LogOut(lines=lines, next=lines[-1].number if len(found) > limit else None)
    if after == 0 and (removal := goal_log.removal(goal)):
        out.removed_at = removal.at
    return out


def goal_out(goal: Goal) -> GoalOut:
    """A goal as the API shows it; it comes from `_readable` and `files_held.mark`."""
    newest = goal.newest_plan  # type: ignore[attr-defined]  # `_readable` puts it there
    return GoalOut(
        id=str(goal.pk),
        text=goal.text,
        state=goal.state,
        # Goals from before checks existed have none.
        outcome=goal.shown_state if goal.state == GoalState.ACHIEVED else "",
        reason=goal.reason,
        checks=checks_out((), goal.newest_results),  # type: ignore[attr-defined]  # as above
        answer=goal.last_words or "",  # type: ignore[attr-defined]  # as above
        workspace=goal.workspace.name,
        intent_plan=str(newest) if newest is not None else None,
        priority=goal.priority,
        agent=str(goal.agent_id),
        submitted_by=goal.submitted_by.username,
        depends_on=[str(other.pk) for other in goal.depends_on.all()],
        deadline=goal.deadline,
        parent=str(goal.parent_id) if goal.parent_id is not None else None,
        waits_for_files=_files_held(goal.files_held),  # type: ignore[attr-defined]  # `files_held.mark` puts it there
        created_at=goal.created_at,
        changed_at=goal.changed_at,
        ended_at=goal.ended_at,
    )


def _files_held(holder: Holder | None) -> FilesHeldOut | None:
    if holder is None:
        return None
    return FilesHeldOut(
        goal=str(holder.goal) if holder.named else None,
        state=holder.state,
        since=holder.since,
        says=f"{holder.who} is using the files of its workspace and {holder.does}",
        ends_when=holder.until,
    )


def _readable(user: User) -> QuerySet[Goal]:
    """Visible goals with everything that `goal_out` shows, always in two queries."""
    newest = IntentPlan.objects.filter(goal=OuterRef("pk")).order_by("-revision")
    goals = selectors.goals_visible_to(user).annotate(
        newest_plan=Subquery(newest.values("pk")[:1]),
        newest_results=Subquery(newest.values("check_results")[:1]),
        last_words=F("framework_run__answer"),
        approved=selectors.approved(),
    )
    return goals.prefetch_related("depends_on")


def _read(user: User, goal_id: str) -> Goal:
    goal = _readable(user).filter(pk=found_id(goal_id, not_found("goal"))).first()
    if goal is None:
        raise not_found("goal")
    files_held.mark([goal], user)
    return goal


def readable(user: User, goal_id: str) -> Goal:
    """A goal that the person may see; otherwise 404."""
    goal = selectors.goals_visible_to(user).filter(pk=found_id(goal_id, not_found("goal"))).first()
    if goal is None:
        raise not_found("goal")
    return goal


def changeable(user: User, goal_id: str) -> Goal:
    """A goal that the person may change: 404 when they may not even see it, 403 when they may only see it."""
    goal = _read(user, goal_id)
    if not selectors.may_change(user, goal):
        raise Problem(
            403, "This goal belongs to somebody else. Only its submitter or an operator may do this.", kind="forbidden"
        )
    return goal


def _dependencies(user: User, ids: list[str]) -> list[Goal]:
    """The named goals in the order of their names; somebody else's goal is unknown, like a missing one."""
    numbers = [row_id(text) for text in ids]
    visible = selectors.goals_visible_to(user).in_bulk([number for number in numbers if number is not None])
    found = []
    for index, number in enumerate(numbers):
        if number is None or number not in visible:
            raise invalid(f"depends_on.{index}", "There is no goal with this id that you may see.")
        found.append(visible[number])
    return found
