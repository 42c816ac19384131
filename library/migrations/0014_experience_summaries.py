"""Summaries of long results by the language model: a table of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0013_delegated_requests")]

    operations = [
        migrations.CreateModel(
            name="ExperienceSummary",
            fields=[
                (
                    "experience",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="model_summary",
                        serialize=False,
                        to="library.experience",
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("call", models.BigIntegerField(null=True)),
                ("why_not", models.TextField(blank=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), ("why_not", ""), _connector="XOR"),
                        name="summary_or_why_there_is_none",
                    )
                ],
            },
        ),
    ]
