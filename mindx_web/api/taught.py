"""`tuning/taught`: what people taught by an edit: try, teach, read, take back, and promote for everybody."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpResponse
from ninja import Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.actors import tuning_rights
from agents.models import Goal, Lesson
from agents.record.selectors import goals_visible_to, plans_visible_to
from agents.tuning import lessons
from agents.tuning.lessons import Taught
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, after_id, found_id, next_after
from mindx_web.api.protocol.problems import Problem, not_found
from mindx_web.api.protocol.shapes import Strict
from mindx_web.api.tuning import TrialOut, TunableOut, trial_out, tunable_out, version_number
from people import tokens
from people.models import User
from people.scopes import Scope
from review.teaching import lessons as teaching
from review.teaching.lessons import Edit

router = Router(tags=["tuning"])

_MAY_READ = BearerToken(Scope.TUNING_READ)
_MAY_WRITE = BearerToken(Scope.TUNING_WRITE)


class LessonOut(Schema):
    """A lesson as it applies now: to the goals that its teacher submits while it is in use.

    `intent_plan` is the revision whose edit taught it, null if you may not read that.
    """

    id: str
    state: str
    kind: str
    said: str
    path: str
    tool: str
    command: str
    parameter: str
    default: Any
    teacher: str
    intent_plan: str | None
    position: int
    by: str | None
    at: datetime
    note: str


class LessonPage(Schema):
    """Lessons, newest first."""

    items: list[LessonOut]
    next: str | None


class LessonHistoryOut(LessonOut):
    """With the setting for everybody (null: none), and its versions, newest first."""

    for_everybody: TunableOut | None
    versions: list[LessonOut]


class TeachIn(Strict):
    """A value that an edit changed, and what it should teach. `said` and `where` are for a mapping: which of the goal's
    words means the path (default: the likeliest), and whether for this parameter of this tool or everywhere.
    """

    intent_plan: str
    position: int
    parameter: str
    teach: Literal["mapping", "default"]
    said: str = ""
    where: Literal["here", "everywhere"] = "here"


class KeepIn(TeachIn):
    """What to teach. `version` is the version of yours that it replaces (null: there was none)."""

    note: str = ""
    version: str | None = Field("", description="if left out, it replaces what you taught before")


class EndIn(Strict):
    """Why it is taken back, and the version that was read (default: the newest)."""

    note: str = ""
    version: str | None = Field("", description="if left out, whatever is in use is taken back")


class PromoteIn(EndIn):
    """`over` is the version for everybody that it replaces (null: there was none)."""

    over: str | None = Field("", description="if left out, it replaces whatever is in use")


class TeachTrialOut(Schema):
    """What a lesson would change in your own goals, and in everybody's if it were promoted.

    `changes_its_goal`: whether the edited goal itself would be planned differently; null if it was not tried.
    """

    mine: TrialOut
    everybody: TrialOut
    changes_its_goal: bool | None


@router.get("/taught", response=LessonPage, auth=_MAY_READ, operation_id="list_taught")
def page(request: ApiRequest, after: After = "", limit: Limit = 50) -> LessonPage:
    """Your lessons; for operators everybody's."""
    user = request.auth.user
    rows, older = lessons.newest(lessons.visible_to(user), before=after_id(after), most=limit)
    return LessonPage(items=_several(user, rows), next=next_after(older))


@router.post("/taught/try", response=TeachTrialOut, auth=_MAY_WRITE, operation_id="try_taught")
def attempt(request: ApiRequest, payload: TeachIn) -> TeachTrialOut:
    """Show what past commands would become if it were taught (whoever may edit the plan). Nothing is changed."""
    user = request.auth.user
    edit = _edit(user, payload)
    taught = _taught(edit, payload)
    warnings = taught.checked().warnings
    trials = teaching.attempt(edit, taught, by=user, readable_goals=_readable(request))
    return TeachTrialOut(
        mine=trial_out(trials.mine, warnings),
        everybody=trial_out(trials.everybody, warnings),
        changes_its_goal=trials.changes_goal_of(edit),
    )


@router.post("/taught", response={201: LessonOut}, auth=_MAY_WRITE, operation_id="teach")
def teach(request: ApiRequest, response: HttpResponse, payload: KeepIn) -> Status[LessonOut]:
    """Teach by an edit (whoever may edit the plan). It applies to your own goals, from their next planning on."""
    user = request.auth.user
    edit = _edit(user, payload)
    kept = teaching.teach(edit, _taught(edit, payload), by=user, note=payload.note, seen=_seen(payload.version))
    response.headers["Location"] = f"/api/v1/tuning/taught/{kept.pk}"
    return Status(201, _several(user, [kept])[0])


