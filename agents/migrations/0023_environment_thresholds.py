"""Thresholds of entailment for environments of text. Who has saved thresholds keeps the strict ones there as well."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0022_starts_by_searches")]

    operations = [
        migrations.AddField(
            model_name="entailmentthresholds",
            name="environment_entailment",
            field=models.FloatField(
                "least probability of entailment in environments",
                db_default=0.973,
                validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
                help_text="Of the entailment model, about what an environment of text says.",
            ),
        ),
        migrations.AddField(
            model_name="entailmentthresholds",
            name="environment_contradiction",
            field=models.FloatField(
                "greatest probability of contradiction in environments",
                db_default=0.01,
                validators=[MinValueValidator(0.0), MaxValueValidator(0.5)],
                help_text="As above, about what a text environment says.",
            ),
        ),
        migrations.SeparateDatabaseAndState(  # only what its form says
            state_operations=[
                migrations.AlterField(
                    model_name="entailmentthresholds",
                    name="entailment",
                    field=models.FloatField(
                        "least probability of entailment",
                        validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
                        help_text=(
                            "From the calibrated entailment model. It applies wherever nothing else does."
                        ),
                    ),
                ),
            ]
        ),
        AddConstraintNotValid(
            model_name="entailmentthresholds",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    environment_entailment__range=(0.5, 1.0), environment_contradiction__range=(0.0, 0.5)
                ),
                name="thresholds_environment",
            ),
        ),
        ValidateConstraint(model_name="entailmentthresholds", name="thresholds_environment"),
    ]
