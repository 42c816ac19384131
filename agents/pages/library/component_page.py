"""Where a component is shown and decided on."""

from __future__ import annotations

from django.urls import reverse

from agents.components.rules import KIND as RULE
from library.models import Component


def page_of(component: Component) -> str:
    """The address of its own page, or of its page in the library where it has no other."""
    if component.kind == RULE:
        return reverse("rule", args=[component.pk])
    if component.kind == Component.Kind.TOOL:
        return reverse("tool", args=[component.name])
    if component.kind == Component.Kind.WORKFLOW:
        return reverse("workflow", args=[component.pk])
    return reverse("library-component", args=[component.pk])
