"""Verdicts of entailment models: a table of its own, which may be emptied at any time."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("library", "0009_workflows")]

    operations = [
        migrations.CreateModel(
            name="EntailmentVerdict",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("judged_by", models.CharField(max_length=80)),
                ("premise", models.UUIDField()),
                ("pair", models.UUIDField()),
                ("entailment", models.FloatField()),
                ("neutral", models.FloatField()),
                ("contradiction", models.FloatField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["judged_by", "premise", "-id"], name="entailment_verdict_premise")],
                "constraints": [
                    models.UniqueConstraint(fields=["judged_by", "pair"], name="entailment_verdict_once"),
                    models.CheckConstraint(
                        condition=models.Q(("entailment__range", (0, 1)))
                        & models.Q(("neutral__range", (0, 1)))
                        & models.Q(("contradiction__range", (0, 1))),
                        name="entailment_verdict_of_shares",
                    ),
                ],
            },
        ),
    ]
