"""The pages of firmware: what models are told, its versions, and writing the next one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.actors import firmware
from agents.evolution.activation import deciding
from library.components import services
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.roles import Role

_ACTIVE = ComponentVersion.Status.ACTIVE


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Every domain with the text in use, and all its versions."""
    found: dict[str, list[ComponentVersion]] = {}
    for version in firmware.versions()[:200]:
        found.setdefault(version.component.name, []).append(version)
    domains = [
        (name, next((one for one in versions if one.status == _ACTIVE), None), versions)
        for name, versions in sorted(found.items(), key=lambda item: (item[0] != firmware.GENERAL, item[0]))
    ]
    context = {"domains": domains, **_rights(request)}
    return render(request, "agents/firmware/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest) -> HttpResponse:
    """Write a version, from the one that the address names or from nothing. What is refused stays in the form."""
    if request.method != "POST":
        start = firmware.versions().filter(pk=_id(request.GET.get("from", ""))).first()
        domain = start.component.name if start else firmware.GENERAL
        return _form(request, domain, start.body if start else "")
    domain, body = request.POST.get("domain", "").strip(), request.POST.get("body", "")
    changes = request.POST.get("changes", "").replace("\0", "")[:500]
    user: Any = request.user
    try:
        saved = firmware.save(domain, body, by=user, changes=changes)
    except LibraryRefused as refused:
        status = 422 if refused.field else 403
        kept = body[: firmware.MOST_CHARS + 1]
        return _form(request, domain[:40], kept, changes=changes, refused=str(refused), status=status)
    messages.success(request, f"Version {saved.version} of {domain} is saved. An operator must activate it.")
    return redirect("firmware")


@require_POST
def move(request: HttpRequest, version: int, move: str) -> HttpResponse:
    """Activate or retire a version."""
    acts = {"activate": deciding.activate_firmware, "retire": firmware.retire}
    if move not in acts:
        raise Http404
    user: Any = request.user
    reason = request.POST.get("reason", "").replace("\0", "")[:500]
    try:
        moved = acts[move](get_object_or_404(firmware.versions(), pk=version), by=user, reason=reason)
    except LibraryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Version {moved.version} of {moved.component.name} is {moved.status}.")
    return redirect("firmware")


def _form(request: HttpRequest, domain: str, body: str, *, status: int = 200, **more: str) -> HttpResponse:
    context = {"domain": domain, "body": body, "most": firmware.MOST_CHARS, **more, **_rights(request)}
    return render(request, "agents/firmware/write.html", context, status=status)


def _rights(request: HttpRequest) -> dict[str, bool]:
    user: Any = request.user
    return {
        "may_write": services.may_write(user),
        "may_activate": firmware.may_activate(user),
        "may_lift": user.has_role(Role.ADMIN),
    }


def _id(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
