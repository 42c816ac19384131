"""What workers make goals, versions and verdicts of is sealed: those that wait are sealed once."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

from people.sealing_upgrades import Kind, sealer

_KINDS = (
    Kind(
        "BacklogItem",
        ("target", "suggestion", "critical", "source", "by_id", "source_goal_id", "state", "decided_by_id"),
    ),
    Kind("FrameworkRun", ("goal_id", "framework", "turn", "checkpoint", "answer"), Q(goal__ended_at=None)),
    Kind(
        "FrameworkCall",
        ("run_id", "run__goal_id", "position", "turn", "call_id", "name", "params", "why"),
        Q(goal=None, refused="", run__goal__ended_at=None),
    ),
    Kind(
        "GivenCommand",
        ("by_id", "via", "line", "command", "outcome", "answer", "goal_id", "key"),
        Q(command="coord_analyze", taken_at=None, goal__isnull=False),
    ),
    Kind(
        "EvolvedCopy",
        ("goal_id", "target_kind", "target_name", "wish", "proposed", "version_id", "decided_by_id"),
        Q(settled_at=None) | ~Q(proposed="") & Q(decided_at=None),
    ),
    Kind("Rollout", ("version_id", "previous_id", "percent", "by_id", "state")),
    Kind(
        "ReplayCase",
        ("replay_id", "number", "half", "is_done", "parent_passes", "candidate_passes", "differs", "call"),
        Q(is_done=True),
    ),
    Kind(
        "VersionTrial",
        (
            "component_id",
            "a_id",
            "b_id",
            "mode",
            "by_id",
            "difference",
            "differ",
            "alpha",
            "power",
            "most_cases",
            "rollout_id",
            "state",
            "verdict",
        ),
        Q(state="running"),
    ),
    Kind("EvolutionGrant", ("starts_a_day", "by_id")),
)


def forget_older(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A short lock: a handful of rows. Only the newest grant counts, and the journal has all of them."""
    grants: Any = apps.get_model("agents", "EvolutionGrant").objects
    if (newest := grants.order_by("-pk").first()) is not None:
        grants.exclude(pk=newest.pk).delete()


class Migration(migrations.Migration):
    dependencies = [("agents", "0030_one_shape_of_leased_work"), ("people", "0001_tables")]

    operations = [
        migrations.RunPython(forget_older, migrations.RunPython.noop),
        migrations.RunPython(sealer("agents", _KINDS), migrations.RunPython.noop),
    ]
