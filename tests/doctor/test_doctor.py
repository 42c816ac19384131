"""`manage.py doctor`: each thing that can be wrong is made wrong, and told with what to do."""

from __future__ import annotations

import io
import json
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from agents.models import Duty, Workspace
from agents.record import duties
from agents.workspaces.stores import store
from library.language.entailment import model as entailment_model
from mindx_web.doctor import database, examination, installation, outside, records, work
from mindx_web.doctor.finding import Finding, Grade, fail, ok, warn
from mindx_web.operations import health, heartbeat
from mindx_web.operations.grants import grant
from mindx_web.supervisor.postgres import APP
from people import journal
from people.journal import Event
from people.models import User
from review.models import Delivery
from tests.forging import forge

Check = Callable[[], Iterator[Finding]]


def grades(check: Check) -> list[str]:
    """What the check found, worst first; every finding that is not well says what to do."""
    found = list(check())
    assert all(each.do for each in found if each.grade is not Grade.OK), found
    order = [Grade.FAIL, Grade.WARN, Grade.OK]
    return sorted((each.grade.value for each in found), key=lambda grade: order.index(Grade(grade)))


def told(check: Check) -> str:
    """Everything that the check says."""
    return "\n".join(f"{each.says} {each.do}" for each in check())


def test_a_damaged_entailment_model_is_told_where_rules_ask_it(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entailment_model, "why_unavailable", lambda: "It is damaged.")
    assert grades(records.entailment) == []
    settings.ENTAILMENT = "model"
    assert grades(records.entailment) == ["warn"]
    assert "decides alone: It is damaged." in told(records.entailment)
    monkeypatch.setattr(entailment_model, "why_unavailable", str)
    assert grades(records.entailment) == ["ok"]


