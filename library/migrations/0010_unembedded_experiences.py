"""The sweep for vectors that are missing finds them by an index; before, it read the whole table every half minute.

The index holds nearly nothing: what waits for its vectors. It is built while rows are written.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0009_vectors_nobody_searches")]

    operations = [
        AddIndexConcurrently(
            "experience",
            models.Index(
                fields=["-id"],
                condition=(
                    Q(primary_goal_description_embedding__isnull=True) & ~Q(primary_goal_description="")
                    | Q(output_summary_embedding__isnull=True) & ~Q(output_summary="")
                ),
                name="experience_waits_for_vectors",
            ),
        ),
    ]
