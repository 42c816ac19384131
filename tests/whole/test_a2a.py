"""A2A end to end: the official client in a process of its own, and an agent served with the official package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from mindx_web.interop.a2a.streams import MOST_PER_PERSON
from tests.supervisor.running import free_port
from tests.waiting import wait_until
from tests.whole.started import PASSWORD, Whole

pytest.importorskip("a2a", reason="the official package of A2A is an extra (requirements-interop.txt)")

HERE = Path(__file__).parents[1] / "interop"
pytestmark = [pytest.mark.extras, pytest.mark.xdist_group("whole")]
# A client waits for what the test does, and the test for what the client tells: neither may wait for ever.
LONGEST_S = 180.0


@contextmanager
def program(name: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start one of the programs beside these tests, and end it. One that says nothing more is ended, too."""
    command = [sys.executable, str(HERE / name), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        watch = threading.Timer(LONGEST_S, started.kill)
        watch.start()
        try:
            yield started
        finally:
            watch.cancel()
            started.kill()


class Browser:
    """A person's session by plain HTTP: forms as a browser without JavaScript sends them."""

    def __init__(self, whole: Whole) -> None:
        self.link = httpx.Client(base_url=whole.address, follow_redirects=True, timeout=30)
        self.send("/login/", "/login/", username="admin", password=PASSWORD)

    def send(self, page: str, where: str, /, **fields: str) -> httpx.Response:
        """Open a page and send one of its forms."""
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.link.get(page).text)
        assert found is not None
        return self.link.post(where, data={"csrfmiddlewaretoken": found[1], **fields}, headers={"Referer": page})


def token_of(whole: Whole, *scopes: str) -> str:
    words = [word for scope in scopes for word in ("--scope", scope)]
    return whole.running.manage("token", "admin", *words).strip().splitlines()[-1]


def next_of(client: subprocess.Popen[str]) -> dict[str, Any]:
    assert client.stdout is not None
    line = client.stdout.readline()
    assert line, "the client ended"
    return json.loads(line)


def until(client: subprocess.Popen[str], state: str) -> dict[str, Any]:
    """The first thing the client tells in this state."""
    for _ in range(10):
        if (told := next_of(client))["state"] == state:
            return told
    raise AssertionError(state)


def test_the_official_client_submits_waits_for_a_person_and_reads_the_result(whole: Whole) -> None:
    token = token_of(whole, "goals:read", "goals:write", "review:read")
    text = "Create a folder named from_elsewhere"
    with program("official_client.py", whole.address, token, text) as client:
        asked = until(client, "TASK_STATE_INPUT_REQUIRED")
        (told,) = asked["data"]
        assert told["url"].startswith(f"{whole.address}/review/")
        assert told["plan"]["intents"][0]["params"]["path"] == "from_elsewhere"
        page = told["url"].removeprefix(whole.address)
        shown = Browser(whole).link.get(page).text
        assert told["digest"][:8] in shown
        whole.approve({"id": told["intentPlan"], "digest": told["digest"]})
        done = until(client, "TASK_STATE_COMPLETED")
        (part,) = done["artifacts"][0]["parts"]
        assert part["data"]["outcome"] == "achieved"
        assert part["data"]["steps"][0]["state"] == "succeeded"
        assert asked["id"] in next_of(client)["listed"]
        assert client.wait(30) == 0


def test_the_official_client_streams_a_task_goes_away_and_subscribes_again(whole: Whole) -> None:
    token = token_of(whole, "goals:read", "goals:write", "review:read")
    text = "Create a folder named from_a_stream"
    with program("streaming_client.py", whole.address, token, "send", text, "1") as first:
        task = next_of(first)
        assert task["kind"] == "task"
        assert task["history"][0]["parts"] == [{"text": text}]
        assert first.wait(30) == 0
    with program("streaming_client.py", whole.address, token, "subscribe", task["id"]) as again:
        told = [next_of(again)]
        assert (told[0]["kind"], told[0]["id"]) == ("task", task["id"])
        while told[-1]["status"]["state"] != "TASK_STATE_INPUT_REQUIRED":
            told.append(next_of(again))
        review = told[-1]["status"]["message"]["parts"][1]["data"]
        whole.approve({"id": review["intentPlan"], "digest": review["digest"]})
        after = [next_of(again)]
        while after[-1]["kind"] != "end":
            after.append(next_of(again))
        assert again.wait(30) == 0
    artifact, end = after[-3:-1]
    assert artifact["artifact"]["parts"][0]["data"]["outcome"] == "achieved"
    assert end["status"]["state"] == "TASK_STATE_COMPLETED"
    assert {each["kind"] for each in told[1:] + after[:-3]} <= {"status_update"}


