"""The hub over a real Redis protocol server: hints arrive, also after it forgot everything, and after it died."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from channels.layers import get_channel_layer
from django.test import override_settings

from agents.live import hub as hubs
from agents.record import wake_ups
from agents.record.listeners import listened_to
from mindx_web.supervisor.valkey import EmbeddedValkey
from tests.waiting import wait_until

GROUP = "goal.1"
WITHIN_S = 45


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    """A server of this test's own, not yet started, and the channel layer that speaks to it."""
    place: Path = tmp_path_factory.mktemp("redis")
    server = EmbeddedValkey(place / "data", place / "sockets", secrets.token_hex(8))
    server.prepare()
    layer = {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [server.url()], "capacity": 1000, "expiry": 20},
    }
    with override_settings(CHANNEL_LAYERS={"default": layer}):
        yield server


@contextmanager
def running(server: EmbeddedValkey) -> Iterator[None]:
    process = subprocess.Popen(
        server.argv(), env=server.environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(server.answers, within=WITHIN_S, what="Valkey answering")
        yield
    finally:
        process.kill()
        process.wait(timeout=WITHIN_S)


def test_hints_arrive_through_a_server_that_forgets_everything_and_one_that_dies(
    server: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "RETRY_S", 0.05)
    monkeypatch.setattr(hubs, "REJOIN_EVERY_S", 0.1)
    monkeypatch.setattr(wake_ups, "_SKIP_S", 0.0)
    monkeypatch.setattr(wake_ups, "_skip_until", float("-inf"))
    teller = wake_ups.Teller()

    async def work() -> None:
        hub = hubs.Hub()
        came: list[int | None] = []

        async def arrives(number: int) -> None:
            """A hint may be lost; one of those that are sent until then arrives."""
            async with asyncio.timeout(WITHIN_S):
                while number not in came:
                    teller.tell(GROUP, number)
                    await asyncio.sleep(0.02)

        hub.join(GROUP, came.append)
        with running(server):
            await arrives(1)
            redis.Redis.from_url(server.url()).flushall()
            await arrives(2)
        async with asyncio.timeout(WITHIN_S):
            while not hub.is_deaf:
                await asyncio.sleep(0.02)
        with running(server):
            await arrives(3)
            assert not hub.is_deaf
        hub.leave(GROUP, came.append)

    asyncio.run(work())
    teller.finish()


def test_only_groups_that_somebody_listens_to_are_told(server: EmbeddedValkey) -> None:
    async def listen() -> None:
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_add(GROUP, "somebody")
        await layer.close_pools()

    with running(server):
        assert listened_to([GROUP, "goal.2"], WITHIN_S) == set()
        asyncio.run(listen())
        assert listened_to([GROUP, "goal.2"], WITHIN_S) == {GROUP}


def test_a_layer_that_cannot_be_asked_plainly_is_told_of_everything() -> None:
    with override_settings(CHANNEL_LAYERS={"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}):
        assert listened_to([GROUP, "goal.2"], WITHIN_S) == {GROUP, "goal.2"}


class _Paced(threading.Event):
    """Stands for the end of a teller: keeps how long it was waited for, and ends after a few rounds."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []
        self.came = threading.Semaphore(0)

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        self.came.release()
        return self.is_set()


def test_what_nobody_listens_to_is_asked_about_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def send(group: str, message: dict[str, Any]) -> None:
        told.append(group)

    monkeypatch.setattr(wake_ups, "_skip_until", float("-inf"))
    monkeypatch.setattr(wake_ups, "listened_to", lambda groups, patience_s: set(groups) & {GROUP})
    monkeypatch.setattr(wake_ups, "_group_send", send)
    teller = wake_ups.Teller()
    teller._ending = paced = _Paced()
    for group in ("goal.2", GROUP, "goal.2"):
        teller.tell(group, 1)
        assert paced.came.acquire(timeout=WITHIN_S)
    teller.finish()
    assert paced.waits[:3] == [wake_ups._UNHEARD_PACE_S, wake_ups._PACE_S, wake_ups._UNHEARD_PACE_S]
    assert wake_ups._UNHEARD_PACE_S > wake_ups._PACE_S
    assert told == [GROUP]
