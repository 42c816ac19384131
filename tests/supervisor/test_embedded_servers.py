"""The embedded servers as the tests themselves use them: who may do what, and over which road."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from mindx_web.supervisor.postgres import (
    APP,
    DATABASE,
    OWNER,
    EmbeddedPostgres,
    PostgresError,
    shared_buffers_mb,
)
from mindx_web.supervisor.service_user import Launch, OutOfReach, ServiceUser
from mindx_web.supervisor.sockets import LONGEST_FOLDER, forget_short_folder, socket_folder
from mindx_web.supervisor.valkey import EmbeddedValkey


def test_the_application_role_can_make_nothing(postgres: EmbeddedPostgres) -> None:
    with postgres.connect(APP, postgres.passwords.app, DATABASE) as connection:
        for statement in ("CREATE TABLE mine (n int)", "CREATE SCHEMA mine", "CREATE DATABASE mine", "CREATE ROLE me"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_the_owner_makes_tables_with_vectors_but_is_no_superuser(postgres: EmbeddedPostgres) -> None:
    with postgres.connect(OWNER, postgres.passwords.owner, DATABASE) as connection:
        connection.execute("CREATE TEMPORARY TABLE points (at vector(3))")
        connection.execute("INSERT INTO points VALUES ('[1,2,3]')")
        assert connection.execute("SELECT at <-> '[1,2,3]' FROM points").fetchone() == (0.0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("COPY points FROM PROGRAM 'true'")


@pytest.mark.parametrize("password", ["", "wrong"])
def test_a_wrong_password_is_refused_even_on_the_socket(postgres: EmbeddedPostgres, password: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        postgres.connect(OWNER, password, DATABASE)


def test_passwords_are_stored_as_scram_and_no_network_port_is_open(postgres: EmbeddedPostgres) -> None:
    with postgres.connect("postgres", postgres.passwords.superuser, DATABASE) as connection:
        stored = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolcanlogin").fetchall()
        assert stored
        assert all(verifier.startswith("SCRAM-SHA-256$") for (verifier,) in stored)
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        methods = connection.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules").fetchall()
        assert methods == [("scram-sha-256",)]


def test_socket_folders_are_closed_to_other_users(postgres: EmbeddedPostgres, valkey: EmbeddedValkey) -> None:
    for server in (postgres, valkey):
        assert server.sockets.stat().st_mode & 0o077 == 0


def test_as_root_neither_server_runs_as_root_nor_as_the_other(
    postgres: EmbeddedPostgres, valkey: EmbeddedValkey
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give servers a uid of their own")
    owners = {(postgres.sockets / ".s.PGSQL.5432").stat().st_uid, (valkey.sockets / "valkey.sock").stat().st_uid}
    assert len(owners) == 2
    assert 0 not in owners


def test_valkey_answers_only_with_its_password(valkey: EmbeddedValkey) -> None:
    assert valkey.answers()
    client = redis.Redis(unix_socket_path=str(valkey.sockets / "valkey.sock"), retry=Retry(NoBackoff(), 0))
    with pytest.raises(redis.AuthenticationError):
        client.ping()
    assert valkey.password not in " ".join(valkey.argv())
    assert valkey.password not in str(valkey.environment)


def test_a_short_path_is_used_as_it_is(tmp_path: Path) -> None:
    wanted = Path("/tmp") / tmp_path.name / "sockets"
    assert socket_folder(wanted, tmp_path / "note") == wanted
    assert not (tmp_path / "note").exists()
    wanted.rmdir()
    wanted.parent.rmdir()


@pytest.mark.parametrize("name", ["d" * LONGEST_FOLDER, "with space", "per%20cent", "hash#tag", "quo'te"])
def test_a_path_no_socket_url_can_hold_gets_a_short_private_folder(tmp_path: Path, name: str) -> None:
    note = tmp_path / "note"
    first = socket_folder(tmp_path / name, note)
    assert first.parent == Path("/tmp")
    assert first.stat().st_mode & 0o777 == 0o700
    second = socket_folder(tmp_path / name, note)
    assert not first.exists(), "the folder that a killed process left must go"
    forget_short_folder(note)
    assert not second.exists()


def test_a_note_that_names_another_folder_removes_nothing(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    note = tmp_path / "note"
    note.write_text(str(precious))
    forget_short_folder(note)
    assert precious.exists()


def test_a_lock_file_with_the_number_of_an_unrelated_process_is_cleared(
    postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    other = EmbeddedPostgres(tmp_path / "cluster", tmp_path / "sockets", postgres.passwords)
    other.data.mkdir(parents=True)
    other.sockets.mkdir()
    lock = other.data / "postmaster.pid"
    lock.write_text(f"{os.getpid()}\n{other.data}\n")
    other.clear_remains()
    assert not lock.exists()


def test_a_failed_initdb_says_why(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    broken = EmbeddedPostgres(tmp_path / "cluster", tmp_path / "sockets", postgres.passwords)
    broken.folder.mkdir()
    broken.data.write_text("a file where the cluster should be")
    os.chown(broken.data, broken.user.number, -1)
    with pytest.raises(PostgresError, match=r"(?s)initdb failed: .*[Nn]ot a directory"):
        broken.prepare()


def test_a_cluster_of_another_user_is_named_and_left_alone(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder that belongs to somebody else")
    other = EmbeddedPostgres(tmp_path / "cluster", tmp_path / "sockets", postgres.passwords)
    other.data.mkdir(parents=True)
    os.chown(other.data, 4321, 4321)
    with pytest.raises(PostgresError, match=r"made by another user \(uid 4321\)"):
        other.prepare()
    assert other.data.stat().st_uid == 4321


def test_a_closed_parent_is_named_where_root_cannot_go_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindx_web.supervisor.service_user.can_stage", lambda: False)
    closed = tmp_path / "closed"
    (closed / "cluster").mkdir(parents=True)
    closed.chmod(0o700)
    tmp_path.chmod(0o755)
    launch = Launch(ServiceUser(65534, 65534), Path("/usr"), {"cluster": closed / "cluster"}, signal.SIGINT)
    with pytest.raises(OutOfReach, match=f"^{re.escape(str(closed))} is closed to other users"):
        launch.check_reach()
    assert launch.seen("cluster") == closed / "cluster"


@pytest.mark.parametrize(("memory_mb", "buffers_mb"), [(1_024, 128), (4_096, 256), (65_536, 512)])
def test_postgres_gets_a_share_of_the_memory_in_which_the_indexes_of_a_search_fit(
    memory_mb: int, buffers_mb: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"SC_PAGE_SIZE": 4_096, "SC_PHYS_PAGES": memory_mb * 256}
    monkeypatch.setattr("mindx_web.supervisor.postgres.os.sysconf", sizes.__getitem__)
    assert shared_buffers_mb() == buffers_mb
