import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import pgvector.django.indexes
import pgvector.django.vector
from django.conf import settings
from django.db import migrations, models
from pgvector.django import VectorExtension

from ._replaced import REPLACED


class Migration(migrations.Migration):
    initial = True
    replaces = REPLACED

    dependencies = [
        ("people", "0001_tables"),
    ]

    operations = [
        VectorExtension(),
        migrations.CreateModel(
            name="Experience",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("goal_ref", models.CharField(max_length=64, unique=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("primary_goal_description", models.TextField()),
                ("sub_task_description", models.TextField(blank=True)),
                ("initiating_agent_id", models.CharField(max_length=64)),
                (
                    "involved_components",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("input_context_summary", models.TextField(blank=True)),
                (
                    "key_decisions_made",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                (
                    "final_outcome",
                    models.CharField(
                        choices=[
                            ("success", "Success"),
                            ("failure", "Failure"),
                            ("partial_success", "Partial Success"),
                            ("abandoned", "Abandoned"),
                            ("unchecked", "Unchecked"),
                        ],
                        max_length=16,
                    ),
                ),
                ("output_summary", models.TextField(blank=True)),
                ("feedback_signals", models.JSONField(blank=True, default=dict)),
                ("timestamp", models.DateTimeField(db_index=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("workflow_id", models.CharField(blank=True, max_length=64)),
                ("session_id", models.CharField(blank=True, max_length=64)),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                (
                    "primary_goal_description_embedding",
                    pgvector.django.vector.VectorField(blank=True, dimensions=384, null=True),
                ),
                ("output_summary_embedding", pgvector.django.vector.VectorField(blank=True, dimensions=384, null=True)),
            ],
            options={
                "ordering": ["-timestamp"],
                "indexes": [
                    models.Index(fields=["owner", "-timestamp"], name="experience_owner_time"),
                    models.Index(fields=["final_outcome", "-timestamp"], name="experience_outcome_time"),
                    models.Index(
                        condition=models.Q(("primary_goal_description_embedding__isnull", True)),
                        fields=["-timestamp"],
                        name="experience_not_embedded",
                    ),
                    models.Index(
                        condition=models.Q(
                            models.Q(
                                ("primary_goal_description_embedding__isnull", True),
                                models.Q(("primary_goal_description", ""), _negated=True),
                            ),
                            models.Q(
                                ("output_summary_embedding__isnull", True),
                                models.Q(("output_summary", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        fields=["-id"],
                        name="experience_waits_for_vectors",
                    ),
                    pgvector.django.indexes.HnswIndex(
                        fields=["primary_goal_description_embedding"],
                        name="experience_goal_hnsw",
                        opclasses=["vector_cosine_ops"],
                    ),
                    pgvector.django.indexes.HnswIndex(
                        fields=["output_summary_embedding"],
                        name="experience_output_hnsw",
                        opclasses=["vector_cosine_ops"],
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelCall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("purpose", models.CharField(max_length=32)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("answered", "Answered"),
                            ("cached", "Cached"),
                            ("failed", "Failed"),
                        ],
                        default="asked",
                        max_length=16,
                    ),
                ),
                ("agent", models.CharField(blank=True, max_length=64)),
                ("goal", models.CharField(blank=True, max_length=64)),
                ("model", models.CharField(max_length=200)),
                ("answered_by", models.CharField(blank=True, max_length=200)),
                ("request_digest", models.CharField(max_length=64)),
                ("messages", models.JSONField()),
                ("masked", models.CharField(blank=True, db_default="", default="", max_length=500)),
                ("answer", models.TextField(blank=True)),
                ("failure", models.CharField(blank=True, max_length=32)),
                ("detail", models.TextField(blank=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("tokens_in", models.PositiveIntegerField(default=0)),
                ("tokens_out", models.PositiveIntegerField(default=0)),
                ("tokens_are_guessed", models.BooleanField(default=True)),
                ("cost", models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True)),
                ("latency_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("fresh_until", models.DateTimeField(blank=True, null=True)),
                (
                    "cached_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="library.modelcall",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "answered")),
                        fields=["request_digest"],
                        name="model_call_by_request",
                    ),
                    models.Index(fields=["agent", "at"], name="model_call_by_agent_and_time"),
                    models.Index(fields=["goal"], name="model_call_by_goal"),
                    models.Index(fields=["at", "id"], name="model_call_by_time"),
                    models.Index(fields=["model", "at"], name="model_call_by_model_and_time"),
                    models.Index(fields=["state", "at"], name="model_call_by_state_and_time"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("agent", models.CharField(blank=True, max_length=64)),
                ("model", models.CharField(max_length=200)),
                ("answered", models.PositiveIntegerField(default=0)),
                ("cached", models.PositiveIntegerField(default=0)),
                ("failed", models.PositiveIntegerField(default=0)),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=8, default=0, max_digits=18)),
                ("unpriced", models.PositiveIntegerField(default=0)),
                ("latency_ms", models.PositiveBigIntegerField(default=0)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("plans", models.PositiveIntegerField(default=0)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("day", "agent", "model"), name="model_day_once")],
            },
        ),
        migrations.CreateModel(
            name="Component",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("rule", "Rule"), ("tool", "Tool"), ("firmware", "Firmware"), ("agent", "Agent")],
                        max_length=16,
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True, db_default="", default="")),
                ("domain", models.CharField(db_default="general", default="general", max_length=64)),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, db_default=[], default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("kind", "name"), name="component_name_once_per_kind")],
            },
        ),
        migrations.CreateModel(
            name="ComponentVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "component",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="library.component"
                    ),
                ),
                ("version", models.CharField(max_length=32)),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="children",
                        to="library.componentversion",
                    ),
                ),
                ("body", models.TextField()),
                ("changes", models.TextField(blank=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("candidate", "Candidate"),
                            ("canary", "Canary"),
                            ("active", "Active"),
                            ("retired", "Retired"),
                        ],
                        default="candidate",
                        max_length=16,
                    ),
                ),
                ("applicability_text", models.TextField(blank=True)),
                ("content_embedding", pgvector.django.vector.VectorField(blank=True, dimensions=384, null=True)),
                ("applicability_embedding", pgvector.django.vector.VectorField(blank=True, dimensions=384, null=True)),
                ("origin", models.CharField(default="person", max_length=16)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("uses", models.PositiveIntegerField(default=0)),
                ("successes", models.PositiveIntegerField(default=0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    pgvector.django.indexes.HnswIndex(
                        fields=["applicability_embedding"],
                        name="version_applicability_hnsw",
                        opclasses=["vector_cosine_ops"],
                    ),
                    pgvector.django.indexes.HnswIndex(
                        fields=["content_embedding"], name="version_content_hnsw", opclasses=["vector_cosine_ops"]
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("component", "version"), name="component_version_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "active")),
                        fields=("component",),
                        name="one_active_version_per_component",
                    ),
                ],
            },
        ),
    ]
