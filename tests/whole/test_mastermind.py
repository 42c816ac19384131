"""A line that is waited for, with a real worker in a real jail, and what the backlog makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.supervisor.running import ROOT
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")


def test_a_line_is_waited_for_until_its_goal_is_achieved(whole: Whole) -> None:
    words = [sys.executable, "manage.py", "mastermind", "--wait", "--timeout", "240", "evolve", "the", "notes", "tool"]
    waiting = subprocess.Popen(
        [*words, "--json"], cwd=ROOT, env=whole.running.environment, stdout=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: bool(_plans(whole)), within=120, what="the plan of the goal")
        (plan,) = _plans(whole)
        assert [intent["command"] for intent in plan["intents"]] == ["audit", "apply_fixes", "audit"]
        whole.approve(plan)
        told = json.loads(waiting.communicate(timeout=240)[0])
    finally:
        waiting.kill()
    assert (waiting.returncode, told["exit"]) == (0, 0)
    assert told["understood"] == "evolve note_taking"
    assert told["ended"] == [{"goal": told["goals"][0], "state": "achieved", "outcome": "not_checked", "reason": ""}]


def _plans(whole: Whole) -> list[dict[str, Any]]:
    found = whole.api.get("intent-plans?state=awaiting_review").raise_for_status().json()["items"]
    goals = {goal["id"] for goal in whole.api.get("goals").json()["items"] if "note_taking" in goal["text"]}
    return [whole.api.get(f"intent-plans/{plan['id']}").json() for plan in found if plan["goal"] in goals]
