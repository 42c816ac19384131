"""Whoever waits for a silent database is let go; whoever waits for a slow one is not."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from library.prepared import _Link
from mindx_web.web import silent_database
from mindx_web.web.silent_database import Door, ServerSilent, watched

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_connection() -> Iterator[psycopg.Connection[Any]]:
    """One that loses patience after 0.2 s."""
    params = {name: value for name, value in connection.get_connection_params().items() if name != "cursor_factory"}
    with watched(0.3).connect(**{**params, "context": None}) as made:
        yield made


@pytest.fixture
def knocks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What was found at each knock on the real door."""
    found: list[bool] = []
    real = Door._knock

    def counted(door: Door, of: psycopg.Connection[Any]) -> bool:
        found.append(real(door, of))
        return found[-1]

    monkeypatch.setattr(silent_database.Door, "_knock", counted)
    return found


def test_a_slow_statement_of_a_server_that_lets_others_in_is_waited_for(
    open_connection: psycopg.Connection[Any], knocks: list[bool]
) -> None:
    assert open_connection.execute("SELECT pg_sleep(1.2), 7").fetchone() == ("", 7)
    assert knocks
    assert all(knocks)
    assert open_connection.execute("SELECT 8").fetchone() == (8,), "and the connection goes on"


def test_a_server_that_refuses_another_is_alive(
    open_connection: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise psycopg.OperationalError("sorry, too many clients already")

    monkeypatch.setattr(psycopg, "connect", full)
    assert open_connection.execute("SELECT pg_sleep(0.6), 7").fetchone() == ("", 7)


def _ask(connection: psycopg.Connection[Any]) -> None:
    connection.execute("SELECT pg_sleep(60)")


def _ask_prepared(connection: psycopg.Connection[Any]) -> None:
    connection.autocommit = True  # as Django has it: the statement goes alone
    _Link(connection).answers([("SELECT pg_sleep(60)", [])])


@pytest.mark.parametrize("ask", [_ask, _ask_prepared])
def test_one_that_neither_answers_nor_opens_is_given_up(
    open_connection: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, ask: Callable[..., None]
) -> None:
    real = psycopg.connect
    with socket.socket() as held:  # as the kernel of a server that is held still: takes connections, says nothing
        held.bind(("127.0.0.1", 0))
        held.listen()
        elsewhere = {"host": "127.0.0.1", "port": held.getsockname()[1]}
        monkeypatch.setattr(psycopg, "connect", lambda dsn, **also: real(dsn, **{**also, **elsewhere}))
        began, asked = time.monotonic(), open_connection.info.backend_pid
        with pytest.raises(ServerSilent):
            ask(open_connection)
    assert time.monotonic() - began < 30
    assert open_connection.closed
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [asked])
