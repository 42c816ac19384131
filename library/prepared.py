"""Statements that run for every plan, step or question to a model: Postgres parses and plans each once a connection,
and gets only values.

Django sends every statement as new text, which a dozen parts long ones pay for with more planning than work. These are
prepared under a name on the connection that Django has open, in whatever transaction it is in. What the connection's
wrappers count or forbid, they count and forbid here too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NoReturn

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from psycopg import Connection, RawCursor
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.types.numeric import Int8BinaryDumper

# What is kept with each connection.
_KEPT = "_mindx_prepared"
_WENT_WELL = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
# More are statements that differ by the types of their values alone, without an end.
_MOST_PREPARED = 1_000
_PLACE = re.compile(r"%\((\w+)\)s")

Row = tuple[Any, ...] | None


class _Cursor(RawCursor[tuple[Any, ...]]):
    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        # A number's type would otherwise go by its size, and each mixture of types is a statement of its own.
        self.adapters.register_dumper(int, Int8BinaryDumper)

    def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
        # Unprepared: what psycopg has prepared it forgets after some statements, and ours would be gone with it.
        return super().execute(query, params, prepare=False)


@lru_cache(maxsize=128)
def _numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """The statement with Postgres' own `$1` for each name, and the names in that order. psycopg would look for them at
    each call in a text of more than 4,096 characters.
    """
    names = tuple(dict.fromkeys(_PLACE.findall(statement)))
    places = {name: f"${number}" for number, name in enumerate(names, 1)}
    return _PLACE.sub(lambda found: places[found[1]], statement), names


def row(statement: str, values: Mapping[str, Any], *, last: bool = False) -> Row:
    """Run a statement with `%(name)s` in it and return its first row.

    Whole numbers are sent as bigint, texts as whatever their place in the statement takes. The `last` one of the
    transaction that is open commits it in the same exchange, unless it can still be taken back to a savepoint.
    """
    found: Row = _run(statement, values, lambda cursor: cursor.fetchone(), _Link.first, last=last)
    return found


def run(statement: str, values: Mapping[str, Any]) -> int:
    """Run a statement in the same way that returns nothing; how many rows it wrote."""
    return int(_run(statement, values, lambda cursor: cursor.rowcount, lambda _, answer: answer.command_tuples or 0))


def rows(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement in the same way and return all its rows."""
    found: list[tuple[Any, ...]] = _run(statement, values, lambda cursor: cursor.fetchall(), _Link.every)
    return found


def together(asked: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Row]:
    """Run statements that do not need each other's answers in one transaction and one exchange with the server, and
    return the first row of each. Each sees what those before it have written, and what others had committed by then.
    """
    django: Any = connections[DEFAULT_DB_ALIAS]
    if _is_watched(django):
        with transaction.atomic(savepoint=False):
            return [row(statement, values) for statement, values in asked]
    # Within the transaction that is open. Without one it needs no BEGIN and COMMIT: what is sent before the server is
    # asked to answer is one transaction.
    with django.wrap_database_errors:
        link = _link(django)
        return [link.first(answer) for answer in link.answers([_filled(*each) for each in asked])]


@contextmanager
def first_of(asked: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[Row, Callable[[], list[Row]]]]:
    """Run statements as `together` does, and give the first one's row while the server goes on with the others, and how
    to wait for theirs. Within the block nothing else may be asked of the connection: RuntimeError.
    """
    first, *others = asked
    django: Any = connections[DEFAULT_DB_ALIAS]
    if _is_watched(django):
        with transaction.atomic(savepoint=False):
            yield row(*first), lambda: [row(*each) for each in others]
        return
    link = _link(django)
    with django.wrap_database_errors, link.exchange([_filled(*each) for each in asked], first_at_once=True) as exchange:
        (answer,) = exchange.take(1)
        # Asked now, it would be answered with what is still to come.
        with django.execute_wrapper(_refuse):
            yield link.first(answer), lambda: [link.first(each) for each in exchange.take(len(others))]


def _refuse(*_: Any) -> NoReturn:
    raise RuntimeError("the connection has still to answer what was asked before")


def _run(
    statement: str,
    values: Mapping[str, Any],
    take: Callable[[Any], Any],
    read: Callable[[_Link, PGresult], Any],
    *,
    last: bool = False,
) -> Any:
    django: Any = connections[DEFAULT_DB_ALIAS]
    if _is_watched(django):
        with django._prepare_cursor(_Cursor(_opened(django))) as cursor:
            cursor.execute(*_filled(statement, values))
            return take(cursor)
    with django.wrap_database_errors:
        link = _link(django)
        (answer,) = link.answers([_filled(statement, values)], commits=last and _may_commit(django))
        return read(link, answer)


def _filled(statement: str, values: Mapping[str, Any]) -> tuple[str, list[Any]]:
    text, names = _numbered(statement)
    return text, [values[name] for name in names]


