"""Commands typed by hand into a goal's session; what was typed can never change, the database itself refuses."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

UNFINISHED = models.Q(("state__in", ["waiting", "running"]))

FORWARD = """
CREATE FUNCTION agents_handcommand_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'command % is immutable: what was typed, by whom and for which files', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER hand_command_immutable BEFORE UPDATE ON agents_handcommand FOR EACH ROW
    WHEN (OLD.workspace_id IS DISTINCT FROM NEW.workspace_id OR OLD.goal_id IS DISTINCT FROM NEW.goal_id
        OR OLD.by_id IS DISTINCT FROM NEW.by_id OR OLD.text IS DISTINCT FROM NEW.text
        OR OLD.command IS DISTINCT FROM NEW.command OR OLD.params IS DISTINCT FROM NEW.params
        OR OLD.limits IS DISTINCT FROM NEW.limits OR OLD.session_before IS DISTINCT FROM NEW.session_before
        OR OLD.snapshot_before IS DISTINCT FROM NEW.snapshot_before
        OR OLD.autonomous_once IS DISTINCT FROM NEW.autonomous_once
        OR OLD.created_at IS DISTINCT FROM NEW.created_at
        OR OLD.state IN ('done', 'lost', 'cancelled'))
    EXECUTE FUNCTION agents_handcommand_immutable();
"""
BACKWARD = """
DROP TRIGGER hand_command_immutable ON agents_handcommand;
DROP FUNCTION agents_handcommand_immutable();
"""


def _belongs_to(model: str) -> models.ForeignKey:
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="hand_commands", to=model)


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0007_limits_and_losses"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HandCommand",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                ("command", models.CharField(max_length=64)),
                ("params", models.JSONField()),
                ("limits", models.JSONField()),
                ("session_before", models.JSONField()),
                ("snapshot_before", models.CharField(max_length=64)),
                ("autonomous_once", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("state", models.CharField(default="waiting", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("cancel_requested", models.BooleanField(default=False)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_fence", models.BigIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("result", models.JSONField(blank=True, null=True)),
                ("session_after", models.JSONField(blank=True, null=True)),
                ("snapshot_after", models.CharField(blank=True, max_length=64)),
                ("workspace", _belongs_to("agents.workspace")),
                ("goal", _belongs_to("agents.goal")),
                ("by", _belongs_to(settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["goal", "-id"], name="hand_command_goal_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "running", "done", "lost", "cancelled"])),
                        name="hand_command_state_known",
                    ),
                    models.UniqueConstraint(
                        condition=UNFINISHED, fields=("workspace",), name="one_unfinished_hand_command_per_workspace"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="hand_command_text_not_empty"
                    ),
                    models.CheckConstraint(
                        condition=UNFINISHED | models.Q(("finished_at__isnull", False)),
                        name="hand_command_has_an_end_when_it_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("lease_until__isnull", False),
                            _connector="OR",
                        ),
                        name="hand_command_runs_under_a_lease",
                    ),
                ],
            },
        ),
        migrations.RemoveConstraint("workspacechange", "workspace_change_kind_known"),
        migrations.AlterField(
            "workspacechange",
            "kind",
            models.CharField(
                choices=[("write", "Write"), ("delete", "Delete"), ("return", "Return"), ("command", "Command")],
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            "workspacechange",
            models.CheckConstraint(
                condition=models.Q(("kind__in", ["write", "delete", "return", "command"])),
                name="workspace_change_kind_known",
            ),
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
