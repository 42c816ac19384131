"""Trials of tools and listings of MCP servers have a state and a lease as all work of workers has.

The version that still runs knows no state. What it asks for meanwhile waits by default, and what it ends is done once
more. The reason why trials could not be run is not sealed any more.
"""

from __future__ import annotations

from typing import Any

from django.apps.registry import Apps
from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F
from django.db.models.functions import Greatest
from django.db.migrations.operations.base import Operation

from people import sealing

_KINDS = {"toolcheck": "tool_check_state_known", "mcpserver": "mcp_server_state_known"}
_ADDED: dict[str, models.Field[Any, Any]] = {
    "lease_owner": models.CharField(max_length=120, blank=True, db_default=""),
    "lost_workers": models.PositiveSmallIntegerField(default=0, db_default=0),
    "state": models.CharField(max_length=16, default="waiting", db_default="waiting"),
}


def _added(kind: str, name: str, field: models.Field[Any, Any]) -> Operation:
    """A column with a default in the database, for the version that still runs; the model has none there."""
    plain = field.clone()
    plain.db_default = models.NOT_PROVIDED
    return migrations.SeparateDatabaseAndState(
        database_operations=[migrations.AddField(kind, name, field)],
        state_operations=[migrations.AddField(kind, name, plain)],
    )


def _renamed(kind: str) -> Operation:
    """`said` is the reason of the state now; its column stays."""
    reason = models.TextField(blank=True, db_column="said")
    return migrations.SeparateDatabaseAndState(
        state_operations=[
            migrations.RenameField(kind, "said", "reason"),
            migrations.AlterField(kind, "reason", reason),
        ]
    )


def _counted(kind: str) -> Operation:
    """The database keeps a wider column than the fence needs."""
    field = migrations.AlterField(kind, "lease_fence", models.PositiveIntegerField(default=0))
    return migrations.SeparateDatabaseAndState(state_operations=[field])


def _known(kind: str, name: str) -> Operation:
    condition = models.Q(state__in=["waiting", "running", "ended"])
    return AddConstraintNotValid(kind, models.CheckConstraint(condition=condition, name=name))


def fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: a row for each version of a tool and each server; those that have ended get their state."""
    for kind in _KINDS:
        rows: Any = apps.get_model("agents", kind).objects
        rows.filter(ended_at__isnull=False).update(state="ended")
        begun = rows.filter(ended_at=None, lease_until__isnull=False)
        begun.update(state="running", lost_workers=Greatest(F("lease_fence") - 1, 0))


def seal(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: it reads the trials that count, and seals in another table those whose seal of before holds."""
    checks: Any = apps.get_model("agents", "ToolCheck")
    counts = checks.objects.filter(~models.Q(state="ended") | models.Q(fits=True))
    for row in counts.annotate(newest_seal=sealing.newest(checks)):
        values = {"version_id": row.version_id, "by_id": row.by_id, "rows": row.rows, "fits": row.fits}
        if sealing.fits(checks, row.pk, {**values, "said": row.reason}, row.newest_seal):
            sealing.add(checks._meta.label_lower, row.pk, values)


class Migration(migrations.Migration):
    dependencies = [("agents", "0029_sealed_causes")]

    operations = [
        _counted("handcommand"),
        _counted("busrequest"),
        *(_renamed(kind) for kind in _KINDS),
        *(_added(kind, name, field) for kind in _KINDS for name, field in _ADDED.items()),
        *(_known(kind, name) for kind, name in _KINDS.items()),
        *(ValidateConstraint(kind, name) for kind, name in _KINDS.items()),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(seal, migrations.RunPython.noop),
    ]
