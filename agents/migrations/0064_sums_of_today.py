"""Sums of today up to the last hour, so that a page counts few cases anew. A new table: nobody waits."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

PACKED = """
-- short lock: the table is new.
ALTER TABLE agents_daysofar ADD COLUMN packed numeric GENERATED ALWAYS AS (agents_packed(buckets, counts)) STORED
"""
UNPACKED = """
-- short lock: a column goes without a row being read.
ALTER TABLE agents_daysofar DROP COLUMN packed
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0063_tries_and_moves_unreferred")]

    operations = [
        migrations.CreateModel(
            name="DaySoFar",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("measure", models.CharField(max_length=12)),
                ("what", models.CharField(max_length=16)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("came", models.CharField(blank=True, max_length=12)),
                ("cases", models.PositiveIntegerField()),
                ("amount", models.BigIntegerField(default=0)),
                (
                    "buckets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.SmallIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "counts",
                    django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None),
                ),
                ("until", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.agent",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(PACKED, UNPACKED),
    ]
