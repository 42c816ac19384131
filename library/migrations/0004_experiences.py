"""Experiences of sub-goals and recoveries, all four texts with vectors, merged ones, ratings, and agents without memory.

Databases of before 0.1.0 still have two of the vectors' columns, which nothing used for a while.
"""

import django.db.models.deletion
import pgvector.django.vector
from django.conf import settings
from django.db import migrations, models


def _vector(name: str) -> migrations.RunSQL:
    """The column, which an upgraded database may have."""
    field = pgvector.django.vector.VectorField(blank=True, dimensions=384, null=True)
    return migrations.RunSQL(
        f"-- short lock: a column that may be null and has no default\nALTER TABLE library_experience ADD COLUMN IF NOT EXISTS {name} vector(384)",
        f"ALTER TABLE library_experience DROP COLUMN {name}",
        state_operations=[migrations.AddField(model_name="experience", name=name, field=field)],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("library", "0003_search_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ExperienceRating",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stars", models.PositiveSmallIntegerField()),
                ("comment", models.TextField(blank=True)),
                ("at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="MemoryOff",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("agent", models.CharField(max_length=64, unique=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        _vector("input_context_summary_embedding"),
        migrations.AddField(
            model_name="experience",
            name="kind",
            field=models.CharField(
                choices=[("goal", "Goal"), ("sub_goal", "Sub Goal"), ("recovery", "Recovery")],
                db_default="goal",
                default="goal",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="experience",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="merged",
                to="library.experience",
            ),
        ),
        migrations.AddField(
            model_name="experience",
            name="part",
            field=models.CharField(blank=True, db_default="", default="", max_length=40),
        ),
        _vector("sub_task_description_embedding"),
        migrations.AddField(
            model_name="experiencerating",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="experiencerating",
            name="experience",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="ratings", to="library.experience"
            ),
        ),
        migrations.AddField(
            model_name="memoryoff",
            name="by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="experiencerating",
            constraint=models.UniqueConstraint(fields=("experience", "by"), name="experience_rated_once_by_a_person"),
        ),
        migrations.AddConstraint(
            model_name="experiencerating",
            constraint=models.CheckConstraint(
                condition=models.Q(("stars__range", (1, 5))), name="experience_rating_1_to_5"
            ),
        ),
    ]
