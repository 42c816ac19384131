"""A/B trials of two versions of a component. A replay may be one's, which ends it early."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

VERDICTS = [
    ("", "Running"),
    ("a_better", "A is better"),
    ("b_better", "B is better"),
    ("no_difference", "No difference that large"),
    ("undecided", "Undecided"),
    ("stopped", "Stopped"),
]


def version() -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="library.componentversion"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0023_environment_thresholds"),
        ("library", "0014_experience_summaries"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="VersionTrial",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("mode", models.CharField(choices=[("live", "Live"), ("replayed", "Replayed")], max_length=16)),
                ("why", models.TextField(blank=True)),
                ("difference", models.PositiveSmallIntegerField()),
                ("differ", models.PositiveSmallIntegerField()),
                ("alpha", models.PositiveSmallIntegerField()),
                ("power", models.PositiveSmallIntegerField()),
                ("most_cases", models.PositiveIntegerField()),
                ("power_stated", models.FloatField()),
                ("seen_plan", models.BigIntegerField(default=0)),
                ("state", models.CharField(default="running", max_length=16)),
                ("verdict", models.CharField(blank=True, choices=VERDICTS, default="", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("a", version()),
                ("b", version()),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "component",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="library.component"
                    ),
                ),
                (
                    "rollout",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="trial",
                        to="agents.rollout",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(state__in=["running", "ended"]), name="version_trial_state_known"
                    ),
                    models.UniqueConstraint(
                        fields=["component"],
                        condition=models.Q(state="running"),
                        name="one_open_trial_per_component",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(state="running", verdict="")
                        | (models.Q(state="ended") & ~models.Q(verdict="")),
                        name="version_trial_ends_with_a_verdict",
                    ),
                    models.CheckConstraint(
                        condition=~models.Q(a=models.F("b")), name="version_trial_of_two_versions"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="VersionTrialCase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("call", models.BigIntegerField(null=True)),
                ("is_b", models.BooleanField()),
                ("worked", models.BooleanField(null=True)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                ("known_at", models.DateTimeField(blank=True, null=True)),
                (
                    "goal",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="agents.goal",
                    ),
                ),
                (
                    "trial",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cases",
                        to="agents.versiontrial",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=["trial", "goal"], name="version_trial_goal_once"),
                    models.UniqueConstraint(fields=["trial", "call"], name="version_trial_call_once"),
                ],
            },
        ),
        migrations.AddField(
            model_name="replay",
            name="trial",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="replays",
                to="agents.versiontrial",
            ),
        ),
    ]
