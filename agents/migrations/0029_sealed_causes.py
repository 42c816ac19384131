"""Workers make goals only of rows that are sealed: those that wait are sealed once, by the owner of the tables.

An upgrade vouches for what it finds, as it does for everything else that is in the database at that moment.
"""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q

from people import sealing

_ENDED = "ended"
_AT_ONCE = 200
# Each kind with what its seal covers and which rows are still acted on, as they were when this was written.
_KINDS: tuple[tuple[str, tuple[str, ...], Q], ...] = (
    (
        "SubGoal",
        ("key", "parent_id", "number", "name", "text", "after", "workspace"),
        Q(goal=None, parent__ended_at=None),
    ),
    ("ModularRun", ("by_id", "agent_id", "workspace_id", "task", "at_step"), ~Q(state=_ENDED)),
    (
        "Replay",
        ("version_id", "parent_id", "rollout_id", "trial_id", "by_id", "why", "strategy"),
        Q(state__in=("waiting", "running")),
    ),
    (
        "CandidateSearch",
        ("parent_id", "new_kind", "snippet", "by_id", "why", "strategy", "most_texts"),
        Q(state__in=("waiting", "running")),
    ),
    (
        "EnvironmentRun",
        (
            "by_id",
            "agent_id",
            "environment",
            "task",
            "variation",
            "fallback",
            "share",
            "rules_text",
            "step_limit",
        ),
        ~Q(state=_ENDED),
    ),
    (
        "EnvironmentPolicy",
        ("environment", "task", "share", "seed", "by_id"),
        Q(state__in=("waiting", "running")),
    ),
    ("ToolCheck", ("version_id", "by_id", "rows", "fits", "said"), Q(ended_at=None) | Q(fits=True)),
    ("McpServer", ("name", "command", "source", "address", "asked_by_id"), Q(removed_at=None)),
    (
        "ModularWant",
        ("run_id", "step", "key", "kind", "args", "answer", "by_id", "goal_id"),
        Q(step=F("run__at_step") + 1) & ~Q(run__state=_ENDED),
    ),
)


def seal(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: it reads the rows that wait, and inserts their seals into another table."""
    for name, columns, acted_on in _KINDS:
        rows: Any = apps.get_model("agents", name).objects.filter(acted_on).order_by("pk")
        keys = list(rows.values_list("pk", flat=True))
        for at in range(0, len(keys), _AT_ONCE):
            some = rows.filter(pk__in=keys[at : at + _AT_ONCE]).values("pk", *columns)
            sealing.add_all(f"agents.{name.lower()}", {row.pop("pk"): row for row in some})


class Migration(migrations.Migration):
    dependencies = [("agents", "0028_handed_over"), ("people", "0001_tables")]

    operations = [migrations.RunPython(seal, migrations.RunPython.noop)]
