"""Finding a rule and the version of it that an address names."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from agents.components.rules import KIND
from library.models import Component, ComponentVersion


def component_or_404(pk: int) -> Component:
    """The rule of this number that has a version."""
    return get_object_or_404(Component.objects.filter(versions__isnull=False).distinct(), pk=pk, kind=KIND)


def version_in_use(versions: Sequence[ComponentVersion]) -> ComponentVersion | None:
    """The active one of these, if any."""
    return next((version for version in versions if version.status == ComponentVersion.Status.ACTIVE), None)


def version_named_in(request: HttpRequest, name: str, versions: Sequence[ComponentVersion]) -> ComponentVersion | None:
    """The version that the address names; 404 for one that is not of this rule."""
    wanted = request.GET.get(name, "")
    if not wanted:
        return None
    found = next((version for version in versions if str(version.pk) == wanted), None)
    if found is None:
        raise Http404
    return found
