"""A worker's connection to the database after Postgres was restarted under it."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection

from agents import tasks

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_broken_connection_costs_one_task_and_not_all_that_come() -> None:
    tasks.work.apply(throw=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (before,) = cursor.fetchone()
    connection.connection.close()  # as it is found when the server has gone and come back
    with pytest.raises(DatabaseError):
        tasks.work.apply(throw=True)
    tasks.work.apply(throw=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (before,)


def test_a_sound_connection_is_kept() -> None:
    tasks.work.apply(throw=True)
    held = connection.connection
    tasks.work.apply(throw=True)
    assert connection.connection is held