def test_a_client_that_hangs_up_gives_its_place_back(whole: Whole) -> None:
    headers = {"Authorization": f"Bearer {token_of(whole, 'goals:read', 'goals:write')}", "A2A-Version": "1.0"}
    # No rule knows this goal, so its streams stay open while a person is asked.
    message = {"messageId": "places", "role": "ROLE_USER", "parts": [{"text": "Reconcile the ledger of the places"}]}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": message}}
    with httpx.Client(base_url=whole.address, headers=headers, timeout=60) as link:

        def opened() -> httpx.Response:
            return link.send(link.build_request("POST", "/a2a/", json=body), stream=True)

        def is_refused() -> bool:
            answer = opened()
            answer.close()
            return answer.status_code == 429

        streams = [opened() for _ in range(MOST_PER_PERSON)]
        assert {answer.status_code for answer in streams} == {200}
        assert is_refused()
        streams.pop().close()
        wait_until(lambda: not is_refused(), what="the place of who hung up is free")
        for answer in streams:
            answer.close()
        (goal,) = (one for one in whole.api.get("goals").json()["items"] if "of the places" in one["text"])
        whole.api.post(f"goals/{goal['id']}/cancel", json={}).raise_for_status()


def test_a_foreign_agent_is_registered_enabled_by_a_person_and_asked_in_an_approved_step(whole: Whole) -> None:
    port = free_port()
    browser = Browser(whole)
    with program("foreign_agent.py", str(port)):
        address = f"http://127.0.0.1:{port}"
        wait_until(lambda: _answers(address), what="the agent answers")
        page = browser.send("/agents/foreign/", "/agents/foreign/", address=address)
        found = re.search(r"/tools/(\w+)/\?version=(\d+)", str(page.url))
        assert found is not None, page.text
        tool, version = found.groups()
        shown = browser.link.get("/agents/foreign/").text
        assert "not enabled" in shown
        assert "<script>alert" not in shown
        assert "&lt;script&gt;" in shown
        step = {"tool": tool, "command": "ask_agent", "params": {"message": "slow and careful"}}
        text = "Reconcile the ledger with the agent elsewhere"
        goal = whole.api.post("goals", json={"text": text}).raise_for_status().json()
        whole.wait_for(goal["id"], "manual")
        assert whole.api.post(f"goals/{goal['id']}/plan", json={"steps": [step]}).status_code == 422
        of_tool = f"/tools/{tool}/?version={version}"
        # Its trial runs in a jail first; until that has ended nobody can activate it.
        activate = f"/tools/{tool}/versions/{version}/activate/"
        wait_until(lambda: "is active" in browser.send(of_tool, activate).text, within=60, what="the tool is active")
        assert whole.api.post(f"goals/{goal['id']}/plan", json={"steps": [step]}).status_code == 201
        plan = whole.api.get(f"intent-plans/{whole.goal(goal['id'])['intent_plan']}").json()
        (intent,) = plan["intents"]
        assert intent["params"]["agent"] == f"{address}/rpc"
        assert intent["hosts"] == [f"127.0.0.1:{port}"]
        assert intent["effect"] == "once"
        assert plan["made_tools"][0]["name"] == tool
        whole.approve(plan)
        whole.wait_for(goal["id"], "achieved", "failed", "manual")
        (intent,) = whole.api.get(f"intent-plans/{plan['id']}").json()["intents"]
        told = {name: intent["result"][name] for name in ("answer", "state", "cut")}
        assert told == {"answer": "Done: slow and careful", "state": "TASK_STATE_COMPLETED", "cut": False}
        assert intent["result"]["level"] == "L3"


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/.well-known/agent-card.json").is_success
    except httpx.TransportError:
        return False
