"""The whole of mindX, started once for the tests that need it as `make up` starts it, with a short lease.

A pytest plugin: the tests of `tests/whole` and the quick ones of `tests/faults` share one start, in one xdist group.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import loopback
from tests.prepared import Prepared
from tests.supervisor.running import Running, free_port
from tests.waiting import wait_until

PASSWORD = "a password for tests only"
LEASE_S = 10  # a crowded machine may stop a worker for some seconds, and it has not died
SCOPES = (
    *("goals:read", "goals:write", "session:write", "files:read", "files:write"),
    *("review:read", "review:decide", "memory:read", "agents:write", "tuning:write"),
)


@dataclass
class Whole:
    """A running mindX: its processes, its address, and its API as admin."""

    running: Running
    port: int
    api: httpx.Client = field(repr=False)
    lease_s: float = LEASE_S

    @property
    def address(self) -> str:
        """Where the pages are."""
        return f"http://127.0.0.1:{self.port}"

    def goal(self, number: str) -> dict[str, Any]:
        """The goal as the API tells it."""
        return self.api.get(f"goals/{number}").raise_for_status().json()

    def wait_for(self, number: str, *states: str, within: float = 60) -> dict[str, Any]:
        """Wait until the goal is in one of the states."""
        wait_until(lambda: self.goal(number)["state"] in states, within=within, what=f"goal {number} {states}")
        return self.goal(number)

    def plan_by_hand(
        self, *steps: dict[str, Any], cleanup: Sequence[dict[str, Any]] = ()
    ) -> tuple[str, dict[str, Any]]:
        """A goal that no rule knows, with this plan awaiting review: the goal's id and the plan."""
        text = f"Reconcile the ledger of {time.monotonic_ns()}"
        goal = self.api.post("goals", json={"text": text}).raise_for_status().json()
        self.wait_for(goal["id"], "manual")
        answer = self.api.post(f"goals/{goal['id']}/plan", json={"steps": list(steps), "cleanup": list(cleanup)})
        assert answer.is_success, answer.text
        number = self.goal(goal["id"])["intent_plan"]
        return goal["id"], self.api.get(f"intent-plans/{number}").raise_for_status().json()

    def approve(self, plan: dict[str, Any]) -> None:
        """Approve exactly this plan."""
        answer = self.api.post(f"intent-plans/{plan['id']}/approve", json={"digest": plan["digest"]})
        assert answer.status_code == 202, answer.text

    def log(self, number: str) -> list[str]:
        """The texts of a goal's log."""
        return [line["text"] for line in self.api.get(f"goals/{number}/log").raise_for_status().json()["lines"]]

    def file(self, number: str, path: str) -> bytes:
        """A file of the goal's workspace."""
        workspace = self.goal(number)["workspace"]
        return self.api.get(f"workspaces/{workspace}/files/{path}").raise_for_status().content

    @contextmanager
    def redis_stopped(self) -> Iterator[None]:
        """Redis answers nobody until the block ends."""
        pid = self.running.part("valkey-server")
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="session")
def package_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a package index on the loopback that has one wheel."""
    with loopback.host(loopback.index_pages(loopback.wheel(tmp_path_factory.mktemp("wheels")))) as found:
        yield f"{found.address}/simple/"


@contextmanager
def started(data: Path, *, lease_s: float, **environment: str) -> Iterator[Whole]:
    """Start mindX in a new folder, and stop it at the end."""
    port = free_port()
    running = Running(
        data,
        MINDX_PORT=str(port),
        MINDX_ADMIN_PASSWORD=PASSWORD,
        MINDX_LEASE_S=str(lease_s),
        MINDX_GOALS_PER_MINUTE="0",
        **environment,
    )
    try:
        running.wait_ready()
        scopes = [word for scope in SCOPES for word in ("--scope", scope)]
        token = running.manage("token", "admin", *scopes).strip().splitlines()[-1]
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}/api/v1/", headers={"Authorization": f"Bearer {token}"}, timeout=30
        ) as api:
            yield Whole(running, port, api, lease_s)
    finally:
        if running.process.poll() is None:  # a test of faults may have ended it
            running.end(signal.SIGTERM)


@pytest.fixture(scope="session")
def whole(
    tmp_path_factory: pytest.TempPathFactory,
    package_index: str,
    prepared: Prepared,
    lend_cluster: Callable[[Path], None],
) -> Iterator[Whole]:
    """A running mindX, shared by the tests that name the group `whole`."""
    data: Path = tmp_path_factory.mktemp("whole") / "data"
    data.mkdir(mode=0o700)
    prepared.lend(data)  # the first start has nothing lent to it (test_up)
    lend_cluster(data)
    with started(data, lease_s=LEASE_S, MINDX_PACKAGE_INDEX=package_index, MINDX_AGENTS_INTERNAL="1") as found:
        yield found
