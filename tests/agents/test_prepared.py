"""Statements by name: one alone, and several in one exchange that are one transaction."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime

import pytest
from django.db import (
    DataError,
    IntegrityError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)
from django.test.utils import CaptureQueriesContext
from psycopg.pq import TransactionStatus

import library.prepared
from agents.execution import database_outage
from agents.record import prepared

INSERT = "INSERT INTO kept (id, text) VALUES (%(id)s, %(text)s) RETURNING id, text"
COUNT = "SELECT count(*) FROM kept WHERE id <= %(most)s"
FAIL = "SELECT 1 / %(zero)s"
# The second sees what the first has written.
THREE: list[tuple[str, dict[str, object]]] = [
    (INSERT, {"id": 1, "text": "a"}),
    (COUNT, {"most": 100}),
    (INSERT, {"id": 2, "text": "b"}),
]


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
    if watched:
        with CaptureQueriesContext(connection) as caught:
            found = prepared.together(THREE)
        assert [each["sql"] for each in caught.captured_queries][0::4] == ["BEGIN", "COMMIT"], (
            "they are counted as they run"
        )
    else:
        found = prepared.together(THREE)
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


@pytest.mark.usefixtures("_kept")
def test_a_transaction_is_begun_once() -> None:
    """Another BEGIN would be one more exchange with the server, which it only warns of."""
    connection.ensure_connection()
    said: list[str | None] = []
    connection.connection.add_notice_handler(lambda notice: said.append(notice.message_primary))
    with transaction.atomic():
        for number in range(3):
            prepared.row(INSERT, {"id": number, "text": "a"})
        prepared.together([(COUNT, {"most": 1}), (COUNT, {"most": 2})])
    assert said == []


@transaction.atomic
def _keep_and_fail() -> None:
    prepared.together([(INSERT, {"id": 1, "text": "a"}), (COUNT, {"most": 1})])
    prepared.row(FAIL, {"zero": 0})


@pytest.mark.usefixtures("_kept")
def test_the_last_one_commits_with_its_own_exchange() -> None:
    with transaction.atomic():
        prepared.row(INSERT, {"id": 1, "text": "a"})
        with transaction.atomic(savepoint=False):
            assert prepared.row(INSERT, {"id": 2, "text": "b"}, last=True) == (2, "b")
        assert _is_idle()
    with transaction.atomic():
        assert prepared.row(INSERT, {"id": 3, "text": "c"}, last=True) == (3, "c"), "also where it is the only one"
        assert _is_idle()
    assert (_count(), _is_idle()) == (3, True)


@pytest.mark.usefixtures("_kept")
def test_the_last_one_of_a_savepoint_commits_nothing() -> None:
    with transaction.atomic():
        with transaction.atomic():
            prepared.row(INSERT, {"id": 1, "text": "a"}, last=True)
        assert not _is_idle()
        transaction.set_rollback(True)
    assert _count() == 0


@pytest.mark.django_db
def test_the_last_one_of_a_test_that_is_taken_back_commits_nothing() -> None:
    with transaction.atomic(savepoint=False):
        prepared.row("SELECT %(a)s::bigint", {"a": 1}, last=True)
    assert not _is_idle()


@pytest.mark.usefixtures("_kept")
def test_a_transaction_that_must_be_taken_back_is_not_committed_by_its_last_one() -> None:
    with transaction.atomic():
        prepared.row(INSERT, {"id": 1, "text": "a"})
        transaction.set_rollback(True)
        assert not library.prepared._may_commit(connection), "and Django refuses to send anything more"
    assert _count() == 0


@pytest.mark.usefixtures("_kept")
def test_a_last_one_that_fails_takes_all_back() -> None:
    with pytest.raises(DataError):
        _keep_and_fail_at_last()
    assert (_count(), _is_idle()) == (0, True)


@transaction.atomic
def _keep_and_fail_at_last() -> None:
    prepared.row(INSERT, {"id": 1, "text": "a"})
    prepared.row(FAIL, {"zero": 0}, last=True)


@pytest.mark.usefixtures("_kept")
def test_what_the_commit_itself_refuses_is_an_error_of_the_last_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE leads (id bigint REFERENCES kept DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(IntegrityError), transaction.atomic():
        prepared.row("INSERT INTO leads VALUES (%(id)s) RETURNING id", {"id": 7}, last=True)
    assert (_count(), _is_idle()) == (0, True)


def _is_idle() -> bool:
    return bool(connection.connection.info.transaction_status == TransactionStatus.IDLE)


@pytest.mark.usefixtures("_kept")
def test_a_transaction_whose_first_statement_fails_leaves_nothing_behind() -> None:
    with pytest.raises(DataError), transaction.atomic():
        prepared.row(FAIL, {"zero": 0})
    with transaction.atomic():
        prepared.row(INSERT, {"id": 1, "text": "a"})
    assert _count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("together", [False, True])
def test_a_link_that_is_cut_without_a_word_is_an_outage(together: bool) -> None:
    """Nothing answered, so there is no code to go by: whoever waits for the database waits."""
    connection.ensure_connection()
    assert connection.connection is not None
    with socket.socket(fileno=os.dup(connection.connection.fileno())) as link:
        link.shutdown(socket.SHUT_RDWR)
    asked = ("SELECT %(a)s::bigint", {"a": 1})
    with pytest.raises(OperationalError) as lost:
        prepared.together([asked, asked]) if together else prepared.row(*asked)
    assert database_outage.is_outage(lost.value)
    connection.close()
    assert prepared.row(*asked) == (1,)


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


@pytest.mark.django_db
def test_values_go_and_come_as_django_sends_and_reads_them() -> None:
    moment = datetime(2026, 3, 29, 2, 30, tzinfo=UTC)
    values = {"n": None, "b": True, "i": -(2**40), "f": 0.1, "t": "ä\\'\U0001f600", "x": b"\x00\xff", "m": moment}
    asked = (
        "SELECT %(n)s::text, %(b)s::bool, %(i)s::bigint, %(f)s::float8, %(t)s::text, %(x)s::bytea, %(m)s::timestamptz,"
        " '{\"a\": 1}'::jsonb"
    )
    found = prepared.row(asked, values)
    with connection.cursor() as cursor:
        cursor.execute(asked, values)
        assert found == cursor.fetchone()
    assert prepared.row("SELECT %(n)s::bigint + 1", {"n": None}) == (None,)
    assert prepared.row("SELECT %(n)s::bigint + 1", {"n": 1}) == (2,), "the same text with values of other types"
    assert prepared.row("SELECT %(a)s::int WHERE false", {"a": 1}) is None
    assert prepared.rows("SELECT generate_series(1, %(a)s)", {"a": 3}) == [(1,), (2,), (3,)]


@pytest.mark.django_db
def test_a_text_that_cannot_be_stored_is_refused_and_not_cut() -> None:
    with pytest.raises(DataError):
        prepared.row("SELECT %(t)s::text", {"t": "a\x00b"})
    assert prepared.row("SELECT %(t)s::text", {"t": "ab"}) == ("ab",)


@pytest.mark.usefixtures("_kept")
def test_how_many_rows_were_written_is_counted() -> None:
    several = "INSERT INTO kept SELECT generate_series(1, %(n)s)"
    assert (prepared.run(several, {"n": 3}), prepared.run("DELETE FROM kept WHERE id > %(n)s", {"n": 1})) == (3, 2)


@pytest.mark.usefixtures("_kept")
def test_statements_that_nobody_asked_for_long_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.prepared, "_MOST_PREPARED", 3)
    for number in range(8):
        assert prepared.row(f"SELECT %(a)s::bigint + {number}", {"a": 1}) == (1 + number,)
    assert prepared.row("SELECT %(a)s::bigint + 0", {"a": 1}) == (1,), "it is prepared once more"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'mindx%'")
        assert cursor.fetchone() == (3,)
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE name LIKE 'mindx%' ORDER BY prepare_time")
        assert [text.rpartition(" ")[2] for (text,) in cursor.fetchall()] == ["6", "7", "0"], "the oldest go first"


@pytest.mark.usefixtures("_kept")
def test_a_statement_that_cannot_be_prepared_harms_no_other() -> None:
    with pytest.raises(ProgrammingError):
        prepared.row("SELECT %(a)s FROM nothing_of_the_kind", {"a": 1})
    with pytest.raises(ProgrammingError):
        prepared.together([(INSERT, {"id": 1, "text": "a"}), ("SELECT %(a)s FROM nothing_of_the_kind", {"a": 1})])
    assert _count() == 0


@pytest.mark.usefixtures("_kept")
def test_behind_one_that_failed_nothing_more_runs_in_its_transaction() -> None:
    with pytest.raises(InternalError):
        _go_on_after_a_failure()
    assert _count() == 0


@transaction.atomic
def _go_on_after_a_failure() -> None:
    prepared.row(INSERT, {"id": 1, "text": "a"})
    with pytest.raises(DataError):
        prepared.row(FAIL, {"zero": 0})
    prepared.row(COUNT, {"most": 1})


@pytest.mark.usefixtures("_kept")
def test_what_is_prepared_outlives_statements_that_are_counted_and_changes_of_tables() -> None:
    assert _count() == 0
    with CaptureQueriesContext(connection):
        assert _count() == 0
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE kept ADD COLUMN more text")
        cursor.execute("BEGIN")
        cursor.execute("ROLLBACK")
    assert _count() == 0


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize("watched", [False, True])
def test_the_first_of_several_is_answered_while_the_server_goes_on(watched: bool) -> None:
    with CaptureQueriesContext(connection) if watched else nullcontext(), transaction.atomic():
        with prepared.first_of(THREE) as (found, others):
            assert found == (1, "a")
            assert others() == [(1,), (2, "b")]
        assert prepared.row(INSERT, {"id": 3, "text": "c"}) == (3, "c")
    assert _count() == 3


@pytest.mark.usefixtures("_kept")
def test_the_first_answer_does_not_wait_for_the_second() -> None:
    """The second waits for a lock that is given back only when the first was read."""
    prepared.row(INSERT, {"id": 1, "text": "a"})
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '3s'")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(7)")
            with (
                transaction.atomic(),
                prepared.first_of([(COUNT, {"most": 1}), ("SELECT pg_advisory_xact_lock(7)", {})]) as (found, others),
            ):
                assert found == (1,)
                cursor.execute("SELECT pg_advisory_unlock(7)")
                assert len(others()) == 1
    finally:
        other.close()


@pytest.mark.usefixtures("_kept")
def test_answers_that_nobody_took_are_passed_over() -> None:
    with transaction.atomic(), prepared.first_of([(COUNT, {"most": 1}), (COUNT, {"most": 2})]) as (found, _):
        assert found == (0,)
    with pytest.raises(LookupError):
        _keep_and_leave()
    assert (_count(), _is_idle()) == (0, True)
    with prepared.first_of([(COUNT, {"most": 1})]) as (found, others):
        assert (found, others()) == ((0,), [])


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize("at", [0, 1])
def test_of_several_one_that_fails_is_told_where_its_answer_is_taken(at: int) -> None:
    asked: list[tuple[str, dict[str, object]]] = [(INSERT, {"id": 1, "text": "a"}), (COUNT, {"most": 1})]
    asked.insert(at, (FAIL, {"zero": 0}))
    taken: list[object] = []
    with pytest.raises(DataError):
        _take_all(asked, taken)
    assert (taken, _count(), _is_idle()) == ([(1, "a")] * at, 0, True)


@transaction.atomic
def _keep_and_leave() -> None:
    prepared.row(INSERT, {"id": 1, "text": "a"})
    with prepared.first_of([(COUNT, {"most": 1}), (COUNT, {"most": 2})]):
        raise LookupError


@transaction.atomic
def _take_all(asked: list[tuple[str, dict[str, object]]], taken: list[object]) -> None:
    with prepared.first_of(asked) as (found, others):
        taken.append(found)
        others()


@pytest.mark.usefixtures("_kept")
def test_nothing_else_is_asked_before_all_is_answered() -> None:
    """It would be given the answer to what was asked before."""
    with transaction.atomic(), prepared.first_of([(COUNT, {"most": 1}), (COUNT, {"most": 2})]) as (_, others):
        with connection.cursor() as cursor, pytest.raises(RuntimeError, match="still to answer"):
            cursor.execute("SELECT 7")
        with pytest.raises(RuntimeError, match="still to answer"):
            _count()
        assert others() == [(0,)]
    assert _count() == 0
