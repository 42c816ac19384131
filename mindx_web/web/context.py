"""What the frame of every page shows: the places, what waits in them, and the version."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from agents.actors import pauses
from agents.models import Standstill
from people.models import User
from people.roles import Role
from review.deciding import held_decisions
from review.deciding.held_decisions import Together
from review.queue.counts import Numbers, numbers_of

# The first word of an address's name says in which place it lies.
_PLACES = {
    "goals": "goals",
    "goal": "goals",
    "workspace": "workspaces",
    "workspaces": "workspaces",
    "rules": "rules",
    "rule": "rules",
    "firmware": "rules",
    "evolution": "rules",
    "library": "rules",
    "tools": "rules",
    "tool": "rules",
    "agents": "agents",
    "agent": "agents",
    "bus": "agents",
    "modular": "agents",
    "environments": "agents",
    "environment": "agents",
    "system": "agents",
    "architect": "agents",
    "workflows": "agents",
    "workflow": "agents",
    "mastermind": "mastermind",
    "memory": "memory",
    "experience": "memory",
    "review": "review",
    "insights": "insights",
    "recovery": "insights",
    "tuning": "insights",
    "taught": "insights",
    "overview": "overview",
    "account": "account",
    "token": "account",
}


@dataclass(frozen=True)
class Place:
    """An entry of the navigation. `count` is what waits for the person there, in words ("7", "99+", "")."""

    key: str
    name: str
    icon: str
    url: str
    count: str = ""


class Shell:
    """The frame for one request. Everything is computed when a template asks: fragments and error pages ask nothing."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def place(self) -> str:
        """The key of the place the page lies in, empty when it lies in none."""
        match = self._request.resolver_match
        name = (match.url_name or "") if match else ""
        place = "notices" if name.startswith("review-notice") else _PLACES.get(name.partition("-")[0], "")
        # Who has no insights comes to what they taught from the review.
        return "review" if place == "insights" and not self._is_operator else place

    @cached_property
    def work(self) -> list[Place]:
        """The places where goals are given, followed and decided."""
        return [
            Place("overview", "Overview", "home", reverse("overview")),
            Place("goals", "Goals", "goal", reverse("goals")),
            Place("review", "Review", "eye", reverse("review"), self.waiting),
        ]

    @cached_property
    def knowledge(self) -> list[Place]:
        """The places of what is known, and the administration for those who may enter it."""
        places = [
            Place("rules", "Rules", "rule", reverse("rules")),
            Place("agents", "Agents", "agents", reverse("agents")),
            Place("mastermind", "Mastermind", "keys", reverse("mastermind")),
            Place("memory", "Memory", "memory", reverse("memory")),
            Place("workspaces", "Workspaces", "folder", reverse("workspaces")),
        ]
        if self._is_operator:
            places.append(Place("insights", "Insights", "chart", reverse("insights-mind")))
        places.append(Place("notices", "Notices", "comment", reverse("review-notices"), self.unread))
        if getattr(self._request.user, "is_staff", False):
            places.append(Place("admin", "Admin", "gear", reverse("admin:index")))
        return places

    @property
    def numbers(self) -> Numbers:
        """What the frame counts, asked once a request."""
        return numbers_of(self._request)

    @property
    def waiting(self) -> str:
        """How many plans this person may decide now: "7", "99+", or nothing."""
        return self.numbers.waiting

    @property
    def unread(self) -> str:
        """How many notices this person has not read: "7", "99+", or nothing."""
        return self.numbers.unread

    @cached_property
    def held(self) -> list[Together]:
        """What this person decided and may still take back, and what of it was dropped."""
        user = self._request.user
        return held_decisions.of(user) if self.numbers.has_held and isinstance(user, User) else []

    @cached_property
    def standstill(self) -> Standstill | None:
        """Who lets nothing begin at the moment, and why; asked for only when there is something to say."""
        return pauses.standstill() if self.numbers.stands_still else None

    @property
    def may_go_on(self) -> bool:
        """Whether this person may end a standstill."""
        return self._is_operator

    @property
    def _is_operator(self) -> bool:
        user = self._request.user
        return isinstance(user, User) and user.has_role(Role.OPERATOR)

    @property
    def version(self) -> str:
        """The version that runs."""
        return VERSION


def shell(request: HttpRequest) -> dict[str, Any]:
    """The context processor."""
    return {"shell": Shell(request)}


def _version() -> str:
    """The version as the project file says it: run from its folder, mindX is not an installed package."""
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as project:
        return str(tomllib.load(project)["project"]["version"])


VERSION = _version()
