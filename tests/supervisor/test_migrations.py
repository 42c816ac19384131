"""Migrations can run while people work."""

from __future__ import annotations

import psycopg
import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import OperationalError, connection, transaction
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField, AddIndex, CreateModel, RemoveField, RunSQL
from django.db.models import CharField, Index, IntegerField

from mindx_web.operations import migrating
from mindx_web.supervisor.postgres import OWNER, EmbeddedPostgres
from tests.supervisor.migration_linter import faults

# What makes a new database keeps nobody waiting; from the next number on every operation is looked at.
MAKES_THE_TABLES = {"agents": 2, "library": 1, "people": 2, "review": 2}


def test_every_migration_after_the_first_is_safe_under_load() -> None:
    ours = {
        key: migration for key, migration in MigrationLoader(None).disk_migrations.items() if key[0] in MAKES_THE_TABLES
    }
    assert len(ours) >= 7
    later = [each for (app, name), each in ours.items() if int(name[:4]) > MAKES_THE_TABLES[app]]
    assert [fault for migration in later for fault in faults(migration)] == []


def of(*operations: object, atomic: bool = True) -> list[str]:
    kind = type("Made", (Migration,), {"operations": list(operations), "atomic": atomic})
    migration: Migration = kind("0099_test", "agents")
    return list(faults(migration))


INDEX = Index(fields=["x"], name="x")


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (AddIndex("goal", INDEX), "AddIndexConcurrently"),
        (AddIndexConcurrently("goal", INDEX), "atomic = False"),
        (AddField("goal", "x", IntegerField(default=0)), "db_default"),
        (AddField("goal", "x", CharField(unique=True, null=True, max_length=3)), "unique"),
        (RemoveField("goal", "text"), "still runs"),
        (RunSQL("UPDATE agents_goal SET text = ''"), "short lock"),
    ],
)
def test_what_would_stop_others_is_named_with_what_to_do(operation: object, words: str) -> None:
    (found,) = of(operation)
    assert words in found


def test_what_only_adds_passes() -> None:
    assert of(AddField("goal", "x", IntegerField(null=True)), AddField("goal", "y", IntegerField(db_default=0))) == []
    assert of(AddIndexConcurrently("goal", INDEX), atomic=False) == []
    assert of(CreateModel("new", [("x", IntegerField())]), AddIndex("new", INDEX)) == [], "nobody uses it yet"
    assert of(RunSQL("-- short lock: reads nothing\nCREATE FUNCTION …")) == []


@pytest.mark.django_db(transaction=True)
def test_a_table_in_use_makes_the_migration_step_back_and_try_again(
    postgres: EmbeddedPostgres, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MIGRATE_LOCK_S = 0.05  # type: ignore[attr-defined]
    monkeypatch.setattr(migrating, "PAUSE_S", 0.0)
    name = str(connection.settings_dict["NAME"])
    holder = postgres.connect(OWNER, postgres.passwords.owner, name)
    holder.autocommit = False
    holder.execute("SELECT 1 FROM agents_goal")  # a reader in a transaction keeps the table from being altered
    tries: list[int] = []

    def run() -> None:
        tries.append(1)
        if len(tries) == 3:
            holder.rollback()
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE agents_goal IN ACCESS EXCLUSIVE MODE")  # as most changes of a table do

    try:
        migrating.migrate(run)
    finally:
        holder.close()
        connection.close()
    assert len(tries) == 3


@pytest.mark.django_db(transaction=True)
def test_another_fault_is_raised_at_once() -> None:
    tries: list[int] = []

    def run() -> None:
        tries.append(1)
        error = OperationalError("gone")
        raise error from psycopg.OperationalError("gone")

    with pytest.raises(OperationalError):
        migrating.migrate(run)
    assert len(tries) == 1
    connection.close()
