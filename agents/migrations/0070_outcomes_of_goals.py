"""What came of a goal whose plan ran to its end, and what each of the plan's checks showed.

Short locks: no row is read. Goals from before have no outcome, which pages show as not checked.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0068_turns_that_failed")]

    operations = [
        migrations.AddField(
            "goal", "outcome", models.CharField(blank=True, db_default="", default="", max_length=16)
        ),
        migrations.AddField("intentplan", "check_results", models.JSONField(blank=True, null=True)),
        AddConstraintNotValid(
            "goal",
            models.CheckConstraint(
                condition=models.Q(outcome="")
                | models.Q(
                    state="achieved", outcome__in=["achieved", "nothing_changed", "check_failed", "not_checked"]
                ),
                name="goal_outcome_known",
            ),
        ),
    ]
