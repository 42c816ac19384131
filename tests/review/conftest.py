"""The cast of the review tests: one submits, two review, one may see nothing of the others.

Models are imported inside the fixtures: pytest may read this file before Django is set up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import pytest

from people.roles import Role

if TYPE_CHECKING:
    from agents.models import IntentPlan
    from people.models import User


@pytest.fixture
def submitter(db: None) -> User:
    """Has goals, decides none."""
    from tests.review.plans import person

    return person("sue", Role.SUBMITTER, first_name="Sue", last_name="Bennet")


@pytest.fixture
def judge(db: None) -> User:
    """A reviewer who also has goals."""
    from tests.review.plans import person

    return person("jo", Role.SUBMITTER, Role.REVIEWER, first_name="Jo", last_name="Lindt")


@pytest.fixture
def second_judge(db: None) -> User:
    """Another reviewer."""
    from tests.review.plans import person

    return person("kai", Role.REVIEWER)


@pytest.fixture
def stranger(db: None) -> User:
    """A submitter who may see nothing of the others."""
    from tests.review.plans import person

    return person("stan", Role.SUBMITTER)


@pytest.fixture
def plan(submitter: User) -> IntentPlan:
    """A plan of the submitter's goal that awaits review."""
    from tests.review.plans import goal_of, proposed

    return proposed(goal_of(submitter))


@pytest.fixture
def without_guard(db: None) -> Callable[[str, str], AbstractContextManager[None]]:
    """What only the owner of the database can do: change a row past the trigger that guards it."""
    from django.db import connection

    @contextmanager
    def off(table: str, trigger: str) -> Iterator[None]:
        settle = "SET CONSTRAINTS ALL IMMEDIATE"  # a table with deferred checks pending cannot be altered
        with connection.cursor() as cursor:
            cursor.execute(f"{settle}; ALTER TABLE {table} DISABLE TRIGGER {trigger}")
            yield
            cursor.execute(f"{settle}; ALTER TABLE {table} ENABLE TRIGGER {trigger}")

    return off


@pytest.fixture
def keeper(db: None) -> User:
    """Operates and reviews, so that policies may approve in their name."""
    from tests.review.plans import person

    return person("kim", Role.OPERATOR, Role.REVIEWER, first_name="Kim", last_name="Aas")


@pytest.fixture
def cases(submitter: User) -> None:
    """Twelve earlier steps of each command that ended well: without them every risk is unknown."""
    from agents.models import Intent
    from agents.services.moves import move_plan
    from agents.states import PlanState
    from tests.review.plans import goal_of, proposed

    earlier = proposed(goal_of(submitter, "earlier"))
    move_plan(earlier, PlanState.REJECTED, by="a test")
    Intent.objects.bulk_create(
        Intent(
            intent_plan=earlier,
            position=position,
            tool="simple_coder",
            command=command,
            effect="workspace",
            state="succeeded",
        )
        for position, command in enumerate(["mkdir", "write", "run"] * 12, 10)
    )
