"""Decisions and approvals may be added and read; nobody, the owner included, changes or deletes one by accident."""

from django.db import migrations

TABLES = ("review_decision", "review_approval")

FUNCTION = """
CREATE FUNCTION review_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% rows are append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END
$$
"""


def _trigger(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {table}_is_append_only BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION review_refuse_change()",
        f"DROP TRIGGER {table}_is_append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION review_refuse_change()"),
        *[_trigger(table) for table in TABLES],
    ]
