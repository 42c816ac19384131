"""What the tests of runs in environments share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from agents.models import EnvironmentRun
    from agents.simulations.worlds import World
    from people.models import User


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Callable[[World], World]:
    """`world(ButtonWorld())`: there is this one as well."""
    from agents.simulations import worlds

    def there(made: World) -> World:
        every = worlds.every()
        monkeypatch.setattr(worlds, "every", lambda: {**every, made.name: made})
        return made

    return there


@pytest.fixture
def started(owner: User) -> Callable[..., EnvironmentRun]:
    """`started(task="tea")`: a run in the house, which no worker has begun."""
    from agents.simulations import runs
    from agents.simulations.runs import Start

    def made(by: User | None = None, **also: Any) -> EnvironmentRun:
        return runs.start(Start(**{"environment": "house", "task": "bring", **also}), by=by or owner)

    return made


@pytest.fixture
def worked(started: Callable[..., EnvironmentRun]) -> Callable[..., EnvironmentRun]:
    """`worked(task="tea")`: the same, as far as a worker got."""
    from agents.simulations import working

    def made(**also: Any) -> EnvironmentRun:
        run = started(**also)
        working.work(run.pk)
        run.refresh_from_db()
        return run

    return made
