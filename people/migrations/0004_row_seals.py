"""Seals of rows that workers act on and that let people in, append-only as what people decided is.

Logins and tokens are sealed as they stand at the upgrade. Sessions are kept in another way from here on: everybody logs
in once more.
"""

from django.db import migrations, models

FUNCTION = """
-- A new function takes no lock, and the trigger a short lock of a table that is new as well.
CREATE FUNCTION people_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% rows are append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END
$$
"""


PERSON = ("username", "password", "roles", "is_active", "is_staff", "is_superuser")
TOKEN = ("user_id", "digest", "scopes", "expires_at")


def seal(apps, schema_editor):
    """Reads, and adds rows to a table of its own: a short lock."""
    from people import sealing

    tokens = apps.get_model("people", "ApiToken").objects.filter(revoked_at=None)
    for rows, columns in ((apps.get_model("people", "User").objects, PERSON), (tokens, TOKEN)):
        for row in rows.order_by("pk").values("pk", *columns):
            sealing.add(rows.model._meta.label_lower, row.pop("pk"), row)


class Migration(migrations.Migration):
    dependencies = [("people", "0003_rate_limits")]

    operations = [
        migrations.CreateModel(
            name="RowSeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model", models.CharField(max_length=64)),
                ("row", models.BigIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("mac", models.CharField(max_length=64)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("model", "row", "number"), name="row_seal_number_once")
                ],
            },
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION people_refuse_change()"),
        migrations.RunSQL(
            "/* short lock: the table is new */ CREATE TRIGGER people_rowseal_is_append_only BEFORE UPDATE OR DELETE ON people_rowseal"
            " FOR EACH ROW EXECUTE FUNCTION people_refuse_change()",
            "DROP TRIGGER people_rowseal_is_append_only ON people_rowseal",
        ),
        migrations.RunPython(seal, migrations.RunPython.noop),
    ]
