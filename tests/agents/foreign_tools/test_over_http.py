"""MCP servers at an address: one written with the official package, and one from the npm registry, through the gate."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.bdi.plans import document as documents
from agents.components import made_tools
from agents.cycle import cycle
from agents.evolution.activation import deciding, tool_checks
from agents.foreign_tools import listing, servers
from agents.goals import goals
from agents.models import Goal, McpServer
from library.models import ComponentVersion
from people.models import User
from review.deciding import decisions
from tests.cast import person
from tests.supervisor.running import free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
OFFICIAL = Path(__file__).with_name("official_server.py")
needs_mcp = pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None, reason="requirements-interop.txt is not installed"
)


@pytest.fixture(autouse=True)
def _internal_is_allowed(settings: Any) -> None:
    settings.MCP_INTERNAL = True


@pytest.fixture
def developer(db: None) -> User:
    return person("dee", "developer")


@contextmanager
def running(*command: str, port: int, **environment: str) -> Iterator[str]:
    """The server, listening; its address."""
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def listens() -> bool:
        assert process.poll() is None, "the server ended"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(listens, within=60, what="the MCP server")
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def listed(address: str, by: User) -> McpServer:
    server = servers.add(by=by, name="harbour", address=address)
    listing.work(server.pk)
    server.refresh_from_db()
    return server


def put_to_use(name: str, by: User) -> None:
    version = ComponentVersion.objects.filter(component__name=name).latest("pk")
    tool_checks.work(version.pk)
    check = tool_checks.of(version)
    assert check is not None
    assert check.fits, (check.rows, check.reason)
    deciding.activate(version, by=by)
    made_tools.refresh()


def carried_out(step: dict[str, Any], owner: User, reviewer: User, make_goal: Callable[..., Goal]) -> tuple[Goal, Any]:
    goal = make_goal(owner, "Reconcile the ledger of the harbour")
    cycle.work(goal.pk)
    plan = goals.supply_plan(goal, by=owner, steps=[step])
    (spec,) = documents.read(bytes(plan.document)).intents
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    return goal, spec


@needs_mcp
@pytest.mark.extras
def test_a_server_of_the_official_package_is_used_through_the_gate(
    developer: User, operator: User, owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    port = free_port()
    with running(sys.executable, str(OFFICIAL), str(port), port=port) as address:
        server = listed(address, developer)
        assert (server.reason, [one["component"] for one in server.tools]) == ("", ["mcp_harbour_find_berth"])
        put_to_use("mcp_harbour_find_berth", operator)
        step = {
            "tool": "mcp_harbour_find_berth",
            "command": "find_berth",
            "params": {"ship": "Ahab", "length_m": 20, "tags": '["old"]'},
        }
        goal, spec = carried_out(step, owner, reviewer, make_goal)
        assert spec.hosts == (f"127.0.0.1:{port}",)
        assert spec.params["server"] == address
        assert goal.state == "achieved"
        result: Any = goal.intent_plans.get().intents.get().result
        assert '"berth": 7' in result["text"]
        assert [one["host"] for one in result["network"]["hosts"]] == [f"127.0.0.1:{port}"]
    # The same address describes its tool otherwise now: an approved plan of the old one calls nothing.
    with running(sys.executable, str(OFFICIAL), str(port), "Finds berths, and sells them.", port=port):
        goal, _ = carried_out(step, owner, reviewer, make_goal)
        (intent,) = goal.intent_plans.get().intents.all()
        assert (goal.state, intent.state) == ("manual", "failed")
        assert "not those that were reviewed" in intent.reason
        servers.refresh(server, by=developer)
        listing.work(server.pk)
        found = ComponentVersion.objects.filter(component__name="mcp_harbour_find_berth").order_by("pk")
        assert [one.status for one in found] == ["retired", "candidate"]


@needs_mcp
@pytest.mark.extras
def test_a_plan_cannot_send_a_tool_to_another_server(
    developer: User, operator: User, owner: User, reviewer: User, make_goal: Callable[..., Goal]
) -> None:
    port = free_port()
    with running(sys.executable, str(OFFICIAL), str(port), port=port) as address:
        listed(address, developer)
        put_to_use("mcp_harbour_find_berth", operator)
    params = {"ship": "Ahab", "length_m": 20, "server": f"http://127.0.0.1:{port + 1}/mcp"}
    step = {"tool": "mcp_harbour_find_berth", "command": "find_berth", "params": params}
    goal, _ = carried_out(step, owner, reviewer, make_goal)
    (intent,) = goal.intent_plans.get().intents.all()
    assert intent.state == "failed"
    assert "was reviewed for" in intent.reason


def test_a_server_that_is_away_is_said_to_be(developer: User) -> None:
    server = listed(f"http://127.0.0.1:{free_port()}/mcp", developer)
    assert server.tools == []
    assert server.reason


@pytest.mark.skipif(
    not os.environ.get("TEST_NPM") or shutil.which("npm") is None,
    reason="set TEST_NPM=1, with npm and its registry in reach",
)
def test_a_server_of_the_npm_registry_is_used_through_the_gate(
    developer: User, operator: User, owner: User, reviewer: User, make_goal: Callable[..., Goal], tmp_path: Path
) -> None:
    package = "@modelcontextprotocol/server-everything"
    subprocess.run(["npm", "install", "--silent", package], cwd=tmp_path, check=True, timeout=180)
    port = free_port()
    program = str(tmp_path / "node_modules" / package / "dist" / "index.js")
    with running("node", program, "streamableHttp", port=port, PORT=str(port)) as address:
        server = listed(address, developer)
        assert server.reason == ""
        assert len(server.tools) > 5
        assert [one for one in server.tools if one["fault"]] == []
        put_to_use("mcp_harbour_echo", operator)
        step = {"tool": "mcp_harbour_echo", "command": "echo", "params": {"message": "ahoy"}}
        goal, _ = carried_out(step, owner, reviewer, make_goal)
        assert goal.state == "achieved"
        result: Any = goal.intent_plans.get().intents.get().result
        assert "ahoy" in result["text"]
