"""Who may see and change a run."""

from __future__ import annotations

from django.db.models import QuerySet

from agents.models import ModularRun
from agents.record import selectors
from agents.record.errors import NotYours
from people.models import User
from people.roles import Role


def visible_to(user: User) -> QuerySet[ModularRun]:
    """The person's own runs; for reviewers, operators and admins all."""
    rows = ModularRun.objects.select_related("by", "agent", "workspace")
    return rows if selectors.sees_everything(user) else rows.filter(by=user)


def may_change(user: User, run: ModularRun) -> bool:
    """True for whoever started it, operators and admins."""
    return user.is_active and (run.by_id == user.pk or user.has_role(Role.OPERATOR))


def check_may_change(user: User, run: ModularRun) -> None:
    """Raises NotYours."""
    if not may_change(user, run):
        raise NotYours("Only whoever started a run, or an operator, can change it.")