@router.get("/taught/{lesson_id}", response=LessonHistoryOut, auth=_MAY_READ, operation_id="read_taught")
def read(request: ApiRequest, lesson_id: str) -> LessonHistoryOut:
    """One lesson with its history."""
    user = request.auth.user
    versions = lessons.about(_find(user, lesson_id).teacher_id, Taught.of(_find(user, lesson_id)))
    told = _several(user, versions)
    tuned = lessons.all_beside(versions[:1]).get(versions[0].pk)
    return LessonHistoryOut(
        **told[0].dict(), for_everybody=tunable_out(tuned) if tuned is not None else None, versions=told
    )


@router.post("/taught/{lesson_id}/take-back", response={201: LessonOut}, auth=_MAY_WRITE, operation_id="take_back")
def take_back(request: ApiRequest, lesson_id: str, payload: EndIn) -> Status[LessonOut]:
    """Take it back (its teacher, operators), from the next planning on."""
    user = request.auth.user
    ended = lessons.take_back(_find(user, lesson_id), by=user, note=payload.note, seen=_seen(payload.version))
    return Status(201, _several(user, [ended])[0])


@router.post("/taught/{lesson_id}/try", response=TrialOut, auth=_MAY_WRITE, operation_id="try_promotion")
def try_promotion(request: ApiRequest, lesson_id: str) -> TrialOut:
    """Show what everybody's past commands would become if it were promoted (operators). Nothing is changed."""
    user = request.auth.user
    _check_operator(user)
    lesson = _find(user, lesson_id)
    taught = Taught.of(lesson)
    warnings = taught.checked().warnings
    return trial_out(lessons.try_for_everybody(taught, lesson.teacher, _readable(request)), warnings)


@router.post("/taught/{lesson_id}/promote", response={201: TunableOut}, auth=_MAY_WRITE, operation_id="promote_taught")
def promote(request: ApiRequest, lesson_id: str, payload: PromoteIn) -> Status[TunableOut]:
    """Make it an ordinary version for everybody (operators), which is returned."""
    user = request.auth.user
    _check_operator(user)
    seen, over = _seen(payload.version), _seen(payload.over)
    tuned = lessons.promote(_find(user, lesson_id), by=user, note=payload.note, seen=seen, over=over)
    return Status(201, tunable_out(tuned))


def _check_operator(user: User) -> None:
    if not tuning_rights.may_tune(user):
        raise Problem(403, "Operators promote what was taught.", kind="forbidden")


def _edit(user: User, payload: TeachIn) -> Edit:
    """The edit that the payload names, in a plan that this person may see."""
    number = found_id(payload.intent_plan, not_found("edit"))
    plan = plans_visible_to(user).filter(pk=number).first()
    edit = teaching.edit_of(plan, payload.position, payload.parameter) if plan is not None else None
    if plan is None or edit is None:
        raise not_found("edit")
    return edit


def _taught(edit: Edit, payload: TeachIn) -> Taught:
    return teaching.taught_by(edit, payload.teach, said=payload.said, where=payload.where)


def _find(user: User, lesson_id: str) -> Lesson:
    found = lessons.visible_to(user).filter(pk=found_id(lesson_id, not_found("lesson"))).first()
    if found is None:
        raise not_found("lesson")
    return found


def _readable(request: ApiRequest) -> QuerySet[Goal]:
    """Cases are shown to tokens that may read goals; for others they are only counted."""
    may_read = tokens.allows(request.auth, Scope.GOALS_READ)
    return goals_visible_to(request.auth.user) if may_read else Goal.objects.none()


def _seen(version: str | None) -> int | None:
    return None if version == "" else version_number(version)


def _several(user: User, rows: list[Lesson]) -> list[LessonOut]:
    """Versions as this person may read them."""
    plans = plans_visible_to(user).filter(pk__in={row.plan_id for row in rows}).values_list("pk", flat=True)
    readable = set(plans)
    return [
        LessonOut(
            id=str(row.pk),
            state=row.state,
            kind=row.kind,
            said=row.said,
            path=row.path,
            tool=row.tool,
            command=row.command,
            parameter=row.parameter,
            default=row.default,
            teacher=row.teacher.username,
            intent_plan=str(row.plan_id) if row.plan_id in readable else None,
            position=row.step,
            by=row.by.username if row.by else None,
            at=row.at,
            note=row.note,
        )
        for row in rows
    ]
