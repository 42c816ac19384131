"""The danger of a plan, in words with its risk and as the first thing by which the queue is ordered.

The version that still runs goes on writing `harm`, so the column stays in the database for one release.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

_INDEXES = (
    ("queue_order", "rung, queued_at, intent_plan_id", "waits"),
    ("queue_group", "shape, trial, rung, queued_at, intent_plan_id", "waits"),
    ("queue_submitter", "submitted_by_id, rung, queued_at, intent_plan_id", "waits"),
    ("queue_assigned", "assigned_to_id, rung, queued_at, intent_plan_id", "waits AND assigned_to_id IS NOT NULL"),
)
_ORDER = [
    "ALTER TABLE review_queueentry ALTER COLUMN harm SET DEFAULT 3",
    # The table, one row for each plan, is written anew under a lock; the indexes hold only those that wait.
    "-- short lock: 0.3 s for 300,000 plans\nALTER TABLE review_queueentry DROP COLUMN rung",
    "ALTER TABLE review_queueentry ADD COLUMN rung smallint GENERATED ALWAYS AS"
    " (danger * 100 + rank * 10 + CASE WHEN is_urgent THEN 0 ELSE priority END) STORED",
    *(f"CREATE INDEX {name} ON review_queueentry ({columns}) WHERE {waits}" for name, columns, waits in _INDEXES),
    # What waits is looked at once more, so that its danger is worked out.
    "INSERT INTO review_plannews (intent_plan_id) SELECT intent_plan_id FROM review_queueentry WHERE waits",
]


class Migration(migrations.Migration):
    dependencies = [("review", "0005_validate_inbox_notices")]

    operations = [
        migrations.AddField("planrisk", "danger", models.JSONField(blank=True, null=True)),
        migrations.AddField(
            "queueentry", "danger", models.PositiveSmallIntegerField(db_default=5, default=5)
        ),
        migrations.AddField("queueentry", "stood_at", models.CharField(blank=True, db_default="", max_length=64)),
        AddConstraintNotValid(
            "queueentry",
            models.CheckConstraint(condition=models.Q(danger__range=(0, 7)), name="queue_entry_danger_0_to_7"),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(_ORDER)],
            state_operations=[
                migrations.RemoveConstraint("queueentry", "queue_entry_harm_0_to_3"),
                migrations.RemoveField("queueentry", "harm"),
                migrations.AlterField(
                    "queueentry",
                    "rung",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.F("danger") * 100
                        + models.F("rank") * 10
                        + models.Case(
                            models.When(is_urgent=True, then=models.Value(0)),
                            default=models.F("priority"),
                            output_field=models.SmallIntegerField(),
                        ),
                        output_field=models.SmallIntegerField(),
                    ),
                ),
            ],
        ),
    ]
