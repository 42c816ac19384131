"""What a step that ended left, in one row until it is filed: a new table, which nothing waits for.

Its rows live for moments, so that vacuum looks at it by their number and not by a share of a table that is empty.
"""

import django.db.models.deletion
from django.db import migrations, models


VACUUM = """
-- short lock: a table without rows.
ALTER TABLE agents_stepreport SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0050_copies_kept")]

    operations = [
        migrations.CreateModel(
            name="StepReport",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "intent_plan_id", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.IntegerField()),
                ("attempt", models.BigIntegerField()),
                ("outcome", models.CharField(max_length=16)),
                ("result", models.JSONField(null=True)),
                ("reason", models.TextField()),
                ("after", models.CharField(max_length=64)),
                ("following", models.BigIntegerField(null=True)),
                ("fence", models.BigIntegerField()),
                ("worker", models.CharField(max_length=120)),
                ("at", models.DateTimeField()),
                ("said", models.TextField()),
                ("begins", models.TextField()),
                (
                    "intent_plan",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="step_reports",
                        to="agents.intentplan",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(VACUUM, migrations.RunSQL.noop),
    ]
