"""The pages of tuning, for operators: what counts and who said so, history, a trial on past cases, the way back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.actors import tuning_rights
from agents.forms import tuning as tuning_form
from agents.record.errors import NotPossibleNow, TuningRefused
from agents.tuning import lessons, trying, versions
from agents.tuning.kinds import Kind, Values
from agents.tuning.trials import CASES, SECONDS, Trial
from agents.tuning.versions import Tunable
from agents.views.access import person_of
from people.models import User

_LIST_MOST = 200


@dataclass(frozen=True)
class Group:
    """A kind with everything of it that counts."""

    kind: Kind
    rows: tuple[Tunable, ...]
    more: int

    @property
    def may_add(self) -> bool:
        """Whether more of the kind can be made: settings are all there already."""
        return not self.kind.all_usual()


@dataclass(frozen=True)
class Row:
    """A saved version as the history shows it."""

    version: versions.Version
    changes: tuple[tuple[str, str, str], ...]


@require_safe
def tuning(request: HttpRequest) -> HttpResponse:
    """Everything that is tuned, by kind."""
    _operator(request)
    groups = []
    for kind in versions.KINDS:
        rows = versions.current(kind)
        groups.append(Group(kind, tuple(rows[:_LIST_MOST]), max(0, len(rows) - _LIST_MOST)))
    return render(request, "agents/tuning/list.html", {"groups": groups})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, kind: str) -> HttpResponse:
    """Write one that is not there yet."""
    user, of = _operator(request), _kind(kind)
    if of.all_usual():
        raise Http404("Nothing can be added here: this kind has a fixed list.")
    return _page(request, user, of, None)


@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, kind: str, ref: str) -> HttpResponse:
    """One of them: its values, a trial of others, its history."""
    user, of = _operator(request), _kind(kind)
    return _page(request, user, of, _find(of, ref))


@require_POST
def revert(request: HttpRequest, kind: str, ref: str) -> HttpResponse:
    """Let an earlier version count again, as a new one."""
    user, of = _operator(request), _kind(kind)
    found = _find(of, ref)
    try:
        version = int(request.POST.get("version", ""))
        seen = int(request.POST.get("seen", ""))
    except ValueError as error:
        raise Http404("There is no such version.") from error
    try:
        versions.revert(found, version, by=user, seen=seen)
    except (NotPossibleNow, TuningRefused) as error:
        messages.error(request, f"Nothing was changed. {error}")
    else:
        messages.success(request, "Restored. It is used from the next decision on.")
    return redirect("tuning-one", of.name, ref)


def _page(request: HttpRequest, user: User, kind: Kind, found: Tunable | None) -> HttpResponse:
    fixed = {} if found is None else {name: found.values[name] for name in kind.key}
    start: Values = {} if found is None else found.values
    sent = _sent(request, user, kind, found, fixed) if request.method == "POST" else _Sent()
    if sent.saved is not None:
        return sent.saved
    typed, errors = sent.typed, sent.errors
    older, context = None, _context(kind, found)
    if found is not None:
        rows, older = versions.history(found, before=_number(request.GET.get("before", "")))
        context["history"] = [_row(kind, row) for row in rows]
    context |= {
        "fields": tuning_form.shown(
            kind, (start if found else _blank(kind)) | _asked(kind, request) | fixed, fixed, typed, errors
        ),
        "errors": errors,
        "refused": errors.get("", ""),
        "trial": sent.trial,
        "tried": sent.mark,
        "typed_on": sent.trial is not None and typed is not None and typed.get("act") == "save",
        "warnings": sent.warnings,
        "note": typed.get("note", "") if typed is not None else "",
        "note_error": errors.get("note", ""),
        "older": older,
        "cases": CASES,
        "seconds": SECONDS,
    }
    return render(request, "agents/tuning/one.html", context, status=422 if errors else 200)


@dataclass
class _Sent:
    """The outcome of a submitted form: errors, a trial, or the page to open because it was saved."""

    typed: QueryDict | None = None
    errors: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    mark: str = ""
    trial: Trial | None = None
    saved: HttpResponse | None = None


def _sent(request: HttpRequest, user: User, kind: Kind, found: Tunable | None, fixed: Values) -> _Sent:
    """Try out what was typed, or save what was tried."""
    typed = request.POST
    given, errors = tuning_form.read(kind, typed, fixed)
    sent = _Sent(typed, errors)
    if errors:
        return sent
    try:
        checked = versions.cleaned(kind, given, {} if found is None else found.values)
    except TuningRefused as refused:
        errors |= refused.errors
        return sent
    sent.warnings, sent.mark = checked.warnings, mark_of(checked.values)
    # What is saved is exactly what was tried: somebody who types on after a trial sees the next one first.
    if typed.get("act") == "save" and typed.get("tried") == sent.mark:
        sent.saved = _save(request, user, kind, found, checked.values, errors)
    else:
        sent.trial = trying.try_out(kind, checked.values, by=user)
    return sent


def _save(
    request: HttpRequest, user: User, kind: Kind, found: Tunable | None, values: Values, errors: dict[str, str]
) -> HttpResponse | None:
    seen = _number(request.POST.get("seen", ""))
    try:
        saved = versions.save(kind, values, by=user, note=request.POST.get("note", ""), over=found, seen=seen)
    except TuningRefused as refused:
        errors |= refused.errors
        return None
    except NotPossibleNow as late:
        errors[""] = str(late)
        return None
    messages.success(request, "Saved. It is used from the next decision on.")
    return redirect("tuning-one", kind.name, saved.ref)


def _context(kind: Kind, found: Tunable | None) -> dict[str, Any]:
    args = [kind.name] if found is None else [kind.name, found.ref]
    here = reverse("tuning-new" if found is None else "tuning-one", args=args)
    taught = lessons.beside_tuned(kind, found.values) if found is not None else []
    return {"kind": kind, "one": found, "here": here, "usual": found.usual if found else None, "taught": taught}


def mark_of(values: Mapping[str, Any]) -> str:
    """By which a form tells that these values were tried."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def _blank(kind: Kind) -> Values:
    """What a new one begins with: in use, and guessed as ever."""
    return {field.name: True if field.type == "switch" else field.empty for field in kind.fields}


def _asked(kind: Kind, request: HttpRequest) -> Values:
    """What an address that proposes values has filled in; what is no value of its field is left out."""
    said: Values = {}
    for one in kind.fields:
        if one.name in request.GET and one.type in ("text", "choice", "choices", "switch"):
            value: Any = request.GET.getlist(one.name) if one.type == "choices" else request.GET[one.name]
            value = {"true": True, "false": False}.get(value) if one.type == "switch" else value
            said |= {} if one.problem(value) else {one.name: value}
    return said


def _row(kind: Kind, version: versions.Version) -> Row:
    fields = {field.label: field for field in kind.fields}
    told = tuple(
        (
            change.label,
            "" if change.before is None else tuning_form.words(fields[change.label], change.before),
            tuning_form.words(fields[change.label], change.after),
        )
        for change in version.changes
    )
    return Row(version, told)


def _find(kind: Kind, ref: str) -> Tunable:
    found = versions.find(kind, ref)
    if found is None:
        raise Http404("There is no such tuning.")
    return found


def _kind(name: str) -> Kind:
    kind = versions.kind_named(name)
    if kind is None:
        raise Http404("There is no such kind of tuning.")
    return kind


def _operator(request: HttpRequest) -> User:
    user = person_of(request)
    if not tuning_rights.may_tune(user):
        raise PermissionDenied("Only operators can tune mindX.")
    return user


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
