"""Open goals have an index of their own, newest first; it is built while goals are written."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("agents", "0020_room_for_what_a_step_writes")]

    operations = [
        migrations.AlterModelOptions("logexpiry", {"ordering": ["id"], "verbose_name": "removed log"}),
        AddIndexConcurrently(
            "goal",
            models.Index(
                condition=models.Q(("state__in", ["achieved", "dropped", "failed"]), _negated=True),
                fields=["-id"],
                name="goal_open_newest",
            ),
        ),
    ]
