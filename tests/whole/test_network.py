"""A goal in plain English that needs the network, through the running system: its worker, its jail, its gate."""

from __future__ import annotations

import pytest

from tests.loopback import host
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")


def test_a_goal_installs_a_package_and_asks_a_host_once_both_are_approved(whole: Whole) -> None:
    with host({"/status": b"well"}) as service:
        text = (
            "Create a Python project named 'api_client', set up a virtual environment, install 'httpx', and create a "
            f"script to ping {service.address}/status."
        )
        goal = whole.api.post("goals", json={"text": text}).raise_for_status().json()["id"]
        number = whole.wait_for(goal, "awaiting_review")["intent_plan"]
        plan = whole.api.get(f"intent-plans/{number}").raise_for_status().json()
        assert [one["hosts"] for one in plan["intents"] if one["hosts"]] == [["packages"], [service.name]]
        assert service.asked == []
        whole.approve(plan)
        assert whole.wait_for(goal, "achieved", "failed")["state"] == "achieved", whole.log(goal)
        assert service.asked == ["/status"]
    done = whole.api.get(f"intent-plans/{number}").raise_for_status().json()
    install, ask = (one["result"] for one in done["intents"] if one["hosts"])
    assert [one["file"] for one in install["network"]["downloads"]] == ["httpx-0.28.1-py3-none-any.whl"]
    assert ask["stdout"] == "200\n"
    assert [one["host"] for one in ask["network"]["hosts"]] == [service.name]
