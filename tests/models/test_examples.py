"""Goals of the first-visit page to their end: the one only a model can plan, and the one that removes something."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command

from agents.cycle import cycle
from agents.models import Goal, LogLine
from agents.states import GoalState
from agents.workspaces.stores import store
from people.models import User
from review.deciding import decisions
from tests.models.server import Provider
from tests.review.some_policies import tried

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAM = """import datetime


def weekday(text):
    return datetime.date.fromisoformat(text).strftime("%A")
"""
TEST = """import unittest

from weekdays import weekday


class Weekdays(unittest.TestCase):
    def test_a_leap_day(self):
        self.assertEqual(weekday("2000-02-29"), "Tuesday")
"""


def write(path: str, content: str) -> dict[str, Any]:
    return {
        "tool": "simple_coder",
        "command": "write",
        "params": {"path": path, "content": content},
        "why": f"{path} was asked for.",
    }


def test_the_goal_that_only_a_model_can_plan_is_reached(
    provider: Provider, owner: User, reviewer: User, client_of: Any, valkey: object
) -> None:
    run = {"command_line": "python -m unittest test_weekdays"}
    steps = [
        write("weekdays.py", PROGRAM),
        write("test_weekdays.py", TEST),
        {"tool": "simple_coder", "command": "run", "params": run, "why": "The test was to be run."},
    ]
    provider.will_say(json.dumps({"steps": steps}))
    client = client_of(owner)
    page = client.get("/").content.decode()
    assert page.count("Use this goal") == 3
    assert "/goals/examples/program/" in page
    goal = Goal.objects.get(pk=int(client.post("/goals/examples/program/").headers["Location"].split("/")[2]))
    cycle.work(goal.pk)
    plan = goal.intent_plans.get()
    assert plan.plan.source == "model"
    shown = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert "python -m unittest test_weekdays" in shown
    assert "planned by" in shown
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.ACHIEVED, goal.reason
    assert "OK" in LogLine.objects.filter(goal=goal).values_list("text", flat=True)
    assert "A model planned it: saved as a rule" in client.get(f"/goals/{goal.pk}/").content.decode()


def test_the_goal_that_removes_something_shows_all_that_goes_and_does_just_that(
    owner: User, reviewer: User, client_of: Any, valkey: object
) -> None:
    call_command("load_starters", verbosity=0)
    client = client_of(owner)
    goal = Goal.objects.get(pk=int(client.post("/goals/examples/removal/").headers["Location"].split("/")[2]))
    before = goal.workspace.head
    cycle.work(goal.pk)
    plan = tried(goal.intent_plans.get())
    gone = ["archive/2023.csv", "archive/2024.csv", "archive/2025.csv", "archive/README.txt"]
    shown = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
    assert all(path in shown for path in gone)
    assert "it removes archive" in shown
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    assert goal.state == GoalState.ACHIEVED, goal.reason
    files = client.get(f"/goals/{goal.pk}/files/").content.decode()
    assert files.count(">deleted<") == len(gone)
    goal.workspace.refresh_from_db()
    assert [entry.path for entry in store().entries(goal.workspace.head)] == [b"2026.csv"]
    assert {entry.path.decode() for entry in store().entries(before)} >= set(gone), "the snapshot before still has them"
