"""What people taught by an edit, for goals of their own. A new table: nobody waits."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0065_stop_rules_by_their_name"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Lesson",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "note",
                    models.CharField(
                        blank=True, help_text="Why; those who look at the history read it.", max_length=300
                    ),
                ),
                ("kind", models.CharField(choices=[("mapping", "Mapping"), ("default", "Default")], max_length=8)),
                (
                    "state",
                    models.CharField(
                        choices=[("in_force", "In Force"), ("taken_back", "Taken Back"), ("promoted", "Promoted")],
                        default="in_force",
                        max_length=12,
                    ),
                ),
                ("step", models.PositiveIntegerField()),
                ("said", models.CharField(blank=True, max_length=200)),
                ("path", models.CharField(blank=True, max_length=1024)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("command", models.CharField(blank=True, max_length=64)),
                ("parameter", models.CharField(blank=True, max_length=64)),
                ("default", models.JSONField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="agents.intentplan"
                    ),
                ),
                (
                    "teacher",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(kind="mapping", command="", default__isnull=True) & ~Q(said="") & ~Q(path="")
                        | Q(kind="default", said="", path="")
                        & ~Q(tool="")
                        & ~Q(command="")
                        & ~Q(parameter="")
                        & Q(default__isnull=False),
                        name="lesson_says_what_and_where",
                    ),
                    models.CheckConstraint(
                        condition=Q(state__in=["in_force", "taken_back", "promoted"]), name="lesson_state_is_known"
                    ),
                ],
            },
        ),
    ]
