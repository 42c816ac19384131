"""Workers make goals only of rows that are sealed: those that wait are sealed once, by the owner of the tables.

An upgrade vouches for what it finds, as it does for everything else that is in the database at that moment.
"""

from django.db import migrations
from django.db.models import F, Q

from people.sealing_upgrades import Kind, sealer

_ENDED = "ended"
_KINDS = (
    Kind(
        "SubGoal",
        ("key", "parent_id", "number", "name", "text", "after", "workspace"),
        Q(goal=None, parent__ended_at=None),
    ),
    Kind("ModularRun", ("by_id", "agent_id", "workspace_id", "task", "at_step"), ~Q(state=_ENDED)),
    Kind(
        "Replay",
        ("version_id", "parent_id", "rollout_id", "trial_id", "by_id", "why", "strategy"),
        Q(state__in=("waiting", "running")),
    ),
    Kind(
        "CandidateSearch",
        ("parent_id", "new_kind", "snippet", "by_id", "why", "strategy", "most_texts"),
        Q(state__in=("waiting", "running")),
    ),
    Kind(
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
    Kind(
        "EnvironmentPolicy",
        ("environment", "task", "share", "seed", "by_id"),
        Q(state__in=("waiting", "running")),
    ),
    Kind("ToolCheck", ("version_id", "by_id", "rows", "fits", "said"), Q(ended_at=None) | Q(fits=True)),
    Kind("McpServer", ("name", "command", "source", "address", "asked_by_id"), Q(removed_at=None)),
    Kind(
        "ModularWant",
        ("run_id", "step", "key", "kind", "args", "answer", "by_id", "goal_id"),
        Q(step=F("run__at_step") + 1) & ~Q(run__state=_ENDED),
    ),
)


class Migration(migrations.Migration):
    dependencies = [("agents", "0028_handed_over"), ("people", "0001_tables")]

    operations = [migrations.RunPython(sealer("agents", _KINDS), migrations.RunPython.noop)]
