"""Copies of components that goals work on: a new table, which nothing waits for."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0046_deeds"), ("library", "0008_agents")]

    operations = [
        migrations.CreateModel(
            name="EvolvedCopy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("target_kind", models.CharField(max_length=16)),
                ("target_name", models.CharField(max_length=120)),
                ("wish", models.TextField(blank=True)),
                ("said", models.TextField(blank=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "goal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="evolved_copy", to="agents.goal"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="copies",
                        to="library.componentversion",
                    ),
                ),
            ],
        ),
    ]
