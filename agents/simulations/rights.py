"""Who may see and change runs in environments, and who trains policies."""

from __future__ import annotations

from django.db.models import QuerySet

from agents.models import EnvironmentRun
from agents.record import selectors
from agents.record.errors import GoalRefused, NotYours
from people.models import User
from people.roles import Role


def visible_to(user: User) -> QuerySet[EnvironmentRun]:
    """The person's own runs; for reviewers, operators and admins all."""
    rows = EnvironmentRun.objects.select_related("by", "agent", "answered_by")
    return rows if selectors.sees_everything(user) else rows.filter(by=user)


def may_start(user: User) -> bool:
    """Whoever may give work to agents."""
    return user.is_active and user.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER)


def check_may_start(user: User) -> None:
    """Raises GoalRefused."""
    if not may_start(user):
        raise GoalRefused("environment", "You may not start runs. Ask an admin for the role submitter.")


def may_change(user: User, run: EnvironmentRun) -> bool:
    """True for whoever started it, operators and admins."""
    return user.is_active and (run.by_id == user.pk or user.has_role(Role.OPERATOR))


def check_may_change(user: User, run: EnvironmentRun) -> None:
    """Raises NotYours."""
    if not may_change(user, run):
        raise NotYours("Only whoever started a run, or an operator, can change it.")


def may_train(user: User) -> bool:
    """Operators: what a policy learns holds for everybody's runs."""
    return user.is_active and user.has_role(Role.OPERATOR)


def check_may_train(user: User) -> None:
    """Raises NotYours."""
    if not may_train(user):
        raise NotYours("Only operators can train and reset policies.")
