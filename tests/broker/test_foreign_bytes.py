"""What somebody writes into Valkey's list past Celery: a worker drops it, and takes what follows."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis
from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import OperationalError
from kombu.messaging import Consumer

from mindx_web.supervisor.valkey import EmbeddedValkey
from mindx_web.web import messages
from tests.waiting import wait_until

WITHIN_S = 45
QUEUE = "wake-ups"
NO_MESSAGES = (
    *(b"", b"no json", b"\x80\x04", b"\xff\xfe", b"7", b"null", b"[]", b'"x"', b"{}", b'{"body": 1}', b"[" * 100_000),
    *(b'{"properties": {}}', b'{"properties": {"delivery_info": 3}}'),
    *(b'{"__type__": "uuid", "__value__": 7}', b'{"__type__": "os.system", "__value__": "true"}'),
)


@pytest.fixture
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    place = tmp_path_factory.mktemp("valkey")
    server = EmbeddedValkey(place / "data", place / "sockets", secrets.token_hex(8))
    server.prepare()
    process = subprocess.Popen(
        server.argv(), env=server.environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_until(server.answers, within=WITHIN_S, what="Valkey answering")
    yield server
    process.kill()
    process.wait(timeout=WITHIN_S)


@pytest.mark.parametrize("published", [False, True], ids=["pushed into the list", "published to the control channel"])
def test_bytes_that_are_no_message_are_dropped_and_told(
    published: bool, valkey: EmbeddedValkey, caplog: pytest.LogCaptureFixture
) -> None:
    assert messages.Consumer.__name__ == "Consumer", "the worker's own consumer brings the transport along"
    came: list[str] = []
    client = redis.Redis.from_url(valkey.url())
    with Connection(valkey.url().replace("unix://", "redis+socket://", 1)) as connection:
        channel = connection.channel()
        queue = Queue(QUEUE, exchange=exchange_of(channel, fanout=published), channel=channel)
        queue.declare()

        def take(body: str, message: object) -> None:
            came.append(body)

        with Consumer(channel, [queue], callbacks=[take], accept=["json"], no_ack=True):
            for bytes_ in NO_MESSAGES:
                if published:
                    drained(connection)
                    assert client.publish("/0.control", bytes_) == 1
                else:
                    client.lpush(QUEUE, bytes_)
            connection.Producer(channel).publish(
                "a wake-up",
                serializer="json",
                exchange="control" if published else "",
                routing_key="" if published else QUEUE,
            )
            wait_until(lambda: drained(connection) or bool(came), within=WITHIN_S, what="the message behind them")
    assert came == ["a wake-up"]
    assert "Unknown bytes from the broker were dropped" in caplog.text
    with pytest.raises(OperationalError):  # the broker's own trouble is still told
        Connection("redis+socket:///nonexistent/socket", transport_options={"max_retries": 0}).ensure_connection(
            max_retries=1, timeout=1
        )


def exchange_of(channel: object, *, fanout: bool) -> Exchange:
    return Exchange("control", type="fanout", channel=channel) if fanout else Exchange("", type="direct")


def drained(connection: Connection) -> bool:
    """Take what is there; false, so that it can stand in a condition."""
    with suppress(TimeoutError):
        connection.drain_events(timeout=0.05)
    return False
