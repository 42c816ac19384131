"""`GET health`: 503 until every part that goals need is known."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from agents.models import Duty
from agents.record import duties
from mindx_web.operations import health, heartbeat
from mindx_web.supervisor.readiness import READY_FILE
from tests.cast import ApiCaller

pytestmark = pytest.mark.django_db


@pytest.fixture
def redis_client(valkey: Any) -> Any:
    """A client of the running Valkey, which is emptied before and afterwards."""
    client = health.redis_client()
    client.flushall()
    yield client
    client.flushall()


def asked(token: str = "") -> Any:
    return ApiCaller(Client(), token).get("health")


def test_without_a_worker_it_is_not_ready(redis_client: Any) -> None:
    answer = asked()
    assert answer.status_code == 503
    assert answer.json()["parts"]["database"] == "ok"
    assert answer.json()["parts"]["worker"] == "down"


def test_with_every_part_it_is_ready_and_tells_the_public_no_details(redis_client: Any) -> None:
    heartbeat.say(redis_client, heartbeat.Beat("w1@host", "L3"))
    answer = asked()
    assert answer.status_code == 200, answer.content
    assert set(answer.json()) == {"status", "parts"}
    assert {"database", "redis", "worker", "sandbox"} <= set(answer.json()["parts"])
    assert b"w1@host" not in answer.content


def test_those_who_are_logged_in_or_have_a_token_get_details(
    redis_client: Any, owner: Any, token_of: Any, client_of: Any
) -> None:
    heartbeat.say(redis_client, heartbeat.Beat("w1@host", "L3"))
    for answer in (asked(token_of(owner)), client_of(owner).get("/api/v1/health")):
        assert answer.json()["details"]["worker"]["workers"] == ["w1@host"]
        assert answer.json()["details"]["sandbox"]["level"] == "L3"
    assert "details" not in asked("mindx_wrong").json()


def test_a_sandbox_below_the_minimum_is_told(redis_client: Any) -> None:
    heartbeat.say(redis_client, heartbeat.Beat("w1@host", "L1", {"L3": "no bubblewrap"}))
    answer = asked()
    assert answer.json()["parts"]["sandbox"] == "down"
    assert answer.json()["status"] != "ok"


def test_with_a_dead_redis_it_says_so_and_is_not_ready(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = asked()
    assert answer.status_code == 503
    assert answer.json()["parts"] == answer.json()["parts"] | {"redis": "down", "worker": "unknown"}


def test_with_a_dead_database_it_answers_instead_of_failing(
    redis_client: Any, owner: Any, token_of: Any, monkeypatch: Any
) -> None:
    token = token_of(owner)

    def away(*_: object, **__: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", away)
    monkeypatch.setattr(health, "connection", SimpleNamespace(cursor=away))  # it asks in a thread of its own
    answer = asked(token)
    assert answer.status_code == 503
    assert answer.json()["parts"]["database"] == "down"
    assert b"gone" not in answer.content


def test_a_database_that_is_held_still_is_down_in_time_and_costs_one_thread(
    redis_client: Any, until: Any, monkeypatch: Any
) -> None:
    """Postgres' processes stopped, or its machine paused: the question is taken and never answered."""
    heartbeat.say(redis_client, heartbeat.Beat("w1@host", "L3"))
    goes_on = threading.Event()
    asks = threading.Semaphore(0)

    def held() -> Any:
        asks.release()
        goes_on.wait()
        return connection.cursor()

    monkeypatch.setattr(health, "DATABASE_TIMEOUT_S", 0.05)
    monkeypatch.setattr(health, "connection", SimpleNamespace(cursor=held))
    try:
        for _ in range(3):
            answer = asked()
            assert answer.status_code == 503
            assert answer.json()["parts"] == answer.json()["parts"] | {"database": "down", "embeddings": "unknown"}
        assert asks.acquire(blocking=False)
        assert not asks.acquire(blocking=False), "whoever asks while one waits waits for the same answer"
    finally:
        goes_on.set()
    until(lambda: asked().status_code == 200, what="the database back")


def test_a_sign_of_life_ends_with_its_worker(
    redis_client: Any, until: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    word = tmp_path / "worker-ready"
    monkeypatch.setenv(READY_FILE, str(word))
    monkeypatch.setattr(heartbeat, "_tried", lambda worker: heartbeat.Beat(worker, "L3"))

    class Consumer:
        hostname = "w2@host"

    heartbeat.start(sender=Consumer())
    until(lambda: [beat.worker for beat in heartbeat.beats(redis_client)] == ["w2@host"], what="the sign of life")
    until(word.exists, what="its word to the supervisor")
    heartbeat.stop()
    until(lambda: heartbeat.beats(redis_client) == [], what="its end")


def test_a_scheduler_that_does_its_duties_is_told_from_one_that_is_away(redis_client: Any) -> None:
    heartbeat.say(redis_client, heartbeat.Beat("w1@host", "L3"))
    assert asked().json()["parts"]["scheduler"] == "limited"
    for name in health.SCHEDULED:
        duties.done(name, took_ms=2)
    assert asked().json()["parts"]["scheduler"] == "ok"
    Duty.objects.filter(name=health.SWEEP).update(done_at=timezone.now() - timedelta(minutes=1))
    assert asked().json()["parts"]["scheduler"] == "limited"


def test_liveness_asks_nothing_that_could_be_away(monkeypatch: Any) -> None:
    """A web process must not be killed because its database is away: that would help nobody."""

    def away(*_: object, **__: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", away)
    monkeypatch.setattr(health, "redis_client", away)
    answer = ApiCaller(Client(), "").get("health/live")
    assert answer.status_code == 200
    assert json.loads(answer.content) == {"status": "alive"}