class _Link:
    """A connection's prepared statements, past psycopg's cursors and Django's wrappers around them, which each cost as
    much as sending a statement and reading its answer.

    How the server is waited for, and what becomes of values and columns, is psycopg's, with all that Django has set.
    For one statement libpq waits itself, in one call and without the interpreter's lock: psycopg's way, which heeds
    signals meanwhile, takes half as long again. A connection that waits in a way of its own does so here too.
    """

    def __init__(self, opened: Any) -> None:
        self._opened = opened
        self._waits_its_way = type(opened).wait is not Connection.wait
        self._server: PGconn = opened.pgconn
        self._adapts = Transformer(_Cursor(opened))
        # A statement's name by its text and the types of its values.
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}
        self._numbers = itertools.count()

    def answers(self, asked: Sequence[tuple[str, Sequence[Any]]], *, commits: bool = False) -> list[PGresult]:
        """The answers of statements that are sent together, as in `exchange`."""
        if len(asked) == 1 and not (commits or self._begins or self._waits_its_way):
            return _checked([self._server.exec_prepared(*self._prepared(*asked[0]))])
        with self.exchange(asked, commits=commits) as exchange:
            answers = exchange.take(len(asked) + commits)
        return answers[: len(asked)]

    @contextmanager
    def exchange(
        self, asked: Sequence[tuple[str, Sequence[Any]]], *, commits: bool = False, first_at_once: bool = False
    ) -> Iterator[_Exchange]:
        """Send statements together, behind the BEGIN that is due where a transaction is. With `commits` a COMMIT goes
        behind them: when it has been answered, Django's own finds nothing left to be done.

        The server answers when it has done all of it; the first one at once, where that is asked for.
        """
        ready, begins = [self._prepared(*each) for each in asked], self._begins
        with _Exchange(self._opened, begins=begins, many=len(ready) + commits) as exchange:
            if begins:
                self._server.send_query_params(b"BEGIN", None)
            for number, each in enumerate(ready):
                self._server.send_query_prepared(*each)
                if first_at_once and not number:
                    self._server.send_flush_request()
            if commits:
                self._server.send_query_params(b"COMMIT", None)
            exchange.sent()
            yield exchange

    @property
    def _begins(self) -> bool:
        return bool(not self._opened.autocommit and self._server.transaction_status == TransactionStatus.IDLE)

    def first(self, answer: PGresult) -> Row:
        if not answer.ntuples:
            return None
        self._adapts.set_pgresult(answer)
        found: Row = self._adapts.load_row(0, tuple)
        return found

    def every(self, answer: PGresult) -> list[tuple[Any, ...]]:
        self._adapts.set_pgresult(answer)
        found: list[tuple[Any, ...]] = self._adapts.load_rows(0, answer.ntuples, tuple)
        return found

    def _prepared(self, text: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """What libpq takes: the statement's name, its values, their formats."""
        adapts = self._adapts
        dumped = adapts.dump_sequence(values, [PyFormat.AUTO] * len(values))
        key = (text, adapts.types or ())
        formats = adapts.formats
        if key not in self._names:
            if len(self._names) >= _MOST_PREPARED:
                self._asked(self._server.send_query, b"DEALLOCATE " + self._names.pop(next(iter(self._names))))
            name = f"mindx_{next(self._numbers)}".encode()
            self._asked(self._server.send_prepare, name, text.encode(), key[1])
            self._names[key] = name
        return self._names[key], dumped, formats

    def _asked(self, how: Callable[..., None], *what: Any) -> None:
        how(*what)
        for answer in self._opened.wait(execute(self._server)):
            if answer.status not in _WENT_WELL:
                raise error_from_result(answer)


class _Exchange:
    """Statements that are sent together: `take` waits for their answers, in their order. Until the block is left, the
    connection can be asked for nothing else; what was not taken is passed over then.
    """

    def __init__(self, opened: Any, *, begins: bool, many: int) -> None:
        self._opened = opened
        self._server: PGconn = opened.pgconn
        # The answer to a BEGIN comes before all others.
        self._before = int(begins)
        self._left = self._before + many
        self._is_over = True

    def __enter__(self) -> _Exchange:
        self._server.enter_pipeline_mode()
        return self

    def sent(self) -> None:
        """All of it is on its way."""
        self._server.pipeline_sync()
        self._is_over = False

    def take(self, many: int) -> list[PGresult]:
        before, self._before = self._before, 0
        return _checked(self._next(before + many))[before:]

    def __exit__(self, *_: object) -> None:
        if self._server.status == ConnStatus.BAD:
            return
        if not self._is_over:
            self._next(self._left)
        self._server.exit_pipeline_mode()

    def _next(self, many: int) -> list[PGresult]:
        self._left -= many
        self._is_over = not self._left
        found: list[PGresult] = self._opened.wait(_answers(self._server, many, ends=self._is_over))
        return found


def _answers(server: PGconn, many: int, *, ends: bool) -> Generator[Any, Any, list[PGresult]]:
    """One answer for each of so many statements; what is behind one that failed was not run."""
    found: list[PGresult] = []
    yield from send(server)
    for _ in range(many):
        found += yield from fetch_many(server)
    if ends:
        yield from fetch_many(server)  # the end of the exchange
    return found


def _checked(answers: list[PGresult]) -> list[PGresult]:
    for answer in answers:
        if answer.status not in _WENT_WELL:
            raise error_from_result(answer)
    return answers


def _link(django: Any) -> _Link:
    opened = _opened(django)
    link: _Link | None = getattr(opened, _KEPT, None)
    if link is None:
        link = _Link(opened)
        setattr(opened, _KEPT, link)
    return link


def _opened(django: Any) -> Any:
    """psycopg's connection, as Django would hand it out."""
    django.ensure_connection()
    django.validate_thread_sharing()
    django.validate_no_broken_transaction()
    return django.connection


def _may_commit(django: Any) -> bool:
    """Whether the end of the outermost block would commit now, and nobody can go back behind what was written."""
    return bool(django.in_atomic_block and django.commit_on_exit and not any(django.savepoint_ids)) and not (
        django.needs_rollback or any(block._from_testcase for block in django.atomic_blocks)
    )


def _is_watched(django: Any) -> bool:
    """Whether somebody counts statements or forbids some, which only Django's wrappers heed."""
    return bool(django.queries_logged or django.execute_wrappers)
