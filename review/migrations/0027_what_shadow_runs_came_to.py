"""The queue knows what each plan's newest shadow run came to and what its steps act on; a risk tells clean-up apart."""

import django.contrib.postgres.fields
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

OUTCOMES = ["untried", "failed", "unproven", "done"]


class Migration(migrations.Migration):
    dependencies = [("review", "0026_policies_are_sealed")]

    operations = [
        migrations.AddField(
            "queueentry", "outcome", models.CharField(db_default="untried", default="untried", max_length=10)
        ),
        migrations.AddField(
            "queueentry", "trial", models.CharField(db_default="untried", default="untried", max_length=16)
        ),
        migrations.AddField(
            "queueentry",
            "targets",
            django.contrib.postgres.fields.ArrayField(models.TextField(blank=True), blank=True, null=True, size=None),
        ),
        migrations.AddField("planrisk", "after_failure", models.JSONField(blank=True, null=True)),
        migrations.AddField("planrisk", "trial", models.JSONField(blank=True, null=True)),
        AddConstraintNotValid(
            "queueentry",
            models.CheckConstraint(condition=models.Q(outcome__in=OUTCOMES), name="queue_entry_outcome_known"),
        ),
    ]
