"""Designing a solution of several components, as ArchitectZero draws it, and submitting that for review."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bdi.designing.choosing import Thresholds
from agents.evolution.candidates import asking
from agents.goals.component_goals import Terms
from agents.pages.library import design_page
from agents.record.errors import AgentsError, GoalRefused
from agents.record.selectors import workspaces_writable_by
from agents.system import architect
from agents.system.architect import Design
from agents.views.access import person_of


@dataclass(frozen=True)
class _Form:
    """What was typed."""

    requirements: str = ""
    reuse: str = f"{Thresholds().reuse:.2f}"
    evolve: str = f"{Thresholds().evolve:.2f}"
    workspace: str = ""
    with_model: bool = False

    def thresholds(self) -> Thresholds:
        """Raises GoalRefused for what is no number."""
        try:
            return Thresholds(float(self.reuse), float(self.evolve))
        except ValueError as error:
            raise GoalRefused("reuse_from", "Both thresholds are numbers from 0 to 1.") from error


@require_http_methods(["GET", "HEAD", "POST"])
def design(request: HttpRequest) -> HttpResponse:
    """Type requirements, look at the design, and submit it. What is submitted is drawn again from the same words."""
    if request.method != "POST":
        return _page(request, _Form(with_model=not asking.budget().why_not))
    form = _Form(
        request.POST.get("requirements", "").replace("\0", "")[: architect.REQUIREMENTS_MAX + 1],
        request.POST.get("reuse", "")[:12],
        request.POST.get("evolve", "")[:12],
        request.POST.get("workspace", "")[:80],
        request.POST.get("with_model") == "on",
    )
    try:
        if request.POST.get("do") == "submit":
            return _submit(request, form)
        drawn = architect.design(form.requirements, form.thresholds(), with_model=form.with_model)
    except AgentsError as refused:
        return _page(request, form, refused=str(refused), status=422)
    return _page(request, form, drawn)


def _submit(request: HttpRequest, form: _Form) -> HttpResponse:
    """The text goes along as it was shown, and a reviewer reads it: whoever changes it here has written a design."""
    user = person_of(request)
    workspace = workspaces_writable_by(user).filter(name=form.workspace).first() if form.workspace else None
    if form.workspace and workspace is None:
        raise GoalRefused("workspace", "No workspace of yours has this name.")
    shown = architect.shown(request.POST.get("design", "").replace("\0", "").replace("\r\n", "\n"))
    key = request.POST.get("key", "")[:64]
    return redirect(architect.submit(shown, Terms(user, workspace, key=key)))


def _page(
    request: HttpRequest, form: _Form, drawn: Design | None = None, *, refused: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "design": drawn,
        "graph": design_page.drawn(drawn.blueprint) if drawn is not None else None,
        "refused": refused,
        "writer": asking.budget(),
        "key": uuid.uuid4().hex,
        "workspaces": workspaces_writable_by(person_of(request)).order_by("-changed_at")[:50],
    }
    return render(request, "agents/system/design.html", context, status=status)
