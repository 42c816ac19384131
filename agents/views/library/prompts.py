"""Writing the next version of a prompt, and saying which one is used; what there is of it shows the library."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from agents.actors import prompt_versions
from agents.evolution.activation import deciding
from agents.views.library import version_moves
from agents.views.library.versions import version_in_use, version_named_in
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from library.prompts import declared
from library.prompts.in_use import KIND

_PERCENT = re.compile(r"[0-9]{1,3}")


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, pk: int) -> HttpResponse:
    """Write a version, from the one that the address names or the one in use. What is refused stays in the form."""
    component = _prompt(pk)
    if request.method != "POST":
        versions = list(component.versions.all())
        start = version_named_in(request, "from", versions) or version_in_use(versions)
        return _form(request, component, start.body if start else declared.every()[component.name].text)
    body = request.POST.get("body", "")
    changes = request.POST.get("changes", "").replace("\0", "")[:500]
    user: Any = request.user
    try:
        saved = prompt_versions.save(component, body, by=user, changes=changes)
    except LibraryRefused as refused:
        kept, status = body[: declared.MOST_CHARS + 1], 422 if refused.field else 403
        return _form(request, component, kept, changes=changes, refused=str(refused), status=status)
    messages.success(request, f"Version {saved.version} is saved as a candidate. An operator must activate it.")
    return redirect(f"{reverse('library-component', args=[pk])}?version={saved.pk}")


@require_POST
def ask_model(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a model write a candidate from recorded calls, or stop that."""
    user: Any = request.user
    version_moves.ask_model(request, _prompt(pk), user)
    return redirect(f"{reverse('library-component', args=[pk])}#writer")


@require_POST
def search(request: HttpRequest, pk: int) -> HttpResponse:
    """Search for a better version with a model, or stop that."""
    user: Any = request.user
    version_moves.search(request, _prompt(pk), user)
    return redirect(f"{reverse('library-component', args=[pk])}#search")


@require_POST
def move(request: HttpRequest, pk: int, version: int, move: str) -> HttpResponse:
    """Activate a version, also one that was in use before, make one a canary, or retire one."""
    if move not in ("activate", "retire", "canary"):
        raise Http404
    user: Any = request.user
    reason = request.POST.get("reason", "").replace("\0", "")[:500]
    rows = ComponentVersion.objects.select_related("component", "parent__component").filter(component__kind=KIND)
    found = get_object_or_404(rows, pk=version, component_id=pk)
    try:
        if move == "canary":
            percent = request.POST.get("percent", "")
            share = int(percent) if _PERCENT.fullmatch(percent) else 0
            moved = deciding.begin_prompt_canary(found, by=user, percent=share, reason=reason)
        elif move == "activate":
            moved = deciding.activate_prompt(found, by=user, reason=reason)
        else:
            moved = prompt_versions.retire(found, by=user)
    except LibraryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Version {moved.version} of {moved.component.name} is {moved.status}.")
    return redirect(f"{reverse('library-component', args=[pk])}?version={version}")


def _prompt(pk: int) -> Component:
    component = get_object_or_404(Component, pk=pk, kind=KIND)
    if component.name not in declared.every():  # an older mindX had it
        raise Http404
    return component


def _form(request: HttpRequest, component: Component, body: str, *, status: int = 200, **more: str) -> HttpResponse:
    context = {
        "component": component,
        "prompt": declared.every()[component.name],
        "body": body,
        "most": declared.MOST_CHARS,
        "may_write": services.may_write(request.user),
        **more,
    }
    return render(request, "agents/library/prompt.html", context, status=status)
