"""`hands`: what needs a person; `goals/{id}/hand` shows one item and accepts the answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Router, Schema

from agents.hands import hand_items
from agents.models import Goal, HandItem, IntentPlan
from agents.record import selectors
from agents.record.errors import NotPossibleNow
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, found_id, oldest_first
from mindx_web.api.protocol.problems import Problem, not_found
from mindx_web.api.protocol.shapes import Strict
from people.models import User
from people.scopes import Scope

router = Router(tags=["hands"])
goals = Router(tags=["hands"])

_MAY_READ = BearerToken(Scope.GOALS_READ)
_MAY_WRITE = BearerToken(Scope.GOALS_WRITE)


class ChoiceOut(Schema):
    """A value that may be meant, and why."""

    value: str
    why: str


class AskedOut(Schema):
    """A missing file that the step names: which file is meant? Answer with `fix` and this parameter."""

    text: str
    parameter: str
    choices: list[ChoiceOut]


class RemedyOut(Schema):
    """A change that would settle it: answer with `remedy` and this name. It awaits review like any change."""

    name: str
    label: str
    says: str


class HandOut(Schema):
    """A step that waits for a person, with the facts of its failure and every strategy that was not possible.

    `questions` (missing files that the step names) and `remedies` (changes that would settle it: more time, hosts to
    approve, a module to install) are there only when one item is read. If planning found no plan, `position` is 0:
    write a plan with `goals/{id}/plan`.
    """

    id: str
    goal: str
    intent_plan: str | None
    position: int
    tool: str
    command: str
    params: dict[str, Any]
    failure_class: str
    reason: str
    facts: dict[str, Any]
    closed: dict[str, str]
    questions: list[AskedOut] = []
    remedies: list[RemedyOut] = []
    opened_at: datetime


class HandPage(Schema):
    """Oldest first."""

    items: list[HandOut]
    next: str | None


class AnswerIn(Strict):
    """`fix` with the parameters that change, `remedy` with the name of one that is offered, `instead` with the steps
    that replace it (`{tool, command, params}`), `done` (you did its work), `again`, `skip`, or `abort`.
    """

    action: Literal["fix", "remedy", "instead", "done", "again", "skip", "abort"]
    params: dict[str, Any] = {}
    remedy: str = ""
    steps: list[dict[str, Any]] = []
    note: str = ""


class AnsweredOut(Schema):
    """The state of the goal; `intent_plan` awaits review if the answer changed what was approved."""

    goal: str
    state: str
    intent_plan: str | None


@router.get("", response=HandPage, auth=_MAY_READ, operation_id="list_hands")
def page(request: ApiRequest, after: After = "", limit: Limit = 20) -> HandPage:
    """What needs a person among the goals you may see."""
    rows, following = oldest_first(hand_items.open_for(request.auth.user), after, limit)
    return HandPage(items=[_out(row) for row in rows], next=following)


@goals.get("/{goal_id}/hand", response=HandOut, auth=_MAY_READ, operation_id="read_hand")
def read(request: ApiRequest, goal_id: str) -> HandOut:
    """The open item of a goal."""
    item = _open(_goal(request.auth.user, goal_id))
    shown = _out(item)
    shown.questions = [
        AskedOut(
            text=one.text,
            parameter=one.parameter,
            choices=[ChoiceOut(value=str(choice.value), why=choice.why) for choice in one.choices],
        )
        for one in hand_items.questions(item)
    ]
    shown.remedies = [RemedyOut(name=one.name, label=one.label, says=one.says) for one in hand_items.remedies(item)]
    return shown


@goals.post("/{goal_id}/hand", response=AnsweredOut, auth=_MAY_WRITE, operation_id="answer_hand")
def answer(request: ApiRequest, goal_id: str, payload: AnswerIn) -> AnsweredOut:
    """Answer it. A change of an approved step awaits review; otherwise the plan continues from there."""
    user = request.auth.user
    goal = _goal(user, goal_id)
    item = _open(goal)
    note = payload.note.replace("\0", "")[: hand_items.NOTE_MAX]
    if payload.params and payload.action != "fix":
        raise Problem(422, "Only a fix takes parameters.", kind="invalid")
    if payload.remedy and payload.action != "remedy":
        raise Problem(422, "Only “remedy” takes the name of one.", kind="invalid")
    if payload.steps and payload.action != "instead":
        raise Problem(422, "Only “instead” takes steps.", kind="invalid")
    revision: IntentPlan | None = None
    match payload.action:
        case "fix":
            revision = hand_items.fix(item, by=user, values=payload.params, note=note)
        case "remedy":
            revision = hand_items.remedy(item, payload.remedy, by=user, note=note)
        case "instead":
            revision = hand_items.instead(item, by=user, steps=payload.steps, note=note)
        case "done":
            hand_items.done(item, by=user, note=note)
        case "skip":
            revision = hand_items.skip(item, by=user, note=note)
        case "again":
            revision = hand_items.again(item, by=user, note=note)
        case _:
            hand_items.abort(item, by=user, note=note)
    goal.refresh_from_db()
    return AnsweredOut(goal=str(goal.pk), state=goal.state, intent_plan=str(revision.pk) if revision else None)


def _goal(user: User, goal_id: str) -> Goal:
    missing = not_found("goal")
    found = selectors.goals_visible_to(user).filter(pk=found_id(goal_id, missing)).first()
    if found is None:
        raise missing
    return found


def _open(goal: Goal) -> HandItem:
    item = hand_items.open_of(goal)
    if item is None:
        raise NotPossibleNow(f"Goal {goal.pk} has no step that needs a person.")
    return item


def _out(item: HandItem) -> HandOut:
    failure = item.failure
    spec = hand_items.step_of(item) if item.intent_plan is not None else None
    return HandOut(
        id=str(item.pk),
        goal=str(item.goal_id),
        intent_plan=str(item.intent_plan_id) if item.intent_plan_id else None,
        position=item.position,
        tool=failure.tool,
        command=failure.command,
        params=dict(spec.params) if spec is not None else {},
        failure_class=failure.failure_class,
        reason=failure.reason,
        facts=failure.facts,
        closed=(failure.weighed or {}).get("closed", {}),
        opened_at=item.opened_at,
    )
