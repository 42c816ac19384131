"""The cast of every test: one owns, one reviews, one may see nothing, one operates, one secures; and what they own.

A pytest plugin. Models are imported inside the fixtures: pytest reads this file before Django is set up.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django.test import Client

    from agents.models import Goal, IntentPlan, Workspace
    from people.models import User

PASSWORD = "correct horse battery staple"

# Two steps of SimpleCoder that any workspace can take.
STEPS: tuple[Mapping[str, Any], ...] = (
    {"tool": "simple_coder", "command": "mkdir", "params": {"path": "notes"}},
    {"tool": "simple_coder", "command": "write", "params": {"path": "notes/one.txt", "content": "first line\n"}},
)


def person(name: str, *roles: str, **also: Any) -> User:
    """A person with these roles and without a password: hashing one would be most of a test's time."""
    from people.models import User

    return User.objects.create_user(name, roles=list(roles), **also)


@pytest.fixture
def owner(db: None) -> User:
    """A submitter: has goals, decides none."""
    return person("olga", "submitter", first_name="Olga", last_name="Berg")


@pytest.fixture
def reviewer(db: None) -> User:
    """Sees every goal and decides."""
    return person("rita", "submitter", "reviewer", first_name="Rita", last_name="Holm")


@pytest.fixture
def outsider(db: None) -> User:
    """A submitter who may see nothing of the others."""
    return person("otto", "submitter")


@pytest.fixture
def operator(db: None) -> User:
    """Tunes: sees every goal, pauses agents, activates versions."""
    return person("opal", "operator")


@pytest.fixture
def admin(db: None) -> User:
    """May do everything, the admin pages included."""
    from people.models import User

    return User.objects.create_superuser("ada")


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """`client_of(user)`: a browser in which the person is logged in."""
    from django.test import Client

    def logged_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="people.backends.SealedPeople")
        return client

    return logged_in


@pytest.fixture
def token_of() -> Callable[..., str]:
    """`token_of(user, *scopes)`: a fresh API token; without scopes it may do all the person may."""
    from people import tokens

    def made(user: User, *scopes: str) -> str:
        return tokens.issue(user, "made by a test", wanted=scopes or None)[1]

    return made


@dataclass(frozen=True)
class ApiCaller:
    """Calls the API with a token. Paths are relative to /api/v1/; answers are Django's, `.json()` reads them."""

    client: Client
    token: str = ""

    def get(self, path: str, **headers: str) -> HttpResponse:
        """GET."""
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """POST a value as JSON; None sends no body."""
        return self.send("POST", path, b"" if body is None else json.dumps(body).encode(), headers=headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """PATCH a value as JSON; None sends no body."""
        return self.send("PATCH", path, b"" if body is None else json.dumps(body).encode(), headers=headers)

    def send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Any request with any bytes; a header `Idempotency_Key` is sent as Idempotency-Key."""
        sent = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        answer = self.client.generic(method, f"/api/v1/{path}", body, content_type=content_type, headers=sent)
        return cast("HttpResponse", answer)


@pytest.fixture
def api_of(token_of: Callable[..., str]) -> Callable[..., ApiCaller]:
    """`api_of(user, *scopes)`: calls the API as that person; `api_of(None)` as nobody."""
    from django.test import Client

    def calling(user: User | None, *scopes: str) -> ApiCaller:
        # A fault of the server is an answer here too, as it is for every other caller.
        client = Client(raise_request_exception=False)
        return ApiCaller(client, token_of(user, *scopes) if user is not None else "")

    return calling


@pytest.fixture
def make_workspace(db: None) -> Callable[..., Workspace]:
    """`make_workspace(user, name="…")`: an empty workspace."""
    from agents.models import Workspace
    from sandbox.store.snapshots import EMPTY

    numbers = itertools.count(1)

    def made(user: User, name: str = "") -> Workspace:
        return Workspace.objects.create(name=name or f"{user.username}-files-{next(numbers)}", owner=user, head=EMPTY)

    return made


@pytest.fixture
def make_goal(db: None) -> Callable[..., Goal]:
    """`make_goal(user, "text", **submit's other arguments)`: a goal as submitted; no worker has looked at it."""
    from agents.goals import goals

    def made(user: User, text: str = "Write a note", **also: Any) -> Goal:
        return goals.submit(by=user, text=text, **also)

    return made


@pytest.fixture
def propose_plan(make_goal: Callable[..., Goal]) -> Callable[..., IntentPlan]:
    """`propose_plan(goal_or_user, steps)`: an intent plan that awaits review, proposed as real ones are."""
    from django.db import transaction

    from agents.models import Goal
    from agents.plans import proposals
    from agents.record.moves import move_goal
    from agents.states import GoalState

    def made(goal: Goal | User, steps: Sequence[Mapping[str, Any]] = STEPS) -> IntentPlan:
        of = goal if isinstance(goal, Goal) else make_goal(goal)
        draft, problems = proposals.draft_by_hand(of, steps, (), by=of.submitted_by)
        assert problems == []
        with transaction.atomic():
            locked = Goal.objects.select_for_update(no_key=True).get(pk=of.pk)
            if locked.state == GoalState.PENDING:
                locked = move_goal(locked, GoalState.PLANNING, by="a test", reason="")
            return proposals.propose(locked, draft, by=of.submitted_by)

    return made
