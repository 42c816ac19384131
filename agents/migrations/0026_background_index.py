"""The index by which the background pool finds its goals."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # Built while others write.
    atomic = False
    dependencies = [("agents", "0025_background_and_duties")]

    operations = [
        AddIndexConcurrently(
            model_name="goal",
            index=models.Index(
                fields=["priority", "id"], condition=models.Q(("in_background", True)), name="goal_in_background"
            ),
        ),
    ]
