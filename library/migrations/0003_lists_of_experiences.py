"""Lists of experiences by outcome, and those not embedded yet, have indexes; they are built while rows are written."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0002_initial")]

    operations = [
        AddIndexConcurrently(
            "experience",
            models.Index(fields=["final_outcome", "-timestamp"], name="experience_outcome_time"),
        ),
        AddIndexConcurrently(
            "experience",
            models.Index(
                condition=models.Q(("primary_goal_description_embedding__isnull", True)),
                fields=["-timestamp"],
                name="experience_not_embedded",
            ),
        ),
    ]
