"""MCP as others speak it: the official client, in a process of its own, against the whole of mindX."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.whole.started import Whole

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).with_name("mcp_client.py")
pytestmark = [
    pytest.mark.extras,
    pytest.mark.xdist_group("whole"),
    pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="requirements-interop.txt is not installed"),
]
# Everything that a program needs, and not the right to decide.
READS = ("goals:read", "goals:write", "review:read")


def token(whole: Whole, *scopes: str) -> str:
    words = [word for scope in scopes for word in ("--scope", scope)]
    return whole.running.manage("token", "admin", *words).strip().splitlines()[-1]


def spoken(whole: Whole, secret: str, *arguments: str) -> Iterator[dict[str, Any]]:
    """What the client says, line by line, while it runs."""
    environment = {**whole.running.environment, "MINDX_TOKEN": secret, "PYTHONPATH": ""}
    program = [sys.executable, str(CLIENT), *arguments]
    with subprocess.Popen(program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield json.loads(line)
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()


def through(whole: Whole, *arguments: str) -> dict[str, Any]:
    """A goal by the client, whose plan a person approves through the API when the client has shown its address."""
    heard: dict[str, Any] = {}
    for said in spoken(whole, token(whole, *READS), *arguments):
        heard |= said
        if "asked" in said:
            assert "result" not in heard
            address = said["asked"]["url"]
            number = address.rstrip("/").rpartition("/")[2]
            plan = whole.api.get(f"intent-plans/{number}").raise_for_status().json()
            assert plan["digest"] in said["asked"]["message"]
            assert address == f"{whole.address}/review/{number}/"
            whole.approve(plan)
    return heard


def check(heard: dict[str, Any]) -> None:
    assert "asked" in heard, "nobody was shown the plan's address"
    assert heard["goal"] == heard["again"]
    # The token cannot decide: neither is a decision offered, nor is one taken.
    assert "approve_plan" not in heard["tools"]
    assert {"submit_goal", "wait_for_goal", "read_result", "read_log", "list_reviews", "read_plan"} <= {*heard["tools"]}
    assert heard["is_error"] is True
    assert heard["refused"]["type"] == "urn:mindx:problem:insufficient_scope"
    assert heard["status"] == "completed"
    assert heard["result"]["outcome"] == "achieved"
    assert any("Python 3." in json.dumps(step["result"]) for step in heard["result"]["steps"])
    assert [line["number"] for line in heard["log"]["lines"]][:3] == [1, 2, 3]


def test_a_client_submits_waits_for_a_person_and_reads_the_result_over_http(whole: Whole) -> None:
    check(through(whole, f"{whole.address}/mcp"))


def test_a_client_that_starts_mindx_itself_does_the_same_over_stdio(whole: Whole) -> None:
    check(through(whole, "--", sys.executable, str(ROOT / "manage.py"), "mcp"))


def test_without_a_token_or_from_a_foreign_page_there_is_nothing(whole: Whole) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    address = f"{whole.address}/mcp"
    none = httpx.post(address, json=hello)
    assert (none.status_code, none.headers["WWW-Authenticate"]) == (401, 'Bearer realm="mindX"')
    wrong = httpx.post(address, json=hello, headers={"Authorization": "Bearer mindx_wrong"})
    assert wrong.status_code == 401
    mine = {"Authorization": f"Bearer {token(whole, 'goals:read')}"}
    foreign = httpx.post(address, json=hello, headers={**mine, "Origin": "https://evil.example"})
    assert foreign.status_code == 403
    assert httpx.post(address, content=b"x" * 600_000, headers=mine).status_code == 413


def test_the_command_says_what_it_needs(whole: Whole) -> None:
    environment = {name: value for name, value in whole.running.environment.items() if name != "MINDX_TOKEN"}
    program = [sys.executable, "manage.py", "mcp"]
    done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "MINDX_TOKEN" in done.stderr
    done = subprocess.run(
        program, cwd=ROOT, env={**environment, "MINDX_TOKEN": "mindx_wrong"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "unknown, expired or revoked" in done.stderr
