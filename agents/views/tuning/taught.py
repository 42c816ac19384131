"""What people taught: the list, one lesson with its history, taking it back, and promoting it for everybody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.actors import tuning_rights
from agents.models import Lesson
from agents.record.errors import NotPossibleNow, NotYours, TuningRefused
from agents.record.selectors import goals_visible_to, plans_visible_to
from agents.tuning import lessons
from agents.tuning.lessons import Taught
from agents.tuning.trials import CASES
from agents.views.access import person_of
from people.models import User

# The badge of each state.
_MARKS: dict[str, str] = {
    Lesson.State.IN_FORCE: "active",
    Lesson.State.TAKEN_BACK: "retired",
    Lesson.State.PROMOTED: "complete",
}


@require_safe
def taught(request: HttpRequest) -> HttpResponse:
    """What people taught, as it counts: an operator sees everybody's, everybody else their own."""
    user = person_of(request)
    before = request.GET.get("before", "")
    rows, older = lessons.newest(lessons.visible_to(user), before=_number(before))
    readable, beside = _readable_plans(user, rows), lessons.all_beside(rows)
    shown = [_shown(row, readable) | {"beside": beside.get(row.pk)} for row in rows]
    context = {"rows": shown, "older": older, "sees_all": tuning_rights.may_tune(user), "is_first": not before}
    return render(request, "agents/tuning/taught.html", context)


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """One lesson with its history."""
    return _page(request, pk)


@require_POST
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """End it, from the next planning on."""
    user, row = person_of(request), _find(request, pk)
    try:
        ended = lessons.take_back(row, by=user, note=request.POST.get("note", ""), seen=_seen(request, "seen"))
    except (NotPossibleNow, NotYours, TuningRefused) as error:
        messages.error(request, f"Nothing was changed. {error}")
        return redirect("taught-one", pk)
    messages.success(request, "Taken back. It no longer applies, from the next planning on.")
    return redirect("taught-one", ended.pk)


@require_POST
def promote(request: HttpRequest, pk: int) -> HttpResponse:
    """Try it for everybody; promoted is exactly what was tried."""
    user, row = person_of(request), _find(request, pk)
    if not tuning_rights.may_tune(user):
        raise Http404("There is no such lesson.")
    says = Taught.of(row)
    note, mark = request.POST.get("note", ""), mark_of(row, _over(says))
    try:
        if request.POST.get("act") == "promote" and request.POST.get("tried") == mark:
            tuned = lessons.promote(row, by=user, note=note, seen=_seen(request, "seen"), over=_seen(request, "over"))
            messages.success(request, "Promoted. It holds for everybody, from the next decision on.")
            return redirect("tuning-one", tuned.kind.name, tuned.ref)
        trial = lessons.try_for_everybody(says, row.teacher, goals_visible_to(user))
    except (NotPossibleNow, TuningRefused) as error:
        return _page(request, pk, {"refused": str(error), "note": note}, status=422)
    return _page(request, pk, {"trial": trial, "tried": mark, "note": note})


def mark_of(row: Lesson, over: int) -> str:
    """By which a form tells that this version was tried over that one of everybody's."""
    return hashlib.sha256(json.dumps([row.pk, over]).encode()).hexdigest()[:16]


def _page(request: HttpRequest, pk: int, more: Mapping[str, Any] | None = None, *, status: int = 200) -> HttpResponse:
    user, found = person_of(request), _find(request, pk)
    says = Taught.of(found)
    versions = lessons.about(found.teacher_id, says)
    newest = versions[0]
    readable = _readable_plans(user, versions)
    context = {
        "lesson": _shown(newest, readable),
        "history": [(number, _shown(row, readable)) for number, row in lessons.in_order(versions)],
        "beside": lessons.all_beside([newest]).get(newest.pk),
        "over": _over(says),
        "is_mine": newest.teacher_id == user.pk,
        "may_promote": tuning_rights.may_tune(user),
        "cases": CASES,
        "kind": says.base,
        **(more or {}),
    }
    return render(request, "agents/tuning/lesson.html", context, status=status)


def _over(says: Taught) -> int:
    """The number of the version for everybody that a promotion would be written over; 0: there is none."""
    tuned = lessons.for_everybody(says)
    return tuned.version if tuned is not None else 0


def _shown(row: Lesson, readable: set[int]) -> dict[str, Any]:
    says = Taught.of(row)
    return {
        "row": row,
        "says": says,
        "in_force": row.state == Lesson.State.IN_FORCE,
        "mark": _MARKS[row.state],
        "word": row.state.replace("_", " "),
        "plan": row.plan_id if row.plan_id in readable else None,
    }


def _readable_plans(user: User, rows: list[Lesson]) -> set[int]:
    """Of their plans those that this person may read."""
    return set(plans_visible_to(user).filter(pk__in={row.plan_id for row in rows}).values_list("pk", flat=True))


def _find(request: HttpRequest, pk: int) -> Lesson:
    found = lessons.visible_to(person_of(request)).filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such lesson.")
    return found


def _seen(request: HttpRequest, name: str) -> int | None:
    return _number(request.POST.get(name, ""))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
