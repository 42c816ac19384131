"""A worker that runs on, in a process of its own, follows what is saved with its next decision."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection

from agents.bdi.plans import document as documents
from agents.models import Goal
from agents.tuning import versions
from agents.workspaces import workspaces
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
# It is told goals by their numbers, works on each, and never starts anew.
_WORKER = """
import sys
import django
django.setup()
from agents.cycle import cycle
for line in sys.stdin:
    cycle.work(int(line))
    print("worked", flush=True)
"""


@pytest.fixture
def worked() -> Iterator[Callable[[Goal], Goal]]:
    """`worked(goal)`: the goal as that one process leaves it."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    also = {
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "MINDX_SECRET_KEY": settings.SECRET_KEY,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", _WORKER], env={**os.environ, **also}, cwd=Path(settings.BASE_DIR),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    told, heard = process.stdin, process.stdout

    def work(goal: Goal) -> Goal:
        told.write(f"{goal.pk}\n")
        told.flush()
        assert heard.readline() == "worked\n"
        return Goal.objects.get(pk=goal.pk)

    yield work
    told.close()
    assert process.wait(timeout=45) == 0


def test_a_running_worker_follows_with_its_next_decision(
    worked: Callable[[Goal], Goal], make_goal: Callable[..., Goal], owner: User, operator: User
) -> None:
    def read(text: str) -> str:
        goal = make_goal(owner, text)
        for path in ("src/app.py", "src/util.py"):
            workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(b""))
        goal = worked(goal)
        plan = goal.intent_plans.first()
        return goal.reason if plan is None else str(documents.read(bytes(plan.document)).at(1).params["path"])

    mappings, switches = versions.kind_named("path_mapping"), versions.kind_named("parameter_settings")
    assert mappings is not None
    assert switches is not None
    assert read("show app") == "src/app.py"
    mapping = versions.save(mappings, {"said": "app", "path": "src/util.py", "in_use": True}, by=operator)
    assert read("show app") == "src/util.py"
    versions.save(mappings, {"in_use": False}, by=operator, over=mapping)
    assert read("show app") == "src/app.py"
    (one,) = versions.current(switches)
    saved = versions.save(switches, {"enable_understanding": False}, by=operator, over=one)
    assert read("show app").startswith("no_relevant_rule: ")
    versions.revert(saved, 0, by=operator)
    assert read("show app") == "src/app.py"
