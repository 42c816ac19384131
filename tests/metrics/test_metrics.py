"""`/metrics`: who may read it, what it says, and that nobody's words become labels."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from agents.models import Attempt, Goal, Intent, RecoveryAttempt
from agents.states import GoalState
from mindx_web.metrics import growing, house
from mindx_web.metrics.process import REGISTRY, VIEWERS
from mindx_web.metrics.viewers import Counted
from mindx_web.operations import health, heartbeat

TOKEN = "a token for the scraper"


@pytest.fixture
def is_open(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def plan(propose_plan: Any, owner: Any) -> Any:
    """A plan that waits for its review."""
    return propose_plan(owner)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question is answered anew."""
    monkeypatch.setattr(house, "FRESH_S", -1.0)


def scraped(**headers: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Each sample by its name and labels, read by Prometheus' own parser."""
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}", **headers})
    assert answer.status_code == 200, answer.content
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(found: dict[Any, float], name: str, **labels: str) -> float | None:
    """One sample."""
    return found.get((name, frozenset(labels.items())))


# --- who may read it -------------------------------------------------------------------------------------------------
def test_it_is_not_there_until_an_operator_opens_it() -> None:
    assert Client().get("/metrics").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("sent", ["", "Bearer wrong", f"Basic {TOKEN}", "Bearer ", "Bearer \u00ff"])
def test_nobody_without_the_token_reads_it(is_open: None, sent: str) -> None:
    answer = Client().get("/metrics", headers={"Authorization": sent})
    assert answer.status_code == 401
    assert b"mindx_" not in answer.content


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"), [("10.1.2.3", 200), ("192.0.2.7", 200), ("192.0.2.8", 401), ("::1", 401), ("nonsense", 401)]
)
def test_addresses_are_let_in_one_by_one_or_by_their_network(settings: Any, address: str, status: int) -> None:
    settings.METRICS_FROM = ["10.0.0.0/8", "192.0.2.7"]
    assert Client().get("/metrics", REMOTE_ADDR=address).status_code == status


@pytest.mark.django_db
def test_an_empty_token_opens_nothing(settings: Any) -> None:
    settings.METRICS_FROM = ["10.0.0.1"]
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401


# --- what it says ----------------------------------------------------------------------------------------------------
def test_goals_plans_and_the_queue_are_counted(is_open: None, now: None, make_goal: Any, owner: Any) -> None:
    before = scraped()
    for state in (GoalState.PENDING, GoalState.PENDING, GoalState.ACHIEVED):
        Goal.objects.filter(pk=make_goal(owner).pk).update(state=state.value)
    after = scraped()
    assert value(after, "mindx_goals", state="pending") == 2
    assert value(after, "mindx_goals", state="achieved") == 1
    assert value(before, "mindx_goals", state="failed") == 0, "a state without goals is zero, not missing"
    assert value(after, "mindx_goals_claimable") == 3, "two to plan, one to learn from"


def test_the_oldest_plan_in_the_queue_has_an_age(is_open: None, now: None, plan: Any) -> None:
    plan.queue_entry.queued_at = timezone.now() - timedelta(hours=2)
    plan.queue_entry.save()
    found = scraped()
    assert value(found, "mindx_review_queue_length") == 1
    assert 7190 < (value(found, "mindx_review_queue_oldest_seconds") or 0) < 7300
    assert value(found, "mindx_plans_open", state="awaiting_review") == 1
    assert (value(found, "mindx_log_lines_total") or 0) > 0


def tried(plan: Any, outcome: str, seconds: float | None, number: int) -> Attempt:
    began = timezone.now() - timedelta(minutes=10)
    ended = None if seconds is None else began + timedelta(seconds=seconds)
    intent = Intent.objects.filter(intent_plan=plan).first()
    assert intent is not None
    fields = {"started": began, "finished": ended, "outcome": outcome, "snapshot_before": "", "worker": "w", "fence": 1}
    return Attempt.objects.create(intent=intent, number=number, **fields)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, now: None) -> house.House:
    """A collector that begins now, as that of a new process does."""
    return house.House()


def samples(collector: house.House) -> dict[Any, float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for metric in collector.collect()
        for sample in metric.samples
    }


def test_tries_are_counted_once_when_they_have_ended(fresh: house.House, plan: Any) -> None:
    tried(plan, "succeeded", 1, 1)
    samples(fresh)  # what was before this process began is not counted
    tried(plan, "succeeded", 0.2, 2)
    running = tried(plan, "", None, 3)
    tried(plan, "lost", 3, 4)
    for _ in range(2):
        found = samples(fresh)
    good = {"tool": "simple_coder", "outcome": "succeeded"}
    assert value(found, "mindx_intent_duration_seconds_count", **good) == 1
    assert value(found, "mindx_intent_duration_seconds_bucket", le="0.1", **good) == 0
    assert value(found, "mindx_intent_duration_seconds_bucket", le="0.5", **good) == 1
    assert value(found, "mindx_lease_takeovers_total") == 1
    Attempt.objects.filter(pk=running.pk).update(finished=running.started + timedelta(seconds=90), outcome="succeeded")
    found = samples(fresh)
    assert value(found, "mindx_intent_duration_seconds_count", **good) == 2
    assert value(found, "mindx_intent_duration_seconds_sum", **good) == pytest.approx(90.2)


