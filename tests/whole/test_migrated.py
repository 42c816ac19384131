"""A first start leaves the tables that the migrations describe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import connection

from mindx_web.backup import postgres_tools
from mindx_web.supervisor.postgres import OWNER, EmbeddedPostgres
from tests.whole.started import Whole

pytestmark = pytest.mark.xdist_group("whole")


def _made(url: str, folder: Path) -> list[str]:
    """Everything that makes up a database, thing by thing as Postgres writes it down; not whose it is, nor its rows."""
    written = folder / "made.sql"
    wanted = ["--schema-only", "--no-owner", "--no-privileges", "--no-comments", "--file", str(written)]
    postgres_tools.run("pg_dump", url, wanted)
    _, *things = written.read_text().partition("\n\\unrestrict")[0].split("\n--\n-- Name: ")
    # The schema of a provisioned database has an owner of its own.
    return [thing for thing in things if "; Type: SCHEMA;" not in thing.partition("\n")[0]]


@pytest.mark.django_db
def test_it_has_the_tables_that_django_makes_when_nobody_spares_it_work(
    whole: Whole, postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    started = json.loads((whole.running.data / "run" / "servers.json").read_text())["migrate_url"]
    made = _made(started, tmp_path)
    assert sum("; Type: TABLE;" in thing for thing in made) > 90
    assert made == _made(postgres.url(OWNER, str(connection.settings_dict["NAME"])), tmp_path)
