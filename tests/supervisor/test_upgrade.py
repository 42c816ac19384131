"""A database of the time before 0.1.0 is taken over as it is; one that was left half way is refused.

`databases/before-0.1.0.sql.gz` is what `pg_dump` said of a system with six goals, made by the last version that had
every migration of before. Vectors, sessions and tokens were taken out.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from mindx_web.backup import postgres_tools
from mindx_web.supervisor.postgres import OWNER, SUPERUSER, EmbeddedPostgres

HERE = Path(__file__).parent
DUMP = HERE / "databases" / "before-0.1.0.sql.gz"
PROJECT = HERE.parents[1]
# The first partition of the log was the table itself once.
# What Postgres writes of `state IN (…)` it reads and writes again with the same casts in other places.
CASTS = re.compile(r"::(character varying|text)(\[\])?|[()]")
MAY_DIFFER = re.compile(r"agents_logline_0")


@pytest.fixture
def before(postgres: EmbeddedPostgres, tmp_path: Path) -> Iterator[str]:
    """The address of a database as the dump has it."""
    name = "before_the_first_release"
    with postgres.connect(SUPERUSER, postgres.passwords.superuser, "postgres") as server:
        server.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
    script = tmp_path / "dump.sql"
    script.write_bytes(gzip.decompress(DUMP.read_bytes()))
    try:
        address = postgres.url(OWNER, name)
        postgres_tools.run("psql", address, ["--quiet", "--set", "ON_ERROR_STOP=1", "--file", str(script)])
        yield address
    finally:
        with postgres.connect(SUPERUSER, postgres.passwords.superuser, "postgres") as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def manage(address: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=PROJECT,
        env={**os.environ, "DATABASE_URL": address, "MINDX_MIGRATE_URL": address},
        capture_output=True,
        text=True,
        check=False,
    )


def made(url: str, folder: Path) -> dict[str, list[str]]:
    """What makes up a database by its name, each as Postgres writes it down, columns in the order of their names."""
    written = folder / "made.sql"
    wanted = ["--schema-only", "--no-owner", "--no-privileges", "--no-comments", "--file", str(written)]
    postgres_tools.run("pg_dump", url, wanted)
    _, *things = written.read_text().partition("\n\\unrestrict")[0].split("\n--\n-- Name: ")
    named = (thing.partition("\n")[::2] for thing in things)
    return {
        name: _lines(name, text) for name, text in named if not MAY_DIFFER.search(name) and "; Type: SCHEMA" not in name
    }


def _lines(name: str, text: str) -> list[str]:
    if "; Type: FUNCTION" in name:
        return text.split()
    text = CASTS.sub("", text)
    lines = (line.strip().rstrip(",") for line in text.splitlines())
    return sorted(
        line for line in lines if line and not MAY_DIFFER.search(line) and not line.startswith("SET default_")
    )


def unheld(things: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without the one check that a database of before does not hold its old rows to."""
    return {
        name: [line for line in lines if "goal_outcome_known" not in line]
        for name, lines in things.items()
        if "goal_outcome_known" not in name
    }


@pytest.mark.django_db
def test_a_database_of_before_is_taken_over_and_is_like_a_new_one(
    before: str, postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    done = manage(before, "migrate", "--verbosity", "0")
    assert done.returncode == 0, done.stderr
    with psycopg.connect(before) as there:
        states = there.execute("SELECT state, count(*) FROM agents_goal GROUP BY 1 ORDER BY 1").fetchall()
        lines = there.execute("SELECT count(*) FROM agents_logline").fetchall()
    assert states == [("achieved", 4), ("awaiting_review", 1), ("manual", 1)]
    assert lines[0][0] > 50
    upgraded, new = made(before, tmp_path), made(postgres.url(OWNER, str(connection.settings_dict["NAME"])), tmp_path)
    assert sum("; Type: TABLE;" in name for name in new) > 90
    upgraded, new = unheld(upgraded), unheld(new)
    assert upgraded.keys() == new.keys()
    assert [(upgraded[name], lines) for name, lines in new.items() if upgraded[name] != lines] == []


def test_one_that_was_left_half_way_is_refused_and_told_what_to_do(before: str, tmp_path: Path) -> None:
    with psycopg.connect(before) as there:
        there.execute("DELETE FROM django_migrations WHERE name = '0072_settled_levels_are_sealed'")
    done = manage(before, "prepare")
    assert done.returncode != 0
    assert "Nothing was changed: this database stopped before agents.0072_settled_levels_are_sealed" in done.stderr
    assert "docs/operations.md" in done.stderr
    with psycopg.connect(before) as there:
        names = {name for (name,) in there.execute("SELECT name FROM django_migrations WHERE app = 'agents'")}
    assert "0001_tables" not in names
