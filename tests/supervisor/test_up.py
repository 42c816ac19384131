"""`make up` as people meet it: the real supervisor, servers, web, worker and beat, in a data folder of its own.

Every start costs seconds, so each test tells a whole story with one or two of them.
"""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from mindx_web.supervisor.postgres import APP, DATABASE, OWNER, EmbeddedPostgres
from mindx_web.supervisor.valkey import EmbeddedValkey
from tests.prepared import Prepared
from tests.supervisor.running import START_S, Running, free_port
from tests.waiting import wait_until

# In one xdist process, after each other: two whole mindX at once would only slow each other down.
pytestmark = [pytest.mark.supervisor, pytest.mark.xdist_group("supervisor")]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[Running]]:
    """Put each start in here; whatever a failed test leaves running is ended."""
    started: list[Running] = []
    yield started
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def _tells_no_secret(up: Running, data: Path) -> None:
    """The first password is said once and stands in no log, the broker's in no command line; files are the owner's."""
    password = re.search(r"First login: admin +password: (\S+)", up.said)
    assert password
    assert password[1] not in "".join(path.read_text() for path in (data / "log").iterdir())
    for line in up.below().values():
        assert (data / "secrets" / "redis_password").read_text().strip() not in line
    for secret in (data / "secrets").iterdir():
        assert secret.stat().st_mode & 0o777 == 0o600
    assert (data / "run" / "servers.json").stat().st_mode & 0o777 == 0o600


def _lets_the_application_write_rows_only(data: Path) -> None:
    """Its role owns nothing, and changes nothing of what may only be added to."""
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


def test_a_first_start_achieves_a_goal_brings_dead_parts_back_and_leaves_nothing_nor_loses_it_when_killed(
    tmp_path: Path, running: list[Running]
) -> None:
    # Longer than the path of a socket may be.
    data, port = tmp_path / ("long" * 30) / "data", free_port()
    data.parent.mkdir()
    up = Running(data, MINDX_PORT=str(port))
    running.append(up)
    wait_until(lambda: "preparing: tables" in up.said, within=START_S, what="the preparation")
    early = up.manage_early("token", "admin")
    assert (early.returncode, early.stdout) == (1, "")
    assert early.stderr == "mindX is still starting; try again when make up says that it is ready.\n"
    up.wait_ready()

    assert f"http://127.0.0.1:{port}/" in up.said
    stages = re.findall(r"^preparing: ([a-z ]+)", up.said, re.MULTILINE)
    models_and_rules = ["sentence model", "starter rules and tools"]
    files = ["virtual environment of the sandbox", "static files"]
    assert list(dict.fromkeys(stages)) == ["database", "tables", *models_and_rules, *files]
    _tells_no_secret(up, data)

    again = Running(data, MINDX_PORT=str(free_port()))
    running.append(again)
    assert f"already running on {data} (process {up.process.pid}" in again.refused()

    goal = up.script("first_goal.sh")
    assert goal.returncode == 0, goal.stdout + goal.stderr
    assert "achieved" in goal.stdout
    assert "409" in goal.stdout, "another digest is refused"
    assert re.search(r"the log holds: Python 3\.\d+\.\d+", goal.stdout)

    for name, word in (("web", "uvicorn"), ("worker", " worker "), ("valkey", "valkey"), ("postgres", "postgres")):
        up.kill_and_see_back(name, word)
    token = up.manage("token", "admin").splitlines()[-1]
    up.kill_everything()
    assert (data / "postgres" / "data" / "postmaster.pid").exists(), "this is the remains of a killed server"

    second = Running(data, MINDX_PORT=str(port))
    running.append(second)
    second.wait_ready()
    assert "First login" not in second.said
    assert "preparing: " not in second.said
    count = (
        "from people.models import ApiToken as T; print(T.objects.filter(digest=T.digest_of('" + token + "')).count())"
    )
    assert second.manage("shell", "-v", "0", "-c", count).strip() == "1"
    _lets_the_application_write_rows_only(data)
    second.end(signal.SIGKILL)  # the supervisor alone: the kernel ends the others


def test_given_servers_are_used_and_none_is_started(
    tmp_path: Path, running: list[Running], postgres: EmbeddedPostgres, valkey: EmbeddedValkey, prepared: Prepared
) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    prepared.lend(tmp_path / "data")
    up = Running(
        tmp_path / "data",
        MINDX_PORT=str(free_port()),
        MINDX_ADMIN_PASSWORD="a password for the test",
        DATABASE_URL=postgres.url(APP),
        MINDX_MIGRATE_URL=postgres.url(OWNER),
        REDIS_URL=valkey.url(),
    )
    running.append(up)
    up.wait_ready()
    assert "the password is the one in MINDX_ADMIN_PASSWORD" in up.said
    assert "a password for the test" not in up.said
    assert up.part("postgres") is None
    assert up.part("valkey") is None
    assert json.loads((tmp_path / "data" / "run" / "servers.json").read_text()) == {}
    with postgres.connect(APP, postgres.passwords.app, DATABASE) as connection:
        assert connection.execute("SELECT count(*) FROM people_user").fetchone() == (1,)
    up.end(signal.SIGINT)


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


def test_a_port_that_is_none_is_one_clear_error(tmp_path: Path, running: list[Running]) -> None:
    up = Running(tmp_path / "data", MINDX_PORT="70000")
    running.append(up)
    assert up.refused() == "mindX did not start: MINDX_PORT must be a number from 1 to 65535, not '70000'.\n"


@pytest.mark.parametrize("after", ["valkey is ready", "postgres is ready"])
def test_a_start_that_is_interrupted_leaves_nothing(tmp_path: Path, running: list[Running], after: str) -> None:
    up = Running(tmp_path / "data", MINDX_PORT=str(free_port()))
    running.append(up)
    wait_until(lambda: after in up.said, within=START_S, what=after)
    up.end(signal.SIGTERM)
    assert "mindX is ready" not in up.said
