"""Who asks, and which goal they may touch: one way for every view of a goal."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from agents.models import Goal
from agents.pages.goals import goal_page
from agents.record.selectors import may_change
from people.models import User

_PK_MAX = 2**62


def person_of(request: HttpRequest) -> User:
    """The person who is logged in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def visible_goal(request: HttpRequest, pk: int) -> Goal:
    """The goal; 404 also when it is somebody else's, so that numbers tell nothing."""
    goal = goal_page.find(person_of(request), min(pk, _PK_MAX))
    if goal is None:
        raise Http404("There is no goal with this number that you may see.")
    return goal


def changeable_goal(request: HttpRequest, pk: int) -> Goal:
    """The goal, for those who may cancel it or write its plan; 403 for those who may only look."""
    goal = visible_goal(request, pk)
    if not may_change(person_of(request), goal):
        raise PermissionDenied("This goal belongs to somebody else. Only its submitter or an operator may do this.")
    return goal
