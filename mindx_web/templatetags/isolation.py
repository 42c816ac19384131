"""The panel of the level of isolation on the first page of the administration."""

from __future__ import annotations

from django import template

from mindx_web.operations import health
from mindx_web.presentation.isolation import Isolation, of

register = template.Library()


@register.inclusion_tag("admin/_isolation.html")
def isolation() -> dict[str, Isolation]:
    """Draw what the workers report of their jails now."""
    return {"found": of(next(part for part in health.current().parts if part.name == "sandbox"))}
