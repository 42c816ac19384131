"""Programs are told only sealed decisions: requests that wait or are decided are sealed once, by the tables owner."""

from django.db import migrations
from django.db.models import Q

from people.sealing_upgrades import Kind, sealer

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
_KINDS = [Kind("InboxRequest", _COLUMNS, Q(state__in=("waiting", "decided")))]


class Migration(migrations.Migration):
    dependencies = [("review", "0007_validate_danger"), ("people", "0001_tables")]

    operations = [migrations.RunPython(sealer("review", _KINDS), migrations.RunPython.noop)]
