"""People who move a workspace's head leave a row, as steps do."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0005_tool_limit"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WorkspaceChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("write", "Write"), ("delete", "Delete"), ("return", "Return")], max_length=8
                    ),
                ),
                ("what", models.TextField(blank=True)),
                ("before", models.CharField(max_length=64)),
                ("after", models.CharField(max_length=64)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="workspace_changes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="agents.workspace"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["workspace", "-at"], name="workspace_change_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["write", "delete", "return"])),
                        name="workspace_change_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("before", models.F("after")), _negated=True),
                        name="workspace_change_moves_the_head",
                    ),
                ],
            },
        ),
    ]
