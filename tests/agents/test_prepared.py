"""Statements by name: one alone, and several in one exchange that are one transaction."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from agents import prepared

INSERT = "INSERT INTO kept (id, text) VALUES (%(id)s, %(text)s) RETURNING id, text"
COUNT = "SELECT count(*) FROM kept WHERE id <= %(most)s"
FAIL = "SELECT 1 / %(zero)s"


@pytest.fixture
def _kept(transactional_db: None) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE kept (id bigint PRIMARY KEY, text text)")
    yield
    connection.close()


def _count() -> int:
    found = prepared.row(COUNT, {"most": 100})
    assert found is not None
    return int(found[0])


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize("watched", [False, True])
def test_each_sees_what_those_before_it_wrote(watched: bool) -> None:
    asked: list[tuple[str, dict[str, object]]] = [
        (INSERT, {"id": 1, "text": "a"}),
        (COUNT, {"most": 100}),
        (INSERT, {"id": 2, "text": "b"}),
    ]
    if watched:
        with CaptureQueriesContext(connection) as caught:
            found = prepared.together(asked)
        assert [each["sql"] for each in caught.captured_queries][0::4] == ["BEGIN", "COMMIT"], (
            "they are counted as they run"
        )
    else:
        found = prepared.together(asked)
    assert found == [(1, "a"), (1,), (2, "b")]


@pytest.mark.usefixtures("_kept")
def test_of_several_none_counts_when_one_fails() -> None:
    """Both ways: refused before anything else ran, and after."""
    with pytest.raises(DataError):
        prepared.together([(INSERT, {"id": 1, "text": "a"}), (FAIL, {"zero": 0})])
    with pytest.raises(IntegrityError):
        prepared.together([(INSERT, {"id": 1, "text": "a"}), (INSERT, {"id": 1, "text": "a"}), (COUNT, {"most": 1})])
    assert _count() == 0, "and the connection goes on"


@pytest.mark.usefixtures("_kept")
def test_within_a_transaction_they_are_part_of_it() -> None:
    with pytest.raises(DataError):
        _keep_and_fail()
    assert _count() == 0
    with transaction.atomic():
        prepared.row(INSERT, {"id": 1, "text": "a"})  # the first of a transaction goes together with its BEGIN
        with pytest.raises(DataError), transaction.atomic():
            prepared.row(FAIL, {"zero": 0})
        prepared.row(INSERT, {"id": 2, "text": "b"})
    assert _count() == 2


@transaction.atomic
def _keep_and_fail() -> None:
    prepared.together([(INSERT, {"id": 1, "text": "a"}), (COUNT, {"most": 1})])
    prepared.row(FAIL, {"zero": 0})


@pytest.mark.usefixtures("_kept")
def test_a_transaction_whose_first_statement_fails_leaves_nothing_behind() -> None:
    with pytest.raises(DataError), transaction.atomic():
        prepared.row(FAIL, {"zero": 0})
    with transaction.atomic():
        prepared.row(INSERT, {"id": 1, "text": "a"})
    assert _count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_was_lost_is_a_lost_connection() -> None:
    """Django's own error, so that whoever waits for the database knows it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        number = cursor.fetchone()[0]
    ended = threading.Thread(target=_end, args=(number,))
    ended.start()
    ended.join()
    with pytest.raises(Exception, match=r"(?i)connection|terminat") as lost:
        prepared.together([("SELECT %(a)s::bigint", {"a": 1}), ("SELECT %(a)s::bigint + 1", {"a": 1})])
    assert type(lost.value).__module__.startswith("django.db")
    connection.close()
    assert prepared.row("SELECT %(a)s::bigint", {"a": 1}) == (1,), "and the next one is made anew"


def _end(number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [number])
    connection.close()
