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


def _tables(url: str, folder: Path) -> list[str]:
    """Everything that makes up a database but its rows and who may do what, as Postgres writes it down."""
    plan = folder / "tables.sql"
    wanted = ["--schema-only", "--no-owner", "--no-privileges", "--file", str(plan)]
    postgres_tools.run("pg_dump", url, wanted)
    # Such a line holds a word that is another each time.
    return [line for line in plan.read_text().splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]


@pytest.mark.django_db
def test_it_has_the_tables_that_django_makes_when_nobody_spares_it_work(
    whole: Whole, postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    started = json.loads((whole.running.data / "run" / "servers.json").read_text())["migrate_url"]
    tables = _tables(started, tmp_path)
    assert sum(line.startswith("CREATE TABLE") for line in tables) > 90
    assert tables == _tables(postgres.url(OWNER, str(connection.settings_dict["NAME"])), tmp_path)
