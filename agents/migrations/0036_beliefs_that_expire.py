"""Beliefs that expire, and parts of a goal, are found by indexes of a few rows, built while others write."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("agents", "0035_commitment_deadline_parent")]

    operations = [
        AddIndexConcurrently(
            "belief",
            models.Index(
                condition=models.Q(("expires_at__isnull", False), ("retracted_by", "")),
                fields=["expires_at"],
                name="belief_that_expires",
            ),
        ),
        AddIndexConcurrently(
            "goal",
            models.Index(condition=models.Q(("parent__isnull", False)), fields=["parent"], name="goal_children"),
        ),
    ]
