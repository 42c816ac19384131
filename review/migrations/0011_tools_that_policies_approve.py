"""A policy approves the bodies of tools that its owner looked at. For policies in force these are those in use now."""

from __future__ import annotations

import hashlib
from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from people import sealing

# What a seal of a policy covered before, and of a version of the library, as it was when this was written.
_BEFORE = ("name", "state", "number", "enabled_at")
_OF_VERSION = (
    "component__kind",
    "component__name",
    "version",
    "body",
    "status",
    "canary_percent",
    "origin",
    "created_by_id",
)


def look_at(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: an installation has few policies, and each gets one update and one seal.

    The seals of all policies are made anew, because they cover one column more. A policy that mindX did not seal stays
    without. What a policy is not about does no harm: it approves no step of it.
    """
    policies: Any = apps.get_model("review", "ReviewPolicy")
    rows = list(policies.objects.order_by("pk"))
    genuine = [row for row in rows if sealing.fits(policies, row.pk, _values(row), sealing.newest_of(row))]
    used = _in_use(apps) if any(_approves(apps, row) for row in genuine) else {}
    for row in genuine:
        looked_at = used if _approves(apps, row) else {}
        policies.objects.filter(pk=row.pk).update(looked_at=looked_at)
        sealing.add("review.reviewpolicy", row.pk, {**_values(row), "looked_at": looked_at})


def forget(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: the seals as they were, without the column that goes."""
    policies: Any = apps.get_model("review", "ReviewPolicy")
    for row in policies.objects.order_by("pk"):
        if sealing.fits(policies, row.pk, {**_values(row), "looked_at": row.looked_at}, sealing.newest_of(row)):
            sealing.add("review.reviewpolicy", row.pk, _values(row))


def _values(policy: Any) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in _BEFORE}


def _approves(apps: Apps, policy: Any) -> bool:
    versions: Any = apps.get_model("review", "PolicyVersion").objects
    approving = versions.filter(policy_id=policy.pk, number=policy.number, action="auto_approve")
    return bool(policy.state == "enabled" and approving.exists())


def _in_use(apps: Apps) -> dict[str, dict[str, str]]:
    """The tools that people made or others serve, as `review.policy.bodies` has them; of shipped ones a difference."""
    versions: Any = apps.get_model("library", "ComponentVersion")
    active = versions.objects.filter(component__kind="tool", status="active", body__regex=r"^\s*tool:")
    found = {}
    for row in active.order_by("component__name").values("pk", *_OF_VERSION):
        key = row.pop("pk")
        if sealing.fits(versions, key, row, sealing.newest_of(versions(pk=key))):
            digest = hashlib.sha256(row["body"].encode()).hexdigest()
            found[row["component__name"]] = {digest: row["version"]}
    return found


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0010_sealed_notices"),
        ("library", "0016_sealed_versions"),
        ("people", "0001_tables"),
    ]

    operations = [
        migrations.AddField("reviewpolicy", "looked_at", models.JSONField(blank=True, db_default={}, default=dict)),
        migrations.RunPython(look_at, forget),
    ]
