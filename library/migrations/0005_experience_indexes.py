"""Several experiences of one goal, and the indexes of all four texts; built while people work.

A worker of before, which writes one experience for each goal, is refused from here on and tries again until the new
version has taken over its goal.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from pgvector.django.indexes import HnswIndex

_ONCE_PER_PART = """
-- short lock: its index is there already
ALTER TABLE library_experience ADD CONSTRAINT experience_once_per_part UNIQUE USING INDEX experience_once_per_part
"""
_NO_LONGER_UNIQUE = """
-- short lock: a constraint and an index are let go
ALTER TABLE library_experience DROP CONSTRAINT library_experience_goal_ref_key
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0004_experiences")]

    operations = [
        migrations.RunSQL(
            "-- short lock: built beside those who write\n"
            "CREATE UNIQUE INDEX CONCURRENTLY experience_once_per_part ON library_experience (goal_ref, part)",
            "DROP INDEX CONCURRENTLY IF EXISTS experience_once_per_part",
        ),
        migrations.RunSQL(
            _ONCE_PER_PART,
            "ALTER TABLE library_experience DROP CONSTRAINT experience_once_per_part",
            state_operations=[
                migrations.AddConstraint(
                    model_name="experience",
                    constraint=models.UniqueConstraint(fields=("goal_ref", "part"), name="experience_once_per_part"),
                ),
            ],
        ),
        migrations.RunSQL(
            _NO_LONGER_UNIQUE,
            "ALTER TABLE library_experience ADD CONSTRAINT library_experience_goal_ref_key UNIQUE (goal_ref)",
            state_operations=[
                migrations.AlterField(
                    model_name="experience",
                    name="goal_ref",
                    field=models.CharField(max_length=64),
                ),
            ],
        ),
        migrations.RunSQL(
            "-- short lock: built and dropped beside those who write\n"
            "DROP INDEX CONCURRENTLY IF EXISTS library_experience_goal_ref_e3889b0e_like",
            migrations.RunSQL.noop,
        ),
        RemoveIndexConcurrently(model_name="experience", name="experience_waits_for_vectors"),
        AddIndexConcurrently(
            model_name="experience",
            index=models.Index(
                condition=models.Q(
                    models.Q(
                        ("primary_goal_description_embedding__isnull", True),
                        models.Q(("primary_goal_description", ""), _negated=True),
                    ),
                    models.Q(
                        ("sub_task_description_embedding__isnull", True),
                        models.Q(("sub_task_description", ""), _negated=True),
                    ),
                    models.Q(
                        ("input_context_summary_embedding__isnull", True),
                        models.Q(("input_context_summary", ""), _negated=True),
                    ),
                    models.Q(
                        ("output_summary_embedding__isnull", True), models.Q(("output_summary", ""), _negated=True)
                    ),
                    _connector="OR",
                ),
                fields=["-id"],
                name="experience_lacks_vectors",
            ),
        ),
        AddIndexConcurrently(
            model_name="experience",
            index=HnswIndex(
                fields=["sub_task_description_embedding"], name="experience_task_hnsw", opclasses=["vector_cosine_ops"]
            ),
        ),
        AddIndexConcurrently(
            model_name="experience",
            index=HnswIndex(
                fields=["input_context_summary_embedding"],
                name="experience_context_hnsw",
                opclasses=["vector_cosine_ops"],
            ),
        ),
    ]
