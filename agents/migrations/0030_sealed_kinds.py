"""What workers make goals, versions and verdicts of is sealed: those that wait are sealed once."""

from django.db import migrations
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
    Kind("EvolutionGrant", ("starts_a_day", "by_id"), only_newest=True),
)


class Migration(migrations.Migration):
    dependencies = [("agents", "0029_sealed_causes"), ("people", "0001_tables")]

    operations = [migrations.RunPython(sealer("agents", _KINDS), migrations.RunPython.noop)]
