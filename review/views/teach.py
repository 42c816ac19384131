"""Teaching by an edit: choosing its meaning, its trial on stored plans, and saving it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.models import Lesson
from agents.record.errors import NotPossibleNow, TuningRefused
from agents.record.selectors import goals_visible_to
from agents.tuning import lessons
from agents.tuning.lessons import Taught
from agents.tuning.trials import CASES
from people.models import User
from review.errors import WordsRefused
from review.teaching import lessons as teaching
from review.teaching import rule_changes
from review.teaching.lessons import Edit
from review.views.plan import asking, visible_plan


@require_http_methods(["GET", "HEAD", "POST"])
def teach(request: HttpRequest, pk: int, position: int, parameter: str) -> HttpResponse:
    """What a changed value could teach; tried first, and saved only if exactly that was tried."""
    plan, user = visible_plan(request, pk), asking(request)
    edit = teaching.edit_of(plan, position, parameter)
    if edit is None:
        raise Http404("Nobody changed this value in this revision.")
    if reason := teaching.why_not(user, plan):
        raise PermissionDenied(reason)
    if request.method != "POST":
        return _page(request, edit, _beside(usual, user) if (usual := _usual(edit)) is not None else {})
    try:
        taught = teaching.taught_by(
            edit, request.POST.get("as", ""), said=request.POST.get("said", ""), where=request.POST.get("where", "here")
        )
        checked = taught.checked()
        if request.POST.get("act") == "teach" and request.POST.get("tried") == mark_of(taught):
            seen = request.POST.get("seen", "")
            kept = teaching.teach(
                edit, taught, by=user, note=request.POST.get("note", ""),
                seen=int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 19 else None,
            )  # fmt: skip
            messages.success(request, "Taught. It applies to the goals that you submit the next time they are planned.")
            return redirect("taught-one", kept.pk)
        trials = teaching.attempt(edit, taught, by=user, readable_goals=goals_visible_to(user))
    except WordsRefused as refused:
        return _page(request, edit, {"errors": [str(refused)]}, status=422)
    except TuningRefused as refused:
        return _page(request, edit, {"errors": list(refused.errors.values())}, status=422)
    except NotPossibleNow as late:
        return _page(request, edit, {"errors": [str(late)]}, status=409)
    typed_on = request.POST.get("act") == "teach"
    tried = {
        "trials": trials,
        "changes_own": trials.changes_goal_of(edit),
        "warnings": checked.warnings,
        "typed_on": typed_on,
    }
    return _page(request, edit, tried | _beside(taught, user) | {"tried": mark_of(taught)})


def mark_of(taught: Taught) -> str:
    """The key by which the form proves that exactly this was tried."""
    return hashlib.sha256(json.dumps(vars(taught), sort_keys=True).encode()).hexdigest()[:16]


def _usual(edit: Edit) -> Taught | None:
    """The default choice on a new page; None if the edit can teach nothing."""
    if not edit.teachable.is_anything:
        return None
    return teaching.taught_by(edit, teaching.DEFAULT if edit.teachable.why_no_mapping else teaching.MAPPING)


def _beside(taught: Taught, user: User) -> dict[str, Any]:
    """This person's earlier lesson about the same, and the setting for everybody."""
    before = next(iter(lessons.about(user.pk, taught)), None)
    tuned = lessons.for_everybody(taught)
    in_force = before if before is not None and before.state == Lesson.State.IN_FORCE else None
    return {
        "taught": taught,
        "seen": before.pk if before else 0,
        "mine": Taught.of(in_force) if in_force else None,
        "for_everybody": tuned if tuned is not None and tuned.values["in_use"] else None,
    }


def _page(request: HttpRequest, edit: Edit, more: dict[str, Any], *, status: int = 200) -> HttpResponse:
    can = edit.teachable
    usual = teaching.DEFAULT if can.why_no_mapping else teaching.MAPPING
    context = {
        "edit": edit,
        "plan": edit.plan,
        "can": can,
        "as": request.POST.get("as", usual),
        "said": request.POST.get("said", can.said[0] if can.said else ""),
        "where": request.POST.get("where", teaching.HERE),
        "note": request.POST.get("note", ""),
        "cases": CASES,
        "kind": {"trial": "commands"},
        "rule_change": rule_changes.of_edit(edit),
        **more,
    }
    response = render(request, "review/teach.html", context, status=status)
    if more.get("errors"):
        response.refused_because = " ".join(more["errors"])  # type: ignore[attr-defined]  # the journal reads it
    return response
