"""The share of new goals that a canary plans."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0001_tables")]

    operations = [
        migrations.AddField(
            model_name="componentversion",
            name="canary_percent",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        AddConstraintNotValid(
            model_name="componentversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "canary"), _negated=True), ("canary_percent__range", (1, 50)), _connector="OR"
                ),
                name="canary_takes_1_to_50_percent",
            ),
        ),
    ]
