"""A worker that is killed while a framework's agent thinks, for real: the next one resumes from what is stored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone

from agents.models import Goal
from agents.states import GoalState
from people.models import User
from tests.agents.frameworks.conftest import answer, approve, call, calls, open_call, work
from tests.models.conftest import MODEL
from tests.models.server import Provider

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
_WORKER = """
import django
django.setup()
from agents.frameworks import factory
from tests.agents.frameworks.double import Double
if {is_double}:
    factory.FACTORY = factory.AgentFactory({{Double.name: Double.create}})
from agents.cycle import cycle
cycle.one({goal})
"""


def test_a_worker_killed_in_the_middle_acts_once_and_the_next_one_goes_on(
    given: Callable[..., Goal], provider: Provider, reviewer: User, request: pytest.FixtureRequest
) -> None:
    killed: list[int] = []
    worker: subprocess.Popen[bytes]

    def kills(asked: Any) -> None:
        killed.append(worker.pid)
        os.kill(worker.pid, signal.SIGKILL)

    first, second = (call("write", path=f"{name}.txt", content=name) for name in "ab")
    provider.will_say(first, kills, second, answer("done"))
    goal = work(given())
    plan = open_call(goal)
    from review.deciding import decisions

    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    work(plan.goal)
    script = _WORKER.format(is_double="double" in request.node.name, goal=goal.pk)
    worker = subprocess.Popen([sys.executable, "-c", script], env=_environment(provider), cwd=django_settings.BASE_DIR)
    assert worker.wait(120) == -signal.SIGKILL
    assert killed == [worker.pid]
    goal.refresh_from_db()
    assert (goal.state, bool(goal.lease_owner), len(calls(goal))) == (GoalState.PLANNING, True, 1)
    Goal.objects.filter(pk=goal.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    goal = work(goal)
    assert (goal.state, goal.lost_workers) == (GoalState.PENDING, 1)
    goal = approve(goal, reviewer)
    assert (goal.state, goal.framework_run.answer) == (GoalState.ACHIEVED, "done")
    assert [one.params["path"] for one in calls(goal)] == ["a.txt", "b.txt"]
    assert goal.children.count() == 2, "and nothing was called twice"
    assert goal.framework_run.steps == 4, "what the dead worker asked is counted"


def _environment(provider: Provider) -> dict[str, str]:
    """What a process needs to be a worker of this test."""
    server, _, _ = os.environ["DATABASE_URL"].partition("?")
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "DATABASE_URL": server.rpartition("/")[0] + f"/{connection.settings_dict['NAME']}" + _query(),
        "MINDX_MODEL": MODEL,
        "OPENAI_API_BASE": provider.address,
    }


def _query() -> str:
    _, sign, query = os.environ["DATABASE_URL"].partition("?")
    return sign + query
