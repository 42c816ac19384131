"""Programs are told only sealed decisions: requests that wait or are decided are sealed once, by the tables owner."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from people import sealing

# What a seal of a request covers, as it was when this was written.
_COLUMNS = (
    "by_id",
    "source",
    "thread",
    "tool",
    "arguments",
    "description",
    "allowed",
    "answer_schema",
    "expires_at",
    "digest",
    "state",
    "decision",
    "answer",
    "answer_digest",
    "reason",
    "decided_by_id",
    "decided_at",
)
_AT_ONCE = 200


def seal(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: it reads the requests, and inserts their seals into another table."""
    rows: Any = apps.get_model("review", "InboxRequest").objects.order_by("pk")
    keys = list(rows.filter(state__in=("waiting", "decided")).values_list("pk", flat=True))
    for at in range(0, len(keys), _AT_ONCE):
        some = rows.filter(pk__in=keys[at : at + _AT_ONCE]).values("pk", *_COLUMNS)
        sealing.add_all("review.inboxrequest", {row.pop("pk"): row for row in some})


class Migration(migrations.Migration):
    dependencies = [("review", "0007_validate_danger"), ("people", "0001_tables")]

    operations = [migrations.RunPython(seal, migrations.RunPython.noop)]
