"""Postgres stops under a running mindX: people see what is wrong, nothing is lost, all of it goes on by itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.supervisor.processes import children, lives
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")


@contextmanager
def postgres_stopped(whole: Whole) -> Iterator[None]:
    """No Postgres until the block ends. The supervisor is held as well, or it would start it again at once."""
    server = whole.running.part("/bin/postgres")
    assert server is not None
    whole.running.process.send_signal(signal.SIGSTOP)
    try:
        os.kill(server, signal.SIGQUIT)  # at once, as a crash does
        wait_until(lambda: not lives(server), what="Postgres gone")
        yield
    finally:
        whole.running.process.send_signal(signal.SIGCONT)


@contextmanager
def postgres_held_still(whole: Whole) -> Iterator[None]:
    """Every process of Postgres is stopped until the block ends: connections are taken, and nothing is answered."""
    server = whole.running.part("/bin/postgres")
    assert server is not None
    held = [server, *children(server)]
    for pid in held:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in held:
            os.kill(pid, signal.SIGCONT)


def test_a_database_that_is_held_still_is_told_in_bounded_time(whole: Whole) -> None:
    with httpx.Client(base_url=whole.address, timeout=60) as browser:
        assert browser.get("/api/v1/health").json()["parts"]["database"] == "ok"
        with postgres_held_still(whole):
            for _ in range(2):
                answer = browser.get("/api/v1/health")
                assert answer.status_code == 503
                assert answer.json()["parts"]["database"] == "down"
            page = browser.get("/goals/", headers={"Cookie": f"sessionid={'a' * 32}", "Accept": "text/html"})
            assert page.status_code == 503, page.text
            assert "The database does not answer" in page.text
            assert whole.api.get("goals", timeout=60).status_code == 503
        wait_until(lambda: browser.get("/api/v1/health").status_code == 200, within=60, what="the database back")


def test_people_read_what_is_wrong_and_work_goes_on_when_it_is_back(whole: Whole) -> None:
    sleeps = "python -c \"import time; time.sleep(5); open('slept', 'w').write('x')\""
    number, plan = whole.plan_by_hand(
        {"tool": "simple_coder", "command": "run", "params": {"command_line": sleeps}},
        {"tool": "simple_coder", "command": "write", "params": {"path": "after", "content": "y"}},
    )
    whole.approve(plan)
    wait_until(lambda: any("$ run" in line or "time.sleep" in line for line in whole.log(number)), what="the step")
    with postgres_stopped(whole), httpx.Client(base_url=whole.address, timeout=60) as browser:
        page = browser.get("/goals/", headers={"Cookie": f"sessionid={'a' * 32}", "Accept": "text/html"})
        assert page.status_code == 503, page.text
        assert int(page.headers["Retry-After"]) > 0
        assert "The database does not answer" in page.text
        assert "manage.py doctor" in page.text
        answer = whole.api.get("goals", timeout=60)
        assert answer.status_code == 503, answer.text
        assert answer.json()["type"] == "urn:mindx:problem:database_away"
        assert "Retry-After" in answer.headers
        assert browser.get("/api/v1/health").json()["parts"]["database"] == "down"
        assert browser.get("/api/v1/health/live").status_code == 200
    wait_until(lambda: whole.api.get("goals").status_code == 200, within=60, what="the database back")
    whole.wait_for(number, "achieved", within=120)
    assert whole.file(number, "after") == b"y"
