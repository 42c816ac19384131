"""`tuning`: settings of parameters, recovery and the backlog: read, try, save and revert them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from ninja import Query, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agents.actors import tuning_rights
from agents.models import Goal
from agents.record.selectors import goals_visible_to
from agents.tuning import trying, versions
from agents.tuning.kinds import Kind
from agents.tuning.trials import Trial
from agents.tuning.versions import Tunable, Version
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import After, Limit, after_id, next_after
from mindx_web.api.protocol.problems import Problem, not_found
from mindx_web.api.protocol.shapes import Strict
from people import tokens
from people.models import User
from people.scopes import Scope

router = Router(tags=["tuning"])

_MAY_READ = BearerToken(Scope.TUNING_READ)
_MAY_WRITE = BearerToken(Scope.TUNING_WRITE)
KindName = Literal[
    "parameter_settings",
    "path_mapping",
    "parameter_rule",
    "recovery_setting",
    "recovery_policy",
    "failure_rule",
    "stop_rules",
    "entailment_thresholds",
]


class TunableOut(Schema):
    """A setting as it applies now. `version` is null if nobody has saved it: then it is the default."""

    id: str
    kind: str
    title: str
    values: dict[str, Any]
    version: str | None
    by: str | None
    at: datetime | None
    note: str


class TunablePage(Schema):
    """All settings."""

    items: list[TunableOut]


class ChangeOut(Schema):
    """A field that a version changed."""

    field: str
    before: Any
    after: Any


class VersionOut(Schema):
    """A saved version; `number` counts from 1."""

    id: str
    number: int
    values: dict[str, Any]
    changes: list[ChangeOut]
    by: str | None
    at: datetime
    note: str
    counts: bool


class HistoryOut(TunableOut):
    """The current setting, the default, and the saved versions, newest first."""

    usual: dict[str, Any] | None
    versions: list[VersionOut]
    next: str | None


class ValuesIn(Strict):
    """Values of a kind; docs/tuning.md names the kinds. Values that are left out stay as they are."""

    kind: KindName
    values: dict[str, Any]


class SaveIn(ValuesIn):
    """The new values. `version` is the one that they replace (null: none was saved), so a newer one is not lost."""

    note: str = ""
    version: str | None = Field("", description="if left out, it replaces whatever is in use")


class RevertIn(Strict):
    """The version to restore; null: the default."""

    version: str | None
    note: str = ""


class CaseOut(Schema):
    """A past case that would end differently: how it ended, how it would end now, and with the proposed values."""

    goal: str
    text: str
    original: str
    now: str
    proposed: str


class TotalOut(Schema):
    """How many cases end in this way. If chances decide, these are sums of chances."""

    words: str
    now: float
    proposed: float


class TrialOut(Schema):
    """The result of a trial; nothing was changed. `found`: the past cases; `tried`: those that were reached in time;
    `untold`: cases whose circumstances are not stored; `hidden`: cases that change, of goals this token may not read.
    """

    found: int
    tried: int
    untold: int
    changed: int
    hidden: int
    drifted: int
    cases: list[CaseOut]
    totals: list[TotalOut]
    notes: list[str]
    warnings: list[str]


@router.get("", response=TunablePage, auth=_MAY_READ, operation_id="list_tuning")
def page(
    request: ApiRequest, kind: Annotated[KindName | None, Query(description="only of this kind")] = None
) -> TunablePage:
    """All settings as they apply now (operators)."""
    _check(request.auth.user)
    kinds = [one for one in versions.KINDS if kind in (None, one.name)]
    return TunablePage(items=[tunable_out(found) for one in kinds for found in versions.current(one)])


@router.post("/try", response=TrialOut, auth=_MAY_WRITE, operation_id="try_tuning")
def attempt(request: ApiRequest, payload: ValuesIn) -> TrialOut:
    """Show what the last cases would become with these values (operators). Nothing is changed.

    Cases are shown to tokens that may read goals; for others they are only counted.
    """
    user = request.auth.user
    _check(user)
    kind, over = _over(payload)
    checked = versions.cleaned(kind, payload.values, over.values if over else None)
    may_read = tokens.allows(request.auth, Scope.GOALS_READ)
    readable = goals_visible_to(user) if may_read else Goal.objects.none()
    return trial_out(trying.try_out(kind, checked.values, by=user, readable=readable), checked.warnings)


@router.post("", response={201: TunableOut}, auth=_MAY_WRITE, operation_id="save_tuning")
def save(request: ApiRequest, response: HttpResponse, payload: SaveIn) -> Status[TunableOut]:
    """Save the next version (operators). Running workers use it from their next decision on."""
    kind, over = _over(payload)
    seen = None if payload.version == "" else version_number(payload.version)
    saved = versions.save(kind, payload.values, by=request.auth.user, note=payload.note, over=over, seen=seen)
    response.headers["Location"] = f"/api/v1/tuning/{saved.id}"
    return Status(201, tunable_out(saved))


@router.get("/{tunable_id}", response=HistoryOut, auth=_MAY_READ, operation_id="read_tuning")
def read(request: ApiRequest, tunable_id: str, after: After = "", limit: Limit = 20) -> HistoryOut:
    """One of them with its history (operators)."""
    _check(request.auth.user)
    one = _find(tunable_id)
    rows, older = versions.history(one, before=after_id(after), most=limit)
    return HistoryOut(
        **tunable_out(one).dict(),
        usual=one.usual,
        versions=[_version(one.kind, row) for row in rows],
        next=next_after(older),
    )


@router.post("/{tunable_id}/revert", response={201: TunableOut}, auth=_MAY_WRITE, operation_id="revert_tuning")
def revert(request: ApiRequest, tunable_id: str, payload: RevertIn) -> Status[TunableOut]:
    """Restore an earlier version, as a new one (operators)."""
    _check(request.auth.user)
    one = _find(tunable_id)
    return Status(
        201, tunable_out(versions.revert(one, version_number(payload.version), by=request.auth.user, note=payload.note))
    )


def _check(user: User) -> None:
    if not tuning_rights.may_tune(user):
        raise Problem(403, "Only operators can tune mindX.", kind="forbidden")


def _over(payload: ValuesIn) -> tuple[Kind, Tunable | None]:
    """The kind, and the current setting; None if there is none."""
    kind = versions.kind_named(payload.kind)
    if kind is None:  # the request body has refused it
        raise not_found("kind of tuning")
    key = {field.name: payload.values.get(field.name, field.empty) for field in kind.fields if field.name in kind.key}
    right = all(not field.problem(key[field.name]) for field in kind.fields if field.name in kind.key)
    return kind, versions.about(kind, key) if right else None


def _find(tunable_id: str) -> Tunable:
    name, _, ref = tunable_id.partition(".")
    kind = versions.kind_named(name)
    one = None if kind is None else versions.find(kind, ref)
    if one is None:
        raise not_found("tunable")
    return one


def version_number(version: str | None) -> int:
    """The row for the id of a version; null means the default; -1 is a version that does not exist."""
    if version is None:
        return 0
    return int(version) if version.isascii() and version.isdigit() and 0 < len(version) < 19 else -1


def tunable_out(one: Tunable) -> TunableOut:
    """A setting as the API shows it."""
    return TunableOut(
        id=one.id,
        kind=one.kind.name,
        title=one.title,
        values=one.values,
        version=str(one.version) if one.version else None,
        by=one.by.username if one.by else None,
        at=one.at,
        note=one.note,
    )


def _version(kind: Kind, row: Version) -> VersionOut:
    names = {field.label: field.name for field in kind.fields}
    return VersionOut(
        id=str(row.id),
        number=row.number,
        values=row.values,
        changes=[ChangeOut(field=names[one.label], before=one.before, after=one.after) for one in row.changes],
        by=row.by.username if row.by else None,
        at=row.at,
        note=row.note,
        counts=row.counts,
    )


def trial_out(trial: Trial, warnings: tuple[str, ...]) -> TrialOut:
    """A trial as the API shows it."""
    return TrialOut(
        found=trial.found,
        tried=trial.tried,
        untold=trial.untold,
        changed=trial.changed,
        hidden=trial.hidden,
        drifted=trial.drifted,
        cases=[
            CaseOut(goal=str(one.goal), text=one.text, original=one.original, now=one.now, proposed=one.then)
            for one in trial.cases
        ],
        totals=[TotalOut(words=one.words, now=one.now, proposed=one.then) for one in trial.totals],
        notes=list(trial.notes),
        warnings=list(warnings),
    )
