"""Agents have a commitment, saved by version; goals have a deadline, and a goal they are a part of."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0038_backlog"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("goal", "deadline", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "goal",
            "parent",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="children",
                to="agents.goal",
            ),
        ),
        migrations.CreateModel(
            name="AgentCommitment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=16)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("why", models.CharField(blank=True, max_length=300)),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="commitments",
                        to="agents.agent",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["agent", "-id"], name="agent_commitment_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["blind", "single_minded", "open_minded"])),
                        name="agent_commitment_known",
                    )
                ],
            },
        ),
    ]