def test_an_old_open_try_is_not_forgotten_and_nothing_is_kept_for_ever(
    fresh: house.House, plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "LATE_ROWS", 3)
    samples(fresh)
    running = tried(plan, "", None, 1)
    for number in range(2, 12):
        tried(plan, "failed", 1, number)
    samples(fresh)
    assert len(fresh._tries._counted) == 3
    Attempt.objects.filter(pk=running.pk).update(finished=timezone.now(), outcome="failed")
    assert value(samples(fresh), "mindx_intent_duration_seconds_count", tool="simple_coder", outcome="failed") == 11
    assert not fresh._tries._open


def test_forged_words_become_no_labels(fresh: house.House, plan: Any) -> None:
    samples(fresh)
    tried(plan, 'x"}\nmindx_up 7', 1, 1)
    Intent.objects.filter(intent_plan=plan).update(tool="<script>")
    attempt = tried(plan, "failed", 1, 2)
    RecoveryAttempt.objects.create(attempt=attempt, strategy="<b>", failure_class="x", why="x", succeeded=True)
    found = samples(fresh)
    assert value(found, "mindx_intent_duration_seconds_count", tool="other", outcome="other") == 1
    assert value(found, "mindx_recoveries_total", strategy="other", outcome="succeeded") == 1


def test_a_recovery_counts_when_it_is_known_what_became_of_it(fresh: house.House, plan: Any) -> None:
    samples(fresh)
    attempt = tried(plan, "failed", 1, 1)
    recovery = RecoveryAttempt.objects.create(attempt=attempt, strategy="retry_with_delay", failure_class="x", why="x")
    labels = {"strategy": "retry_with_delay", "outcome": "succeeded"}
    assert value(samples(fresh), "mindx_recoveries_total", **labels) is None
    RecoveryAttempt.objects.filter(pk=recovery.pk).update(succeeded=True)
    assert value(samples(fresh), "mindx_recoveries_total", **labels) == 1


def test_a_claim_is_counted(is_open: None, now: None, plan: Any) -> None:
    before = value(scraped(), "mindx_claims_total") or 0
    Goal.objects.filter(pk=plan.goal_id).update(lease_fence=plan.goal.lease_fence + 2)
    assert value(scraped(), "mindx_claims_total") == before + 2


@pytest.mark.django_db
def test_workers_and_their_jails_are_told(is_open: None, now: None, valkey: Any) -> None:
    client: redis.Redis = health.redis_client()
    client.flushdb()
    heartbeat.say(client, heartbeat.Beat("one@here", "L3"))
    heartbeat.say(client, heartbeat.Beat("two@here", ""))
    found = scraped()
    client.flushdb()
    assert value(found, "mindx_worker_jail_level", worker="one@here") == 3
    assert value(found, "mindx_worker_jail_level", worker="two@here") == 0
    assert value(found, "mindx_workers") == 2


@pytest.mark.django_db
def test_without_a_database_it_still_answers_and_says_so(
    is_open: None, now: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", away)
    found = scraped()
    assert value(found, "mindx_part_up", part="database") == 0
    assert (value(found, "mindx_disk_free_bytes", disk="data") or 0) > 0
    assert not [name for name, _ in found if name == "mindx_goals"]


def test_a_request_is_measured_by_its_pattern_and_never_by_its_address(client: Client, db: None) -> None:
    client.get("/goals/987654/")
    client.get("/nowhere/<script>/")
    client.generic("BREW", "/login/")
    measured = {sample.labels["route"] for metric in REGISTRY.collect() for sample in metric.samples
                if sample.name == "mindx_http_request_duration_seconds_count"}  # fmt: skip
    assert "goals/<int:pk>/" in measured
    assert "none" in measured
    assert not [route for route in measured if "987654" in route or "script" in route]
    methods = {sample.labels["method"] for metric in REGISTRY.collect() for sample in metric.samples
               if "method" in sample.labels}  # fmt: skip
    assert "BREW" not in methods
    assert "other" in methods


def test_a_viewer_counts_while_the_socket_is_open() -> None:
    seen: list[float] = []

    async def consumer(scope: Any, receive: Any, send: Any) -> None:
        seen.append(VIEWERS._value.get())
        raise OSError("the browser went away")

    with pytest.raises(OSError, match="went away"):
        asyncio.run(Counted(consumer)({}, None, None))
    assert seen == [1.0]
    assert VIEWERS._value.get() == 0
