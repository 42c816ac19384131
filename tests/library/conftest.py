"""People and a sentence model for the library's tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from people.roles import Role
from tests.library.vectors import WordVectors, install

if TYPE_CHECKING:  # a conftest is read before Django knows its apps
    from people.models import User


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """`person("name", Role.REVIEWER, …)`: a person with these roles; a submitter when none is given."""

    from people.models import User

    def make(name: str, *roles: Role) -> User:
        return User.objects.create_user(name, roles=[role.value for role in roles or (Role.SUBMITTER,)])

    return make


@pytest.fixture
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    """Replaces the sentence model for one test."""
    return install(monkeypatch)
