"""Ceilings for the steps of an agent with a tool, set in the administration."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0004_goals_by_their_end"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("memory_bytes", models.BigIntegerField(blank=True, null=True)),
                ("processes", models.IntegerField(blank=True, null=True)),
                ("cpus", models.FloatField(blank=True, null=True)),
                ("file_bytes", models.BigIntegerField(blank=True, null=True)),
                ("workspace_bytes", models.BigIntegerField(blank=True, null=True)),
                ("output_bytes", models.BigIntegerField(blank=True, null=True)),
                ("soft_s", models.FloatField(blank=True, null=True)),
                ("hard_s", models.FloatField(blank=True, null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="limits",
                        to="agents.agent",
                    ),
                ),
            ],
            options={
                "ordering": ["agent", "tool"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("memory_bytes__range", (33554432, 68719476736))),
                        name="tool_limit_memory_bytes",
                        violation_error_message="memory_bytes: from 32 MiB to 64 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("processes__range", (8, 4096))),
                        name="tool_limit_processes",
                        violation_error_message="processes: from 8 to 4,096.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cpus__range", (0.1, 64))),
                        name="tool_limit_cpus",
                        violation_error_message="cpus: from 0.1 to 64.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("file_bytes__range", (65536, 17179869184))),
                        name="tool_limit_file_bytes",
                        violation_error_message="file_bytes: from 64 KiB to 16 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("workspace_bytes__range", (1048576, 68719476736))),
                        name="tool_limit_workspace_bytes",
                        violation_error_message="workspace_bytes: from 1 MiB to 64 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("output_bytes__range", (1024, 16777216))),
                        name="tool_limit_output_bytes",
                        violation_error_message="output_bytes: from 1 KiB to 16 MiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("soft_s__range", (1, 3600))),
                        name="tool_limit_soft_s",
                        violation_error_message="soft_s: from 1 s to 3600 s.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("hard_s__range", (1, 3600))),
                        name="tool_limit_hard_s",
                        violation_error_message="hard_s: from 1 s to 3600 s.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("soft_s__isnull", True),
                            ("hard_s__isnull", True),
                            ("soft_s__lte", models.F("hard_s")),
                            _connector="OR",
                        ),
                        name="tool_limit_usual_time_within_longest",
                        violation_error_message="The usual time cannot be longer than the longest one.",
                    ),
                    models.UniqueConstraint(
                        fields=("agent", "tool"),
                        name="one_limit_per_agent_and_tool",
                        nulls_distinct=False,
                        violation_error_message="There is a row for this agent and this tool already; change that one.",
                    ),
                ],
            },
        ),
    ]
