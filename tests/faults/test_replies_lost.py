"""A commit that is done, and whose reply never comes: the worker lives, and does not know."""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

from agents.record import statements
from tests.faults.ledger import Ledger
from tests.faults.oracle import everything_holds
from tests.faults.proxy import proxy
from tests.faults.system import PATIENCE_S, finished, hands, masters, more_hands, rows, servers, stopped, written
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")


# Words that only this statement has; for a commit, those of a statement before it.
STATEMENTS = {
    "plan claimed and taken up, first try begun": (b"lease_fence = goal.lease_fence + 1", b"COMMIT"),
    "step finished, next begun": (b"SELECT attempt, stamp FROM asked",),
    "last step finished, plan complete, goal achieved": (b"not needed: the plan succeeded", b"FROM agents_stepreport"),
    "claim of an achieved goal": (
        b"not needed: the plan succeeded",
        b"lease_fence = goal.lease_fence + 1",
        b"COMMIT",
    ),
    "remembered, lease given back": (b"SET learned_at = clock_timestamp(), lease_until = NULL", b"COMMIT"),
}


@pytest.mark.parametrize(
    ("name", "statement"),
    [("step finished, next begun", "advance"), ("last step finished, plan complete, goal achieved", "complete")],
)
def test_the_words_are_those_of_one_statement(name: str, statement: str) -> None:
    words = STATEMENTS[name][0]
    texts = {one: statements.read(one) for one in ("advance", "begin", "complete", "file", "take_up")}
    assert [one for one, text in texts.items() if words.decode() in text] == [statement]


@pytest.mark.faults
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_reply_of_the_database_is_lost(system: Whole, book: Ledger, results: Results, name: str) -> None:
    address = servers(system)["database_url"]
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2].rpartition(":")[0]
    socket = Path(unquote(host)) / ".s.PGSQL.5432"
    with (
        results.case(f"done in the database, reply lost: {name}") as case,
        tempfile.TemporaryDirectory(prefix="mx") as folder,
        proxy(Path(folder), socket) as between,
        stopped(*masters(system), *hands(*masters(system))),
        more_hands(system, 1, DATABASE_URL=address.replace(host, quote(folder, safe=""))),
    ):
        for _ in range(5):
            plan = written(system, book)
            between.lose, between.left, between.lost = STATEMENTS[name], 1, []
            system.approve(plan.plan)
            wait_until(lambda: between.lost, within=PATIENCE_S, what=f"a lost reply: {name}")
            assert between.lost != [b"E"], "it was done"
            case.landed += 1
            finished(system, plan)
            everything_holds(system, plan, book)
            kept = rows(system, "SELECT count(*) FROM library_experience WHERE goal_ref = %s AND part = ''", plan.goal)
            assert kept == [(1,)], "one experience"
            case.held()
