"""Who may tune: correct classes of failures, write rules, policies and settings."""

from __future__ import annotations

from agents.record.errors import NotYours
from people.models import User
from people.roles import Role


def may_tune(user: object) -> bool:
    """Operators do."""
    return isinstance(user, User) and user.is_active and user.has_role(Role.OPERATOR)


def check_operator(user: User) -> None:
    """Raise NotYours for everybody else."""
    if not may_tune(user):
        raise NotYours("Operators correct classes and set how mindX recovers.")
