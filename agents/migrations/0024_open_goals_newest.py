"""Open goals have an index of their own, newest first; it is built while goals are written."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("agents", "0021_log_by_partitions")]

    operations = [
        AddIndexConcurrently(
            "goal",
            models.Index(
                condition=models.Q(("state__in", ["achieved", "dropped", "failed"]), _negated=True),
                fields=["-id"],
                name="goal_open_newest",
            ),
        ),
    ]
