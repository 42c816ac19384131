"""`make up` as people meet it: the real supervisor, servers, web, worker and beat, in a data folder of its own.

Every start costs seconds, so each test tells a whole story with one or two of them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from mindx_web.supervisor.postgres import APP, DATABASE, OWNER, EmbeddedPostgres
from mindx_web.supervisor.valkey import EmbeddedValkey
from tests.supervisor.processes import children, descendants, lives
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
START_S = 90.0  # a time-out for a slow and crowded machine, not what a start takes
# In one xdist process, after each other: two whole mindX at once would only slow each other down.
pytestmark = [pytest.mark.supervisor, pytest.mark.xdist_group("supervisor")]


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


class Running:
    """One `python -m mindx_web.supervisor` and what it said."""

    def __init__(self, data: Path, **environment: str) -> None:
        ours = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTEST_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.data = data
        self._said = data.with_name(f"{data.name}-said-{time.monotonic_ns()}")
        self._environment = {**clean, "MINDX_DATA": str(data), **environment}
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mindx_web.supervisor"],
                cwd=ROOT,
                env=self._environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        """Everything it has printed."""
        return self._said.read_text()

    def wait_ready(self) -> Running:
        """Wait for the line with the address; fail at once when the process ends instead."""
        wait_until(
            lambda: "mindX is ready" in self.said or self.process.poll() is not None, within=START_S, what="ready"
        )
        assert self.process.poll() is None, self.said
        return self

    def refused(self) -> str:
        """Wait for a start that must not succeed; returns what it said."""
        assert self.process.wait(timeout=START_S) == 1
        return self.said

    def below(self) -> dict[int, str]:
        """All its processes."""
        return descendants(self.process.pid)

    def part(self, word: str) -> int | None:
        """The direct child whose command line holds the word, if it runs."""
        found = [pid for pid, line in children(self.process.pid).items() if word in line and "launch.py" not in line]
        return found[0] if len(found) == 1 else None

    def kill_and_see_back(self, name: str, word: str) -> None:
        """Kill a part; wait until it was named, started again and is ready."""
        wait_until(lambda: self.part(word), within=START_S, what=f"{name} running")
        first = self.part(word)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        wait_until(
            lambda: re.search(rf"(?s){name} was ended by SIGKILL.*{name} is ready", self.said),
            within=START_S,
            what=name,
        )
        assert self.part(word) not in (None, first)

    def manage(self, *arguments: str) -> str:
        """What `manage.py` says when it is given nothing but the data folder."""
        line = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(line, cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def end(self, number: signal.Signals) -> None:
        """Send the signal and see that nothing of it is left."""
        below = self.below()
        assert below
        self.process.send_signal(number)
        assert self.process.wait(timeout=60) == (0 if number != signal.SIGKILL else -signal.SIGKILL)
        wait_until(
            lambda: not [line for pid, line in below.items() if lives(pid)],
            what=f"nothing left of {sorted(below.values())}",
        )


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[Running]]:
    """Put each start in here; whatever a failed test leaves running is ended."""
    started: list[Running] = []
    yield started
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def test_a_first_start_makes_everything_and_a_term_signal_leaves_nothing(
    tmp_path: Path, running: list[Running]
) -> None:
    data, port = tmp_path / "data", free_port()
    up = Running(data, MINDX_PORT=str(port))
    running.append(up)
    up.wait_ready()

    assert f"http://127.0.0.1:{port}/" in up.said
    password = re.search(r"First login: admin +password: (\S+)", up.said)
    assert password
    assert password[1] not in "".join(path.read_text() for path in (data / "log").iterdir())
    for line in up.below().values():
        assert (data / "secrets" / "redis_password").read_text().strip() not in line
    for secret in (data / "secrets").iterdir():
        assert secret.stat().st_mode & 0o777 == 0o600
    assert (data / "run" / "servers.json").stat().st_mode & 0o777 == 0o600

    again = Running(data, MINDX_PORT=str(free_port()))
    running.append(again)
    assert f"already running on {data} (process {up.process.pid}" in again.refused()

    for name, word in (("web", "uvicorn"), ("worker", " worker "), ("valkey", "valkey"), ("postgres", "postgres")):
        up.kill_and_see_back(name, word)
    up.end(signal.SIGTERM)


def test_after_everything_was_killed_the_next_start_has_all_data(tmp_path: Path, running: list[Running]) -> None:
    # Longer than the path of a socket may be.
    data = tmp_path / ("long" * 30) / "data"
    data.parent.mkdir()
    environment = {"MINDX_PORT": str(free_port()), "MINDX_ADMIN_PASSWORD": "a password for the test"}
    first = Running(data, **environment)
    running.append(first)
    first.wait_ready()
    assert "the password is the one in MINDX_ADMIN_PASSWORD" in first.said
    assert environment["MINDX_ADMIN_PASSWORD"] not in first.said
    token = first.manage("token", "admin").splitlines()[-1]
    first.end(signal.SIGKILL)

    second = Running(data, **environment)
    running.append(second)
    second.wait_ready()
    assert "First login" not in second.said
    count = (
        "from people.models import ApiToken as T; print(T.objects.filter(digest=T.digest_of('" + token + "')).count())"
    )
    assert second.manage("shell", "-v", "0", "-c", count).strip() == "1"

    addresses = json.loads((data / "run" / "servers.json").read_text())
    with psycopg.connect(addresses["database_url"], autocommit=True) as connection:
        assert connection.execute("SELECT current_user").fetchone() == (APP,)
        for statement in (
            "UPDATE review_decision SET verdict = verdict",
            "DELETE FROM review_approval",
            "TRUNCATE agents_goal",
            "DROP TABLE agents_goal",
            "ALTER TABLE agents_goal DISABLE TRIGGER ALL",
            "CREATE TABLE mine (n int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
        assert connection.execute("SELECT count(*) FROM agents_goal").fetchone()
    second.end(signal.SIGINT)


def test_given_servers_are_used_and_none_is_started(
    tmp_path: Path, running: list[Running], postgres: EmbeddedPostgres, valkey: EmbeddedValkey
) -> None:
    up = Running(
        tmp_path / "data",
        MINDX_PORT=str(free_port()),
        DATABASE_URL=postgres.url(APP),
        MINDX_MIGRATE_URL=postgres.url(OWNER),
        REDIS_URL=valkey.url(),
    )
    running.append(up)
    up.wait_ready()
    assert up.part("postgres") is None
    assert up.part("valkey") is None
    assert json.loads((tmp_path / "data" / "run" / "servers.json").read_text()) == {}
    with postgres.connect(APP, postgres.passwords.app, DATABASE) as connection:
        assert connection.execute("SELECT count(*) FROM people_user").fetchone() == (1,)
    up.end(signal.SIGTERM)


def test_a_taken_port_is_one_clear_error_and_nothing_is_started(tmp_path: Path, running: list[Running]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        up = Running(tmp_path / "data", MINDX_PORT=str(port))
        running.append(up)
        said = up.refused()
    assert len(said.splitlines()) == 1
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in said
    assert not (tmp_path / "data" / "postgres").exists()


@pytest.mark.parametrize("port", ["0", "70000", "80 80", "-1", "http"])
def test_a_port_that_is_none_is_one_clear_error(tmp_path: Path, running: list[Running], port: str) -> None:
    up = Running(tmp_path / "data", MINDX_PORT=port)
    running.append(up)
    assert up.refused() == f"mindX did not start: MINDX_PORT must be a number from 1 to 65535, not {port!r}.\n"
