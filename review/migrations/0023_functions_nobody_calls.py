"""What the gate read of a plan was answered by a function; it asks in two plain statements now, the stamp first.

So nobody calls `review_grounds` and `review_seen` any more. Going back makes both again as 0018 left them: the way back
behind it replaces the one and drops the other.
"""

from importlib import import_module

from django.db import migrations


def forward(apps: object, schema_editor: object) -> None:
    """Drop both. A short lock on two functions that nobody runs."""
    for name in ("review_grounds", "review_seen"):
        schema_editor.execute(f"DROP FUNCTION {name}(bigint)")  # type: ignore[attr-defined]  # its class is not public


def as_before(apps: object, schema_editor: object) -> None:
    """Both again. A short lock as well."""
    counted = import_module("review.migrations.0018_grounds_by_their_versions")
    versions: str = import_module("review.migrations.0017_stamp_by_row_versions").STAMP
    for statement in (counted.seen(counted.ITS_DECISIONS), versions[versions.index("CREATE FUNCTION review_grounds") :]):
        schema_editor.execute(statement, None)  # type: ignore[attr-defined]  # its class is not public


class Migration(migrations.Migration):
    dependencies = [("review", "0022_a_quicker_stamp")]

    operations = [migrations.RunPython(forward, as_before)]
