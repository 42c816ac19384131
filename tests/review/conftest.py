"""The cast of the review tests: one submits, two review, one may see nothing of the others.

Models are imported inside the fixtures: pytest may read this file before Django is set up.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
def keeper(db: None) -> User:
    """Operates and reviews, so that policies may approve in their name."""
    from tests.review.plans import person

    return person("kim", Role.OPERATOR, Role.REVIEWER, first_name="Kim", last_name="Aas")


@pytest.fixture
def cases(submitter: User) -> None:
    """Twelve earlier steps of each of three kinds that ended well: without them every risk is unknown."""
    from agents.record.moves import move_plan
    from agents.states import PlanState
    from tests.review.plans import MKDIR, WRITE, goal_of, proposed, step

    earlier = proposed(goal_of(submitter, "earlier"), [MKDIR, WRITE, step("run", command_line="python -c pass")] * 12)
    move_plan(earlier, PlanState.REJECTED, by="a test")
    earlier.intents.update(state="succeeded")


@pytest.fixture
def store(tmp_path: Path, settings: Any) -> Any:
    """A snapshot store of this test's own."""
    from agents.workspaces import stores

    settings.DATA_DIR = tmp_path
    return stores.store()
