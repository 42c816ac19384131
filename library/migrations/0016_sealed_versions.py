"""Workers use only versions that are sealed: those that are there are sealed once, by the owner of the tables."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from people import sealing

# What a seal of a version covers, as it was when this was written.
_COLUMNS = (
    "component__kind",
    "component__name",
    "version",
    "body",
    "status",
    "canary_percent",
    "origin",
    "created_by_id",
)
_AT_ONCE = 200


def seal(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: it reads the versions, and inserts their seals into another table."""
    versions: Any = apps.get_model("library", "ComponentVersion").objects.order_by("pk")
    keys = list(versions.values_list("pk", flat=True))
    for at in range(0, len(keys), _AT_ONCE):
        rows = versions.filter(pk__in=keys[at : at + _AT_ONCE]).values("pk", *_COLUMNS)
        sealing.add_all("library.componentversion", {row.pop("pk"): row for row in rows})


class Migration(migrations.Migration):
    dependencies = [("library", "0015_one_index_of_both_vectors"), ("people", "0001_tables")]

    operations = [migrations.RunPython(seal, migrations.RunPython.noop)]
