"""Decisions on designs and choices of rules stand in the journal, as all others do, and have no table of their own.

The table stays for the version that still runs, which writes to both; without its references, so that it keeps nothing
else from being deleted.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_TABLE = "review_leveldecision"
_REFERENCES = "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'f'"


def detach(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: it drops the references of a small table."""
    with editor.connection.cursor() as cursor:
        cursor.execute(_REFERENCES, [_TABLE])
        for (name,) in cursor.fetchall():
            editor.execute(f"ALTER TABLE {_TABLE} DROP CONSTRAINT {editor.quote_name(name)}")


class Migration(migrations.Migration):
    dependencies = [("review", "0008_sealed_inbox")]

    operations = [
        migrations.RunPython(detach, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("LevelDecision")]),
    ]