# --- a server that takes the connection and says nothing --------------------------------------------------------------
@contextmanager
def mute_server(seconds: float) -> Iterator[str]:
    """The folder of a socket that answers nobody, and hangs up after so long."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/.s.PGSQL.5432")
        server.listen(8)
        hangs_up = threading.Timer(seconds, server.close)
        hangs_up.start()
        yield folder
        hangs_up.cancel()
        hangs_up.join()


@pytest.mark.django_db
def test_a_database_that_says_nothing_is_told_of_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with mute_server(15) as folder:
        options = dict(connection.settings_dict["OPTIONS"])
        where = {**connection.settings_dict, "HOST": folder, "PORT": "5432", "OPTIONS": options}
        monkeypatch.setattr(examination, "connection", DatabaseWrapper(where))
        monkeypatch.setattr(examination, "CONNECT_TIMEOUT_S", 2)
        found = next(examination.examine())
    assert (found.grade, "timeout" in found.says) == (Grade.FAIL, True), found
    assert "Start Postgres" in found.do


# --- the command -----------------------------------------------------------------------------------------------------
def run(*arguments: str) -> tuple[int, str]:
    """Exit status and output of the command."""
    out = io.StringIO()
    try:
        call_command("doctor", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


@pytest.mark.parametrize(
    ("findings", "arguments", "status"),
    [
        ([ok("a", "well")], [], 0),
        ([ok("a", "well"), warn("b", "so so", "look")], [], 0),
        ([ok("a", "well"), warn("b", "so so", "look")], ["--strict"], 2),
        ([warn("b", "so so", "look"), fail("c", "bad", "mend")], ["--strict"], 1),
    ],
)
def test_the_exit_status_tells_the_worst(
    monkeypatch: pytest.MonkeyPatch, findings: list[Finding], arguments: list[str], status: int
) -> None:
    monkeypatch.setattr("mindx_web.management.commands.doctor.examine", lambda **_: iter(findings))
    found, said = run(*arguments)
    assert found == status
    assert all(each.says in said and each.do in said for each in findings)
    found, said = run(*arguments, "--json")
    assert found == status
    assert [each["check"] for each in json.loads(said)["findings"]] == [each.check for each in findings]


@pytest.mark.django_db
def test_a_dead_database_is_one_failure_and_the_rest_is_looked_at_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "cursor", away)
    found = {each.check: each for each in examination.examine()}
    assert found["database"].grade is Grade.FAIL
    assert "connection refused" in found["database"].says
    assert found["migrations"].grade is Grade.WARN
    assert "not checked" in found["migrations"].says
    assert found["keys"].grade is Grade.OK


def test_a_check_that_breaks_keeps_no_other_from_being_made() -> None:
    def odd() -> Iterator[Finding]:
        yield ok("odd", "begun")
        raise RuntimeError("a bug")

    first, broken = examination._tried(odd)
    assert first.grade is Grade.OK
    assert broken.grade is Grade.FAIL
    assert "a bug" in broken.says


# --- this machine ----------------------------------------------------------------------------------------------------
def test_a_short_key_fails_and_one_key_for_both_is_told(settings: Any) -> None:
    assert grades(installation.keys) == ["ok"]
    settings.APPROVAL_KEY = settings.SECRET_KEY
    assert grades(installation.keys) == ["warn"]
    settings.SECRET_KEY = settings.APPROVAL_KEY = "a tiny key"
    assert grades(installation.keys) == ["fail"]
    assert "a tiny key" not in told(installation.keys)


def test_a_secret_that_others_can_read_is_named_with_the_command_that_closes_it(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "secrets").mkdir(mode=0o700)
    key = tmp_path / "secrets" / "approval_key"
    key.write_text("x")
    key.chmod(0o600)
    assert grades(installation.modes) == ["ok"]
    key.chmod(0o640)
    assert grades(installation.modes) == ["fail"]
    assert f"chmod 600 {key}" in told(installation.modes)


def test_debug_and_a_public_address_without_tls_are_told(settings: Any) -> None:
    assert grades(installation.openness) == ["ok"]
    settings.BIND = "0.0.0.0"
    assert grades(installation.openness) == ["warn"]
    settings.HTTPS, settings.DEBUG = True, True
    assert grades(installation.openness) == ["fail"]


def test_a_machine_without_git_is_told_what_git_tool_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grades(installation.programs) == ["ok"]
    monkeypatch.setattr("agents.beliefs.perceiving.programs", lambda: ("python3",))
    assert grades(installation.programs) == ["warn"]
    assert "apt-get install git" in told(installation.programs)


def test_a_disk_is_graded_by_what_the_operator_wants_free(settings: Any) -> None:
    settings.DISK_FREE_MIN_MB = 0
    assert grades(installation.disk) == ["ok"]
    settings.DISK_FREE_MIN_MB = 10**9
    assert grades(installation.disk) == ["fail"]
    assert "prune" in told(installation.disk)


# --- the database ----------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_missing_and_an_unknown_migration_are_told() -> None:
    assert grades(database.migrations) == ["ok"]
    recorder = MigrationRecorder(connection)
    recorder.record_applied("agents", "9999_of_a_newer_version")
    assert grades(database.migrations) == ["warn"]
    newest = max(name for app, name in MigrationLoader(None).disk_migrations if app == "auth")
    recorder.record_unapplied("auth", newest)
    assert grades(database.migrations) == ["fail", "warn"]
    assert f"auth.{newest}" in told(database.migrations)
    recorder.record_unapplied("review", "0015_stamp")
    assert grades(database.migrations) == ["fail"]
    assert "stopped before review.0015_stamp" in told(database.migrations)


@pytest.mark.django_db
def test_a_role_that_owns_the_tables_is_refused_and_each_wrong_right_is_named() -> None:
    assert grades(database.rights) == ["fail"], "the tests connect as the owner"
    grant(connection, APP)
    assert database.wrong_rights(APP) == []
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT UPDATE ON review_decision TO {APP}")
        cursor.execute(f"REVOKE INSERT ON agents_goal FROM {APP}")
        cursor.execute(f"GRANT TRUNCATE ON agents_goal TO {APP}")
    assert database.wrong_rights(APP) == [
        "agents_goal: lacks INSERT",
        "agents_goal: has TRUNCATE",
        "review_decision: has UPDATE",
    ]


@pytest.mark.django_db
def test_a_server_that_may_lose_commits_fails_and_the_extension_is_new_enough() -> None:
    assert grades(database.server) == ["fail"]
    assert "fsync=off" in told(database.server), "the tests' own server never waits for the disk"
    assert grades(database.extension) == ["ok"]


@pytest.mark.django_db
@pytest.mark.parametrize(("ahead_s", "grade"), [(0, "ok"), (3, "warn"), (-3600, "fail")])
def test_a_clock_that_differs_from_the_databases_is_told(
    monkeypatch: pytest.MonkeyPatch, ahead_s: int, grade: str
) -> None:
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + ahead_s)
    assert grades(database.clock) == [grade]


@pytest.mark.django_db
def test_connections_that_run_out_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ok" in grades(database.connections)
    monkeypatch.setattr(database, "FULL_PERCENT", 0)
    assert "warn" in grades(database.connections)


# --- who works -------------------------------------------------------------------------------------------------------
@pytest.fixture
def bus(valkey: object) -> Iterator[redis.Redis]:
    client = health.redis_client()
    client.flushdb()
    yield client
    client.flushdb()


@pytest.mark.django_db
def test_without_a_worker_both_it_and_the_scheduler_fail_with_how_to_start_one(bus: redis.Redis) -> None:
    assert grades(work.workers) == ["fail"]
    assert grades(work.scheduler) == ["fail"]
    assert "celery -A mindx_web" in told(work.workers) + told(work.scheduler)


def test_each_worker_is_told_with_its_jail(bus: redis.Redis) -> None:
    heartbeat.say(bus, heartbeat.Beat("good@a", "L3"))
    heartbeat.say(bus, heartbeat.Beat("weak@b", "L1", {"L3": "no bubblewrap"}))
    assert grades(work.workers) == ["fail", "ok"]
    assert "no bubblewrap" in told(work.workers)


@pytest.mark.django_db
def test_a_scheduler_is_judged_by_what_it_did_last(bus: redis.Redis) -> None:
    for name in health.SCHEDULED:
        duties.done(name, took_ms=3)
    assert grades(work.scheduler) == ["ok"]
    Duty.objects.filter(name="decisions").update(done_at=timezone.now() - timedelta(minutes=1))
    assert grades(work.scheduler) == ["fail"]


def test_a_dead_redis_fails_once_and_leaves_the_others_unknown(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert grades(work.redis_server) == ["fail"]
    assert grades(work.workers) == ["warn"]


def test_a_redis_that_throws_keys_away_is_told(bus: redis.Redis) -> None:
    assert grades(work.redis_server) == ["ok"]
    bus.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert grades(work.redis_server) == ["warn"]
    finally:
        bus.config_set("maxmemory-policy", "noeviction")


# --- what is stored --------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_snapshot_that_is_gone_or_damaged_is_found_in_the_sample(owner: User, tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    (folder := tmp_path / "files").mkdir()
    (folder / "a.txt").write_text("content")
    digest = store().take(folder).digest
    Workspace.objects.create(name="w", owner=owner, head=digest)
    assert grades(records.store_sample) == ["ok"]
    assert grades(records.whole_store) == ["ok"]
    Workspace.objects.create(name="lost", owner=owner, head="0" * 64)
    assert grades(records.store_sample) == ["fail"]
    assert grades(records.whole_store) == ["fail"]
    assert "snapshots verify" in told(records.store_sample)


@pytest.mark.django_db
def test_a_row_of_a_chain_that_was_changed_fails(owner: User) -> None:
    journal.record(Event.AGENT, by=owner, subject="agent:mindx", data={})
    assert set(grades(records.chains)) == {"ok"}
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE review_auditentry DISABLE TRIGGER USER")
        cursor.execute("UPDATE review_auditentry SET subject = 'agent:other'")
    assert "fail" in grades(records.chains)


@pytest.mark.django_db
def test_rows_that_mindx_did_not_seal_are_named(owner: User, reviewer: User) -> None:
    assert grades(records.seals) == ["ok"]
    forge("UPDATE people_user SET roles = '{admin}' WHERE id = %s", owner.pk)
    assert grades(records.seals) == ["fail"]
    assert f"user {owner.pk}" in told(records.seals)


@pytest.mark.django_db
def test_a_notice_that_does_not_leave_is_told(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert grades(records.notices) == ["ok"]
    monkeypatch.setattr(
        Delivery.objects,
        "filter",
        lambda **wanted: _Waiting() if wanted.get("state") == "waiting" else Delivery.objects.none(),
    )
    assert grades(records.notices) == ["warn"]


class _Waiting:
    """Three deliveries since an hour ago."""

    def aggregate(self, **_: object) -> dict[str, object]:
        return {"oldest": timezone.now() - records.LATE * 12}

    def count(self) -> int:
        return 3


# --- outside ---------------------------------------------------------------------------------------------------------
def test_an_index_that_does_not_answer_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDX_PACKAGE_INDEX", "http://user:hidden@127.0.0.1:1/simple/")
    assert grades(outside.package_index) == ["warn"]
    assert "hidden" not in told(outside.package_index)


def test_a_mail_server_that_refuses_fails_without_its_password(settings: Any) -> None:
    assert grades(outside.mail) == ["ok"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.NOTIFY_BY_EMAIL, settings.EMAIL_HOST, settings.EMAIL_PORT = True, "127.0.0.1", 1
    settings.EMAIL_HOST_PASSWORD = "hidden"
    assert grades(outside.mail) == ["fail"]
    assert "hidden" not in told(outside.mail)
