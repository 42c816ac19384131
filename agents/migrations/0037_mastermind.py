"""Agents can be retired; what was typed to mastermind is kept."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0028_firmware"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("agent", "retired_at", models.DateTimeField(blank=True, editable=False, null=True)),
        migrations.CreateModel(
            name="GivenCommand",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "via",
                    models.CharField(
                        choices=[("terminal", "Terminal"), ("page", "Page"), ("api", "Api")], max_length=8
                    ),
                ),
                ("line", models.TextField()),
                ("command", models.CharField(blank=True, max_length=32)),
                ("outcome", models.CharField(max_length=16)),
                ("answer", models.JSONField()),
                ("key", models.CharField(blank=True, max_length=200)),
                ("taken_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="given_commands",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="given_commands",
                        to="agents.goal",
                    ),
                ),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.AddConstraint(
            "givencommand",
            models.UniqueConstraint(
                condition=~models.Q(key=""), fields=("by", "key"), name="command_given_once"
            ),
        ),
        migrations.AddIndex("givencommand", models.Index(fields=["by", "-id"], name="command_newest")),
        migrations.AddIndex(
            "givencommand",
            models.Index(
                condition=models.Q(command="coord_analyze", goal__isnull=False, taken_at__isnull=True),
                fields=["goal"],
                name="command_findings_to_take",
            ),
        ),
    ]
