"""A goal may end as handed over to people.

Whatever the check of before allowed is allowed still, so no row is looked at for it.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0027_counted_uses")]

    operations = [
        migrations.RemoveConstraint(model_name="goal", name="goal_outcome_known"),
        AddConstraintNotValid(
            model_name="goal",
            constraint=models.CheckConstraint(
                condition=models.Q(outcome="")
                | models.Q(
                    state="achieved",
                    outcome__in=["achieved", "nothing_changed", "check_failed", "handed_over", "not_checked"],
                ),
                name="goal_outcome_known",
            ),
        ),
    ]
