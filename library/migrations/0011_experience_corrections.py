"""What of memory plans followed that people changed: a table of its own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0010_entailment_verdicts")]

    operations = [
        migrations.CreateModel(
            name="ExperienceCorrection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("said", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrects",
                        to="library.experience",
                    ),
                ),
                (
                    "experience",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="library.experience",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("experience", "by"), name="experience_corrected_once_by_a_goal"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("experience", models.F("by")), _negated=True),
                        name="experience_corrects_another",
                    ),
                ],
            },
        ),
    ]
