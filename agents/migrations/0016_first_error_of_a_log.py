"""The errors in a log have an index of their own; it is built while lines are written."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("agents", "0019_standstill_and_lost_workers")]

    operations = [
        AddIndexConcurrently(
            "logline",
            models.Index(
                fields=["goal", "number"], condition=models.Q(("level", "error")), name="log_line_errors"
            ),
        ),
    ]
